"""Tables that tools made, as a reader sees them: their first rows, and the way to the rest."""

from __future__ import annotations

import csv
import io
import json
from keyword import iskeyword
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.tables import TABLE_MEDIA_TYPE
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.protocol.approval_records import ArtifactMade

MAX_ROWS = 20
"""Rows of a table that are drawn."""
MAX_COLUMNS = 12
"""Columns of a table that are drawn."""
MAX_CELL_CHARS = 80
"""Characters of a cell that are drawn."""
MAX_TABLES = 64
"""Tables of a run that a card keeps."""
MAX_COPY_CHARS = 65_536
"""CSV text of one table that a card can copy; the session file may have more."""
MAX_COPIES_CHARS = 262_144
"""CSV text of all tables of a card."""


class ColumnView(Packet):
    """One column of a table."""

    name: str
    """Its name."""
    is_number: bool = False
    """Whether its values are numbers, which stand at the right."""


class TableView(Packet):
    """A table that a tool made; artifacts name it by its uri."""

    uri: str
    """Where it is."""
    name: str
    """Its name in `Run.artifacts`."""
    rows: int | None = None
    """Rows of the whole table; None if nobody counted them."""
    columns: int = 0
    """Columns of the whole table."""
    kept_rows: int = 0
    """Rows that the session file keeps."""
    size_bytes: int = 0
    """Size of what it keeps, as CSV in UTF-8."""
    heads: tuple[ColumnView, ...] = ()
    """Columns that are drawn."""
    cells: tuple[tuple[str, ...], ...] = ()
    """Rows that are drawn, one text for each of `heads`."""
    csv: str = ""
    """All that is kept, to be copied; empty if it is too long for a card."""
    code: str = ""
    """Python that gives it back as a frame."""


def to_table_view(
    record: ArtifactMade, name: str, *, session_id: str, room: int
) -> TableView | None:
    """Return the table of an artifact.

    Parameters
    ----------
    record : ArtifactMade
        What a tool made.
    name : str
        Its name, as a reader sees it.
    session_id : str
        Session that keeps it.
    room : int
        CSV text that the card can still take; characters.

    Returns
    -------
    TableView or None
        None if it is no table. Without rows if the session file has none.
    """
    shape = record.table
    if shape is None or record.media_type != TABLE_MEDIA_TYPE:
        return None
    data = record.data or ""
    names, rows = _first_rows(data)
    kinds = [*shape.kinds[: len(names)], *["text"] * (len(names) - len(shape.kinds))]
    heads = tuple(
        ColumnView(name=head, is_number=kind == "number")
        for head, kind in zip(names, kinds, strict=True)
    )
    return TableView(
        uri=clean_line(record.uri, 1_000),
        name=name,
        rows=shape.rows,
        columns=shape.columns,
        kept_rows=shape.kept_rows if data else 0,
        size_bytes=len(data.encode("utf-8", "replace")),
        heads=heads,
        cells=rows,
        csv=data if len(data) <= min(room, MAX_COPY_CHARS) else "",
        code=load_code(session_id, name) if data else "",
    )


def load_code(session_id: str, name: str) -> str:
    """Return Python that gives a table of a session back as a frame."""
    variable = name if name.isidentifier() and not iskeyword(name) else "table"
    return (
        "import braincode_jupyter\n"
        f"{variable} = braincode_jupyter.read_session({json.dumps(session_id)})"
        f".artifacts[{json.dumps(name, ensure_ascii=False)}].frame()"
    )


def _first_rows(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the names of columns and the first rows, cut; a broken text has none."""
    found: list[tuple[str, ...]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            found.append(_shown(row))
            if len(found) > MAX_ROWS:
                break
    except csv.Error:
        return (), ()
    width = len(found[0]) if found else 0
    rows = tuple((*row, *("",) * (width - len(row)))[:width] for row in found[1:])
    return (found[0] if found else ()), rows


def _shown(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(clean_line(cell, MAX_CELL_CHARS) for cell in row[:MAX_COLUMNS])
