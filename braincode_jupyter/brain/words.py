"""The words by which the heuristic router knows a request, and what it writes into plans.

The lists are data (``data/words.json``) and are compiled on first use. Words count as whole words
between ASCII borders, terms of CJK scripts and patterns as they stand; ``.`` stops at a newline.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """One list of terms."""

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    cjk: tuple[str, ...] = ()


class TieredTerms(BaseModel):
    """Terms that always count, and terms that count where nothing speaks of software."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strong: Terms
    weak: Terms


class DataTerms(BaseModel):
    """The lists of a preset with data roles."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    software: Terms
    storage: Terms
    cause: Terms
    judgement: Terms
    analyst: TieredTerms
    visualizer: TieredTerms
    statistician: TieredTerms


class TodoText(BaseModel):
    """The fixed todo of a role."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    id: str
    title: str


class Words(BaseModel):
    """The data file."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel)

    brain: dict[str, Terms]
    image: Terms
    data: DataTerms
    work: dict[str, str]
    todos: tuple[TodoText, ...]
    artifact_extensions: tuple[str, ...]


@cache
def words() -> Words:
    """Return the lists, read once.

    Returns
    -------
    Words
        All lists and texts.
    """
    path = files("braincode_jupyter.brain").joinpath("data/words.json")
    return Words.model_validate_json(path.read_bytes())


def occurs(terms: Terms, text: str) -> bool:
    """Tell whether a term of a list occurs.

    Parameters
    ----------
    terms : Terms
        A list.
    text : str
        Lower-case text.

    Returns
    -------
    bool
        True at the first hit.
    """
    return first_place(terms, text) is not None


def first_place(terms: Terms, text: str) -> int | None:
    """Return where the first term of a list occurs.

    Parameters
    ----------
    terms : Terms
        A list.
    text : str
        Lower-case text.

    Returns
    -------
    int or None
        Index of a character.
    """
    match = _compiled(terms).search(text)
    return None if match is None else match.start()


@cache
def _compiled(terms: Terms) -> re.Pattern[str]:
    # The borders are written out: `\b` does not hold before an accented letter in ASCII mode, and
    # in Unicode mode a CJK neighbour would count as part of the word.
    whole = "|".join(map(re.escape, terms.words))
    parts = [
        *([f"(?<![a-z0-9_])(?:{whole})(?![a-z0-9_])"] if whole else []),
        *map(re.escape, terms.cjk),
        *terms.patterns,
    ]
    return re.compile("|".join(parts), re.ASCII)
