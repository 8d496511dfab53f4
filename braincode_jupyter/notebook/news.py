"""News of background runs, for the page or else for the next cell.

A page with our extension shows a notification; it says so, and nothing more is done. Elsewhere the
next cell that is run prints one line for each piece of news first, as shells do with their jobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from braincode_jupyter.notebook.endings import Endings
from braincode_jupyter.notebook.page_comm import open_comm
from braincode_jupyter.notebook.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.views.run_view import RunView


class News:
    """What is to be said of background runs.

    Parameters
    ----------
    write : callable
        Prints a line in the running cell.
    open_comm : callable
        Opens a comm to the page with a target and data.

    Attributes
    ----------
    waiting : Waiting
        What they wait for.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        open_comm: Callable[[str, dict[str, object]], Any] = open_comm,
    ) -> None:
        self._write = write
        self._endings = Endings(open_comm)
        self.waiting = Waiting(open_comm)

    def ended(self, view: RunView, *, cell_id: str | None) -> None:
        """Tell that a run is over, and waits for nothing any more; from any thread.

        Parameters
        ----------
        view : RunView
            Its last view.
        cell_id : str or None
            The cell that started it.
        """
        self.waiting.see(view, cell_id=cell_id)
        self._endings.tell(view, cell_id=cell_id)

    def before_cell(self, info: object = None) -> None:
        """Print what no page has shown; at the start of a cell, on the main thread.

        Parameters
        ----------
        info : object
            IPython's ``ExecutionInfo``; what front ends run for themselves prints nothing.
        """
        if getattr(info, "store_history", True):
            for line in (*self._endings.take_unseen(), *self.waiting.take_unseen()):
                self._write(line)
