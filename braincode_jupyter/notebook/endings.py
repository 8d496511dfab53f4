"""Says that a background run is over, unless somebody stopped it: they know."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.views.run_view import RunView

ENDING_TARGET = "braincode.ended"
"""Name of the comm target of the page."""
MAX_TOLD = 20
"""Endings that wait for the next cell; older ones are let go."""
_TITLE_CHARS = 80
_ID_CHARS = 8

_log = logging.getLogger(__name__)


class Endings:
    """Background runs that are over.

    Parameters
    ----------
    open_comm : callable
        Opens a comm to the page with a target and data.
    """

    def __init__(self, open_comm: Callable[[str, dict[str, object]], Any]) -> None:
        self._open_comm = open_comm
        self._lock = threading.Lock()
        self._waiting: OrderedDict[tuple[str, str], tuple[str, Any]] = OrderedDict()

    def tell(self, view: RunView, *, cell_id: str | None) -> None:
        """Tell that a run is over; from any thread.

        Parameters
        ----------
        view : RunView
            Its last view.
        cell_id : str or None
            The cell that started it.
        """
        if view.state == "cancelled":
            return
        key = (view.session_id, view.run_id)
        data: dict[str, object] = {
            "sessionId": view.session_id,
            "state": view.state,
            "title": clean_line(view.title, _TITLE_CHARS),
            "cellId": cell_id or "",
        }
        with self._lock:
            self._waiting[key] = (_line(view), None)
            while len(self._waiting) > MAX_TOLD:
                self._waiting.popitem(last=False)
        with contextlib.suppress(Exception):  # no page, or none that knows this: the line stays
            comm = self._open_comm(ENDING_TARGET, data)
            comm.on_msg(partial(self._is_seen, key))
            with self._lock:
                if key in self._waiting:
                    self._waiting[key] = (self._waiting[key][0], comm)

    def take_unseen(self) -> list[str]:
        """Return the lines that no page has shown, once."""
        with self._lock:
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for _, comm in waiting:
            if comm is not None:
                with contextlib.suppress(Exception):
                    comm.close()
        return [line for line, _ in waiting]

    def _is_seen(self, key: tuple[str, str], _message: object) -> None:
        with self._lock:
            self._waiting.pop(key, None)


def _line(view: RunView) -> str:
    say = speaker(spoken_language())
    return say(
        "text.endedInBackground",
        state=say(f"runStates.{view.state}"),
        title=clean_line(view.title, _TITLE_CHARS),
        id=view.session_id[:_ID_CHARS],
    )
