"""The door of the runtime: prepare a run, execute it, stop it, read it back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from braincode_jupyter.brain.planning import preview
from braincode_jupyter.errors import (
    BraincodeError,
    ConfigurationError,
    JournalError,
    RunCancelledError,
    RunError,
    SessionInUseError,
    UsageError,
    without_home,
)
from braincode_jupyter.home import ensure_home
from braincode_jupyter.journal import (
    is_being_written,
    open_session,
    read_last_run,
    resolve_session,
)
from braincode_jupyter.protocol.approval_records import MAX_ID_CHARS, AnswerIgnored
from braincode_jupyter.protocol.records import parse_record
from braincode_jupyter.runtime.failing import error_of
from braincode_jupyter.runtime.no_journal import NoJournal
from braincode_jupyter.runtime.orchestrator import Orchestrator
from braincode_jupyter.runtime.preparation import no_session, prepare
from braincode_jupyter.runtime.retrying import RETRY_HINT, EarlierRun, find_worker, prepare_again
from braincode_jupyter.runtime.run import Run
from braincode_jupyter.runtime.settings import default_home
from braincode_jupyter.views.fold import close_view, fold_many, start_view
from braincode_jupyter.views.fold_end import is_over

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.journal import SessionEntry, SessionWriter
    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.tools import IgnoredBecause, RevokedBy
    from braincode_jupyter.runtime.preparation import Preparation
    from braincode_jupyter.runtime.settings import RunArguments, RunObserver, Sources
    from braincode_jupyter.views.run_view import RunView


CLOSE_WAIT_S = 2.0
"""How long connections may take to close; seconds."""


def random_id() -> str:
    """Return a new UUID of version 4."""
    return str(uuid4())


class SystemClock:
    """The machine's time."""

    def now_ms(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return time.time_ns() // 1_000_000


class PreparedRun:
    """A run that can be executed once.

    Parameters
    ----------
    preparation : Preparation
        What it starts from.
    clock : Clock
        Time.
    again : callable or None
        As in `Run`.
    """

    def __init__(
        self,
        preparation: Preparation,
        *,
        clock: Clock,
        again: Callable[[str, str], PreparedRun] | None = None,
    ) -> None:
        self._preparation = preparation
        self._clock = clock
        self._again = again
        self._orchestrator: Orchestrator | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopped = False

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
        ended = orchestrator.ended
        return Run(
            orchestrator.shown.current,
            orchestrator.records,
            calls=orchestrator.calls,
            error=None if ended is None else error_of(ended),
            again=self._again,
        )


def prepare_run(
    prompt: str,
    arguments: RunArguments,
    sources: Sources,
    *,
    clock: Clock | None = None,
    new_id: Callable[[], str] = random_id,
) -> PreparedRun:
    """Resolve everything a run needs, without any model call.

    Parameters
    ----------
    prompt : str
        The request as typed.
    arguments : RunArguments
        What was asked for beside it.
    sources : Sources
        Where typed references look.
    clock : Clock or None
        Time; None: the machine's.
    new_id : callable
        Gives a fresh id with each call: first the session's, then the run's. Every other id of a
        run is derived from the latter, so a test that fixes both fixes every byte.

    Returns
    -------
    PreparedRun
        To be executed once.

    Raises
    ------
    UsageError
        For an empty request, an unknown name, a reference that points at nothing.
    ConfigurationError
        For broken settings, and when no model can be used.
    """
    used = clock or SystemClock()
    preparation = prepare(prompt, arguments, sources=sources, clock=used, new_id=new_id)
    return PreparedRun(preparation, clock=used, again=_again(arguments, sources))


def prepare_retry(
    session_id: str,
    worker: str,
    *,
    arguments: RunArguments,
    sources: Sources,
    clock: Clock | None = None,
    new_id: Callable[[], str] = random_id,
) -> PreparedRun:
    """Prepare a run that goes on from the newest run of a session to run one worker again.

    Every result that is there is kept, and nobody is asked twice for it: only the worker, those
    that lacked its result, those that were stopped, then the primary and the review.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``.
    worker : str
        Its role or context id; a second one of a role is ``role-2``.
    arguments : RunArguments
        Where things are, who answers and what is allowed; what was asked for stands in the session.
    sources : Sources
        Where typed references look; they are read anew.
    clock : Clock or None
        Time; None: the machine's.
    new_id : callable
        Gives the id of the run.

    Returns
    -------
    PreparedRun
        To be executed once.

    Raises
    ------
    UnknownNameError
        If the run had no such worker.
    UsageError
        If there is no such session, its run goes on, or the worker cannot be run again.
    JournalError
        If the session file cannot be read.
    ConfigurationError
        As in `prepare_run`.
    """
    used = clock or SystemClock()
    run = read_run(session_id, arguments.home)
    if not is_over(run.view):
        raise UsageError(
            f"Session {run.session_id[:8]} is going on.",
            hint="Press Run again on its card, or wait for its end.",
        )
    earlier = EarlierRun(
        session=_find_session(run.session_id, arguments.home),
        records=run.records,
        worker=find_worker(run.view, worker),
    )
    preparation = prepare_again(earlier, arguments, sources=sources, clock=used, new_id=new_id)
    return PreparedRun(preparation, clock=used, again=_again(arguments, sources))


async def plan_run(prompt: str, arguments: RunArguments, sources: Sources) -> RuntimePlan:
    """Return the plan of a request, without running it.

    Parameters
    ----------
    prompt : str
        The request as typed.
    arguments : RunArguments
        With ``heuristic`` no model is asked; else the router is, and nobody after it.
    sources : Sources
        Where typed references look.

    Returns
    -------
    RuntimePlan
        The plan.

    Raises
    ------
    BraincodeError
        As `prepare_run`; `ModelError` if images need a router and none answers.
    """
    clock = SystemClock()
    preparation = prepare(prompt, arguments, sources=sources, clock=clock, new_id=random_id)
    if arguments.heuristic:
        return preview(preparation.request)
    orchestrator = Orchestrator(
        request=preparation.request,
        models=preparation.models,
        journal=None,
        clock=clock,
        plans_only=True,
    )
    try:
        plan = await orchestrator.plan()
    finally:
        if preparation.owns_models:
            await preparation.models.aclose()
    if plan is None:
        ended = orchestrator.ended
        error = None if ended is None else error_of(ended)
        raise error or RunError("No plan came about.", hint="Try --heuristic.")
    return plan


def read_run(session_id: str, home: Path | None = None) -> Run:
    """Rebuild the newest run of a session from its file.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``.
    home : Path or None
        None: ``~/.braincode``.

    Returns
    -------
    Run
        Its prompts are not part of the file, so ``run.calls`` is empty; a run without end record
        reads as interrupted, unless it is going on.

    Raises
    ------
    UsageError
        If there is no such session.
    JournalError
        If the file cannot be read.
    """
    entry = _find_session(session_id, home)
    records = tuple(map(parse_record, read_last_run(entry.path).lines))
    view = fold_many(start_view(entry.session_id), records)
    # What another run is writing at this moment has no end record yet, and is not interrupted.
    is_going_on = not is_over(view) and is_being_written(entry.path)
    return Run(view if is_going_on else close_view(view), records)


def _find_session(session_id: str, home: Path | None) -> SessionEntry:
    entry = resolve_session(home or default_home(), session_id.removeprefix("@@"))
    if entry is None:
        error = no_session(session_id, hint="%braincode sessions lists them.")
        raise error
    return entry


def _again(arguments: RunArguments, sources: Sources) -> Callable[[str, str], PreparedRun]:
    # The card that could be asked belongs to this run.
    later = replace(arguments, approver=None)
    return partial(prepare_retry, arguments=later, sources=sources)
