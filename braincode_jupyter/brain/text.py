"""Untrusted text made fit to keep: valid Unicode, trimmed, within a limit."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

MAX_TITLE_CHARS = 300
"""Title of a todo."""
MAX_GOAL_CHARS = 4_000
"""Goal of a worker."""
MAX_REASON_CHARS = 1_000
"""Reason of a worker, a todo, an edge or a plan."""
MAX_ID_CHARS = 80
"""What is read of an id that a model gave."""

_CUT_MARK = " […]"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_SLUG = re.compile(r"[^a-z0-9_-]+")


def valid_text(text: str) -> str:
    """Return text that can be encoded: a lone surrogate becomes U+FFFD, a pair its character.

    Parameters
    ----------
    text : str
        Any string.

    Returns
    -------
    str
        The same without surrogates.
    """
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def visible(text: str) -> str:
    """Return text with control, direction and zero-width characters and surrogates escaped."""
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in _INVISIBLE
        else char
        for char in text
    )


def clip(text: str, limit: int) -> str:
    """Return trimmed, valid text of at most ``limit`` characters; a cut one ends in a mark.

    Parameters
    ----------
    text : str
        Any string.
    limit : int
        Characters, above the length of the mark.

    Returns
    -------
    str
        ``clip(clip(x, n), n) == clip(x, n)``.
    """
    trimmed = valid_text(text).strip()
    if len(trimmed) <= limit:
        return trimmed
    return trimmed[: limit - len(_CUT_MARK)].rstrip() + _CUT_MARK


def kept_text(value: JsonValue, limit: int) -> str | None:
    """Return a string that is not blank, clipped; None for anything else.

    Parameters
    ----------
    value : JsonValue
        Decoded JSON.
    limit : int
        Characters.

    Returns
    -------
    str or None
        The text.
    """
    return clip(value, limit) or None if isinstance(value, str) else None


def kept_texts(value: JsonValue, *, items: int, chars: int) -> tuple[str, ...]:
    """Return the strings of a list that are not blank, clipped; other items are dropped.

    Parameters
    ----------
    value : JsonValue
        Decoded JSON; what is no list gives nothing.
    items : int
        Greatest number of strings.
    chars : int
        Characters of each.

    Returns
    -------
    tuple of str
        At most ``items`` strings.
    """
    if not isinstance(value, list):
        return ()
    texts = (kept_text(item, chars) for item in value)
    return tuple(text for text in texts if text is not None)[:items]


def bullets(heading: str, lines: Iterable[str]) -> str:
    """Return a heading with a bullet for each line below it."""
    return "\n".join([heading, *(f"- {line}" for line in lines)])


def slug(text: str) -> str:
    """Return a lower-case id of letters, digits, ``_`` and inner ``-``; may be empty.

    Parameters
    ----------
    text : str
        Any string.

    Returns
    -------
    str
        ``slug(slug(x)) == slug(x)``.
    """
    return _NOT_SLUG.sub("-", text.strip().lower()).strip("-")


def unused(wanted: str, taken: Iterable[str]) -> str:
    """Return ``wanted``, or the first of ``wanted-2``, ``wanted-3``, … that is free.

    Parameters
    ----------
    wanted : str
        Slug.
    taken : iterable of str
        Slugs in use.

    Returns
    -------
    str
        A free slug.
    """
    used = set(taken)
    name, number = wanted, 2
    while name in used:
        name = f"{wanted}-{number}"
        number += 1
    return name
