"""The end of a run: one terminal record, and a final state for every todo and open worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.effects import CancelCalls, FireHooks
from braincode_jupyter.brain.report import final_report, run_summary
from braincode_jupyter.brain.work import tool_call_count, work_of
from braincode_jupyter.brain.working import finish_failed
from braincode_jupyter.protocol.change_records import PatchSummary
from braincode_jupyter.protocol.records import (
    ClarificationRequested,
    FinalReported,
    PatchSummed,
    RunEnded,
    RunFailed,
)

if TYPE_CHECKING:
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.plan import Clarification, ExecutedWorkerResult
    from braincode_jupyter.protocol.records import Phase
    from braincode_jupyter.protocol.usage import ReasonCode


def end_completed(t: Transition) -> None:
    """End a run that has an answer, after the hooks of its end."""
    if "Stop" in t.state.request.hook_events and not t.state.are_stop_hooks_fired:
        t.set(are_stop_hooks_fired=True)
        text = "" if t.state.answer is None else t.state.answer.text
        session_id = t.state.request.session_id
        t.effects.append(FireHooks(event="Stop", context_id=session_id, text=text))
        return
    _close_open_todos(t, "Not done in this run.")
    answer = "" if t.state.answer is None else t.state.answer.text
    _write_end(t, answer, fix_iterations=t.state.fix_iteration)
    t.end("completed")


def end_with_question(t: Transition, clarification: Clarification) -> None:
    """End a run that has to ask the user first; no worker was started."""
    t.write(
        ClarificationRequested(
            timestamp=t.timestamp,
            context_id=t.state.request.session_id,
            clarification=clarification,
        )
    )
    _close_open_todos(t, "Waiting for your answer.", phase="planning")
    _write_end(t, clarification.question, fix_iterations=None)
    t.end("needs_clarification")


def end_failed(t: Transition, code: ReasonCode, *, error: str, hint: str = "") -> None:
    """End a run that came to no answer; what the workers found is kept."""
    if t.state.open_calls:
        t.effects.append(CancelCalls())
    _close_workers(t, code)
    if t.state.plan is not None:
        _close_todos(t, "running", code, status="failed")
        _close_todos(t, "pending", code)
    t.write(
        RunFailed(
            timestamp=t.timestamp,
            context_id=t.state.request.session_id,
            error=error,
            code=code,
            hint=hint,
            attempt=t.state.primary_attempt,
            will_fallback=False,
        ),
        durable=True,
    )
    t.end("failed", code=code, error=error, hint=hint)


def end_cancelled(t: Transition) -> None:
    """End a run that somebody stopped: give up all calls, close all workers and todos."""
    t.effects.append(CancelCalls())
    _close_workers(t, "cancelled")
    _close_open_todos(t, "cancelled")
    error = "The run was stopped."
    t.write(
        RunFailed(
            timestamp=t.timestamp,
            context_id=t.state.request.session_id,
            error=error,
            code="cancelled",
            attempt=t.state.primary_attempt,
            will_fallback=False,
        ),
        durable=True,
    )
    t.end("cancelled", code="cancelled", error=error)


def _close_workers(t: Transition, code: ReasonCode) -> None:
    if t.state.plan is None:
        return
    for worker in t.state.workers:
        if worker.context_id in t.state.handoffs and worker.context_id not in t.state.results:
            finish_failed(t, worker, code)


def _close_open_todos(t: Transition, why: str, *, phase: Phase | None = None) -> None:
    for status in ("running", "pending"):
        _close_todos(t, status, why, phase=phase)


def _close_todos(
    t: Transition,
    which: Literal["running", "pending"],
    why: str,
    *,
    status: Literal["blocked", "failed"] = "blocked",
    phase: Phase | None = None,
) -> None:
    if t.state.plan is None:
        return
    by_role: dict[str, list[str]] = {}
    for todo in t.plan.todos:
        if todo.status == which:
            by_role.setdefault(todo.role, []).append(todo.id)
    for role, todo_ids in by_role.items():
        t.set_todos(
            todo_ids,
            status,
            phase=phase or phase_of_role(t, role),
            role=role,
            error=why,
        )


def phase_of_role(t: Transition, role: str) -> Phase:
    """Return the phase in which a role of the plan works."""
    if role == t.plan.role:
        return "primary"
    return "review" if role == "review" else "support"


def _write_end(t: Transition, answer: str, *, fix_iterations: int | None) -> None:
    attempt = t.state.primary_attempt
    work = work_of(t.state)
    if work.patch is not None:
        fields = {name: getattr(work.patch, name) for name in PatchSummary.model_fields}
        t.write(PatchSummed(timestamp=t.timestamp, attempt=attempt, **fields))
    if work.tool_calls:
        t.write(tool_call_count(work.tool_calls, timestamp=t.timestamp, attempt=attempt))
    report = final_report(
        t.plan,
        session_id=t.state.request.session_id,
        task=t.state.request.prompt,
        answer=answer,
        results=_in_plan_order(t),
        review=t.state.review,
        warnings=t.state.warnings,
        work=work,
    )
    t.write(FinalReported(timestamp=t.timestamp, final_report=report, attempt=attempt))
    t.write(
        RunEnded(
            timestamp=t.timestamp,
            context_id=t.state.request.session_id,
            summary=run_summary(answer, t.state.review, work=work),
            worker_results=_in_plan_order(t),
            patch=work.patch,
            checks=work.checks,
            review_decision=t.state.review,
            final_report=report,
            fix_iterations=fix_iterations,
            attempt=attempt,
        ),
        durable=True,
    )


def _in_plan_order(t: Transition) -> tuple[ExecutedWorkerResult, ...]:
    return tuple(
        t.state.results[worker.context_id]
        for worker in t.state.workers
        if worker.context_id in t.state.results
    )
