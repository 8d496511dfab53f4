"""`step`: the only place that decides.

``step(state, record) -> (state, effects)`` is pure. Records that *drive* a run come from outside:
the first `RunStart` and the one of a resume, `UsageRecorded`, `ModelReplied`, `ModelFailed`,
`DispatchRequested`, `RetryRequested`, `ToolExecuted`, `EditKept`, `ChangesCollected`, `ChecksRan`
and `RunCancelled`. All others were decided here and change nothing when they are folded again, so
folding a journal through `step` gives the state that the run was in, and the effects without
outcome are what a resumed run still has to do (`replaying`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.answering import (
    start_primary,
    take_answer,
    take_primary_failure,
)
from braincode_jupyter.brain.booking import book_reply, book_usage
from braincode_jupyter.brain.changing import note_tool, take_changes, take_checks
from braincode_jupyter.brain.dispatching import note_end, take_dispatch
from braincode_jupyter.brain.ending import end_cancelled, end_failed, end_with_question
from braincode_jupyter.brain.going_on import go_on_from
from braincode_jupyter.brain.hooking import (
    take_prompt_hooks,
    take_stop_hooks,
    take_worker_hooks,
)
from braincode_jupyter.brain.plan_review import plan_review
from braincode_jupyter.brain.planning import (
    ask_router_again,
    begin_planning,
    take_router_failure,
    take_router_reply,
)
from braincode_jupyter.brain.resuming import ask_again, ask_primary_again, take_resume
from braincode_jupyter.brain.retrying import take_retry
from braincode_jupyter.brain.reviewing import take_review, take_review_failure
from braincode_jupyter.brain.state import RunState
from braincode_jupyter.brain.transition import Transition
from braincode_jupyter.brain.working import (
    advance_workers,
    take_worker_failure,
    take_worker_reply,
)
from braincode_jupyter.protocol.outside_records import (
    DispatchRequested,
    PromptHooksRan,
    SessionStartHooksRan,
    StopHooksRan,
    SubagentStartHooksRan,
    ToolExecuted,
)
from braincode_jupyter.protocol.records import (
    ChangesCollected,
    ChecksRan,
    EditKept,
    ModelFailed,
    ModelReplied,
    PromptManifest,
    Record,
    RetryRequested,
    RunCancelled,
    RunStart,
    TurnReserved,
    UsageRecorded,
)

if TYPE_CHECKING:
    from braincode_jupyter.brain.effects import Effect
    from braincode_jupyter.brain.state import RunRequest
    from braincode_jupyter.protocol.plan import RuntimePlan, RuntimeWorker
    from braincode_jupyter.protocol.records import AnyRecord, GoesOn


def initial(request: RunRequest) -> RunState:
    """Return the state of a run that has not begun."""
    return RunState(request=request)


def first_record(request: RunRequest, *, timestamp: int, resumes: GoesOn | None = None) -> RunStart:
    """Return the record that sets a run going; written before any model call."""
    origin = None if request.taken_up is None else request.taken_up.origin
    return RunStart(
        timestamp=timestamp,
        context_id=request.session_id,
        run_id=request.run_id,
        prompt=request.prompt,
        options=request.options,
        project_support=request.project_support,
        goes_on=resumes or origin,
    )


def step(state: RunState, record: AnyRecord) -> tuple[RunState, tuple[Effect, ...]]:
    """Take one fact and decide what follows from it.

    Parameters
    ----------
    state : RunState
        Where the run is.
    record : AnyRecord
        What happened.

    Returns
    -------
    tuple of (RunState, tuple of Effect)
        The new state, and orders to be carried out in the order given. A record that drives nothing
        gives the state back as it was.
    """
    if state.at == "ended" or not isinstance(record, Record):
        return state, ()
    t = Transition(state=state, timestamp=record.timestamp)
    match record:
        case RunStart(plan=None):
            _start(t, record)
        case UsageRecorded():
            book_usage(t, record)
        case ModelReplied():
            _take_reply(t, record)
        case ModelFailed():
            _take_failure(t, record)
        case DispatchRequested():
            take_dispatch(t, record)
        case RetryRequested(from_run=None):
            if take_retry(t, record):
                _go_on(t)
        case RunCancelled():
            end_cancelled(t)
        case _:
            _take_facts(t, record)
    return t.state, tuple(t.effects)


def _take_facts(t: Transition, record: AnyRecord) -> None:
    """Take what tools, checks and hooks came to."""
    match record:
        case PromptManifest():
            t.charge_tools(record)
        case TurnReserved():
            t.reserve_turn(record)
        case EditKept():
            t.set(may_have_changed=True)
        case ToolExecuted():
            note_tool(t, record)
        case ChangesCollected():
            take_changes(t, record)
        case ChecksRan():
            take_checks(t, record)
        case _:
            _take_hooks(t, record)


def _take_hooks(t: Transition, record: AnyRecord) -> None:
    match record:
        case SessionStartHooksRan() | PromptHooksRan():
            take_prompt_hooks(t, record)
        case SubagentStartHooksRan():
            take_worker_hooks(t, record)
        case StopHooksRan() if t.state.are_stop_hooks_fired:
            take_stop_hooks(t, record)
        case _:
            pass


def _start(t: Transition, record: RunStart) -> None:
    if t.state.at == "new":
        _begin(t, record)
    elif record.resumes and record.goes_on is not None:
        _resume(t, record, record.goes_on)


def _begin(t: Transition, record: RunStart) -> None:
    request = replace(t.state.request, run_id=record.run_id or t.state.request.run_id)
    t.set(request=request)
    for warning in request.warnings:
        t.warn(warning)
    for reference in request.references:
        t.write(reference.model_copy(update={"timestamp": t.timestamp}))
    if request.taken_up is not None:
        go_on_from(t, request.taken_up)
        _go_on(t)
    elif begin_planning(t):
        _begin_work(t)
    elif not t.state.open_calls:
        _end_unrouted(t)


def with_plan(
    state: RunState, plan: RuntimePlan, *, timestamp: int
) -> tuple[RunState, tuple[Effect, ...]]:
    """Begin the work of a plan that is on record, whatever would be planned today.

    Parameters
    ----------
    state : RunState
        Where the run is, before any worker.
    plan : RuntimePlan
        As it was planned.
    timestamp : int
        When; milliseconds since the epoch.

    Returns
    -------
    tuple of (RunState, tuple of Effect)
        As `step`.
    """
    begun = replace(state, plan=plan, at="working", open_calls={}, handoffs={}, results={})
    t = Transition(state=begun, timestamp=timestamp)
    _begin_work(t)
    return t.state, tuple(t.effects)


def _resume(t: Transition, record: RunStart, origin: GoesOn) -> None:
    """Make the calls again that have no outcome, then go on."""
    lost = take_resume(t, record, origin)
    workers = {worker.context_id: worker for worker in t.state.workers}
    for call in (opened.call for opened in lost):
        # A run that had ended begins with the first model of each role: what failed may be over.
        attempt = call.attempt if record.run_id == origin.run_id else 1
        match call.call_kind:
            case "router":
                if ask_router_again(t, attempt):
                    _begin_work(t)
            case "primary":
                ask_primary_again(t, attempt)
            case _ if call.context_id in workers:
                ask_again(t, workers[call.context_id], attempt=attempt)
            case _:
                pass
    if t.state.at == "routing" and not t.state.open_calls:
        _end_unrouted(t)
    elif t.state.plan is not None:
        _go_on(t)


def _take_reply(t: Transition, record: ModelReplied) -> None:
    book_reply(t, record)
    opened = t.close_call(record)
    if opened is None:
        return
    match opened.call.call_kind:
        case "router":
            if take_router_reply(t, record):
                _begin_work(t)
            else:
                _end_unrouted(t)
        case "worker":
            worker = _worker(t, opened.call.context_id)
            take_worker_reply(t, worker, opened=opened, record=record)
            _go_on(t, worker)
        case "primary":
            take_answer(t, opened, record)
        case "review":
            take_review(t, opened, record)


def _take_failure(t: Transition, record: ModelFailed) -> None:
    opened = t.close_call(record)
    if opened is None:
        return
    if record.code == "stale_recording":
        # What follows would be asked with another text than was recorded, and say so in its place.
        end_failed(t, record.code, error=record.error, hint=record.hint)
        return
    match opened.call.call_kind:
        case "router":
            if take_router_failure(t, opened, record):
                _begin_work(t)
            elif not t.state.open_calls:
                _end_unrouted(t, record)
        case "worker":
            worker = _worker(t, opened.call.context_id)
            take_worker_failure(t, worker, opened=opened, record=record)
            _go_on(t, worker)
        case "primary":
            take_primary_failure(t, opened, record)
        case "review":
            take_review_failure(t, opened, record)


def _begin_work(t: Transition) -> None:
    clarification = t.plan.agent_plan.clarification
    if clarification is not None:
        end_with_question(t, clarification)
        return
    review = plan_review(t.state.request, t.plan, timestamp=t.timestamp)
    if review is not None:
        t.write(review)
    _go_on(t)


def _go_on(t: Transition, worker: RuntimeWorker | None = None) -> None:
    if worker is not None:
        note_end(t, worker)
    if t.state.at == "working" and advance_workers(t):
        start_primary(t, attempt=1)


def _end_unrouted(t: Transition, record: ModelFailed | None = None) -> None:
    end_failed(
        t,
        "not_configured" if record is None else record.code,
        error="A request with images needs a router model that sees, and none gave a plan.",
        hint="Configure a vision model, name the roles with --roles, or take the images out.",
    )


def _worker(t: Transition, context_id: str) -> RuntimeWorker:
    return next(worker for worker in t.state.workers if worker.context_id == context_id)
