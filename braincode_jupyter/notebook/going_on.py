"""Starting a run from a line magic that goes on from an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.notebook.slot import Slot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from braincode_jupyter.notebook.arguments import CellArguments
    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook
    from braincode_jupyter.runtime import PreparedRun, RunArguments, Sources


def go_on(
    access: ShellAccess,
    notebook: Notebook,
    prepares: Callable[[RunArguments, Sources], PreparedRun],
    *,
    arguments: CellArguments,
    is_awaited: bool,
) -> Awaitable[None] | None:
    """Start it, as a `%%braincode` with the same arguments would be.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    prepares : callable
        Prepares the run.
    arguments : CellArguments
        What was written after the line magic.
    is_awaited : bool
        The cell awaits what is returned.

    Returns
    -------
    awaitable or None
        As of `CellRun.start`.

    Raises
    ------
    BraincodeError
        If it could not start, or failed.
    """
    from braincode_jupyter.notebook.cell_run import CellRun  # noqa: PLC0415 - light load

    return CellRun(
        access=access,
        notebook=notebook,
        arguments=arguments,
        prompt="",
        slot=Slot(access),
        is_awaited=is_awaited,
        prepares=prepares,
    ).start()
