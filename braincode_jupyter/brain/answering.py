"""The primary's answer, and its review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.ending import end_completed, end_failed
from braincode_jupyter.brain.planning import summary_of
from braincode_jupyter.brain.prompts import primary_instructions, private_section
from braincode_jupyter.brain.review import review_decision
from braincode_jupyter.brain.schedule import primary_worker, review_worker, support_workers
from braincode_jupyter.brain.state import Answer
from braincode_jupyter.brain.transition import Asking
from braincode_jupyter.brain.working import (
    candidates_of,
    start_worker,
    take_worker_failure,
    take_worker_reply,
)
from braincode_jupyter.protocol.records import ReviewDecided, RunFailed, RunStart

if TYPE_CHECKING:
    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.records import ModelFailed, ModelReplied


def start_primary(t: Transition, *, attempt: int) -> None:
    """Ask the primary; the plan goes on the record again, as the original does at this point."""
    request = t.state.request
    worker = primary_worker(t.plan)
    candidates = candidates_of(t, worker)
    if attempt > len(candidates):
        resolution = request.chains.get(worker.role)
        why = (
            "; ".join(f"{r.model_id}: {r.reason}" for r in resolution.refusals)
            if resolution
            else ""
        )
        end_failed(
            t,
            "not_configured",
            error=f"No model can act as {worker.role}. {why}".strip(),
            hint="Run %braincode doctor to see which keys and models were found.",
        )
        return
    candidate = candidates[attempt - 1]
    prepared = t.prepare(
        Asking(
            call_kind="primary",
            role=worker.role,
            context_id=worker.context_id,
            candidate=candidate,
            attempt=attempt,
            extra=primary_instructions(
                worker.context_id,
                has_results=bool(support_workers(t.plan)),
                is_demo=candidate.is_local_demo,
            ),
        )
    )
    if prepared is None:
        end_failed(
            t,
            "token_limit",
            error="The token budget has no room for the answer.",
            hint="Raise --max-tokens; what the workers found is kept in the session.",
        )
        return
    t.set(at="answering", primary_attempt=attempt)
    plan = t.plan.model_copy(update={"model": summary_of(candidate)})
    t.set(plan=plan)
    t.write(
        RunStart(
            timestamp=t.timestamp,
            context_id=request.session_id,
            run_id=request.run_id,
            prompt=request.prompt,
            options=request.options,
            plan=plan,
            project_support=request.project_support,
            attempt=attempt,
        )
    )
    t.set_todos(worker.todo_ids or (), "running", phase="primary", role=worker.role)
    t.launch(*prepared)


def take_answer(t: Transition, opened: OpenCall, record: ModelReplied) -> None:
    """Keep the answer, then have it reviewed if the plan says so."""
    worker = primary_worker(t.plan)
    is_cut_off = record.finish_reason == "length"
    if is_cut_off:
        t.warn("The answer reached the model's length limit and is cut off.")
    t.set(
        answer=Answer(
            text=record.text, model=summary_of(opened.call.candidate), is_cut_off=is_cut_off
        )
    )
    t.set_todos(
        worker.todo_ids or (), "completed", phase="primary", role=worker.role, summary=record.text
    )
    start_review(t)


def take_primary_failure(t: Transition, opened: OpenCall, record: ModelFailed) -> None:
    """Go on with the next model of the primary's chain; without one the run fails."""
    worker = primary_worker(t.plan)
    if record.partial:
        private = private_section(worker.context_id, worker.role, record.partial)
        t.set(privates=(*t.state.privates, private))
    attempt = opened.call.attempt
    if attempt < len(candidates_of(t, worker)):
        t.write(
            RunFailed(
                timestamp=t.timestamp,
                context_id=t.state.request.session_id,
                error=record.error,
                code=record.code,
                hint=record.hint,
                attempt=attempt,
                will_fallback=True,
            )
        )
        start_primary(t, attempt=attempt + 1)
        return
    end_failed(t, record.code, error=record.error, hint=record.hint)


def start_review(t: Transition) -> None:
    """Hand the answer to the reviewer with a new packet, or end the run unreviewed."""
    reviewer = review_worker(t.plan)
    if reviewer is None or reviewer.role == t.plan.role:
        end_completed(t)
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
        end_completed(t)
        return
    start_worker(t, reviewer)
    if reviewer.context_id in t.state.results:
        end_completed(t)


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
                **{name: getattr(decision, name) for name in type(decision).model_fields},
            )
        )
    end_completed(t)


def take_review_failure(t: Transition, opened: OpenCall, record: ModelFailed) -> None:
    """Keep the answer, marked not reviewed: a failing review never restarts the primary."""
    reviewer = review_worker(t.plan)
    if reviewer is None:
        return
    take_worker_failure(t, reviewer, opened=opened, record=record)
    if reviewer.context_id in t.state.results:
        t.warn(f"Not reviewed: the reviewer could not be asked ({record.code}).")
        end_completed(t)


def _has_demo_model(t: Transition) -> bool:
    return any(
        c.is_local_demo
        for resolution in t.state.request.chains.values()
        for c in resolution.candidates
    )
