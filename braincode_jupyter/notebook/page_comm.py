"""Lines between the kernel and the page that has our extension."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast


def comm_targets() -> Any:  # noqa: ANN401 - untyped library
    """Return where targets are registered for comms that the page opens."""
    return import_module("comm").get_comm_manager()


def data_of(message: Any) -> dict[str, object]:  # noqa: ANN401 - a message has no types
    """Return the data of a message of a comm; empty if that is no object."""
    data: object = message["content"]["data"]
    return cast("dict[str, object]", data) if isinstance(data, dict) else {}


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
