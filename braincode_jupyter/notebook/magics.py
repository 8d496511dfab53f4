"""`%%braincode` and `%braincode`: parse, call, display."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from braincode_jupyter.errors import BraincodeError, RunError
from braincode_jupyter.notebook.shell import is_loaded

if TYPE_CHECKING:
    from collections.abc import Generator

    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook

_log = logging.getLogger(__name__)

_BUG_HINT = "Python's log of braincode_jupyter has the details: logging.basicConfig() shows it."
_CELL_RUN = "braincode_jupyter.notebook.cell_run"


class BraincodeMagics:
    """Both magics, over one shell.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    """

    def __init__(self, access: ShellAccess, notebook: Notebook) -> None:
        self._access = access
        self._notebook = notebook

    def register(self) -> None:
        """Make the magics known to the shell."""
        from IPython.core.magic import no_var_expand  # noqa: PLC0415 - light load

        def line(line: str) -> object:
            """Look at runs, roles, models and settings: `%braincode help`."""
            return self.run_line(line)

        def cell(line: str, cell: str) -> object:
            """Ask the Brain what stands below this line: `%braincode help`."""
            return self.run_cell(line, cell)

        def awaited(line: str, cell: str) -> object:
            """Stand in for ``%%braincode`` in cells that can await."""
            return self.run_cell(line, cell, is_awaited=True)

        def awaited_line(line: str) -> object:
            """Stand in for ``%braincode`` where a line starts a run, in cells that can await."""
            return self.run_awaited_line(line)

        # Without this, IPython would put the values of variables into `{name}` and `$name`.
        self._access.install(
            no_var_expand(line),
            no_var_expand(cell),
            awaited=no_var_expand(awaited),
            awaited_line=no_var_expand(awaited_line),
        )

    def run_cell(self, line: str, cell: str, *, is_awaited: bool = False) -> Awaitable[None] | None:
        """Run one `%%braincode`.

        Parameters
        ----------
        line : str
            Its options.
        cell : str
            The request.
        is_awaited : bool
            The caller awaits what is returned.

        Returns
        -------
        awaitable or None
            To be awaited; None when the run is over, or goes on in the background.

        Raises
        ------
        BraincodeError
            If the run could not start or, when it is not awaited, failed.
        """
        with guarded():
            waiting = self._start(line, cell, is_awaited)
        return None if waiting is None else _guarded(waiting)

    def _start(self, line: str, cell: str, is_awaited: bool) -> Awaitable[None] | None:  # noqa: FBT001 - a fact
        from braincode_jupyter.notebook.arguments import parse_arguments  # noqa: PLC0415 - light load
        from braincode_jupyter.notebook.request import read_request  # noqa: PLC0415 - light load
        from braincode_jupyter.notebook.slot import Slot  # noqa: PLC0415 - light load

        arguments = parse_arguments(line)
        prompt = read_request(cell)
        slot = Slot(self._access)
        if self._access.place().has_page and not is_loaded(_CELL_RUN):
            slot.say("braincode: starting")  # the imports take longer than a reader should wait
        from braincode_jupyter.notebook.cell_run import CellRun  # noqa: PLC0415 - light load

        run = CellRun(
            access=self._access,
            notebook=self._notebook,
            arguments=arguments,
            prompt=prompt,
            slot=slot,
            is_awaited=is_awaited,
        )
        try:
            return run.start()
        except BaseException:
            if slot.is_shown and not run.is_started:
                slot.say("braincode: not started")
            raise

    def run_line(self, line: str) -> object:
        """Run one `%braincode`.

        Parameters
        ----------
        line : str
            A subcommand and what follows it.

        Returns
        -------
        object
            What IPython displays; None for text that was shown already.

        Raises
        ------
        BraincodeError
            If it could not be done.
        """
        from braincode_jupyter.notebook.subcommands import run_subcommand  # noqa: PLC0415 - light load

        with guarded():
            return run_subcommand(self._access, self._notebook, line)

    async def run_awaited_line(self, line: str) -> object:
        """Run one `%braincode` and wait for the run that it starts, with the kernel's loop free.

        Parameters
        ----------
        line : str
            As of `run_line`.

        Returns
        -------
        object
            As of `run_line`.

        Raises
        ------
        BraincodeError
            As of `run_line`, and if the run failed.
        """
        from braincode_jupyter.notebook.subcommands import run_subcommand  # noqa: PLC0415 - light load

        with guarded():
            result = run_subcommand(self._access, self._notebook, line, is_awaited=True)
            if isinstance(result, Awaitable):
                return await cast("Awaitable[object]", result)
            return result


@contextmanager
def guarded() -> Generator[None]:
    """Do the work of a magic; turn a bug of ours into one line with an id.

    Raises
    ------
    BraincodeError
        As raised by the work.
    RunError
        In place of anything unforeseen.
    """
    try:
        yield
    except BraincodeError:
        raise
    except Exception as error:
        raise RunError(_note_bug(error), hint=_BUG_HINT) from None


async def _guarded(work: Awaitable[None]) -> None:
    with guarded():
        await work


def _note_bug(error: Exception) -> str:
    error_id = uuid4().hex[:8]
    _log.error("error %s", error_id, exc_info=error)
    return (
        f"Something unforeseen happened inside braincode_jupyter: {type(error).__name__}, "
        f"error {error_id}."
    )
