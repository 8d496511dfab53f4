"""Numbers computed beforehand, for models that cannot call tools.

For each referenced frame: size, and the mean of its numeric columns by each column of few values
and by month of each date. What is computed follows from the frame and the request alone: columns
that the request names come first. The text is short, as such models read little.
"""

from __future__ import annotations

import datetime as dt
import numbers
import re
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from braincode_jupyter.tools.arrow import UNNAMED, frame_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_TEXT_CHARS = 800
"""All evidence together."""
MAX_ROWS = 5_000_000
"""A larger frame is only counted."""
_MAX_GROUPS = 12
_MAX_MONTHS = 600
"""Months that a date may span; the last `_MAX_GROUPS` are told."""
_MAX_NUMBERS = 2
"""Numeric columns per grouping."""
_MAX_CANDIDATES = 30
"""Columns looked at."""
_LABEL_CHARS = 24
_WORD = re.compile(r"\w+")


def precomputed_evidence(variables: Mapping[str, object], request: str) -> str:
    """Compute what a worker would have computed with tools.

    Parameters
    ----------
    variables : mapping of str to object
        The referenced variables; they are not changed.
    request : str
        What the user asked; columns that it names come first.

    Returns
    -------
    str
        At most `MAX_TEXT_CHARS`; empty if there is no frame.
    """
    words = {word.casefold() for word in _WORD.findall(request)}
    lines: list[str] = []
    for name, value in variables.items():
        if frame_kind(value) is None:
            continue
        try:
            lines += _frame_lines(name, value, words)
        except Exception as error:  # any library may refuse any frame
            lines.append(f"{name}: could not be computed ({type(error).__name__})")
    return _within(lines)


def _frame_lines(name: str, value: object, words: set[str]) -> list[str]:
    nw = import_module("narwhals")
    frame = _frame(nw, value)
    lines = [f"{name}: {len(frame):,} rows × {frame.shape[1]:,} columns, all rows used"]
    if not 0 < len(frame) <= MAX_ROWS:
        return lines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = frame.schema
        columns = _by_interest(list(schema)[:_MAX_CANDIDATES], words)
        numbers = [column for column in columns if schema[column].is_numeric()][:_MAX_NUMBERS]
        lines += [_overall(frame, column) for column in numbers]
        for column in columns:
            grouping = _grouping(nw, frame, column) if column not in numbers else None
            if grouping is not None:
                lines += _groups(nw, grouping, numbers)
    return lines


def _frame(nw: Any, value: object) -> Any:  # noqa: ANN401 - narwhals is loaded on first use
    made = value
    if type(value).__name__ == "RecordBatch":
        made = import_module("pyarrow").Table.from_batches([value])
    elif type(value).__name__ == "Series":
        series = cast("Any", value)
        made = series.to_frame(UNNAMED) if series.name is None else series.to_frame()
    frame = nw.from_native(made, eager_only=True)
    return frame.select(*(nw.col(name).alias(str(name)) for name in frame.columns))


def _by_interest(columns: list[str], words: set[str]) -> list[str]:
    """Return the columns that the request names first, otherwise in their own order."""
    return sorted(columns, key=lambda column: not words & _words_of(column))


def _words_of(column: str) -> set[str]:
    whole = column.casefold()
    return {whole, *_WORD.findall(whole), *whole.split("_")}


def _overall(frame: Any, column: str) -> str:  # noqa: ANN401 - narwhals is loaded on first use
    values = frame[column].drop_nulls()
    if not len(values):
        return f"{column}: no values"
    facts = (("mean", values.mean()), ("min", values.min()), ("max", values.max()))
    return f"{column}: " + ", ".join(f"{name} {_number(value)}" for name, value in facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grouping:
    """A frame without rows that lack the column it is grouped by."""

    frame: Any
    column: str
    title: str


def _grouping(
    nw: Any,  # noqa: ANN401 - narwhals is loaded on first use
    frame: Any,  # noqa: ANN401 - narwhals is loaded on first use
    column: str,
) -> _Grouping | None:
    """Return how to group by a column: by its few values, or by month; None: not at all."""
    dtype, title, limit = frame.schema[column], column, _MAX_GROUPS
    if dtype in (nw.Date, nw.Datetime):
        frame = frame.with_columns(nw.col(column).dt.truncate("1mo").alias(column))
        title, limit = f"{column} (month)", _MAX_MONTHS
    elif dtype not in (nw.String, nw.Categorical, nw.Enum, nw.Boolean):
        return None
    frame = frame.drop_nulls(column)
    is_useful = 1 <= frame[column].n_unique() <= limit
    return _Grouping(frame=frame, column=column, title=title) if is_useful else None


def _groups(
    nw: Any,  # noqa: ANN401 - narwhals is loaded on first use
    grouping: _Grouping,
    numbers: list[str],
) -> list[str]:
    """Return one line per numeric column with its mean in each group, or the sizes of groups."""
    column, title = grouping.column, grouping.title
    means = [nw.col(number).mean().alias(f"mean {number}") for number in numbers]
    groups = grouping.frame.group_by(column).agg(nw.len().alias("rows"), *means).sort(column)
    rows = list(groups.tail(_MAX_GROUPS).iter_rows(named=True))
    if not numbers:
        counts = ", ".join(f"{_label(row[column])} {row['rows']:,}" for row in rows)
        return [f"rows by {title}: {counts}"]
    return [
        f"mean {number} by {title}: "
        + ", ".join(f"{_label(row[column])} {_number(row[f'mean {number}'])}" for row in rows)
        for number in numbers
    ]


def _within(lines: list[str]) -> str:
    """Return whole lines that fit; a line too many is left out and said so."""
    text, left = "", 0
    mark = "\n[more left out]"
    for line in lines:
        if len(text) + len(line) + 1 <= MAX_TEXT_CHARS - len(mark) and not left:
            text += f"\n{line}" if text else line
        else:
            left += 1
    return f"{text}{mark}" if left else text


def _label(value: object) -> str:
    text = f"{value:%Y-%m}" if isinstance(value, dt.date) else str(value)[:_LABEL_CHARS]
    text = "".join(char if char.isprintable() else " " for char in text)
    return text.strip() or "(blank)"


def _number(value: object) -> str:
    return f"{float(value):.6g}" if isinstance(value, numbers.Real) else "none"
