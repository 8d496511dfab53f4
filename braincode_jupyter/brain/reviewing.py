"""The review of an answer, and of the change that it made; then the end, or a round of mending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.changed import reviewed_change
from braincode_jupyter.brain.fixing import conclude
from braincode_jupyter.brain.gates import pass_gates
from braincode_jupyter.brain.planning import summary_of
from braincode_jupyter.brain.review import independence_of, review_decision
from braincode_jupyter.brain.schedule import review_worker
from braincode_jupyter.brain.working import (
    candidates_of,
    start_worker,
    take_worker_failure,
    take_worker_reply,
)
from braincode_jupyter.protocol.records import ReviewArtifactsSummed, ReviewDecided

if TYPE_CHECKING:
    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.plan import RuntimeWorker
    from braincode_jupyter.protocol.records import ModelFailed, ModelReplied
    from braincode_jupyter.protocol.review import ReviewDecision


def start_review(t: Transition) -> None:
    """Hand the answer to the reviewer with a new packet, or go on unreviewed."""
    reviewer = review_worker(t.plan)
    if reviewer is None or reviewer.role == t.plan.role:
        conclude(t)
        return
    t.set(at="reviewing")
    if not candidates_of(t, reviewer) and _has_demo_model(t):
        t.warn("Not reviewed: the embedded demo model never reviews its own work.")
        t.set_todos(
            reviewer.todo_ids or (),
            "blocked",
            phase="review",
            role="review",
            summary="Not reviewed: demo model.",
        )
        conclude(t)
        return
    # A result of an earlier round is of an earlier version.
    t.set(results={k: r for k, r in t.state.results.items() if k != reviewer.context_id})
    start_worker(t, reviewer)
    if reviewer.context_id in t.state.results:
        conclude(t)


def take_review(t: Transition, opened: OpenCall, record: ModelReplied) -> None:
    """Turn the reviewer's reply into a decision; only an explicit approval approves."""
    reviewer = review_worker(t.plan)
    answer = t.state.answer
    if reviewer is None or answer is None:
        return
    result = take_worker_reply(t, reviewer, opened=opened, record=record)
    decision = review_decision(
        record.text,
        result=result,
        primary_model=answer.model,
        reviewer_model=summary_of(opened.call.candidate),
    )
    if decision is not None:
        decision = _gated(t, reviewer, decision)
        results = {
            **t.state.results,
            reviewer.context_id: result.model_copy(update={"review_decision": decision}),
        }
        t.set(review=decision, results=results)
        t.write(
            ReviewDecided(
                timestamp=t.timestamp,
                context_id=reviewer.context_id,
                attempt=t.state.primary_attempt,
                fix_iteration=t.state.fix_iteration,
                **{name: getattr(decision, name) for name in type(decision).model_fields},
            )
        )
    conclude(t)


def take_review_failure(t: Transition, opened: OpenCall, record: ModelFailed) -> None:
    """Keep the answer, marked not reviewed: a failing review never restarts the primary."""
    reviewer = review_worker(t.plan)
    if reviewer is None:
        return
    take_worker_failure(t, reviewer, opened=opened, record=record)
    if reviewer.context_id in t.state.results:
        t.warn(f"Not reviewed: the reviewer could not be asked ({record.code}).")
        conclude(t)


def _gated(t: Transition, reviewer: RuntimeWorker, decision: ReviewDecision) -> ReviewDecision:
    """Put what the reviewer was given on the record, and judge its word by it."""
    changes = t.state.changes
    change = reviewed_change(t.state)
    if changes is None or change is None:
        return decision
    decision = pass_gates(decision, change)
    t.write(
        ReviewArtifactsSummed(
            timestamp=t.timestamp,
            context_id=reviewer.context_id,
            changed_files=changes.changed_files,
            diff_truncated=changes.is_diff_truncated,
            checks_status=None if t.state.checks is None else t.state.checks.status,
            risk_tier=decision.risk_tier,
            review_mode=decision.mode,
            independence=decision.independence or independence_of(None, None),
            attempt=t.state.primary_attempt,
            fix_iteration=t.state.fix_iteration,
        )
    )
    return decision


def _has_demo_model(t: Transition) -> bool:
    return any(
        c.is_local_demo
        for resolution in t.state.request.chains.values()
        for c in resolution.candidates
    )
