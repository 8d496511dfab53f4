"""What is said of the tables that tools made, in text and in HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.figures import size_words

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import AgentView, ArtifactView, RunView
    from braincode_jupyter.views.speaker import Speaker
    from braincode_jupyter.views.table_view import TableView


def tables_of(view: RunView, agent: AgentView) -> list[TableView]:
    """Return the tables that the tools of an agent made, oldest first."""
    uris = {one.uri for one in agent.artifacts}
    return [table for table in view.tables if table.uri in uris]


def undrawn(view: RunView, agent: AgentView) -> list[ArtifactView]:
    """Return the artifacts of an agent that are not drawn as a table below it."""
    uris = {table.uri for table in tables_of(view, agent)}
    return [one for one in agent.artifacts if one.uri not in uris]


def table_words(say: Speaker, table: TableView) -> str:
    """Return the size of a table: ``600 rows × 3 columns · 14.2 kB``."""
    columns = say("words.columns", count=table.columns)
    size = columns if table.rows is None else f"{say('words.rows', count=table.rows)} × {columns}"
    if not table.size_bytes:
        return f"{size} · {say('words.notKept')}"
    kept = [size, size_words(say, table.size_bytes)]
    if table.rows != table.kept_rows:
        kept.append(say("words.firstKept", rows=say("words.rows", count=table.kept_rows)))
    return " · ".join(kept)


def left_out_words(say: Speaker, table: TableView) -> str:
    """Return what of a table is not drawn; empty if all of it is, or nothing."""
    rows, columns = len(table.cells), len(table.heads)
    total = table.kept_rows if table.rows is None else table.rows
    rest = [
        say("words.rows", count=total - rows) if total > rows else "",
        say("words.columns", count=table.columns - columns) if table.columns > columns else "",
    ]
    told = say.listed(filter(None, rest))
    return say("words.notDrawn", rest=told) if told and columns else ""
