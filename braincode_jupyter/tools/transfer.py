"""Copies of the user's variables for a scratch kernel: frames as Arrow, plain values as pickles.

Only values are copied whose copying runs no code of the user's: types are compared by identity, and
containers are looked through before anything is pickled. So an object that raises in ``__reduce__``
or ``__repr__`` never gets to do so; it is named with a reason. Functions stay behind on purpose:
their globals would take along what nobody referenced. Nothing is ever read back this way: a pickle
travels from the user's kernel to the scratch kernel, never the other way.
"""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import json
import pathlib
import pickle
import uuid
import zoneinfo
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from braincode_jupyter.tools.arrow import (
    CannotCopy,
    frame_kind,
    has_arrow,
    is_type_of,
    to_arrow,
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

MAX_VARIABLE_BYTES = 512 * 1024 * 1024
"""One variable that is copied."""
MAX_TOTAL_BYTES = 1024 * 1024 * 1024
"""All variables of one scratch kernel."""
MAX_ITEMS = 2_000_000
"""Items of a plain container, nested ones included."""
MAX_DEPTH = 20
"""Levels of nested containers."""
MANIFEST = "variables.json"
"""What the scratch kernel reads to find the copies."""
_ITEM_BYTES = 16
"""Assumed of an item besides its text."""

_ATOMS = frozenset({
    type(None), bool, int, float, complex, range, dt.date, dt.timedelta, decimal.Decimal,
    fractions.Fraction, uuid.UUID, pathlib.PosixPath, pathlib.WindowsPath, pathlib.PurePosixPath,
    pathlib.PureWindowsPath,
})  # fmt: skip
_TEXTS = frozenset({str, bytes, bytearray})
_SEQUENCES = frozenset({list, tuple, set, frozenset})
_ZONES = frozenset({type(None), dt.timezone, zoneinfo.ZoneInfo})
_PANDAS_ATOMS = ("Timestamp", "Timedelta")
_NUMPY_ATOMS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "str_", "datetime64", "timedelta64",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """What was copied, and what was not.

    Parameters
    ----------
    names : tuple of str
        Variables that the scratch kernel gets.
    notes : mapping of str to str
        Reason, as a phrase, by the name of a variable that was not copied or only in part.
    size_bytes : int
        Size of all copies.
    """

    names: tuple[str, ...]
    notes: Mapping[str, str]
    size_bytes: int


def copy_variables(
    values: Mapping[str, object],
    folder: Path,
    *,
    max_bytes: int = MAX_VARIABLE_BYTES,
    max_total_bytes: int = MAX_TOTAL_BYTES,
) -> Copies:
    """Write copies of variables to a folder, with a manifest.

    Parameters
    ----------
    values : mapping of str to object
        The referenced variables.
    folder : Path
        Where to; it exists.
    max_bytes : int
        Largest variable that is copied.
    max_total_bytes : int
        Largest size of all copies together.

    Returns
    -------
    Copies
        What was copied; a variable that cannot be copied never stops the others.
    """
    entries: list[dict[str, str]] = []
    notes: dict[str, str] = {}
    total = 0
    for number, (name, value) in enumerate(values.items()):
        path = folder / f"{number}.copy"
        limit = min(max_bytes, max_total_bytes - total)
        try:
            form, note = _write(value, path, limit)
        except CannotCopy as reason:
            notes[name] = f"not copied: {reason}"
        except Exception as error:  # any library may refuse any value
            notes[name] = f"not copied: {type(error).__name__} while it was written"
        else:
            total += path.stat().st_size
            entries.append({"name": name, "file": path.name, "form": form})
            notes |= {name: note} if note else {}
    (folder / MANIFEST).write_text(json.dumps(entries), encoding="utf-8")
    return Copies(names=tuple(entry["name"] for entry in entries), notes=notes, size_bytes=total)


def _write(value: object, path: Path, limit: int) -> tuple[str, str]:
    """Write one copy; return its form for the manifest, and what was left out."""
    kind = frame_kind(value)
    if kind is not None:
        return _write_frame(value, path, limit)
    if is_type_of(value, "polars", "LazyFrame"):
        raise CannotCopy("a LazyFrame is a query that has not run; collect() it first")
    if is_type_of(value, "numpy", "ndarray"):
        return _write_array(cast("Any", value), path, limit)
    _check_plain(value, limit)
    path.write_bytes(pickle.dumps(value, protocol=5))
    return "pickle", ""


def _write_frame(value: object, path: Path, limit: int) -> tuple[str, str]:
    if not has_arrow():
        raise CannotCopy("frames need pyarrow: pip install 'braincode_jupyter[data]'")
    frame = to_arrow(value, max_bytes=limit)
    arrow, ipc = import_module("pyarrow"), import_module("pyarrow.ipc")
    with arrow.OSFile(str(path), "wb") as sink, ipc.new_file(sink, frame.table.schema) as writer:
        writer.write_table(frame.table)
    is_unnamed = frame.kind == "pandas Series" and cast("Any", value).name is None
    form = f"{frame.kind} unnamed" if is_unnamed else frame.kind
    return form, f"copied {frame.cut}" if frame.left_out else ""


def _write_array(
    array: Any,  # noqa: ANN401 - numpy is loaded by who made the array
    path: Path,
    limit: int,
) -> tuple[str, str]:
    if array.dtype.hasobject:
        raise CannotCopy("an array of Python objects")
    if array.nbytes > limit:
        raise CannotCopy(f"it is {array.nbytes / 1e6:,.0f} MB (limit {limit / 1e6:,.0f} MB)")
    with path.open("wb") as file:
        import_module("numpy").save(file, array, allow_pickle=False)
    return "numpy", ""


def _check_plain(value: object, limit: int) -> None:
    """Look through a value, level by level, for anything that is not plain; run none of its code.

    Raises
    ------
    CannotCopy
        If there is such a thing, or too much of it.
    """
    level: list[object] = [value]
    items = size = 0
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for item in level:
            size += _own_size(item)
            inner += _parts(item)
            if items + len(inner) > MAX_ITEMS:
                raise CannotCopy(f"it has more than {MAX_ITEMS:,} items")
        if size > limit:
            raise CannotCopy(f"it is over {limit / 1e6:,.0f} MB")
        if not inner:
            return
        items, level = items + len(inner), inner
    raise CannotCopy(f"it is nested more than {MAX_DEPTH} levels deep")


def _own_size(value: object) -> int:
    return _ITEM_BYTES + (len(cast("str", value)) if type(value) in _TEXTS else 0)


def _parts(value: object) -> Iterable[object]:
    kind = type(value)
    if kind in _ATOMS or kind in _TEXTS:
        return ()
    if kind in _SEQUENCES:
        return tuple(cast("Iterable[object]", value))
    if kind is dict:
        pairs = cast("dict[object, object]", value)
        return (*pairs, *pairs.values())
    if kind in {dt.datetime, dt.time}:
        zone = cast("dt.datetime", value).tzinfo
        if type(zone) in _ZONES:
            return ()
    if _is_library_atom(value):
        return ()
    raise CannotCopy(
        f"holds a {type_name(type(value))}" if kind is not object else "holds an object"
    )


def _is_library_atom(value: object) -> bool:
    return any(is_type_of(value, "numpy", name) for name in _NUMPY_ATOMS) or any(
        is_type_of(value, "pandas", name) for name in _PANDAS_ATOMS
    )
