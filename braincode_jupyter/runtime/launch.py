"""The door of the runtime: prepare a run, execute it, stop it, read it back."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from braincode_jupyter.brain.planning import preview
from braincode_jupyter.errors import RunError, UsageError
from braincode_jupyter.runtime.failing import error_of
from braincode_jupyter.runtime.going_on import read_earlier
from braincode_jupyter.runtime.orchestrator import Orchestrator
from braincode_jupyter.runtime.preparation import prepare
from braincode_jupyter.runtime.prepared import PreparedRun
from braincode_jupyter.runtime.resuming import newest_resumable, prepare_rest
from braincode_jupyter.runtime.retrying import find_worker, prepare_again
from braincode_jupyter.runtime.settings import default_home
from braincode_jupyter.views.fold_end import is_over

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.runtime.settings import RunArguments, Sources


def random_id() -> str:
    """Return a new UUID of version 4."""
    return str(uuid4())


class SystemClock:
    """The machine's time."""

    def now_ms(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return time.time_ns() // 1_000_000


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
    return PreparedRun(preparation, clock=used, later=_later(arguments, sources))


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
    earlier = read_earlier(session_id, arguments.home)
    if not is_over(earlier.view):
        raise UsageError(
            f"Session {earlier.session.session_id[:8]} is going on.",
            hint="Press Run again on its card, or wait for its end.",
        )
    preparation = prepare_again(
        earlier,
        find_worker(earlier.view, worker),
        arguments,
        sources=sources,
        clock=used,
        new_id=new_id,
    )
    return PreparedRun(preparation, clock=used, later=_later(arguments, sources))


def prepare_resume(
    session_id: str | None,
    arguments: RunArguments,
    sources: Sources,
    *,
    clock: Clock | None = None,
    new_id: Callable[[], str] = random_id,
) -> PreparedRun:
    """Prepare to do what the newest run of a session did not come to.

    Plan, results, what was spent and what a person decided are kept: calls that were answered are
    not made again. A run without end goes on as itself; one that has an end goes on in a new run.

    Parameters
    ----------
    session_id : str or None
        Session id, the beginning of one, or ``last``; None: the newest that can be resumed.
    arguments : RunArguments
        Where things are, who answers and what is allowed; what was asked for stands in the session,
        and of that only the budgets may be given anew.
    sources : Sources
        Where typed references look; they are read anew.
    clock : Clock or None
        Time; None: the machine's.
    new_id : callable
        Gives the id of the run, where there is a new one.

    Returns
    -------
    PreparedRun
        To be executed once.

    Raises
    ------
    UsageError
        If there is no such session, its run completed, asks something, or goes on, or what its
        request refers to is gone.
    JournalError
        If the session file cannot be read.
    ConfigurationError
        As in `prepare_run`.
    """
    used = clock or SystemClock()
    wanted = session_id or newest_resumable(arguments.home or default_home())
    preparation = prepare_rest(
        read_earlier(wanted, arguments.home),
        arguments,
        sources=sources,
        clock=used,
        new_id=new_id,
    )
    return PreparedRun(preparation, clock=used, later=_later(arguments, sources))


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
    UsageError
        As `prepare_run`, and if it is to be recorded.
    BraincodeError
        As `prepare_run`; `ModelError` if images need a router and none answers.
    """
    if arguments.record:
        raise UsageError("A plan is not recorded.", hint="Leave out --record, or --dry-run.")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Later:
    """Prepares runs that go on from one, with what that was allowed and who answered it."""

    arguments: RunArguments
    sources: Sources

    def retry(self, session_id: str, worker: str) -> PreparedRun:
        return prepare_retry(session_id, worker, arguments=self.arguments, sources=self.sources)

    def resume(self, session_id: str) -> PreparedRun:
        return prepare_resume(session_id, self.arguments, self.sources)


def _later(arguments: RunArguments, sources: Sources) -> _Later:
    # The card that could be asked belongs to this run.
    return _Later(arguments=replace(arguments, approver=None), sources=sources)
