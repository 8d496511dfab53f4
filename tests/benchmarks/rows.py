"""One line of the table, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What was measured, beside its target in design.md 11."""

    what: str
    measured: float
    unit: str = ""
    target: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.measured <= self.target else "MISSED"


def table(rows: Sequence[Row]) -> str:
    """Set the rows as a Markdown table."""
    cells = [("what", "measured", "target", "", "how")]
    for row in rows:
        target = "–" if row.target is None else f"<= {row.target:,.4g} {row.unit}".rstrip()
        measured = f"{row.measured:,.4g} {row.unit}".rstrip()
        cells.append((row.what, measured, target, row.verdict, row.note))
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    lines = [
        "| " + " | ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
