"""Texts of ours that records hold, known by their English as messages of gettext are.

Models and the original read what a record says, so it is English and stays as it was written. What
of it is ours has the same text in the catalogue, in a group for each kind of place where it can
stand. A text that is not in its group, of a model or a provider, is shown as it came; so are those
that an earlier version wrote otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.views.speaker import forms_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.protocol.sentence import Said

Kind: TypeAlias = Literal[
    "references", "rules", "plans", "warnings", "judged", "failures", "refused"
]
KINDS: Final = get_args(Kind)
"""Groups of the catalogue whose texts stand in records."""
NUMBERS: Final = frozenset({"all", "chars", "columns", "count", "limit", "rows", "size"})
"""Places that hold whole numbers, in any of these groups."""
PARTS: Final = frozenset({"first", "rest", "what"})
"""Places that can hold a text of ours; any other holds what is outside, such as a name."""
MAX_CHARS = 1_000
"""A longer text is none of ours."""
_INSIDE: Final[Mapping[Kind, Kind]] = {"warnings": "references", "refused": "rules"}
"""Where the parts of a text come from, if they are not of its own kind."""
_DEPTH = 6
"""Texts of ours inside one another."""

_PLACE = re.compile(r"\{(\w+)\}")


def recorded(kind: Kind, text: str) -> Said:
    """Return a text of a record as a sentence of ours, if it is one.

    Parameters
    ----------
    kind : Kind
        Which texts can stand there.
    text : str
        What the record says, cleaned.

    Returns
    -------
    Said
        The text as it came if it is not ours.
    """
    return _known(kind, text, _DEPTH) if text and len(text) <= MAX_CHARS else text


@dataclass(frozen=True, slots=True)
class _Message:
    """One English text of the catalogue, to be found in what a record says."""

    key: str
    english: str

    def values_in(self, text: str) -> dict[str, str] | None:
        """Return what stands in its places; None if the text is another one."""
        first, *_, last = _PLACE.sub("\0", self.english).split("\0")
        if not (text.startswith(first) and text.endswith(last)):
            return None
        found = _pattern(self.english).fullmatch(text)
        return None if found is None else found.groupdict()

    @property
    def joins(self) -> bool:
        """Whether it has no word of its own."""
        return not re.search(r"\w", _PLACE.sub("", self.english))


@lru_cache(maxsize=1_024)
def _known(kind: Kind, text: str, depth: int) -> Said:
    fixed, open_ones = _messages(kind)
    if text in fixed:
        return Sentence(key=fixed[text], english=text)
    for message in open_ones if depth else ():
        found = message.values_in(text)
        if found is None:
            continue
        values = {name: _value(kind, name, value, depth=depth - 1) for name, value in found.items()}
        # Marks alone join anything, of others too.
        if not (message.joins and all(isinstance(value, str) for value in values.values())):
            return Sentence(key=message.key, values=values, english=text)
    return text


def _value(kind: Kind, name: str, value: str, *, depth: int) -> Said | int:
    if name in NUMBERS:
        return int(value.replace(",", ""))
    if name not in PARTS:
        return value
    found = _known(kind, value, depth)
    return _known(_INSIDE[kind], value, depth) if found == value and kind in _INSIDE else found


@cache
def _messages(kind: Kind) -> tuple[Mapping[str, str], tuple[_Message, ...]]:
    """Return the texts without places, and those with, in the order of the catalogue."""
    texts = [
        _Message(f"{kind}.{name}", english)
        for name, form in forms_of("en")[kind].items()
        for english in ([form] if isinstance(form, str) else form.values())
    ]
    fixed = {one.english: one.key for one in texts if not _PLACE.search(one.english)}
    return fixed, tuple(one for one in texts if one.english not in fixed)


@cache
def _pattern(english: str) -> re.Pattern[str]:
    pieces = _PLACE.split(english)
    for index in range(0, len(pieces), 2):
        pieces[index] = re.escape(pieces[index])
    for index in range(1, len(pieces), 2):
        name = pieces[index]
        pieces[index] = rf"(?P<{name}>\d[\d,]{{0,19}})" if name in NUMBERS else f"(?P<{name}>.+?)"
    return re.compile("".join(pieces), re.DOTALL | re.ASCII)
