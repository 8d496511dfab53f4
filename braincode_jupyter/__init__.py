"""Run several isolated AI agents from a notebook cell.

`%load_ext braincode_jupyter` gives `%%braincode` and `%braincode`. From Python, `run`, `run_async`
and `plan` take the same arguments; `read_session` gives back a finished `Run`, and `resume` goes on
with one that was cut off. Importing this package loads neither IPython nor a model library; every
public name is resolved on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter import lazy

if TYPE_CHECKING:
    from braincode_jupyter.errors import BraincodeError as BraincodeError
    from braincode_jupyter.errors import RunError as RunError
    from braincode_jupyter.errors import UsageError as UsageError
    from braincode_jupyter.notebook import load_ipython_extension as load_ipython_extension
    from braincode_jupyter.notebook import plan as plan
    from braincode_jupyter.notebook import read_session as read_session
    from braincode_jupyter.notebook import resume as resume
    from braincode_jupyter.notebook import resume_async as resume_async
    from braincode_jupyter.notebook import run as run
    from braincode_jupyter.notebook import run_async as run_async
    from braincode_jupyter.notebook import unload_ipython_extension as unload_ipython_extension
    from braincode_jupyter.runtime import Run as Run

__all__ = [
    "BraincodeError",
    "Run",
    "RunError",
    "UsageError",
    "load_ipython_extension",
    "plan",
    "read_session",
    "resume",
    "resume_async",
    "run",
    "run_async",
    "unload_ipython_extension",
]

__getattr__, __dir__ = lazy.names(
    __name__,
    {
        "errors": ("BraincodeError", "RunError", "UsageError"),
        "notebook": (
            "load_ipython_extension",
            "plan",
            "read_session",
            "resume",
            "resume_async",
            "run",
            "run_async",
            "unload_ipython_extension",
        ),
        "runtime": ("Run",),
    },
)


def _jupyter_labextension_paths(  # pyright: ignore[reportUnusedFunction] - JupyterLab asks
) -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "braincode-jupyter-labextension"}]
