"""Tables that are shown to the user: named, within limits, and no other than they say.

What comes from a scratch kernel is untrusted, so a table is read here as text and counted anew; one
that is not what it says is dropped.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, cast, get_args

from braincode_jupyter.protocol.tables import ColumnKind, Table, TableShape
from braincode_jupyter.protocol.tools import Artifact
from braincode_jupyter.tools.plain_table import MAX_CSV_CHARS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_NAME_CHARS = 60
"""Name of a table."""
_KINDS = frozenset(get_args(ColumnKind))
_ODD = re.compile(r"[^\w .-]+")


def read_table(wire: Mapping[str, object]) -> Table | None:
    """Return a table as `plain_table` wrote it.

    Parameters
    ----------
    wire : mapping
        From whatever process made it.

    Returns
    -------
    Table or None
        None if its parts do not fit together.
    """
    text, kinds = wire.get("csv"), wire.get("kinds")
    if not isinstance(text, str) or not isinstance(kinds, list) or len(text) > MAX_CSV_CHARS:
        return None
    text = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be written
    names = cast("list[object]", kinds)
    rows = _rows(text)
    columns, total = _count(wire.get("columns")), _count(wire.get("rows"))
    is_odd = any(name not in _KINDS for name in names) or any(len(r) != len(names) for r in rows)
    if not rows or not names or is_odd or columns is None or columns < len(names):
        return None
    kept = len(rows) - 1
    shape = TableShape(
        columns=columns,
        rows=None if total is None else max(total, kept),
        kept_rows=kept,
        kinds=tuple(cast("list[ColumnKind]", names)),
    )
    return Table(csv=text, shape=shape)


def is_shown(table: Table) -> bool:
    """Say whether a table is worth its place on a card: a single value or no row is none."""
    return table.shape.kept_rows * len(table.shape.kinds) > 1


def table_artifact(table: Table, name: str, *, place: str, fallback: str) -> Artifact:
    """Return a table as something that the card shows.

    Parameters
    ----------
    table : Table
        The table.
    name : str
        From code of a model; a later table of this name and place stands for an earlier one.
    place : str
        Beginning of its uri: who made it.
    fallback : str
        Its name if there is none.

    Returns
    -------
    Artifact
        Under a name of one line.
    """
    label = " ".join(_ODD.sub(" ", name[: 4 * MAX_NAME_CHARS]).split())[:MAX_NAME_CHARS] or fallback
    return Artifact(uri=f"{place}/{label.replace(' ', '-')}", label=label, table=table)


def without_keys(table: Table, redact: Callable[[str], str]) -> Table:
    """Return the same table without keys; cell by cell only where there is one.

    Parameters
    ----------
    table : Table
        The table.
    redact : callable
        Takes keys out of a text.

    Returns
    -------
    Table
        With the same rows and columns.
    """
    if redact(table.csv) == table.csv:
        return table
    text = io.StringIO(newline="")
    rows = [[redact(cell) for cell in row] for row in _rows(table.csv)]
    csv.writer(text, lineterminator="\n").writerows(rows)
    return table.model_copy(update={"csv": text.getvalue()})


def _rows(text: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error:
        return []


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None
