"""`%braincode usage`: tokens, money and calls by day and model, or by agent of one session.

Read from the session files of this home; nothing is asked of a provider, and no price is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from braincode_jupyter.errors import JournalError, UsageError
from braincode_jupyter.journal import list_sessions, read_lines, resolve_session
from braincode_jupyter.notebook.tables import table
from braincode_jupyter.protocol.records import UsageRecorded, parse_record
from braincode_jupyter.views.spending import (
    COLUMNS,
    Spent,
    spending_html,
    sum_spent,
    total_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_SESSIONS = 500
"""The newest sessions that are added up."""
MAX_ROWS = 200
"""Rows that are shown; the total has all."""
_NOTHING = "Nothing was spent yet, or no provider told what."
_NOTE = "A price that is unknown stays unknown; calls of which nothing was measured are not here."


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTable:
    """What was spent, for a page and for a terminal."""

    title: str
    head: tuple[str, ...]
    rows: tuple[Spent, ...]
    note: str

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        page = spending_html(self.title, self.head, self._shown(), note=self.note)
        return {"text/plain": str(self), "text/html": str(page)}

    def __str__(self) -> str:
        if not self.rows:
            return f"{self.title}\n{_NOTHING}"
        cells = [(*self.head, *COLUMNS), *(row.cells for row in self._shown())]
        return f"{self.title}\n{table(cells)}\n{self.note}"

    def _shown(self) -> tuple[Spent, ...]:
        names = ("total", *[""] * (len(self.head) - 1))
        return (*self.rows[:MAX_ROWS], total_of(self.rows, names))


def usage_of_home(home: Path) -> UsageTable:
    """Add up the sessions of a home by day and model.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    UsageTable
        Newest day first, then what spent most.
    """
    entries = list_sessions(home, limit=MAX_SESSIONS)
    calls = [
        ((_day(record.timestamp), record.model_id or record.provider or ""), record)
        for entry in entries
        for record in _records(entry.path)
    ]
    rows = sorted(sum_spent(calls), key=lambda row: row.total_tokens, reverse=True)
    rows.sort(key=lambda row: row.names[0], reverse=True)
    cut = f" Only the {MAX_SESSIONS} newest sessions." if len(entries) == MAX_SESSIONS else ""
    return UsageTable(
        title=f"Spent in {len(entries)} sessions",
        head=("day", "model"),
        rows=tuple(rows),
        note=_NOTE + cut,
    )


def usage_of_session(home: Path, ref: str) -> UsageTable:
    """Add up one session by agent and model.

    Parameters
    ----------
    home : Path
        The home folder.
    ref : str
        Id, the beginning of one, or ``last``.

    Returns
    -------
    UsageTable
        In the order in which the agents were first asked.

    Raises
    ------
    UsageError
        If there is no such session.
    """
    entry = resolve_session(home, ref)
    if entry is None:
        raise UsageError(
            f"No session starts with {ref[:40]!r}.", hint="%braincode sessions lists them."
        )
    calls = [
        ((record.role or record.phase or "", record.model_id or ""), record)
        for record in _records(entry.path)
    ]
    return UsageTable(
        title=f"Spent in session @@{entry.session_id}",
        head=("agent", "model"),
        rows=sum_spent(calls),
        note=_NOTE,
    )


def _records(path: Path) -> Iterator[UsageRecorded]:
    """Give the usage records of a session; a file that cannot be read has none."""
    try:
        lines = read_lines(path, types={"token_usage"}).lines
    except JournalError:
        return
    for line in lines:
        record = parse_record(line)
        if isinstance(record, UsageRecorded):
            yield record


def _day(timestamp_ms: int) -> str:
    moment = datetime.fromtimestamp(timestamp_ms / 1000, tz=UTC).astimezone()
    return f"{moment:%Y-%m-%d}"
