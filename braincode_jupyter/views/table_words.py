"""What is said of the tables that tools made, in text and in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.figures import size_words
from braincode_jupyter.views.words import plural

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import AgentView, ArtifactView, RunView
    from braincode_jupyter.views.table_view import TableView

NOT_KEPT = "too much to be kept"


def tables_of(view: RunView, agent: AgentView) -> list[TableView]:
    """Return the tables that the tools of an agent made, oldest first."""
    uris = {one.uri for one in agent.artifacts}
    return [table for table in view.tables if table.uri in uris]


def undrawn(view: RunView, agent: AgentView) -> list[ArtifactView]:
    """Return the artifacts of an agent that are not drawn as a table below it."""
    uris = {table.uri for table in tables_of(view, agent)}
    return [one for one in agent.artifacts if one.uri not in uris]


def table_words(table: TableView) -> str:
    """Return the size of a table: ``600 rows × 3 columns · 14.2 kB``."""
    columns = plural(table.columns, "column")
    size = columns if table.rows is None else f"{plural(table.rows, 'row')} × {columns}"
    if not table.size_bytes:
        return f"{size} · {NOT_KEPT}"
    kept = [size, size_words(table.size_bytes)]
    if table.rows != table.kept_rows:
        kept.append(f"the first {plural(table.kept_rows, 'row')} kept")
    return " · ".join(kept)


def left_out_words(table: TableView) -> str:
    """Return what of a table is not drawn; empty if all of it is, or nothing."""
    rows, columns = len(table.cells), len(table.heads)
    total = table.kept_rows if table.rows is None else table.rows
    rest = [
        plural(total - rows, "row") if total > rows else "",
        plural(table.columns - columns, "column") if table.columns > columns else "",
    ]
    told = " and ".join(part for part in rest if part)
    return f"… {told} more" if told and columns else ""
