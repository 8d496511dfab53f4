"""`%braincode retry`: run one worker again, in the run that goes on or in a new one after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError

if TYPE_CHECKING:
    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook

_HOW = "Write %braincode retry and a worker, such as librarian; an id of a session may stand first."


def retry(access: ShellAccess, notebook: Notebook, rest: str) -> str | None:
    """Run a worker again.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    rest : str
        Perhaps the start of a session id, then a worker.

    Returns
    -------
    str or None
        What was done; None where the card of a new run tells it.

    Raises
    ------
    UsageError
        If the worker cannot be run again.
    RunError
        If a new run, which nobody shows beside the cell, failed.
    """
    match rest.split():
        case [worker]:
            session = ""
        case [session, worker]:
            session = session.removeprefix("@@")
        case []:
            raise UsageError("Which worker is to be run again?", hint=_HOW)
        case _:
            raise UsageError("That is more than a session and a worker.", hint=_HOW)
    if any(session_id.startswith(session) for session_id in notebook.active):
        session_id = notebook.retry(worker, session)
        return f"Running {worker} again in session {session_id}"
    _go_on(access, notebook, (session or "last", worker))
    return None


def _go_on(access: ShellAccess, notebook: Notebook, again: tuple[str, str]) -> None:
    """Start a run that goes on from an earlier one; on a page it leaves the kernel free."""
    from braincode_jupyter.notebook.arguments import parse_arguments  # noqa: PLC0415 - light load
    from braincode_jupyter.notebook.cell_run import CellRun  # noqa: PLC0415 - light load
    from braincode_jupyter.notebook.slot import Slot  # noqa: PLC0415 - light load

    CellRun(
        access=access,
        notebook=notebook,
        arguments=parse_arguments("--background"),
        prompt="",
        slot=Slot(access),
        is_awaited=False,
        again=again,
    ).start()
