"""Cells of the notebook as a front end or the saved file knows them, and what ran, put together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.machine.paths import locate, open_located
from braincode_jupyter.notebook.cell_record import Printed, Raised, Shown
from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot
from braincode_jupyter.references import bundle_output, error_output, limits, stream_output
from braincode_jupyter.references.notebooks import parse_notebook, saved_cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from braincode_jupyter.notebook.cell_record import CellRecord

_CELL_TYPES = frozenset({"code", "markdown", "raw"})
_MAX_ID_CHARS = 256


def pushed_cells(data: object) -> tuple[CellSnapshot, ...] | None:
    """Return the cells of a pushed notebook, or None if it is not what we take.

    Parameters
    ----------
    data : object
        ``{"cells": [cell of the notebook format 4, …]}``.

    Returns
    -------
    tuple of CellSnapshot or None
        None for a wrong shape, a duplicate or missing id, or more than the limits.
    """
    cells = cast("dict[str, object]", data).get("cells") if type(data) is dict else None
    if type(cells) is not list or len(cast("list[object]", cells)) > limits.MAX_NOTEBOOK_CELLS:
        return None
    found = cast("list[object]", cells)
    if not all(map(_is_cell, found)):
        return None
    plain = cast("list[dict[str, object]]", found)
    ids = {cell["id"] for cell in plain}
    if len(ids) < len(plain) or sum(map(_size, plain)) > limits.MAX_SNAPSHOT_BYTES:
        return None
    return tuple(saved_cell(cell, pictures=True) for cell in plain)


def saved_cells(path: Path) -> tuple[CellSnapshot, ...]:
    """Return the cells of a notebook file; none if it cannot be read or is too large."""
    limit = limits.MAX_OPEN_NOTEBOOK_BYTES
    try:
        located = locate(path.name, root=path.parent)
        if located is None or located.is_folder or path.suffix != ".ipynb":
            return ()
        with open_located(located) as stream:
            data = stream.read(limit + 1)
        return parse_notebook(data, pictures=True) if len(data) <= limit else ()
    except (OSError, ValueError, UnresolvedReferenceError):
        return ()


def recorded_cell(record: CellRecord) -> CellSnapshot:
    """Return a watched cell as it is now."""
    outputs: list[CellOutput | None] = []
    for item in record.outputs:
        match item:
            case Printed():
                outputs.append(stream_output(item.name, item.text))
            case Shown():
                outputs.append(bundle_output(item.data, kind=item.kind, pictures=True))
            case Raised():
                outputs.append(error_output(item.name, item.message))
    if record.dropped_outputs:
        note = f"[… {record.dropped_outputs:,} further outputs not held …]"
        outputs.append(CellOutput(kind="display", text=note))
    return CellSnapshot(
        cell_id=record.cell_id,
        label=record.label,
        source=record.source,
        execution_count=record.execution_count,
        outputs=tuple(item for item in outputs if item and (item.text or item.image)),
        is_running=record.is_running,
    )


def merged(
    base: Sequence[CellSnapshot],
    records: Sequence[CellSnapshot],
    *,
    earlier: Sequence[CellSnapshot] = (),
    is_page: bool,
) -> tuple[CellSnapshot, ...]:
    """Return the cells of a notebook with what the kernel knows of them.

    Parameters
    ----------
    base : sequence of CellSnapshot
        Cells in notebook order.
    records : sequence of CellSnapshot
        Cells that were watched in this kernel, in order of execution.
    earlier : sequence of CellSnapshot
        Cells that ran before that: source and execution count only.
    is_page : bool
        ``base`` is what the page shows now: a front end pushed it. It has the present text, and a
        cell that is not in it was deleted. Its execution counts then count too, as far as they lie
        before the watched ones; those of a saved file may be of another kernel.

    Returns
    -------
    tuple of CellSnapshot
        ``base`` in its order, the others, oldest first, before those that ran after them.
    """
    first = min((cell.execution_count for cell in records if cell.execution_count), default=None)
    known = [*records, *earlier]
    by_id = {cell.cell_id: cell for cell in known if cell.cell_id}
    by_source = {cell.source.strip(): cell for cell in reversed(known)}
    used: set[int] = set()
    cells: list[CellSnapshot] = []
    for cell in base:
        found = by_id.get(cell.cell_id) or by_source.get(cell.source.strip())
        if found is None or id(found) in used or cell.cell_type != "code":
            count = cell.execution_count if is_page else None
            is_stale = first is not None and (count or 0) >= first
            cells.append(replace(cell, execution_count=None if is_stale else count))
            continue
        used.add(id(found))
        cells.append(_joined(cell, found, earlier=earlier, is_page=is_page))
    shown = {cell.execution_count for cell in cells if is_page and cell.execution_count}
    for cell in (*earlier, *records):
        is_gone = is_page and (cell.cell_id or cell.execution_count in shown)
        if id(cell) not in used and not is_gone:
            cells.append(cell)
    return tuple(cells)


def announced_cell(data: object) -> str | None:
    """Return the id of the cell that a pushed notebook is meant for, or None if it has none."""
    running = cast("dict[str, object]", data).get("running") if type(data) is dict else None
    is_id = type(running) is str and 0 < len(running) <= _MAX_ID_CHARS
    return cast("str", running) if is_id else None


def _joined(
    cell: CellSnapshot,
    found: CellSnapshot,
    *,
    earlier: Sequence[CellSnapshot],
    is_page: bool,
) -> CellSnapshot:
    """Return one cell of the notebook with what is known of its execution."""
    is_earlier = any(found is item for item in earlier)
    return replace(
        found,
        cell_id=cell.cell_id,
        source=cell.source if is_page else found.source,
        label=cell.label if is_page else found.label or cell.label,
        outputs=cell.outputs if is_earlier else found.outputs,
    )


def _is_cell(cell: object) -> bool:
    if type(cell) is not dict:
        return False
    found = cast("dict[str, object]", cell)
    outputs = found.get("outputs", [])
    return (
        type(found.get("id")) is str
        and found.get("cell_type") in _CELL_TYPES
        and type(found.get("source")) in {str, list}
        and type(outputs) is list
        and len(cast("list[object]", outputs)) <= 1_000  # noqa: PLR2004 - as in a file
    )


def _size(value: object, depth: int = 0) -> int:
    """Return characters in a JSON value; more than any limit if it is nested too deeply."""
    if type(value) is str:
        return len(value)
    if depth > 12:  # noqa: PLR2004 - outputs of the notebook format need 6
        return limits.MAX_SNAPSHOT_BYTES + 1
    if type(value) is dict:
        items = cast("dict[str, object]", value)
        return sum(len(key) + _size(item, depth + 1) for key, item in items.items())
    if type(value) is list:
        return sum(_size(item, depth + 1) for item in cast("list[object]", value))
    return 8
