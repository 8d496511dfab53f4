"""Data frames as references: shape, schema and statistics, and no cell values unless asked for.

Works on exactly the frame types of pandas, polars and pyarrow that the user has already imported;
narwhals is loaded on first use. Statistics come from rows spread over the whole frame; only that
sample of the described columns is ever copied.

Known trade-offs (accepted): evenly spread rows can coincide with a period in the data; the time is
looked at between columns, so one slow column can overrun the budget.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from braincode_jupyter.references import limits
from braincode_jupyter.references.kinds import is_library_type, type_name
from braincode_jupyter.references.scalars import cell_text, label_text, number_text
from braincode_jupyter.references.text import clip_line, counted

if TYPE_CHECKING:
    import narwhals as nw

_FRAMES = (
    ("pandas", "DataFrame"),
    ("pandas", "Series"),
    ("polars", "DataFrame"),
    ("polars", "Series"),
    ("polars", "LazyFrame"),
    ("pyarrow", "Table"),
    ("pyarrow", "RecordBatch"),
)
_PLAIN_OBJECTS = frozenset({str, type(None), float, int, bool})


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A value as text.

    Parameters
    ----------
    text : str
        What is sent.
    label : str
        What is sent, for people: ``frame 24,310 × 7, schema and statistics``.
    cut : str or None
        What was left out or only sampled.
    """

    text: str
    label: str
    cut: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """A frame made uniform: described columns are called ``0``, ``1``, … in ``sample``."""

    title: str
    names: list[str]
    rows: int
    columns: int
    step: int
    sample: nw.DataFrame[Any]
    head: nw.DataFrame[Any]
    opaque: dict[int, str] = field(default_factory=dict[int, str])
    """Columns of types that are not looked into, with the name of their type."""


def frame_type(value: object) -> str | None:
    """Return ``pandas DataFrame`` and the like, or None if this is no frame that we know."""
    for module, name in _FRAMES:
        if is_library_type(value, module, name):
            return f"{module} {name}"
    return None


def frame_brief(value: object) -> str | None:
    """Return type and shape of a frame in a few words; None if it is none."""
    title = frame_type(value)
    if title is None or title.endswith("LazyFrame"):
        return title
    shape = _shape(cast("Any", value))
    return f"{title} {shape[0]:,} × {shape[1]:,}"


def describe_frame(value: object, *, rows: bool = False) -> Description | None:
    """Describe a data frame or a series.

    Parameters
    ----------
    value : object
        Any object.
    rows : bool
        Add the first `limits.FRAME_ROWS` rows, clipped.

    Returns
    -------
    Description or None
        None if this is no frame that we know.
    """
    title = frame_type(value)
    if title is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if title.endswith("LazyFrame"):
            return _describe_lazy(cast("Any", value))
        table = _tabulate(cast("Any", value), title)
        return _describe_table(table, rows=rows)


def _describe_table(table: _Table, *, rows: bool) -> Description:
    lines = [f"{table.title}, {table.rows:,} rows × {counted(table.columns, 'column')}"]
    cuts: list[str] = []
    if table.step > 1:
        note = f"statistics from {len(table.sample):,} of {table.rows:,} rows"
        lines.append(f"({note}, spread evenly)")
        cuts.append(note)
    described, skipped = _column_lines(table)
    lines += described
    if skipped:
        cuts.append(f"{skipped} columns without statistics (time limit)")
    lines += _further_names(table, cuts)
    if rows:
        lines += _row_lines(table)
    else:
        lines.append("No cell values are included.")
    shape = f"{table.rows:,} × {table.columns:,}"
    what = "schema, statistics and rows" if rows else "schema and statistics"
    return Description(
        text="\n".join(lines), label=f"frame {shape}, {what}", cut="; ".join(cuts) or None
    )


def _column_lines(table: _Table) -> tuple[list[str], int]:
    """Return one line per described column, and how many have no statistics for want of time."""
    started, skipped, lines = time.perf_counter(), 0, list[str]()
    for index, name in enumerate(table.names[: limits.FRAME_COLUMNS]):
        if index in table.opaque:
            lines.append(f"- {name}: {table.opaque[index]}")
            continue
        column = table.sample[str(index)]
        facts = [_dtype_name(column.dtype)]
        if time.perf_counter() - started < limits.FRAME_BUDGET_S:
            facts += _statistics(column)
        else:
            skipped += 1
        lines.append(f"- {name}: {', '.join(facts)}")
    return lines, skipped


