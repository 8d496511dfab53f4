"""Opens a line from the kernel to the page that has our extension."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def open_comm(target: str, data: dict[str, object]) -> Any:  # noqa: ANN401 - untyped library
    """Open a comm to the page; whether somebody listens there is told by its answers alone.

    Parameters
    ----------
    target : str
        What the page registered.
    data : dict
        JSON.

    Returns
    -------
    comm
        Its messages are taken on any thread, also while a cell runs.
    """
    from braincode_jupyter.widget import accept_replies_anywhere  # noqa: PLC0415 - light load

    comm = import_module("comm").create_comm(target_name=target, data=data)
    accept_replies_anywhere(comm)
    return comm
