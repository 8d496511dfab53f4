"""Where the kernel takes what a page says: also while another cell blocks its main thread."""

from __future__ import annotations


def accept_replies_anywhere(comm: object) -> None:
    """Let messages of a page reach the kernel while another cell blocks its main thread.

    ipykernel 7.4 sends what the browser says to the thread that last spoke to it, and a blocked
    main thread then hears nothing. Undoing this takes a private name of ipykernel; without it,
    clicks are merely late.

    Parameters
    ----------
    comm : object
        An open comm, for example that of a widget.
    """
    if hasattr(comm, "_reply_subshell_for"):
        setattr(comm, "_reply_subshell_for", _same_route)  # noqa: B010 - a name of another library


def _same_route(_data: object, default: object) -> object:
    return default
