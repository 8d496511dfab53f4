"""Reading a run back from its session file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.journal import is_being_written, read_last_run, resolve_session
from braincode_jupyter.protocol.records import parse_record
from braincode_jupyter.runtime.preparation import no_session
from braincode_jupyter.runtime.run import Run, RunFiles
from braincode_jupyter.runtime.settings import default_home
from braincode_jupyter.views.fold import close_view, fold_many, start_view
from braincode_jupyter.views.fold_end import is_over

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.journal import SessionEntry


def read_run(session_id: str, home: Path | None = None) -> Run:
    """Rebuild the newest run of a session from its file.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``.
    home : Path or None
        None: ``~/.braincode``.

    Returns
    -------
    Run
        Its prompts are not part of the file, so ``run.calls`` is empty; a run without end record
        reads as interrupted, unless it is going on.

    Raises
    ------
    UsageError
        If there is no such session.
    JournalError
        If the file cannot be read.
    """
    entry = find_session(session_id, home)
    records = tuple(map(parse_record, read_last_run(entry.path).lines))
    view = fold_many(start_view(entry.session_id), records)
    # What another run is writing at this moment has no end record yet, and is not interrupted.
    is_going_on = not is_over(view) and is_being_written(entry.path)
    return Run(
        view if is_going_on else close_view(view), records, files=RunFiles(session=entry.path)
    )


def find_session(session_id: str, home: Path | None) -> SessionEntry:
    """Return the session that an id or the beginning of one names, or raise `UsageError`."""
    entry = resolve_session(home or default_home(), session_id.removeprefix("@@"))
    if entry is None:
        error = no_session(session_id, hint="%braincode sessions lists them.")
        raise error
    return entry
