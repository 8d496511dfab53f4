"""Notebook files: cells and their text outputs, pictures left out with a note."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot
from braincode_jupyter.references import limits
from braincode_jupyter.references.cells import render_cell
from braincode_jupyter.references.content import Content, Missing, encoded, too_large
from braincode_jupyter.references.labels import cell_label
from braincode_jupyter.references.outputs import saved_output, text_of
from braincode_jupyter.references.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.machine.paths import Located

_MARK_BYTES = 128
"""Room for the mark that says how many cells were cut."""


def parse_notebook(data: bytes, *, pictures: bool) -> tuple[CellSnapshot, ...]:
    """Return the cells of a notebook file in order.

    Parameters
    ----------
    data : bytes
        The file.
    pictures : bool
        Decode the pictures of outputs; False: a note takes their place.

    Returns
    -------
    tuple of CellSnapshot
        At most `limits.MAX_NOTEBOOK_CELLS`.

    Raises
    ------
    ValueError
        If this is no notebook of format 4.
    """
    try:
        document: object = json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    cells = _mapping(document).get("cells")
    if not isinstance(cells, list):
        raise ValueError("no cells")  # noqa: TRY004 - one kind of error for what is no notebook
    found = cast("list[object]", cells)[: limits.MAX_NOTEBOOK_CELLS]
    return tuple(saved_cell(_mapping(cell), pictures=pictures) for cell in found)


def saved_cell(cell: Mapping[str, object], *, pictures: bool) -> CellSnapshot:
    """Return one cell as the notebook format stores it; what does not fit is left empty."""
    source = text_of(cell.get("source"))
    kind = cell.get("cell_type")
    cell_type: Literal["code", "markdown", "raw"] = (
        "markdown" if kind == "markdown" else "raw" if kind == "raw" else "code"
    )
    count = cell.get("execution_count")
    return CellSnapshot(
        cell_id=text_of(cell.get("id"))[:128],
        label=cell_label(source, tags=_mapping(cell.get("metadata")).get("tags")),
        source=source,
        cell_type=cell_type,
        execution_count=count if isinstance(count, int) and not isinstance(count, bool) else None,
        outputs=_outputs(cell.get("outputs"), pictures=pictures),
    )


def notebook_content(located: Located, stream: BinaryIO, *, size_bytes: int) -> Content | Missing:
    """Return sources and text outputs of a notebook file, within the limit of a file.

    Parameters
    ----------
    located : Located
        The file.
    stream : file
        Opened for reading bytes.
    size_bytes : int
        Its size.

    Returns
    -------
    Content or Missing
        Missing if it is too large to parse, or no notebook.
    """
    limit = limits.MAX_NOTEBOOK_BYTES
    data = b"" if size_bytes > limit else stream.read(limit + 1)
    if size_bytes > limit or len(data) > limit:
        return too_large(located.uri, max(size_bytes, len(data)), limit)
    try:
        cells = parse_notebook(data, pictures=False)
    except ValueError:
        return Missing(kind="file", uri=located.uri, reason="is no notebook of format 4")
    text, cuts = _render(cells)
    pictures = sum("[picture " in output.text for cell in cells for output in cell.outputs)
    if pictures:
        cuts.append(f"{counted(pictures, 'picture')} left out")
    return Content(
        kind="file",
        uri=located.uri,
        label=f"{located.relative}, {counted(len(cells), 'cell')} of {size_bytes:,} bytes as text",
        text=text,
        cut="; ".join(cuts) or None,
    )


def _render(cells: tuple[CellSnapshot, ...]) -> tuple[str, list[str]]:
    """Return the text of as many cells as fit, and what was cut."""
    parts: list[str] = []
    room = limits.MAX_FILE_BYTES - _MARK_BYTES
    shortened = 0
    for number, cell in enumerate(cells, start=1):
        rendered = render_cell(cell, number=number, vision=False)
        size = len(encoded(rendered.text)) + 2
        if size > room:
            left = cells[number - 1 :]
            chars = sum(len(item.source) + sum(len(o.text) for o in item.outputs) for item in left)
            mark = f"{len(left)} of {len(cells)} cells ({chars:,} characters) left out"
            parts.append(f"[… {mark} …]")
            return "\n\n".join(parts), [mark]
        room -= size
        shortened += rendered.dropped_chars
        parts.append(rendered.text)
    return "\n\n".join(parts), [f"{shortened:,} characters left out"] if shortened else []


def _outputs(value: object, *, pictures: bool) -> tuple[CellOutput, ...]:
    if not isinstance(value, list):
        return ()
    found = cast("list[object]", value)
    outputs = (saved_output(_mapping(item), pictures=pictures) for item in found[:1_000])
    return tuple(output for output in outputs if output is not None)


def _mapping(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
