"""Load and unload the extension, and import what the first run needs shortly after."""

from __future__ import annotations

import threading
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.completion import ReferenceCompletion
from braincode_jupyter.notebook.magics import BraincodeMagics
from braincode_jupyter.notebook.offers import make_offers
from braincode_jupyter.notebook.shell import Shell, ShellAccess, version_note
from braincode_jupyter.notebook.state import NOTEBOOK

if TYPE_CHECKING:
    from collections.abc import Callable

WARM_UP_AFTER_S = 1.0
"""The cell that loads the extension, and often the next one, has ended by then."""

_FIRST_NEEDED = ("braincode_jupyter.notebook.cell_run", "braincode_jupyter.widget")


_LOADED: dict[int, Callable[[], None]] = {}
"""What takes back the loading, by identity of the shell; there is one, in tests a few."""


def load(shell: Shell) -> None:
    """Register the magics, watch the cells, complete references, and start the warm-up.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    if id(shell) in _LOADED:
        return
    access = ShellAccess(shell)
    BraincodeMagics(access, NOTEBOOK).register()
    cells, variables = access.watch_cells(), access.variables()
    cells.register()
    completion = ReferenceCompletion(make_offers(cells=cells, variables=variables))
    access.attach(completion)
    NOTEBOOK.cells, NOTEBOOK.variables = cells, variables
    timer = threading.Timer(WARM_UP_AFTER_S, warm_up)
    timer.daemon, timer.name = True, "braincode-warm-up"
    timer.start()

    def take_back() -> None:
        timer.cancel()
        access.detach(completion)
        cells.unregister()
        access.remove()
        NOTEBOOK.cells, NOTEBOOK.variables = None, None

    _LOADED[id(shell)] = take_back
    note = version_note(has_kernel=access.has_kernel)
    if note is not None:
        access.write(f"braincode: {note}")


def unload(shell: Shell) -> None:
    """Take back what `load` did.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    take_back = _LOADED.pop(id(shell), None)
    if take_back is not None:
        take_back()


def warm_up() -> None:
    """Import what the first run needs; what goes wrong is told by that run, not by a thread."""
    with suppress(Exception):
        for module in _FIRST_NEEDED:
            import_module(module)
        import_module("braincode_jupyter.models").warm_up()
