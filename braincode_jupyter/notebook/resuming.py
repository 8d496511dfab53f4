"""`%braincode resume`: do what a run did not come to, in its session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError
from braincode_jupyter.notebook.arguments import parse_arguments
from braincode_jupyter.notebook.going_on import go_on
from braincode_jupyter.notebook.options import OPTIONS_BY_FLAG

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook
    from braincode_jupyter.runtime import PreparedRun, Run, RunArguments, Sources

NOTHING = "Nothing to resume: this run came to its end."
OPTIONS = (
    "--max-tokens",
    "--max-cost",
    "--allow-edits",
    "--allow-compute",
    "--yes",
    "--background",
    "--as",
)
"""What may be said anew; all else stands in the session."""


def resume(
    access: ShellAccess, notebook: Notebook, rest: str, *, is_awaited: bool = False
) -> Run | Awaitable[None] | None:
    """Resume a session.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    rest : str
        Perhaps the start of a session id, then options.
    is_awaited : bool
        The cell awaits what is returned.

    Returns
    -------
    Run, awaitable or None
        A run that is complete already, or the end of the one that goes on, where that is awaited.

    Raises
    ------
    UsageError
        If there is no such session, or it cannot be resumed.
    RunError
        If the run failed again.
    """
    first, _, options = rest.partition(" ")
    if first.startswith("-"):
        first, options = "", rest
    _check_options(options)
    asked = parse_arguments(options)
    named = first.removeprefix("@@")
    from braincode_jupyter.runtime import prepare_resume, read_run  # noqa: PLC0415 - light load
    from braincode_jupyter.runtime.settings import default_home  # noqa: PLC0415 - light load

    if named:
        run = read_run(named, default_home())
        if run.status == "completed":
            access.write(NOTHING)
            return run

    def prepare(arguments: RunArguments, sources: Sources) -> PreparedRun:
        return prepare_resume(named or None, arguments, sources)

    return go_on(access, notebook, prepare, arguments=asked, is_awaited=is_awaited)


def _check_options(text: str) -> None:
    """Refuse options of `%%braincode` that a session that exists has an answer to."""
    for word in text.split():
        flag = word.partition("=")[0]
        if flag in OPTIONS_BY_FLAG and flag not in OPTIONS:
            raise UnknownNameError("option of %braincode resume", flag, OPTIONS)
