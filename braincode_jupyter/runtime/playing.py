"""Playing a session as it went, from its records alone: nothing is asked, spent or written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.protocol.records import Record
from braincode_jupyter.runtime.reading import read_run
from braincode_jupyter.views.fold import fold, start_view

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.runtime.run import Run
    from braincode_jupyter.runtime.settings import RunObserver
    from braincode_jupyter.views.run_view import RunView

DEFAULT_SPEED = 4.0
"""How many times faster than it went, unless told otherwise."""
MAX_WAIT_S = 1.5
"""Longest wait between two records, however long it was; seconds."""
MIN_WAIT_S = 0.05
"""A shorter one is no wait: what was written together is shown together."""


class Playing:
    """The newest run of a session, to be shown once more.

    Parameters
    ----------
    run : Run
        As it was read.
    speed : float
        How many times faster than it went; > 0.
    clock : Clock
        Time; what is shown happens now.
    """

    def __init__(self, run: Run, *, speed: float, clock: Clock) -> None:
        self._run = run
        self._speed = speed
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped = asyncio.Event()
        self.view = start_view(run.session_id)

    @property
    def session_id(self) -> str:
        """Id of the session."""
        return self._run.session_id

    def stop(self) -> None:
        """Show no more, from any thread; the card then shows how the run ended."""
        if self._loop is None:
            self._stopped.set()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stopped.set)

    def revoke(self, grant_id: str) -> None:
        """Do nothing: a replay allows nothing."""

    async def retry(self, worker: str) -> None:
        """Refuse it.

        Parameters
        ----------
        worker : str
            A role.

        Raises
        ------
        UsageError
            Always.
        """
        raise UsageError(
            f"This is a replay, which does not run {worker[:64]!r}.",
            hint="Wait for its end, or stop it with %braincode stop.",
        )

    async def execute(self, observer: RunObserver) -> Run:
        """Show it.

        Parameters
        ----------
        observer : RunObserver
            Told of every view, on this loop.

        Returns
        -------
        Run
            As it was read.
        """
        self._loop = asyncio.get_running_loop()
        before: AnyRecord | None = None
        for record in self._run.records:
            wait_s = self._wait_s(before, record)
            if wait_s >= MIN_WAIT_S:
                observer.on_view(self.view)
                await self._wait(wait_s)
            if self._stopped.is_set():
                break
            self.view = _for_show(fold(self.view, self._now(record)))
            before = record
        return self._run

    def _wait_s(self, before: AnyRecord | None, record: AnyRecord) -> float:
        if before is None:
            return 0.0
        passed_s = max(0, record.timestamp - before.timestamp) / 1000
        return min(passed_s / self._speed, MAX_WAIT_S)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            return

    def _now(self, record: AnyRecord) -> AnyRecord:
        """Return the record as if it were written now: clocks of a card count from it."""
        if not isinstance(record, Record):
            return record
        return record.model_copy(update={"timestamp": self._clock.now_ms()})


def prepare_play(session_id: str, home: Path, *, speed: float, clock: Clock) -> Playing:
    """Read the newest run of a session, to be shown as it went.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``.
    home : Path
        The home folder.
    speed : float
        How many times faster than it went; > 0.
    clock : Clock
        Time.

    Returns
    -------
    Playing
        To be executed once.

    Raises
    ------
    UsageError
        If there is no such session.
    JournalError
        If its file cannot be read.
    """
    return Playing(read_run(session_id, home), speed=speed, clock=clock)


def _for_show(view: RunView) -> RunView:
    """Return the view without what a reader could press: nobody waits for an answer."""
    agents = tuple(
        one.model_copy(update={"can_retry": False}) if one.can_retry else one for one in view.agents
    )
    return view.model_copy(update={"approvals": (), "grants": (), "agents": agents})
