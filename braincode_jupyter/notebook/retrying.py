"""`%braincode retry`: run one worker again, in the run that goes on or in a new one after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.notebook.arguments import CellArguments
from braincode_jupyter.notebook.going_on import go_on

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook
    from braincode_jupyter.runtime import PreparedRun, RunArguments, Sources

_BACKGROUND = "--background"
_HOW = "Write %braincode retry and a worker, such as librarian; an id of a session may stand first."


def retry(
    access: ShellAccess, notebook: Notebook, rest: str, *, is_awaited: bool = False
) -> str | Awaitable[None] | None:
    """Run a worker again.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    rest : str
        Perhaps the start of a session id, then a worker, then perhaps ``--background``.
    is_awaited : bool
        The cell awaits what is returned.

    Returns
    -------
    str, awaitable or None
        What was done, or the end of a new run, where that is awaited.

    Raises
    ------
    UsageError
        If the worker cannot be run again.
    RunError
        If a new run failed.
    """
    words = rest.split()
    is_background = _BACKGROUND in words
    match [word for word in words if word != _BACKGROUND]:
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

    def prepare(arguments: RunArguments, sources: Sources) -> PreparedRun:
        from braincode_jupyter.runtime import prepare_retry  # noqa: PLC0415 - light load

        return prepare_retry(session or "last", worker, arguments=arguments, sources=sources)

    asked = CellArguments(background=is_background)
    return go_on(access, notebook, prepare, arguments=asked, is_awaited=is_awaited)
