"""When a request is too vague to start on, and the question that is put back.

The texts are data (``data/clarification.json``), in English and Chinese.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from braincode_jupyter.brain.text import (
    MAX_ID_CHARS,
    MAX_REASON_CHARS,
    MAX_TITLE_CHARS,
    kept_text,
    kept_texts,
    slug,
    unused,
)
from braincode_jupyter.protocol.plan import Clarification, ClarificationOption

if TYPE_CHECKING:
    from pydantic import JsonValue

MAX_MISSING = 6
"""Things that are named as missing."""
MAX_OPTIONS = 3
"""Ways to go on."""
_MIN_OPTIONS = 2

Language = Literal["en", "zh"]


class _Texts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel)

    reason: str
    question: str
    missing: tuple[str, ...]
    options: tuple[ClarificationOption, ...]
    option_label: str
    option_description: str
    vague: tuple[str, ...]
    vague_end: str


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    en: _Texts
    zh: _Texts


_TEXTS = _File.model_validate_json(
    files("braincode_jupyter.brain").joinpath("data/clarification.json").read_bytes()
)


def _vague(start: str, verbs: tuple[str, ...], end: str) -> re.Pattern[str]:
    return re.compile(f"{start}(?:{'|'.join(map(re.escape, verbs))}){end}", re.I | re.A)


_VAGUE_ENGLISH = _vague("(?:please )?", _TEXTS.en.vague, _TEXTS.en.vague_end)
_VAGUE_CHINESE = _vague("(?:帮我|请|麻烦)? ?", _TEXTS.zh.vague, _TEXTS.zh.vague_end)


def default_clarification(language: Language = "en") -> Clarification:
    """Return the built-in question.

    Parameters
    ----------
    language : {"en", "zh"}
        Language of the texts.

    Returns
    -------
    Clarification
        The question with three ways to go on.
    """
    texts = _TEXTS.zh if language == "zh" else _TEXTS.en
    return Clarification(
        reason=texts.reason, question=texts.question, missing=texts.missing, options=texts.options
    )


def heuristic_clarification(prompt: str, *, has_continuity: bool = False) -> Clarification | None:
    """Return the question for a request that names nothing to work on.

    Parameters
    ----------
    prompt : str
        The request as typed.
    has_continuity : bool
        The request goes on from an earlier run, which may say what is meant.

    Returns
    -------
    Clarification or None
        None where the request can be started on.

    References
    ----------
    Braincode, heuristic clarification.
    """
    text = " ".join(prompt.split())
    if not text:
        return default_clarification()
    if has_continuity:
        return None
    if _VAGUE_ENGLISH.fullmatch(text):
        return default_clarification()
    if _VAGUE_CHINESE.fullmatch(text):
        return default_clarification("zh")
    return None


def normalise_clarification(raw: JsonValue) -> Clarification | None:
    """Return a router's question within limits.

    Parameters
    ----------
    raw : JsonValue
        Decoded JSON.

    Returns
    -------
    Clarification or None
        None unless it is an object whose ``required`` is exactly true.
    """
    if not isinstance(raw, dict) or raw.get("required") is not True:
        return None
    default = default_clarification()
    missing = kept_texts(raw.get("missing"), items=MAX_MISSING * 8, chars=MAX_TITLE_CHARS)
    return Clarification(
        reason=kept_text(raw.get("reason"), MAX_REASON_CHARS) or default.reason,
        question=kept_text(raw.get("question"), MAX_REASON_CHARS) or default.question,
        missing=tuple(dict.fromkeys(missing))[:MAX_MISSING],
        options=_options(raw.get("options")),
    )


def _options(raw: JsonValue) -> tuple[ClarificationOption, ...]:
    items = [item for item in raw if isinstance(item, dict)] if isinstance(raw, list) else []
    options: list[ClarificationOption] = []
    for number, item in enumerate(items[:MAX_OPTIONS], start=1):
        given = item.get("id")
        wanted = (
            slug(given[:MAX_ID_CHARS]) if isinstance(given, str) else ""
        ) or f"option-{number}"
        options.append(
            ClarificationOption(
                id=unused(wanted, (option.id for option in options)),
                label=kept_text(item.get("label"), MAX_TITLE_CHARS)
                or f"{_TEXTS.en.option_label} {number}",
                description=kept_text(item.get("description"), MAX_REASON_CHARS)
                or _TEXTS.en.option_description,
            )
        )
    return tuple(options) if len(options) >= _MIN_OPTIONS else default_clarification().options
