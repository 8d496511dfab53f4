"""Signs of life of a tool call that is under way, from wherever it runs to whoever started it.

The one who carries out a call listens for as long as it lasts; a tool that wants to tell takes the
listener along to the task that does its work. Without a listener nothing is told.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Listener = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("braincode_tool_progress", default=None)


@contextmanager
def heard_by(listener: Listener) -> Generator[None]:
    """Let a listener hear of the call that is made in this block.

    Parameters
    ----------
    listener : callable
        Takes one line each time.

    Yields
    ------
    None
        For as long as it listens.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def listener_of_call() -> Listener | None:
    """Return who listens to the call under way; None: nobody."""
    return _listener.get()
