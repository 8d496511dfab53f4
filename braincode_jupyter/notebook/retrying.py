"""`%braincode retry`: run one worker again, in the run that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError

if TYPE_CHECKING:
    from braincode_jupyter.notebook.state import Notebook

_HOW = "Write %braincode retry and a worker, such as librarian; an id of a session may stand first."


def retry(notebook: Notebook, rest: str) -> str:
    """Take a worker up again.

    Parameters
    ----------
    notebook : Notebook
        Shared state of the process.
    rest : str
        Perhaps the start of a session id, then a worker.

    Returns
    -------
    str
        What was done.

    Raises
    ------
    UsageError
        If nothing runs, or the worker cannot be run again.
    """
    match rest.split():
        case [worker]:
            prefix = ""
        case [session, worker]:
            prefix = session.removeprefix("@@")
        case []:
            raise UsageError("Which worker is to be run again?", hint=_HOW)
        case _:
            raise UsageError("That is more than a session and a worker.", hint=_HOW)
    if not notebook.active:
        raise UsageError(
            "No run is going on.", hint="A worker can be run again while its run goes on."
        )
    session_id = notebook.retry(worker, prefix)
    return f"Running {worker} again in session {session_id}"
