"""A run that is ready to be carried out, and what can be done to it while it goes on."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from braincode_jupyter.errors import (
    BraincodeError,
    ConfigurationError,
    JournalError,
    RunCancelledError,
    SessionInUseError,
    UsageError,
    without_home,
)
from braincode_jupyter.home import ensure_home
from braincode_jupyter.journal import open_session
from braincode_jupyter.protocol.approval_records import MAX_ID_CHARS, AnswerIgnored
from braincode_jupyter.runtime.failing import error_of
from braincode_jupyter.runtime.no_journal import NoJournal
from braincode_jupyter.runtime.orchestrator import Orchestrator
from braincode_jupyter.runtime.retrying import RETRY_HINT, find_worker
from braincode_jupyter.runtime.run import Run, RunFiles
from braincode_jupyter.views.fold import start_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.journal import SessionWriter
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.sentence import Sentence
    from braincode_jupyter.protocol.tools import IgnoredBecause, RevokedBy
    from braincode_jupyter.runtime.preparation import Preparation
    from braincode_jupyter.runtime.run import Later
    from braincode_jupyter.runtime.settings import RunObserver
    from braincode_jupyter.views.run_view import RunView

CLOSE_WAIT_S = 2.0
"""How long connections may take to close; seconds."""


class PreparedRun:
    """A run that can be executed once.

    Parameters
    ----------
    preparation : Preparation
        What it starts from.
    clock : Clock
        Time.
    later : Later or None
        As in `Run`.
    """

    def __init__(
        self,
        preparation: Preparation,
        *,
        clock: Clock,
        later: Later | None = None,
    ) -> None:
        self._preparation = preparation
        self._clock = clock
        self._later = later
        self._orchestrator: Orchestrator | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopped = False
        self._kept: tuple[Sentence, bool] | None = None
        self._path: Path | None = None

    @property
    def session_id(self) -> str:
        """Id of the session that the run writes."""
        return self._preparation.request.session_id

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self._preparation.request.run_id

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know before the run starts."""
        return self._preparation.request.warnings

    @property
    def view(self) -> RunView:
        """The newest view; before the start the request alone."""
        if self._orchestrator is not None:
            return self._orchestrator.shown.current
        request = self._preparation.request
        title = next((line.strip() for line in request.prompt.splitlines() if line.strip()), "")
        return start_view(self.session_id).model_copy(
            update={
                "run_id": request.run_id,
                "title": title[:200],
                "brain_id": request.preset.id,
                "mode": request.options.mode,
                "started_ms": self._clock.now_ms(),
            }
        )

    def stop(self) -> None:
        """Stop the run, from any thread; a second call, or one after the end, does nothing."""
        self._is_stopped = True
        loop, orchestrator = self._loop, self._orchestrator
        if loop is not None and orchestrator is not None and not loop.is_closed():
            loop.call_soon_threadsafe(orchestrator.cancel, "stop")

    async def retry(self, worker: str) -> None:
        """Take a worker up again while the run goes on; to be awaited on the loop of the run.

        Parameters
        ----------
        worker : str
            Its context id, or its role; a second one of a role is ``role-2``.

        Raises
        ------
        UnknownNameError
            If the run has no such worker.
        UsageError
            If it cannot be taken up again: it completed, goes on, or was retried too often; or
            the primary has started already.
        """
        agent = find_worker(self.view, worker)
        orchestrator = self._orchestrator
        if orchestrator is None or orchestrator.ended is not None:
            raise UsageError(
                f"The run of {worker!r} is not going on.",
                hint="A run that has ended goes on with %braincode retry and the worker.",
            )
        refusal = orchestrator.retry(agent.context_id)
        if refusal is not None:
            raise UsageError(f"{agent.role!r} cannot be run again now: {refusal}", hint=RETRY_HINT)

    def retry_soon(self, context_id: str) -> None:
        """Take a worker up again if that can be done, from any thread; else do nothing.

        Parameters
        ----------
        context_id : str
            Context of the worker.
        """
        orchestrator = self._orchestrator
        if orchestrator is not None:
            self._soon(partial(orchestrator.retry, context_id))

    def revoke(self, grant_id: str, by: RevokedBy = "magic") -> None:
        """Take a "same again in this run" back, from any thread; an unknown one does nothing.

        Parameters
        ----------
        grant_id : str
            As in ``view.grants``.
        by : RevokedBy
            Where it is taken back.
        """
        self._soon(lambda: self._preparation.tools.revoke(grant_id, by))

    def note_ignored(self, approval_id: str, why: IgnoredBecause) -> None:
        """Put an answer that counted for nothing on the record, from any thread."""

        def note() -> None:
            if self._orchestrator is not None:
                now = self._clock.now_ms()
                record = AnswerIgnored(
                    timestamp=now, approval_id=approval_id[:MAX_ID_CHARS], why=why
                )
                self._orchestrator.note(record)

        self._soon(note)

    def _soon(self, act: Callable[[], object]) -> None:
        """Do something on the loop of the run, while there is one."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(act)

    async def execute(self, observer: RunObserver | None = None) -> Run:
        """Carry the run out.

        Parameters
        ----------
        observer : RunObserver or None
            Told of every new view and of streamed text, on this loop.

        Returns
        -------
        Run
            Also for a failed or stopped run; ``run.error`` then says why.

        Raises
        ------
        asyncio.CancelledError
            If the task was cancelled, as by a kernel interrupt; the end record is written first.
        SessionInUseError
            If another run holds the session. One that cannot be written for another reason does
            not stop the run: its view says so.
        """
        self._loop = asyncio.get_running_loop()
        journal, notices = self._open_journal()
        request = self._preparation.request
        tools = self._preparation.tools
        orchestrator = Orchestrator(
            request=replace(request, warnings=(*request.warnings, *notices)),
            models=self._preparation.models,
            journal=journal,
            clock=self._clock,
            observer=observer,
            tools=tools,
            resumed=self._preparation.resumed,
        )
        self._orchestrator = orchestrator
        if self._is_stopped:
            self._loop.call_soon(orchestrator.cancel, "stop")
        try:
            await orchestrator.execute()
        finally:
            await tools.aclose()
            journal.close()
            if self._preparation.owns_models:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CLOSE_WAIT_S):
                        await self._preparation.models.aclose()
        if self._preparation.recorder is not None:
            state = orchestrator.shown.current.state
            self._kept = await self._preparation.recorder.keep(state)
        return self._run(orchestrator)

    def _open_journal(self) -> tuple[SessionWriter | NoJournal, tuple[str, ...]]:
        """Return where records go, and what was done to the home folder."""
        home = self._preparation.home
        try:
            notices = ensure_home(home)
            journal = open_session(home, self.session_id)
        except SessionInUseError:
            raise
        except (ConfigurationError, JournalError) as error:
            return NoJournal(error), ()
        self._path = journal.path
        return journal, tuple(map(without_home, (*notices, *journal.notices)))

    def given_up(self, error: BaseException) -> Run:
        """Return the run as far as it is.

        Parameters
        ----------
        error : BaseException
            Why nobody waits for its end any more.

        Returns
        -------
        Run
            One that did not come to its start has failed with this error, or was cancelled.
        """
        if self._orchestrator is not None:
            return self._run(self._orchestrator)
        if not isinstance(error, BraincodeError):
            return Run(self.view, ())
        state = "cancelled" if isinstance(error, RunCancelledError) else "failed"
        told = {"state": state, "phase": "done", "error": error.message, "hint": error.hint}
        return Run(self.view.model_copy(update=told), (), error=error)

    def _run(self, orchestrator: Orchestrator) -> Run:
        ended, view = orchestrator.ended, orchestrator.shown.current
        recorder, recording = self._preparation.recorder, None
        if self._kept is not None:
            said, is_written = self._kept
            told = {"recorded": said} if is_written else {"warnings": (*view.warnings, said)}
            view = view.model_copy(update=told)
            recording = recorder.path if recorder is not None and is_written else None
        return Run(
            view,
            orchestrator.records,
            calls=orchestrator.calls,
            error=None if ended is None else error_of(ended),
            later=self._later,
            files=RunFiles(session=self._path, recording=recording),
        )
