"""The notebook's side: `%%braincode`, `%braincode`, what they look at and what they show.

The only package that knows IPython, and `shell` the only file of it that touches the shell and the
kernel behind it. A magic parses to frozen `CellArguments`, calls the runtime, and displays; nothing
is decided here. Invariants: the request is handed on as typed; runs live on a loop thread of their
own (`loop`), so that the kernel stays free and an interrupt ends them; a cell that fails raises one
line; loading is quiet, takes a few milliseconds, and is undone by unloading.

`load_ipython_extension` imports nothing heavy. A second later, or when the first cell runs, the
runtime, the model library and the widget are imported, so that the first run need not wait.

May import everything but `testing` and `cli`.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braincode_jupyter.notebook.api import plan as plan
    from braincode_jupyter.notebook.api import read_session as read_session
    from braincode_jupyter.notebook.api import resume as resume
    from braincode_jupyter.notebook.api import resume_async as resume_async
    from braincode_jupyter.notebook.api import run as run
    from braincode_jupyter.notebook.api import run_async as run_async
    from braincode_jupyter.notebook.state import use_models as use_models

__all__ = [
    "load_ipython_extension",
    "plan",
    "read_session",
    "resume",
    "resume_async",
    "run",
    "run_async",
    "unload_ipython_extension",
    "use_models",
]

_HOMES = {
    "plan": "api",
    "read_session": "api",
    "resume": "api",
    "resume_async": "api",
    "run": "api",
    "run_async": "api",
    "use_models": "state",
}

# A library does not print its log unless the program asks for it.
logging.getLogger("braincode_jupyter").addHandler(logging.NullHandler())


def load_ipython_extension(shell: object) -> None:
    """Register the magics; `%load_ext braincode_jupyter` calls it.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    from braincode_jupyter.notebook.extension import load  # noqa: PLC0415 - light import

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take back what loading did; runs that go on are not touched.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    from braincode_jupyter.notebook.extension import unload  # noqa: PLC0415 - light import

    unload(shell)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