def _further_names(table: _Table, cuts: list[str]) -> list[str]:
    further = table.names[limits.FRAME_COLUMNS :]
    if not further:
        return []
    unnamed = table.columns - len(table.names)
    cuts.append(f"{table.columns - limits.FRAME_COLUMNS:,} columns without type and statistics")
    more = f", and {unnamed:,} more not named" if unnamed else ""
    return [f"Further columns, names only: {', '.join(further)}{more}"]


def _row_lines(table: _Table) -> list[str]:
    shown = [i for i in range(min(limits.FRAME_COLUMNS, len(table.names))) if i not in table.opaque]
    lines = [f"First {len(table.head)} rows:", " | ".join(table.names[i] for i in shown)]
    lines += [" | ".join(map(cell_text, row)) for row in table.head.iter_rows()]
    return lines


def _statistics(column: nw.Series[Any]) -> list[str]:
    """Return facts on one column; a column that cannot be computed says which error it gave."""
    import narwhals as nw  # noqa: PLC0415 - loaded on first use

    dtype = column.dtype
    try:
        facts = [f"{_percent(column.null_count(), len(column))} null"]
        if dtype.is_numeric():
            facts += _numeric(column)
        elif dtype.is_temporal():
            facts += _extremes(column)
        elif dtype == nw.Boolean:
            true = int(cast("int", column.drop_nulls().sum() or 0))
            facts.append(f"{_percent(true, len(column))} true")
        elif any(dtype == kind for kind in (nw.String, nw.Categorical, nw.Enum)):
            facts.append(f"{column.drop_nulls().n_unique():,} distinct")
    except Exception as error:  # any backend may refuse any column
        return [f"no statistics ({type(error).__name__})"]
    return facts


def _numeric(column: nw.Series[Any]) -> list[str]:
    values, facts = column.drop_nulls(), list[str]()
    if values.dtype.is_float():
        is_nan = values.is_nan()
        nans = int(cast("int", is_nan.sum() or 0))
        if nans:
            facts.append(f"{_percent(nans, len(column))} NaN")
            values = values.filter(~is_nan)
    if not len(values):
        return facts
    middle = [("mean", values.mean()), ("median", values.median())]
    return facts + _extremes(values) + [f"{name} {_value(value)}" for name, value in middle]


def _extremes(column: nw.Series[Any]) -> list[str]:
    values = column.drop_nulls()
    if not len(values):
        return []
    return [f"min {_value(values.min())}", f"max {_value(values.max())}"]


def _value(value: object) -> str:
    plain = getattr(value, "item", None)
    return cell_text(plain() if callable(plain) else value)


def _percent(part: int, whole: int) -> str:
    return f"{number_text(round(100 * part / max(1, whole), 2))} %"


def _dtype_name(dtype: object) -> str:
    """Return the name of a column type, without categories: those are values."""
    text = str(dtype)
    return "Enum" if text.startswith("Enum") else clip_line(text, limits.NAME_CHARS)


def _shape(frame: Any) -> tuple[int, int]:  # noqa: ANN401 - one of three libraries
    shape = cast("tuple[int, ...]", (frame.num_rows, frame.num_columns)) if hasattr(
        frame, "num_rows"
    ) else cast("tuple[int, ...]", frame.shape)  # fmt: skip
    return shape[0], shape[1] if len(shape) > 1 else 1


