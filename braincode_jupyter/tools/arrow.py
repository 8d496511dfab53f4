"""Data frames of the user as Arrow tables: what SQL looks at, and what a scratch kernel gets.

Works on exactly the frame types of pandas, polars and pyarrow that the user has already imported.
A column whose values could run code of the user's, or that Arrow cannot hold, is left out and
named. The frame itself is never changed; plain numbers are shared with it, not copied.
"""

from __future__ import annotations

import datetime as dt
import decimal
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, cast

FrameKind = Literal[
    "pandas DataFrame",
    "pandas Series",
    "polars DataFrame",
    "polars Series",
    "pyarrow Table",
    "pyarrow RecordBatch",
]
MAX_FRAME_BYTES = 1024 * 1024 * 1024
"""A frame that is handed on."""
UNNAMED = "value"
"""Column of a series that has no name."""
_MAX_COLUMNS = 2_000
_TYPE_CHARS = 80
_NAMED = 8
"""Columns named in one sentence."""
_KINDS: tuple[FrameKind, ...] = (
    "pandas DataFrame",
    "pandas Series",
    "polars DataFrame",
    "polars Series",
    "pyarrow Table",
    "pyarrow RecordBatch",
)
_PLAIN_TYPES = frozenset({
    str, bytes, bool, int, float, type(None), decimal.Decimal, dt.date, dt.time, dt.timedelta,
})  # fmt: skip
_PLAIN_NAMES = frozenset({"NAType", "NaTType"})
_REFUSALS = (ValueError, TypeError, NotImplementedError, OverflowError)
"""What pyarrow raises for values that it cannot hold; its own errors derive from these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowFrame:
    """A frame as a table, and what of it was left out.

    Parameters
    ----------
    table : pyarrow.Table
        The values.
    kind : FrameKind
        What it was.
    left_out : tuple of str
        Names of columns that are not in the table.
    """

    table: Any
    kind: FrameKind
    left_out: tuple[str, ...] = ()

    @property
    def cut(self) -> str:
        """One phrase on what was left out; empty if nothing was."""
        if not self.left_out:
            return ""
        shown = ", ".join(map(repr, self.left_out[:_NAMED]))
        more = f" and {len(self.left_out) - _NAMED} more" if len(self.left_out) > _NAMED else ""
        return f"without the columns {shown}{more}, whose values are Python objects"


class CannotCopy(Exception):  # noqa: N818 - a signal, told as a reason and never raised to users
    """A value that is not handed on; the text is the reason, as a phrase."""


def frame_kind(value: object) -> FrameKind | None:
    """Return what kind of frame this is, by the identity of its type; None if it is none."""
    for kind in _KINDS:
        module, _, name = kind.partition(" ")
        if is_type_of(value, module, name):
            return kind
    return None


def is_type_of(value: object, module: str, name: str) -> bool:
    """Whether the type of an object is exactly this one of an imported library; runs no code."""
    loaded = sys.modules.get(module)
    return loaded is not None and vars(loaded).get(name) is type(value)


def type_name(kind: type) -> str:
    """Return the name of a type in printable characters; a metaclass is not asked."""
    name = cast("object", type.__dict__["__qualname__"].__get__(kind))
    text = name if type(name) is str else "object"
    return "".join(char if char.isprintable() else "?" for char in text[:_TYPE_CHARS])


def has_arrow() -> bool:
    """Whether pyarrow is installed; does not import it."""
    return find_spec("pyarrow") is not None


def to_arrow(value: object, *, max_bytes: int = MAX_FRAME_BYTES) -> ArrowFrame:
    """Return a frame as an Arrow table.

    Parameters
    ----------
    value : object
        A frame for which `frame_kind` gives a kind.
    max_bytes : int
        Largest frame that is taken.

    Returns
    -------
    ArrowFrame
        The table, and the columns that were left out.

    Raises
    ------
    CannotCopy
        If it is no such frame, is too large, or Arrow cannot hold it.
    """
    kind = frame_kind(value)
    if kind is None:
        raise CannotCopy("it is no pandas, polars or pyarrow frame")
    frame = cast("Any", value)
    _check_size(_estimated_bytes(frame, kind), max_bytes)
    try:
        table, left_out = _convert(frame, kind)
    except _REFUSALS as error:
        raise CannotCopy(f"Arrow cannot hold it ({type(error).__name__})") from None
    _check_size(table.nbytes, max_bytes)
    return ArrowFrame(table=table, kind=kind, left_out=left_out)


def _convert(
    frame: Any,  # noqa: ANN401 - one of three libraries
    kind: FrameKind,
) -> tuple[Any, tuple[str, ...]]:
    if kind == "pyarrow Table":
        return frame, ()
    if kind == "pyarrow RecordBatch":
        return import_module("pyarrow").Table.from_batches([frame]), ()
    if kind.endswith("Series"):
        is_unnamed = kind.startswith("pandas") and frame.name is None
        frame = frame.to_frame(UNNAMED) if is_unnamed else frame.to_frame()
    if frame.shape[1] > _MAX_COLUMNS:
        raise CannotCopy(f"it has {frame.shape[1]:,} columns (limit {_MAX_COLUMNS:,})")
    return _from_polars(frame) if kind.startswith("polars") else _from_pandas(frame)


def _from_polars(frame: Any) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401 - polars is optional
    opaque = [name for name, dtype in frame.schema.items() if "Object" in str(dtype)]
    return frame.drop(opaque).to_arrow(), tuple(opaque)


def _from_pandas(frame: Any) -> tuple[Any, tuple[str, ...]]:  # noqa: ANN401 - pandas is optional
    if frame.columns.nlevels > 1:
        raise CannotCopy("its column names have several levels; flatten them first")
    names = list(map(str, frame.columns))
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise CannotCopy(f"it has several columns called {repeated!r}; rename them first")
    arrow = import_module("pyarrow")
    frame = frame if _is_plain(frame.index) else frame.reset_index(drop=True)
    good = [index for index in range(len(names)) if _is_plain(frame.iloc[:, index])]
    try:
        return _pandas_table(arrow, frame, good), _missing(names, good)
    except _REFUSALS:
        good = [index for index in good if _fits(arrow, frame.iloc[:, index])]
        return _pandas_table(arrow, frame, good), _missing(names, good)


def _pandas_table(arrow: Any, frame: Any, good: list[int]) -> Any:  # noqa: ANN401 - no types
    part = frame if len(good) == frame.shape[1] else frame.iloc[:, good]
    return arrow.Table.from_pandas(part)


def _missing(names: list[str], good: list[int]) -> tuple[str, ...]:
    kept = set(good)
    return tuple(name for index, name in enumerate(names) if index not in kept)


def _fits(arrow: Any, column: Any) -> bool:  # noqa: ANN401 - pandas is optional
    try:
        arrow.Array.from_pandas(column)
    except _REFUSALS:
        return False
    return True


def _is_plain(column: Any) -> bool:  # noqa: ANN401 - a column or an index of pandas
    """Whether reading the values runs no code of the user's."""
    if getattr(column, "nlevels", 1) > 1:
        return all(_is_plain(column.get_level_values(i)) for i in range(column.nlevels))
    dtype: object = column.dtype
    if _package(type(dtype)) not in {"numpy", "pandas"}:
        return False
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        return _is_plain(categories)
    return str(dtype) != "object" or all(map(_is_plain_type, set(map(type, column.to_numpy()))))


def _is_plain_type(kind: type) -> bool:
    if kind in _PLAIN_TYPES:
        return True
    name = type_name(kind)
    package = vars(sys.modules[_package(kind)]) if _package(kind) in {"numpy", "pandas"} else {}
    return package.get(name) is kind or (bool(package) and name in _PLAIN_NAMES)


def _package(kind: type) -> str:
    """Return the package that a type says it is from; a metaclass is not asked."""
    module = cast("object", type.__dict__["__module__"].__get__(kind))
    return module.partition(".")[0] if type(module) is str else ""


def _estimated_bytes(frame: Any, kind: FrameKind) -> int:  # noqa: ANN401 - one of three libraries
    if kind.startswith("pyarrow"):
        return int(frame.nbytes)
    if kind.startswith("polars"):
        return int(frame.estimated_size())
    usage = frame.memory_usage(index=True, deep=False)
    return int(usage if kind == "pandas Series" else usage.sum())


def _check_size(size: int, limit: int) -> None:
    if size > limit:
        raise CannotCopy(f"it is {size / 1e6:,.0f} MB (limit {limit / 1e6:,.0f} MB)")
