"""Support workers: handoff, attempts along the role's own chain, result; the reviewer too."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from braincode_jupyter.brain.changed import review_packet, reviewed_change
from braincode_jupyter.brain.demo import DEMO_REPLY_SCHEMA
from braincode_jupyter.brain.effects import FireHooks
from braincode_jupyter.brain.handoff import (
    REVIEW_CHANGE_REPLY_SCHEMA,
    REVIEW_REPLY_SCHEMA,
    WORKER_REPLY_SCHEMA,
    build_handoff,
    envelope,
)
from braincode_jupyter.brain.planning import summary_of
from braincode_jupyter.brain.prompts import (
    change_review_instructions,
    private_section,
    review_instructions,
    worker_instructions,
)
from braincode_jupyter.brain.replies import blocked_result, failed_result, worker_result
from braincode_jupyter.brain.review import independence_of
from braincode_jupyter.brain.schedule import deadlocked, ready, support_workers, upstream_of
from braincode_jupyter.brain.transition import Asking, round_of
from braincode_jupyter.protocol.records import (
    MessageSent,
    WorkerEnded,
    WorkerFailed,
    WorkerStarted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.contexts import HandoffPacket, ResultStatus
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimeWorker
    from braincode_jupyter.protocol.records import ModelFailed, ModelReplied, Phase
    from braincode_jupyter.protocol.sections import Candidate, Section
    from braincode_jupyter.protocol.usage import ReasonCode


def phase_of(worker: RuntimeWorker) -> Phase:
    """Return the phase in which a worker that is not the primary runs."""
    return "review" if worker.role == "review" else "support"


class Stamp(TypedDict):
    """When and of whom a record is."""

    timestamp: int
    context_id: str
    phase: Phase
    worker: str


def stamp(t: Transition, worker: RuntimeWorker) -> Stamp:
    """Return what begins every record of a worker that is not the primary."""
    return Stamp(
        timestamp=t.timestamp,
        context_id=worker.context_id,
        phase=phase_of(worker),
        worker=worker.role,
    )


def advance_workers(t: Transition) -> bool:
    """Start every worker that may start.

    Parameters
    ----------
    t : Transition
        Open transition.

    Returns
    -------
    bool
        True once all support workers are in a final state.
    """
    while True:
        finished: dict[str, ResultStatus] = {
            key: result.status for key, result in t.state.results.items()
        }
        calls = t.state.open_calls.values()
        running = frozenset(opened.call.context_id for opened in calls) | set(t.state.held)
        startable = ready(t.plan, finished=finished, running=running)
        if not startable:
            stuck = deadlocked(t.plan, finished=finished, running=running)
            for worker in stuck:
                _block(t, worker)
            if stuck:
                continue
            break
        for worker in startable:
            start_worker(t, worker)
        if all(worker.context_id not in t.state.results for worker in startable):
            break
    return all(worker.context_id in t.state.results for worker in support_workers(t.plan))


def start_worker(t: Transition, worker: RuntimeWorker) -> None:
    """Hand a worker its packet and ask its first model; without one it fails at once."""
    request = t.state.request
    packet = build_handoff(
        worker,
        session_id=request.session_id,
        run_id=request.run_id,
        phase=phase_of(worker),
        context_refs=request.context_refs,
        rounds=round_of(t.state) if worker.role == "review" else (),
    )
    t.set(handoffs={**t.state.handoffs, worker.context_id: packet})
    t.write(
        MessageSent(
            **stamp(t, worker),
            message=envelope(packet, run_id=request.run_id),
        )
    )
    candidates = candidates_of(t, worker)
    if not candidates:
        why = refusals_of(t, worker) or "no model is configured"
        t.write(
            WorkerFailed(
                **stamp(t, worker),
                error=why,
                code="not_configured",
                handoff=packet,
                will_fallback=False,
            )
        )
        finish_failed(t, worker, "not_configured")
        return
    if "SubagentStart" in request.hook_events:
        t.set(held={**t.state.held, worker.context_id: worker})
        t.effects.append(
            FireHooks(event="SubagentStart", context_id=worker.context_id, role=worker.role)
        )
        return
    ask_worker(t, worker, attempt=1)


def candidates_of(t: Transition, worker: RuntimeWorker) -> tuple[Candidate, ...]:
    """Return the models that may be asked for a worker, the one that the router wanted first.

    The embedded demo model is never a reviewer (design 5).

    Returns
    -------
    tuple of Candidate
        In the order in which they are asked.
    """
    resolution = t.state.request.chains.get(worker.role)
    found = () if resolution is None else resolution.candidates
    if worker.role == "review":
        found = tuple(c for c in found if not c.is_local_demo)
    if worker.model_id is not None:
        found = tuple(sorted(found, key=lambda c: c.model_id != worker.model_id))
    return found


def refusals_of(t: Transition, worker: RuntimeWorker) -> str:
    """Return why models of a role's chain cannot be asked; empty where there is none of these."""
    resolution = t.state.request.chains.get(worker.role)
    refusals = () if resolution is None else resolution.refusals
    return "; ".join(f"{one.model_id}: {one.reason}" for one in refusals)


