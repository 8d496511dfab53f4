"""How a run ends: answered, asked back, failed, stopped, or not at all.

After an end record, and after `close_view`, nothing is left that a card would draw as moving.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.clean import clean_text, clip_text
from braincode_jupyter.views.fold_calls import (
    MAX_ANSWER_CHARS,
    note_answer,
    note_partial,
    note_warning,
    with_attempt,
)
from braincode_jupyter.views.fold_changes import end_checks
from braincode_jupyter.views.fold_tools import end_calls
from braincode_jupyter.views.fold_workers import (
    MAX_ITEM_CHARS,
    note_decision,
    note_result,
)
from braincode_jupyter.views.reasons import hint_of
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.roster import OPEN_STATES
from braincode_jupyter.views.run_view import AnswerView, AttemptView, ReviewView
from braincode_jupyter.views.timeline import few_names, settle

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.protocol.records import (
        FinalReported,
        RunCancelled,
        RunEnded,
        RunFailed,
    )
    from braincode_jupyter.protocol.sentence import Said
    from braincode_jupyter.views.run_view import AgentState, AgentView, RunView, TodoView

Ending = Literal["completed", "failed", "cancelled", "interrupted"]
ENDED = frozenset({"completed", "failed", "cancelled", "interrupted"})
"""States of a run that is over; a question ends it too, once its end record is there."""

_NOT_REVIEWED = "not reviewed"
_UNREVIEWED_KEYS = frozenset({"warnings.demoReview", "warnings.silentReview"})
_NOT_RUN = sentence("said.notRun")
_INTERRUPTED = sentence("said.interrupted")
_LOST_STATES = frozenset({"failed", "blocked", "cancelled", "cut_off"})


def is_over(view: RunView) -> bool:
    """Tell whether the run of this view has ended."""
    return view.state in ENDED or view.ended_ms is not None


def note_end(view: RunView, record: RunEnded) -> RunView:
    """Take the end of a run that came to an answer or a question."""
    for result in record.worker_results:
        phase = "review" if result.role == "review" else "support"
        known = [a for a in view.agents if a.context_id == result.task_id]
        if not known or known[0].state in OPEN_STATES:
            view = note_result(view, result, phase=phase, timestamp=record.timestamp)
    if record.review_decision is not None and view.review.state in {"pending", "running"}:
        view = note_decision(view, record.review_decision)
    if record.review_decision is not None and view.review.state == "not_required":
        view = note_decision(view, record.review_decision)
    if view.model_note and view.review.state in {"not_required", "pending"}:
        unreviewed = ReviewView(state="not_reviewed", reason=sentence("said.noReviewDemo"))
        view = view.model_copy(update={"review": unreviewed})
    if view.clarification is None:
        view = _with_final_answer(view, record)
    if view.clarification is not None:
        view = view.model_copy(update={"state": "needs_clarification"})
        return _finish(view, "completed", record.timestamp)
    view = view.model_copy(update={"state": "completed"})
    return _note_lost(_told_once(_finish(view, "completed", record.timestamp)))


def _with_final_answer(view: RunView, record: RunEnded) -> RunView:
    """Return the view with the answer that stands: a round of mending may have broken off."""
    report: JsonValue = record.final_report
    said = report.get("modelSummary") if isinstance(report, dict) else None
    if isinstance(said, str) and said.strip():
        is_same = clean_text(said[:MAX_ANSWER_CHARS]) == view.answer.text
        return view if is_same else note_answer(view, said, "completed")
    return view if view.answer.text else note_answer(view, record.summary, "completed")


def _told_once(view: RunView) -> RunView:
    """Leave out warnings that repeat what the review says: that there was none, and why."""
    if view.review.state != "not_reviewed":
        return view
    kept = tuple(one for one in view.warnings if not _says_unreviewed(one))
    return view.model_copy(update={"warnings": kept})


def _says_unreviewed(warning: Said) -> bool:
    if isinstance(warning, str):
        return _NOT_REVIEWED in warning.casefold()
    return warning.key in _UNREVIEWED_KEYS


def _note_lost(view: RunView) -> RunView:
    """Warn where workers left the answer without their results."""
    lost = [one.role for one in view.agents if one.kind == "worker" and one.state in _LOST_STATES]
    if not lost:
        return view
    return note_warning(view, sentence("said.lost", count=len(lost), names=few_names(lost)))


def note_run_failure(view: RunView, record: RunFailed) -> RunView:
    """Take a failed attempt of the primary; without fallback the run has failed."""
    if record.will_fallback:
        return _note_lost_attempt(view, record)
    is_cancelled = view.state == "cancelled" or record.code == "cancelled"
    ending: Ending = "cancelled" if is_cancelled else "failed"
    view = view.model_copy(
        update={
            "state": ending,
            "error": recorded("failures", clip_text(record.error, MAX_ITEM_CHARS)),
            "hint": recorded("failures", clean_text(record.hint)) or hint_of(record.code),
        }
    )
    return _finish(view, ending, record.timestamp)


def note_cancel(view: RunView, record: RunCancelled) -> RunView:
    """Take the stop, and the text of the calls that it cut; the end record follows."""
    for partial in record.partials:
        view = note_partial(view, partial)
    view = view.model_copy(update={"state": "cancelled", "is_stopping": True})
    return _finish(view, "cancelled", record.timestamp)


def note_report(view: RunView, record: FinalReported) -> RunView:
    """Take the warnings of the final report; all else is known from other records."""
    report: JsonValue = record.final_report
    if not isinstance(report, dict) or view.clarification is not None:
        return view
    listed = report.get("warnings")
    for warning in listed if isinstance(listed, list) else []:
        if isinstance(warning, str):
            view = note_warning(view, warning)
    return view


def close_view(view: RunView) -> RunView:
    """Return the view of a journal that ends without an end record.

    Parameters
    ----------
    view : RunView
        What the records gave.

    Returns
    -------
    RunView
        Unchanged if the run is over; else everything that was under way is ``interrupted``.
    """
    if is_over(view) or view.state == "queued":
        return view
    if view.clarification is not None:
        return _finish(view, "completed", _last_sign(view))
    view = view.model_copy(
        update={"state": "interrupted", "error": _INTERRUPTED, "hint": sentence("hints.resume")}
    )
    return _finish(view, "interrupted", _last_sign(view))


def _finish(view: RunView, ending: Ending, timestamp: int) -> RunView:
    agents = tuple(
        end_calls(_final_agent(agent, ending, timestamp), were_stopped=ending == "cancelled")
        for agent in view.agents
    )
    todos = tuple(_final_todo(todo, ending) for todo in view.todos)
    view = view.model_copy(
        update={
            "agents": agents,
            "todos": todos,
            "approvals": (),
            "grants": (),
            "answer": _final_answer(view.answer),
            "changes": end_checks(view.changes),
            "review": _final_review(view.review),
            "phase": "done",
            "is_stopping": False,
            "ended_ms": timestamp,
        }
    )
    return settle(view)


def _final_agent(agent: AgentView, ending: Ending, timestamp: int) -> AgentView:
    if agent.state not in OPEN_STATES:
        return agent
    was_running = agent.state in {"running", "waiting_for_approval"}
    states: dict[Ending, AgentState] = {
        "completed": "completed" if was_running and agent.kind == "primary" else "blocked",
        "failed": "failed" if was_running else "blocked",
        "cancelled": "cancelled",
        "interrupted": "interrupted",
    }
    reasons: dict[Ending, Said | None] = {
        "completed": _NOT_RUN,
        "failed": agent.reason if was_running else _NOT_RUN,
        "cancelled": sentence("reasons.cancelled") if was_running else _NOT_RUN,
        "interrupted": _INTERRUPTED if was_running else _NOT_RUN,
    }
    state = states[ending]
    return agent.model_copy(
        update={
            "state": state,
            "waiting_for": None,
            "ended_ms": timestamp if was_running else agent.ended_ms,
            "reason": None if state == "completed" else reasons[ending] or agent.reason,
        }
    )


def _final_todo(todo: TodoView, ending: Ending) -> TodoView:
    if todo.state not in {"pending", "running"}:
        return todo
    is_failed = ending == "failed" and todo.state == "running"
    return todo.model_copy(update={"state": "failed" if is_failed else "blocked"})


def _final_answer(answer: AnswerView) -> AnswerView:
    if answer.state != "streaming":
        return answer
    return answer.model_copy(update={"state": "partial" if answer.text else "none"})


def _final_review(review: ReviewView) -> ReviewView:
    if review.state not in {"pending", "running"}:
        return review
    is_begun = review.state == "running"
    reason = sentence("said.noReviewResult") if is_begun else sentence("said.noReviewStopped")
    return ReviewView(state="not_reviewed", reason=reason)


def _note_lost_attempt(view: RunView, record: RunFailed) -> RunView:
    code = record.code or "provider_error"
    agents = tuple(
        with_attempt(
            agent,
            AttemptView(
                attempt=record.attempt,
                model_id=agent.model_id or "",
                code=code,
                message=recorded("failures", clip_text(record.error, MAX_ITEM_CHARS)),
            ),
        )
        if agent.kind == "primary" and all(a.attempt != record.attempt for a in agent.attempts)
        else agent
        for agent in view.agents
    )
    return view.model_copy(update={"agents": agents})


def _last_sign(view: RunView) -> int:
    times = [view.started_ms]
    for agent in view.agents:
        times.extend(time for time in (agent.queued_ms, agent.started_ms, agent.ended_ms) if time)
    return max(times)
