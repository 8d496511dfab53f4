"""Finds English words of ours in what is said in another language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.views.speaker import forms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from braincode_jupyter.views.run_view import RunView
    from braincode_jupyter.views.speaker import Form, Language

_PLACE = re.compile(r"\{\w+\}")


def english_in(texts: Iterable[str], language: Language, view: RunView) -> list[str]:
    """Return which texts hold English words of ours, beside what came from outside."""
    patterns = _english(language)
    outside = sorted(set(_outside(view)), key=len, reverse=True)
    found: list[str] = []
    for text in dict.fromkeys(texts):
        ours = text
        for part in outside:
            ours = ours.replace(part, "◇")
        found += [f"{text!r}: {name}" for name, one in patterns.items() if one.search(ours)]
    return found


def _english(language: Language) -> dict[str, re.Pattern[str]]:
    """Return the English texts that the other language says otherwise."""
    found: dict[str, re.Pattern[str]] = {}
    for group, forms in forms_of("en").items():
        for name, form in forms.items():
            others = _texts(forms_of(language)[group][name])
            for text in _texts(form):
                fixed = ".+".join(map(re.escape, _PLACE.split(text.strip())))
                pattern = re.compile(rf"(?<!\w){fixed}(?!\w)")
                is_a_word = re.search("[A-Za-z]{2,}", _PLACE.sub("", text))
                if is_a_word and not any(map(pattern.search, others)):
                    found[f"{group}.{name}"] = pattern
    return found


def _texts(form: Form) -> list[str]:
    return [form] if isinstance(form, str) else list(form.values())


def _outside(view: RunView) -> Iterator[str]:
    """Return what is nobody's word of ours: prose, names of agents, models and files."""
    for agent in view.agents:
        model = agent.model_id or agent.role
        yield from (agent.role, model, model.rsplit("/", 1)[-1])
    yield from (text for text in _strings(view.model_dump()) if re.search(r"[\s/@.:\d-]", text))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, (value, *value.splitlines()))
    elif isinstance(value, dict):
        items = cast("dict[str, object]", value)
        # The key of a sentence is no text of its own; what stands in its places is.
        is_sentence = items.keys() == Sentence.model_fields.keys()
        yield from _strings(items["values"] if is_sentence else list(items.values()))
    elif isinstance(value, (list, tuple)):
        for item in cast("list[object]", value):
            yield from _strings(item)
