"""The view of a run that is going on, folded when the loop has nothing more urgent.

Folding and drawing take a third of what a run costs by itself. No call that is about to leave waits
for them, be it of this run or of another one on the loop: they are done right after all such calls
were started, while these are under way.
"""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import TYPE_CHECKING

from braincode_jupyter.views.fold import fold_many, start_view

if TYPE_CHECKING:
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.runtime.settings import RunObserver
    from braincode_jupyter.views.run_view import RunView


class LatestView:
    """The view after all records so far.

    Parameters
    ----------
    session_id : str
        Session of the run.
    observer : RunObserver or None
        Who is told.
    """

    def __init__(self, session_id: str, observer: RunObserver | None) -> None:
        self._view = start_view(session_id)
        self._observer = observer
        self._pending: list[AnyRecord] = []
        self._is_saved = True
        self._coming: asyncio.Handle | None = None
        # `current` may be asked from the thread of a button while the loop folds.
        self._lock = Lock()

    @property
    def current(self) -> RunView:
        """The view after every record taken; from any thread."""
        with self._lock:
            pending, self._pending = self._pending, []
            self._view = fold_many(self._view, pending)
            if self._view.is_saved != self._is_saved:
                self._view = self._view.model_copy(update={"is_saved": self._is_saved})
            return self._view

    def take(self, record: AnyRecord) -> None:
        """Take a record, to be folded later."""
        self._pending.append(record)

    def lose_journal(self) -> None:
        """Say from now on that nothing is saved."""
        self._is_saved = False

    def show_soon(self) -> None:
        """Fold, and tell the observer, once the calls that were started have left."""
        if self._coming is None:
            # Unlike a callback of `call_soon`, a timer that is due goes behind all that is ready,
            # what becomes ready after this line included.
            self._coming = asyncio.get_running_loop().call_later(0, self.show)

    def show(self) -> None:
        """Fold and tell the observer at once."""
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None
        view = self.current
        if self._observer is not None:
            self._observer.on_view(view)
