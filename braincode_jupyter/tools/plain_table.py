"""First rows of a frame, or of a query, as CSV text within limits.

Standard library alone, and no import of ours: the scratch kernel runs this file by its path, the
package imports it for SQL. Of a column it tells what its values are, since CSV does not.

Known trade-off (accepted): an empty text and an absent value are both an empty cell.
"""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import numbers
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_CSV_CHARS = 256 * 1024
"""Text of one table; rows beyond it are left out."""
MAX_ROWS = 10_000
"""Rows of one table that are kept."""
MAX_COLUMNS = 200
"""Columns of one table that are kept."""
MAX_CELL_CHARS = 2_000
"""Text of one cell."""
UNNAMED = "value"
"""Column of a series that has no name."""
_ABSENT = frozenset({"NoneType", "NAType", "NaTType"})
_BOOLS = frozenset({"bool", "bool_"})


class _Lines(list[str]):
    """Takes the lines that a writer of CSV makes."""

    def write(self, line: str) -> None:
        self.append(line)


def plain_table(
    names: Sequence[object], rows: Iterable[Sequence[object]], *, count: int | None = None
) -> dict[str, object]:
    """Return the first rows of a table as JSON values.

    Parameters
    ----------
    names : sequence
        Of the columns.
    rows : iterable of sequence
        Read until the limits are reached, and no further.
    count : int or None
        Rows of the whole table; None: told only if all of them fit.

    Returns
    -------
    dict
        ``csv``, ``columns``, ``rows`` and ``kinds``.
    """
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow([_cell(name) for name in names[:MAX_COLUMNS]])
    kinds: list[set[str]] = [set() for _ in names[:MAX_COLUMNS]]
    size, is_whole = len(lines[0]), True
    for row in rows:
        values = row[:MAX_COLUMNS]
        writer.writerow([_cell(value) for value in values])
        size += len(lines[-1])
        if len(lines) > MAX_ROWS + 1 or size > MAX_CSV_CHARS:
            lines.pop()
            is_whole = False
            break
        for found, value in zip(kinds, values, strict=True):
            found.add(_kind(value))
    return {
        "csv": "".join(lines),
        "columns": len(names),
        "rows": len(lines) - 1 if is_whole and count is None else count,
        "kinds": [_common(found) for found in kinds],
    }


def frame_table(value: Any) -> dict[str, object] | None:  # noqa: ANN401 - any object
    """Return the first rows of a frame of pandas, polars or pyarrow; None for anything else.

    Parameters
    ----------
    value : object
        Any object; only where it is a frame its code is run.

    Returns
    -------
    dict or None
        As `plain_table`.
    """
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__}
    if kinds & {("pandas", "Series"), ("polars", "Series")}:
        value = value.to_frame(UNNAMED) if value.name in {None, ""} else value.to_frame()
    if kinds & {("pandas", "DataFrame"), ("pandas", "Series")}:
        return _pandas_table(value)
    if kinds & {("polars", "DataFrame"), ("polars", "Series")}:
        return plain_table(value.columns, value.head(MAX_ROWS).iter_rows(), count=value.height)
    if kinds & {("pyarrow", "Table"), ("pyarrow", "RecordBatch")}:
        columns = [column.to_pylist() for column in value.slice(0, MAX_ROWS).columns]
        rows = zip(*columns, strict=True)
        return plain_table(value.schema.names, rows, count=value.num_rows)
    return None


def _pandas_table(frame: Any) -> dict[str, object]:  # noqa: ANN401 - pandas is optional
    """Return a pandas frame; its index is a column, unless it only counts."""
    head = frame.head(MAX_ROWS)
    names = [_flat(name) for name in head.columns]
    rows: Iterator[Sequence[object]] = head.itertuples(index=False, name=None)
    if type(head.index).__name__ != "RangeIndex" or head.index.name is not None:
        names = [*(str(name or "index") for name in head.index.names), *names]
        levels = [head.index.get_level_values(n) for n in range(head.index.nlevels)]
        rows = ((*key, *row) for key, row in zip(zip(*levels, strict=True), rows, strict=True))
    return plain_table(names, rows, count=len(frame))


def _flat(name: Any) -> str:  # noqa: ANN401 - any object can name a column
    """Return the name of a column; one of several levels in one text."""
    parts = cast("tuple[object, ...]", name) if type(name) is tuple else (name,)
    return " ".join(str(part) for part in parts if part != "")


def _cell(value: object) -> str:
    kind = _kind(value)
    if not kind:
        return ""
    text = str(value).lower() if kind == "bool" else str(value)
    return text if len(text) <= MAX_CELL_CHARS else f"{text[:MAX_CELL_CHARS]}…"


def _kind(value: object) -> str:
    """Return what a value is; empty for an absent one."""
    name = type(value).__name__
    if name in _ABSENT:
        return ""
    if name in _BOOLS:
        return "bool"
    if isinstance(value, (numbers.Real, decimal.Decimal)):
        return "number" if value == value else ""  # noqa: PLR0124 - not so for NaN alone
    return "time" if isinstance(value, (dt.date, dt.datetime)) else "text"


def _common(found: set[str]) -> str:
    kinds = found - {""}
    return kinds.pop() if len(kinds) == 1 else "text"
