"""Plain values as short text; anything whose type is not on the list gives its type name."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from typing import Protocol, cast

from braincode_jupyter.references import limits
from braincode_jupyter.references.kinds import is_library_type, is_numpy_scalar, type_name
from braincode_jupyter.references.text import clip_line

_TEXT_TYPES = frozenset({
    dt.date, dt.timedelta, uuid.UUID, Decimal, Fraction, complex, range,
    PosixPath, WindowsPath, PurePosixPath, PureWindowsPath,
})  # fmt: skip
_PANDAS_TYPES = ("Timestamp", "Timedelta", "Interval", "Period")


def scalar_text(value: object, limit: int) -> str | None:
    """Return a plain value as one line of text.

    Parameters
    ----------
    value : object
        Any object.
    limit : int
        Characters taken of a string.

    Returns
    -------
    str or None
        None if the type is not a known plain one; no method of such an object has been called.
    """
    kind = type(value)
    if value is None or kind is bool:
        return str(value)
    if kind is int:
        return number_text(cast("int", value))
    if kind is float:
        return number_text(cast("float", value))
    if kind is str:
        text = cast("str", value)
        mark = f" ({len(text):,} characters)" if len(text) > limit else ""
        return f'"{clip_line(text, limit)}"{mark}'
    if kind in {bytes, bytearray}:
        return f"{type_name(value)}, {len(cast('bytes', value)):,} bytes"
    return _library_text(value, limit)


def number_text(value: float) -> str:
    """Return a number plainly: whole with thousands separators, else six digits."""
    if type(value) is int:
        bits = value.bit_length()
        return f"{value:,}" if bits <= limits.INTEGER_BITS else f"integer of {bits:,} bits"
    return f"{value:.6g}"


def cell_text(value: object) -> str:
    """Return one value of a table, clipped; a type name in ``<>`` for anything not plain."""
    text = scalar_text(value, limits.FRAME_CELL_CHARS)
    return f"<{type_name(value)}>" if text is None else text


def label_text(value: object) -> str:
    """Return a column name, key or parameter name, clipped and on one line."""
    if type(value) is str:
        return clip_line(value, limits.NAME_CHARS)
    if type(value) is tuple:
        parts = cast("tuple[object, ...]", value)[:8]
        return clip_line(f"({', '.join(map(label_text, parts))})", limits.NAME_CHARS)
    return clip_line(cell_text(value), limits.NAME_CHARS)


def _library_text(value: object, limit: int) -> str | None:
    if type(value) in _TEXT_TYPES:
        return clip_line(str(value), limit)
    if type(value) is dt.datetime:
        zone = "" if value.tzinfo is None else " (with time zone)"
        return f"{value.replace(tzinfo=None).isoformat(sep=' ')}{zone}"
    if type(value) is dt.time:
        return value.replace(tzinfo=None).isoformat()
    if is_numpy_scalar(value):
        return scalar_text(cast("_HasItem", value).item(), limit)
    if any(is_library_type(value, "pandas", name) for name in _PANDAS_TYPES):
        return clip_line(str(value), limit)
    return "NaT" if type_name(value) == "pandas._libs.tslibs.nattype.NaTType" else None


class _HasItem(Protocol):
    """What numpy scalars have."""

    def item(self) -> object:
        """Return the plain Python value."""
        ...
