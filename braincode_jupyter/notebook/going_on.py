"""Starting a run from a line magic that goes on from an earlier one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.slot import Slot

if TYPE_CHECKING:
    from collections.abc import Callable

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
) -> None:
    """Start it; on a page it leaves the kernel free.

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

    Raises
    ------
    BraincodeError
        If it could not start, or failed where nobody shows it beside the cell.
    """
    from braincode_jupyter.notebook.cell_run import CellRun  # noqa: PLC0415 - light load

    CellRun(
        access=access,
        notebook=notebook,
        arguments=replace(arguments, background=True),
        prompt="",
        slot=Slot(access),
        is_awaited=False,
        prepares=prepares,
    ).start()
