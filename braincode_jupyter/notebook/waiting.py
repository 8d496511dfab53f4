"""Says that a background run waits for an approval: one notification, or one line, for each run.

A page changes its notification as calls are asked and answered, and takes it away when none waits;
a line is printed for each call once. Nothing here answers: the card and `%braincode approve` do.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.views.words import asking_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.runtime.settings import RunObserver
    from braincode_jupyter.views.run_view import RunView

WAITING_TARGET = "braincode.waiting"
"""Name of the comm target of the page."""
_ACTION_CHARS = 120
_LIVE = frozenset({"queued", "running"})


@dataclass(slots=True, kw_only=True)
class _Told:
    """What was said of one run that waits."""

    ids: tuple[str, ...] = ()
    line: str = ""
    is_due: bool = False
    """No page has shown it, and no cell has printed it."""
    comm: Any = field(default=None)


class Waiting:
    """What background runs wait for.

    Parameters
    ----------
    open_comm : callable
        Opens a comm to the page with a target and data.
    """

    def __init__(self, open_comm: Callable[[str, dict[str, object]], Any]) -> None:
        self._open_comm = open_comm
        self._lock = threading.Lock()
        self._runs: dict[tuple[str, str], _Told] = {}

    def watch(self, observer: RunObserver, *, cell_id: str | None) -> RunObserver:
        """Return an observer that also sees what a run waits for.

        Parameters
        ----------
        observer : RunObserver
            Who is told besides.
        cell_id : str or None
            The cell that started the run.

        Returns
        -------
        RunObserver
            For this run alone.
        """
        return _Watching(observer, partial(self.see, cell_id=cell_id))

    def see(self, view: RunView, *, cell_id: str | None) -> None:
        """Take a view of a background run; nothing is said unless what it waits for changed.

        Parameters
        ----------
        view : RunView
            Any view of it, the last one too.
        cell_id : str or None
            The cell that started it.
        """
        key = (view.session_id, view.run_id)
        ids = tuple(one.approval_id for one in view.approvals) if view.state in _LIVE else ()
        with self._lock:
            told = self._runs.get(key) or _Told()
            if ids == told.ids:
                return
            told.is_due = told.is_due or not set(ids) <= set(told.ids)
            told.ids, told.line = ids, _line(view)
            self._runs[key] = told
            if not ids:
                del self._runs[key]
        with contextlib.suppress(Exception):  # no page, or none that knows this: the line stays
            self._tell(key, told, _data(view, cell_id))

    def take_unseen(self) -> list[str]:
        """Return the lines of calls that no page has shown, once."""
        with self._lock:
            due = [told for told in self._runs.values() if told.is_due]
            for told in due:
                told.is_due = False
        return [told.line for told in due]

    def _tell(self, key: tuple[str, str], told: _Told, data: dict[str, object]) -> None:
        if told.comm is None and told.ids:
            told.comm = self._open_comm(WAITING_TARGET, data)
            told.comm.on_msg(partial(self._is_seen, key))
        elif told.comm is not None and told.ids:
            told.comm.send(data)
        elif told.comm is not None:
            told.comm.close()

    def _is_seen(self, key: tuple[str, str], _message: object) -> None:
        with self._lock:
            if key in self._runs:
                self._runs[key].is_due = False


class _Watching:
    """An observer that hands every view on to one more."""

    def __init__(self, observer: RunObserver, see: Callable[[RunView], None]) -> None:
        self._observer, self._see = observer, see

    def on_view(self, view: RunView) -> None:
        self._observer.on_view(view)
        self._see(view)

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        self._observer.on_text(context_id, offset, text)


def _data(view: RunView, cell_id: str | None) -> dict[str, object]:
    first = next(iter(view.approvals), None)
    return {
        "approvalIds": [one.approval_id for one in view.approvals],
        "role": "" if first is None else first.role,
        "action": "" if first is None else clean_line(first.action, _ACTION_CHARS),
        "cellId": cell_id or "",
    }


def _line(view: RunView) -> str:
    say = speaker(spoken_language())
    first = next(iter(view.approvals), None)
    asked = "" if first is None else clean_line(asking_words(say, first), _ACTION_CHARS)
    rest = len(view.approvals) - 1
    more = say("text.andMoreCalls", count=rest) if rest > 0 else ""
    return say("text.waitsInBackground", asked=f"{asked}{more}")