def _tabulate(frame: Any, title: str) -> _Table:  # noqa: ANN401 - one of three libraries
    """Cut rows and columns with the library's own views, then hand the rest to narwhals."""
    import narwhals as nw  # noqa: PLC0415 - loaded on first use

    rows, columns = _shape(frame)
    step = max(1, rows // limits.FRAME_SAMPLE_ROWS)
    library = title.partition(" ")[0]
    if title.endswith("Series"):
        frame = frame.to_frame()
    opaque: dict[int, str] = {}
    if library == "pandas":
        names, sample, head, opaque = _pandas_parts(frame, step)
    elif library == "polars":
        names = [label_text(name) for name in frame.columns]
        part = frame[:, : limits.FRAME_COLUMNS]
        part.columns = [str(index) for index in range(part.width)]
        sample, head = part.gather_every(step), part.head(limits.FRAME_ROWS)
    else:
        names = [label_text(name) for name in frame.schema.names]
        part = frame.select(list(range(min(limits.FRAME_COLUMNS, columns))))
        part = part.rename_columns([str(index) for index in range(part.num_columns)])
        part = _as_arrow_table(part)
        sample, head = part, part.slice(0, limits.FRAME_ROWS)
    uniform = nw.from_native(sample, eager_only=True)
    if library == "pyarrow":
        uniform = uniform.gather_every(step)
    return _Table(
        title=title,
        names=names[: limits.FRAME_COLUMNS + limits.FRAME_NAMES],
        rows=rows,
        columns=columns,
        step=step,
        sample=uniform,
        head=nw.from_native(head, eager_only=True),
        opaque=opaque,
    )


def _as_arrow_table(part: Any) -> Any:  # noqa: ANN401 - pyarrow has no complete types
    if is_library_type(part, "pyarrow", "Table"):
        return part
    return import_module("pyarrow").Table.from_batches([part])


def _pandas_parts(
    frame: Any,  # noqa: ANN401 - pandas has no complete types
    step: int,
) -> tuple[list[str], Any, Any, dict[int, str]]:
    """Return names, sample, head, and the columns whose type or values are not looked into."""
    wanted = limits.FRAME_COLUMNS + limits.FRAME_NAMES
    names = [label_text(name) for name in frame.columns[:wanted]]
    dtypes = list(frame.dtypes.iloc[: limits.FRAME_COLUMNS])
    opaque = {i: type_name(kind) for i, kind in enumerate(dtypes) if not _is_known_dtype(kind)}
    if opaque:
        known = [index for index in range(len(dtypes)) if index not in opaque]
        sample, head = frame.iloc[::step, known], frame.iloc[: limits.FRAME_ROWS, known]
    else:
        known = list(range(len(dtypes)))
        sample, head = (
            frame.iloc[::step, : len(dtypes)],
            frame.iloc[: limits.FRAME_ROWS, : len(dtypes)],
        )
    sample = sample.set_axis([str(index) for index in known], axis=1)
    head = head.set_axis([str(index) for index in known], axis=1)
    objects = {
        index: "Python objects"
        for index in known
        if str(dtypes[index]) == "object" and not _holds_plain_values(sample[str(index)])
    }
    drop = [str(index) for index in objects]
    return names, sample.drop(columns=drop), head.drop(columns=drop), opaque | objects


def _is_known_dtype(dtype: object) -> bool:
    """Whether a column type comes from numpy or pandas: others run code of their own."""
    return type_name(dtype).partition(".")[0] in {"numpy", "pandas"}


def _holds_plain_values(column: Any) -> bool:  # noqa: ANN401 - pandas has no complete types
    return all(type(value) in _PLAIN_OBJECTS for value in column.array)


def _describe_lazy(frame: Any) -> Description:  # noqa: ANN401 - polars is optional
    """Describe a query that has not run: its schema, which polars knows without running it."""
    schema = frame.collect_schema()
    pairs = [(label_text(name), _dtype_name(dtype)) for name, dtype in schema.items()]
    limit = limits.FRAME_COLUMNS + limits.FRAME_NAMES
    lines = [f"polars LazyFrame, not computed: rows unknown, {counted(len(pairs), 'column')}"]
    lines += [f"- {name}: {dtype}" for name, dtype in pairs[:limit]]
    left = len(pairs) - limit
    cut = f"{left:,} columns left out" if left > 0 else None
    if cut:
        lines.append(f"[… {cut} …]")
    lines.append("No cell values are included.")
    return Description(
        text="\n".join(lines), label=f"lazy frame, {counted(len(pairs), 'column')}, schema", cut=cut
    )
