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
from typing import TYPE_CHECKING

from braincode_jupyter import lazy

if TYPE_CHECKING:
    from braincode_jupyter.notebook.api import plan as plan
    from braincode_jupyter.notebook.api import read_session as read_session
    from braincode_jupyter.notebook.api import resume as resume
    from braincode_jupyter.notebook.api import resume_async as resume_async
    from braincode_jupyter.notebook.api import run as run
    from braincode_jupyter.notebook.api import run_async as run_async
    from braincode_jupyter.notebook.extension import (
        load_ipython_extension as load_ipython_extension,
    )
    from braincode_jupyter.notebook.extension import (
        unload_ipython_extension as unload_ipython_extension,
    )
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

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "api": ("plan", "read_session", "resume", "resume_async", "run", "run_async"),
        "extension": ("load_ipython_extension", "unload_ipython_extension"),
        "state": ("use_models",),
    },
)

# A library does not print its log unless the program asks for it.
logging.getLogger("braincode_jupyter").addHandler(logging.NullHandler())
