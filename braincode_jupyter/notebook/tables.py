"""Rows of plain text in columns, for everything that is listed."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 80
"""Columns of a listing, as terminals have them."""
_HEAD = 36
"""Where two columns are laid out, a first cell that is longer stands on a line of its own."""
_GAP = "  "


def table(rows: Iterable[Sequence[str]], *, indent: str = "") -> str:
    """Lay rows out in columns.

    Parameters
    ----------
    rows : iterable of sequence of str
        Each of the same length; the last column is wrapped.
    indent : str
        Before each line.

    Returns
    -------
    str
        Lines without trailing blanks; empty without rows.
    """
    listed = [[" ".join(cell.split()) for cell in row] for row in rows]
    if not listed:
        return ""
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]) - 1)]
    if len(widths) == 1:
        widths = [min(widths[0], _HEAD)]
    start = len(indent) + sum(widths) + len(_GAP) * len(widths)
    lines: list[str] = []
    for row in listed:
        head = "".join(f"{cell:<{width}}{_GAP}" for cell, width in zip(row, widths, strict=False))
        wrapped = textwrap.wrap(row[-1], max(WIDTH - start, 30)) or [""]
        head = indent + head
        if len(head) > start:
            lines.append(head.rstrip())
            head = " " * start
        lines.append((head + wrapped[0]).rstrip())
        lines.extend(" " * start + line for line in wrapped[1:])
    return "\n".join(lines)


def first_line(text: str, *, limit_chars: int) -> str:
    """Return the beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit_chars else f"{flat[: limit_chars - 1]}…"
