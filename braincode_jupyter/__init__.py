"""Run several isolated AI agents from a notebook cell.

`%load_ext braincode_jupyter` gives `%%braincode` and `%braincode`. From Python, `run`, `run_async`
and `plan` take the same arguments; `read_session` gives back a finished `Run`, and `resume` goes on
with one that was cut off. Importing this package loads neither IPython nor a model library; every
public name is resolved on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

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

_HOMES = {
    "BraincodeError": "errors",
    "Run": "runtime",
    "RunError": "errors",
    "UsageError": "errors",
    "load_ipython_extension": "notebook",
    "plan": "notebook",
    "read_session": "notebook",
    "resume": "notebook",
    "resume_async": "notebook",
    "run": "notebook",
    "run_async": "notebook",
    "unload_ipython_extension": "notebook",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _jupyter_labextension_paths(  # pyright: ignore[reportUnusedFunction] - JupyterLab asks
) -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "braincode-jupyter-labextension"}]
