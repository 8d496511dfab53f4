"""Imports what the next cells need, in a thread, between cells.

Two threads that import one package at a time, one from its door and one from a module inside, wait
for each other's locks; Python then lets one of them go on with a half-made module. So no step runs
while a cell does, and a cell that begins waits for the step that is under way.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

MAX_PAUSE_S = 600.0
"""How long a step waits for a cell to end; after that the cells import for themselves."""


class WarmUp:
    """Steps that are taken while no cell runs.

    Parameters
    ----------
    steps : sequence of callable
        Taken in order, in a thread; one that raises ends them, and what went wrong is told by the
        cell that needs it.
    after_s : float
        How long to wait before the first; seconds.
    last : callable
        Taken after them; takes long and minds for itself that nobody meets it half-way, so that
        no cell waits for it.
    """

    def __init__(
        self,
        steps: Sequence[Callable[[], object]],
        *,
        after_s: float,
        last: Callable[[], object] = bool,
    ) -> None:
        self._steps = steps
        self._last = last
        self._idle = threading.Event()
        self._is_stopped = False
        self._step = threading.Lock()
        self._timer = threading.Timer(after_s, self._run)
        self._timer.daemon, self._timer.name = True, "braincode-warm-up"

    def start(self) -> None:
        """Begin in time, once the cell that goes on now has ended."""
        self._timer.start()

    def stop(self) -> None:
        """Take no further step."""
        self._is_stopped = True
        self._idle.set()
        self._timer.cancel()

    def pause(self, _info: object = None) -> None:
        """Take no step until `go_on`; returns when the one under way has ended."""
        self._idle.clear()
        with self._step:
            pass

    def go_on(self, _result: object = None) -> None:
        """Take steps again."""
        self._idle.set()

    @contextmanager
    def between_steps(self) -> Generator[None]:
        """Let no step run meanwhile: for imports of another thread that is no cell's."""
        with self._step:
            yield

    def _run(self) -> None:
        with suppress(Exception):
            for step in self._steps:
                if not self._take(step):
                    return
            self._last()

    def _take(self, step: Callable[[], object]) -> bool:
        while self._idle.wait(MAX_PAUSE_S) and not self._is_stopped:
            with self._step:
                # A cell may have begun since the wait ended.
                if self._idle.is_set():
                    step()
                    return True
        return False
