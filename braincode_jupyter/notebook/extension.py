"""Load and unload the extension, and import what the first run needs shortly after."""

from __future__ import annotations

import threading
from importlib import import_module

from braincode_jupyter.notebook.magics import BraincodeMagics
from braincode_jupyter.notebook.shell import Shell, ShellAccess, version_note
from braincode_jupyter.notebook.state import NOTEBOOK

WARM_UP_AFTER_S = 1.0
"""The cell that loads the extension, and often the next one, has ended by then."""

_FIRST_NEEDED = ("braincode_jupyter.notebook.cell_run", "braincode_jupyter.widget")


class _WarmUp:
    """The one timer of this process; unloading stops it."""

    timer: threading.Timer | None = None


def load(shell: Shell) -> None:
    """Register the magics and start the warm-up.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    access = ShellAccess(shell)
    BraincodeMagics(access, NOTEBOOK).register()
    note = version_note(has_kernel=access.has_kernel)
    if note is not None:
        access.write(f"braincode: {note}")
    if _WarmUp.timer is None:
        _WarmUp.timer = threading.Timer(WARM_UP_AFTER_S, warm_up)
        _WarmUp.timer.daemon = True
        _WarmUp.timer.name = "braincode-warm-up"
        _WarmUp.timer.start()


def unload(shell: Shell) -> None:
    """Take back what `load` did.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    if _WarmUp.timer is not None:
        _WarmUp.timer.cancel()
        _WarmUp.timer = None
    ShellAccess(shell).remove()


def warm_up() -> None:
    """Import what the first run needs; what is missing is told by that run."""
    for module in _FIRST_NEEDED:
        try:
            import_module(module)
        except ImportError:
            return
    from braincode_jupyter.models import warm_up as warm_up_models  # noqa: PLC0415 - heavy

    warm_up_models()
