"""Cut, clean and fence text that comes from outside."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from braincode_jupyter.brain.text import visible
from braincode_jupyter.references import limits

if TYPE_CHECKING:
    from collections.abc import Iterable

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_]|[ -/]+[0-~])"
)
_DATA_URL = re.compile(r"data:([\w.+-]{1,60}/[\w.+-]{1,60});base64,[A-Za-z0-9+/=%]{40,}")
_BACKTICKS = re.compile(r"`{3,}")
_LISTED = 12
"""Names listed when none is near."""
_MARK_CHARS = 64
"""Room for the mark that says how much was cut."""


def clip(text: str, limit: int, *, keep_end: bool = False) -> tuple[str, int]:
    """Return the text within a limit, and how many characters were left out.

    Parameters
    ----------
    text : str
        Any text.
    limit : int
        Greatest length of the result, mark included; characters, > 128.
    keep_end : bool
        Keep the last quarter too, where results and errors stand.

    Returns
    -------
    tuple of (str, int)
        The text with a mark where it was cut, and the number of characters left out.
    """
    if len(text) <= limit:
        return text, 0
    room = limit - _MARK_CHARS
    tail = room // 4 if keep_end else 0
    dropped = len(text) - room
    end = text[len(text) - tail :] if tail else ""
    return f"{text[: room - tail]}\n[… {dropped:,} characters cut …]\n{end}".rstrip("\n"), dropped


def clip_line(text: str, limit: int) -> str:
    """Return text on one line within a limit, invisible characters escaped."""
    head = visible(text[:limit])
    return head if len(text) <= limit else f"{head}…"


def plain_output(text: str) -> str:
    """Return terminal text as it reads at the end: no colours, no overwritten progress bars."""
    text = _ANSI.sub("", text)
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def without_payloads(text: str) -> str:
    """Return text with inline base64 pictures replaced by a note."""
    if ";base64," not in text:
        return text
    return _DATA_URL.sub(lambda match: f"[{match[1]} data left out]", text)


def fenced(text: str, language: str = "") -> str:
    """Return text in a fence longer than any inside."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def counted(count: int, noun: str) -> str:
    """Return ``1 cell``, ``2,000 cells``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def near_hint(name: str, known: Iterable[str]) -> str:
    """Return ``Did you mean …?``, or the names that there are; prefixes do not count as alike."""
    names = list(dict.fromkeys(known))
    bare = {token.rpartition(":")[2]: token for token in names}
    alike = get_close_matches(name.rpartition(":")[2], bare, n=limits.NEAR_NAMES, cutoff=0.6)
    near = [bare[key] for key in alike]
    if near:
        return f"Did you mean {' or '.join(near)}?"
    shown = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
    return f"There is {shown}." if names else ""