def ask_worker(t: Transition, worker: RuntimeWorker, *, attempt: int) -> None:
    """Ask one model of a worker's chain; a refused budget ends the worker."""
    packet = t.state.handoffs[worker.context_id]
    said = t.state.worker_hooks.get(worker.context_id)
    is_review = worker.role == "review"
    candidate = candidates_of(t, worker)[attempt - 1]
    prepared = t.prepare(
        Asking(
            call_kind="review" if is_review else "worker",
            role=worker.role,
            context_id=worker.context_id,
            candidate=candidate,
            attempt=attempt,
            extra=(
                *((said,) if said is not None else ()),
                *(
                    _review_extra(t, packet, candidate)
                    if is_review
                    else worker_instructions(packet, is_demo=candidate.is_local_demo)
                ),
            ),
            reply_schema=_reply_schema(t, candidate, is_review=is_review),
            upstream=frozenset(upstream_of(t.plan, worker.context_id)),
        )
    )
    if prepared is None:
        _write_failure(
            t, worker, attempt=attempt, code="token_limit", error="The budget is used up."
        )
        finish_failed(t, worker, "token_limit")
        return
    t.set_todos(worker.todo_ids or (), "running", phase=phase_of(worker), role=worker.role)
    t.write(
        WorkerStarted(
            **stamp(t, worker),
            goal=worker.goal,
            handoff=packet,
            model=candidate.model_id,
            agent_session_id=prepared.call.agent_session_id,
            attempt=attempt,
        )
    )
    t.launch(prepared)


def _review_extra(
    t: Transition, packet: HandoffPacket, candidate: Candidate
) -> tuple[Section, ...]:
    """Return the instructions of a review, and its packet where files were changed."""
    change = reviewed_change(t.state)
    described = review_packet(t.state, goal=t.state.request.prompt)
    if change is None or described is None or t.state.answer is None:
        return review_instructions(packet)
    distance = independence_of(t.state.answer.model, summary_of(candidate))
    return (described, *change_review_instructions(packet, tier=change.tier, distance=distance))


def _reply_schema(
    t: Transition, candidate: Candidate, *, is_review: bool
) -> Mapping[str, JsonValue]:
    if is_review:
        return REVIEW_CHANGE_REPLY_SCHEMA if t.state.has_changes else REVIEW_REPLY_SCHEMA
    return DEMO_REPLY_SCHEMA if candidate.is_local_demo else WORKER_REPLY_SCHEMA


def take_worker_reply(
    t: Transition, worker: RuntimeWorker, *, opened: OpenCall, record: ModelReplied
) -> ExecutedWorkerResult:
    """Normalise a worker's reply and put its result on the record."""
    packet = t.state.handoffs[worker.context_id]
    model = summary_of(opened.call.candidate)
    keep_private(t, worker, record.text)
    if record.finish_reason == "length":
        t.set(cut_off=t.state.cut_off | {worker.context_id})
    result = worker_result(record.text, handoff=packet, worker=worker, model=model)
    finish_worker(t, worker, result, attempt=record.attempt)
    return result


def take_worker_failure(
    t: Transition, worker: RuntimeWorker, *, opened: OpenCall, record: ModelFailed
) -> None:
    """Go on with the next model of the role's chain, or end the worker as failed."""
    if record.partial:
        keep_private(t, worker, record.partial)
    attempt = opened.call.attempt
    will_fallback = attempt < len(candidates_of(t, worker))
    _write_failure(
        t,
        worker,
        attempt=attempt,
        code=record.code,
        error=record.error,
        will_fallback=will_fallback,
    )
    if will_fallback:
        ask_worker(t, worker, attempt=attempt + 1)
    else:
        finish_failed(t, worker, record.code, attempt=attempt)


def keep_private(t: Transition, worker: RuntimeWorker, text: str) -> None:
    """Remember what an agent wrote, so that manifests can name what was withheld."""
    private = private_section(worker.context_id, worker.role, text)
    t.set(privates=(*t.state.privates, private))


def finish_failed(
    t: Transition, worker: RuntimeWorker, code: ReasonCode, *, attempt: int | None = None
) -> None:
    """End a worker as failed; only the reason code goes to anybody else."""
    packet = t.state.handoffs[worker.context_id]
    finish_worker(t, worker, failed_result(code, handoff=packet, worker=worker), attempt=attempt)


def finish_worker(
    t: Transition,
    worker: RuntimeWorker,
    result: ExecutedWorkerResult,
    *,
    attempt: int | None = None,
) -> None:
    """Put a final result on the record, whatever its state."""
    t.set(results={**t.state.results, worker.context_id: result})
    t.write(
        MessageSent(
            **stamp(t, worker),
            message=envelope(result, run_id=t.state.request.run_id),
            attempt=attempt,
        )
    )
    t.write(
        WorkerEnded(
            **stamp(t, worker),
            result=result,
            attempt=attempt,
        )
    )
    t.set_todos(
        worker.todo_ids or (),
        # What was stopped did not fail.
        "blocked" if result.error == "cancelled" else result.status,
        phase=phase_of(worker),
        role=worker.role,
        summary=result.summary if result.error is None else None,
        error=result.error,
    )
    if "SubagentStop" in t.state.request.hook_events and result.error is None:
        t.effects.append(
            FireHooks(
                event="SubagentStop",
                context_id=worker.context_id,
                role=worker.role,
                text=result.summary,
            )
        )


def _block(t: Transition, worker: RuntimeWorker) -> None:
    request = t.state.request
    result = blocked_result(
        "upstream_failed", worker=worker, session_id=request.session_id, run_id=request.run_id
    )
    finish_worker(t, worker, result)


def _write_failure(
    t: Transition,
    worker: RuntimeWorker,
    *,
    attempt: int,
    code: ReasonCode,
    error: str,
    will_fallback: bool = False,
) -> None:
    t.write(
        WorkerFailed(
            **stamp(t, worker),
            error=error,
            code=code,
            attempt=attempt,
            will_fallback=will_fallback,
        )
    )
