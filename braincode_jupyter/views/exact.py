"""Text that a person approves: exactly what would be run, with nothing in it that hides.

Unlike `clean`, nothing is dropped or forgiven: every control, every invisible character, every
space that is not a plain one becomes a mark and is counted. A long text is shown as head and tail
with the number of lines between them; the whole stays at hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from unicodedata import category

HEAD_LINES = 30
"""Lines shown of the beginning of a long text."""
TAIL_LINES = 10
"""Lines shown of its end."""
MAX_LINE_CHARS = 400
"""Characters of a line that are shown before "show all"."""
MIN_BLANK_LINES = 3
"""So many blank lines in a row are shown as one mark."""

_ODD = re.compile("[^\n\t -~]+")
_BLANK = re.compile(rf"(?:^[ \t]*\n){{{MIN_BLANK_LINES},}}", re.MULTILINE)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks without any ink."""
_SELECTORS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_HEAD_CHARS = 300
_TAIL_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactText:
    """A text as it is shown.

    Parameters
    ----------
    shown : str
        All of it, or head and tail with a line that says how many lines are between them.
    whole : str
        All of it; empty where ``shown`` is.
    hidden : int
        Characters that are shown as marks.
    """

    shown: str
    whole: str
    hidden: int


def to_exact(text: str) -> ExactText:
    """Return a text for a person who is to approve it.

    Parameters
    ----------
    text : str
        Command, code or diff.

    Returns
    -------
    ExactText
        Newlines and tabs stay, a carriage return before a newline too; all else that has no ink is
        a mark such as ``⟨U+202E⟩``.
    """
    hidden = 0

    def mark(found: re.Match[str]) -> str:
        nonlocal hidden
        pieces: list[str] = []
        for is_hidden, run in groupby(found.group(), _is_hidden):
            characters = "".join(run)
            pieces.append(_mark(characters) if is_hidden else characters)
            hidden += len(characters) if is_hidden else 0
        return "".join(pieces)

    marked = _ODD.sub(mark, text.replace("\r\n", "\n"))
    marked = _BLANK.sub(lambda found: f"⟨{found.group().count(chr(10))} blank lines⟩\n", marked)
    shown = _excerpt(marked)
    return ExactText(shown=shown, whole="" if shown == marked else marked, hidden=hidden)


def is_diff(text: str) -> bool:
    """Tell whether a text is a unified diff, whose lines are coloured by their first character."""
    return text.startswith("--- ") and "\n+++ " in text[:4_096] and "\n@@ " in text[:8_192]


def _is_hidden(character: str) -> bool:
    return (
        category(character) in _HIDDEN_CATEGORIES
        or character in _FILLERS
        or _SELECTORS.match(character) is not None
    )


def _mark(run: str) -> str:
    code = f"U+{ord(run[0]):04X}"
    if len(run) == 1:
        return f"⟨{code}⟩"
    return f"⟨{code} ×{len(run)}⟩" if len(set(run)) == 1 else f"⟨{code} and {len(run) - 1} more⟩"


def _excerpt(text: str) -> str:
    lines = text.split("\n")
    rest = len(lines) - HEAD_LINES - TAIL_LINES
    if rest > 1:
        between = f"… {rest:,} more lines …"
        lines = [*lines[:HEAD_LINES], between, *lines[-TAIL_LINES:]]
    return "\n".join(map(_short, lines))


def _short(line: str) -> str:
    rest = len(line) - _HEAD_CHARS - _TAIL_CHARS
    if len(line) <= MAX_LINE_CHARS:
        return line
    return f"{line[:_HEAD_CHARS]} … {rest:,} more characters … {line[-_TAIL_CHARS:]}"
