"""Records of isolated work: packets that crossed the border, starts, results, failures, review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.contexts import HandoffPacket
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.blocks import to_blocks
from braincode_jupyter.views.clean import clean_line, clip_text, count_hidden
from braincode_jupyter.views.fold_calls import (
    failed_state,
    note_answer,
    note_warning,
    with_attempt,
)
from braincode_jupyter.views.fold_plan import (
    MAX_GOAL_CHARS,
    MAX_SUMMARY_CHARS,
    link_upstream,
    note_todo_update,
)
from braincode_jupyter.views.reasons import CODES, hint_of, meaning_of
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.roster import (
    OPEN_STATES,
    AgentKey,
    get_agent,
    kind_of,
    put_agent,
)
from braincode_jupyter.views.run_view import ArtifactView, AttemptView, FindingView, ReviewView

if TYPE_CHECKING:
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult
    from braincode_jupyter.protocol.records import (
        MessageSent,
        TodosUpdated,
        WorkerEnded,
        WorkerFailed,
        WorkerStarted,
    )
    from braincode_jupyter.protocol.review import ReviewDecision, ReviewFinding
    from braincode_jupyter.protocol.sentence import Said
    from braincode_jupyter.views.run_view import AgentState, AgentView, ReviewState, RunView

MAX_ITEMS = 64
"""Risks, questions, artifacts or findings of one agent that a card keeps."""
MAX_ITEM_CHARS = 2_000
"""Characters of one of them."""


def note_message(view: RunView, record: MessageSent) -> RunView:
    """Take a packet: a handoff makes its agent known, a result tells how it ended."""
    payload = record.message.payload
    if isinstance(payload, HandoffPacket):
        return _note_handoff(view, payload, phase=record.phase, timestamp=record.timestamp)
    return note_result(view, payload, phase=record.phase, timestamp=record.timestamp)


def note_worker_start(view: RunView, record: WorkerStarted) -> RunView:
    """Take the start of an attempt."""
    view = _note_handoff(view, record.handoff, phase=record.phase, timestamp=record.timestamp)
    agent = get_agent(view, _key(record.phase, record.worker, record.handoff.task.id), 0)
    agent = agent.model_copy(
        update={
            "state": "running",
            "started_ms": agent.started_ms or record.timestamp or None,
            "ended_ms": None,
            "model_id": clean_line(record.model),
        }
    )
    if agent.kind != "review":
        return put_agent(view, agent, phase="working")
    review = view.review.model_copy(update={"state": "running", "reason": ""})
    return put_agent(view, agent, phase="reviewing", review=review)


def note_worker_end(view: RunView, record: WorkerEnded) -> RunView:
    """Take a worker's final result; one that was kept took no time in this run."""
    view = note_result(view, record.result, phase=record.phase, timestamp=record.timestamp)
    if record.from_run is None:
        return view
    key = _key(record.phase, record.result.role, record.result.task_id)
    agent = get_agent(view, key, record.timestamp)
    kept = {"is_kept": True, "started_ms": None, "ended_ms": None}
    return put_agent(view, agent.model_copy(update=kept))


def note_result(
    view: RunView, result: ExecutedWorkerResult, *, phase: str, timestamp: int
) -> RunView:
    """Take a result, whatever its state; the same result twice changes nothing.

    Parameters
    ----------
    view : RunView
        View so far.
    result : ExecutedWorkerResult
        What came back.
    phase : str
        support, primary or review.
    timestamp : int
        When; milliseconds since the epoch.

    Returns
    -------
    RunView
        The view with the agent in its final state.
    """
    agent = get_agent(view, _key(phase, result.role, result.task_id), timestamp)
    state = _result_state(agent, result)
    is_good = state in {"completed", "unstructured"}
    # A result that was made for a worker which gave none says the code of the reason alone, which
    # the reason says in words.
    is_made = result.error in CODES
    summary = "" if is_made else clip_text(result.summary, MAX_SUMMARY_CHARS)
    blocks = agent.summary_blocks if summary == agent.summary else to_blocks(summary)
    agent = agent.model_copy(
        update={
            "state": state,
            "goal": agent.goal or recorded("plans", clip_text(result.goal, MAX_GOAL_CHARS)),
            "ended_ms": agent.ended_ms or timestamp or None,
            "model_id": agent.model_id or (clean_line(result.model_id or "") or None),
            "summary": summary,
            "summary_blocks": blocks,
            "artifacts": _artifacts(result, agent.artifacts),
            "risks": () if is_made else _items(result.risks),
            "next_questions": _items(result.next_questions),
            "todo_ids": agent.todo_ids or tuple(clean_line(one) for one in result.todo_ids),
            "reason": _reason(agent, result, state),
            "hint": None if is_good else agent.hint or hint_of(result.error),
            "partial": "" if is_good else agent.partial,
        }
    )
    view = put_agent(view, agent)
    if hidden := count_hidden(result.summary[:MAX_SUMMARY_CHARS]):
        said = sentence("said.hiddenInResult", role=agent.role, count=hidden)
        view = note_warning(view, said)
    return _note_review_state(view, agent)


def note_worker_failure(view: RunView, record: WorkerFailed) -> RunView:
    """Take a failed attempt; without fallback the agent has failed."""
    context_id = record.context_id
    if context_id is None and record.handoff is not None:
        context_id = record.handoff.task.id
    agent = get_agent(view, _key(record.phase, record.worker, context_id), record.timestamp)
    if record.attempt is not None:
        attempt = AttemptView(
            attempt=record.attempt,
            model_id=agent.model_id or "",
            code=record.code or "provider_error",
            message=recorded("failures", clip_text(record.error, MAX_SUMMARY_CHARS)),
        )
        known = any(
            one.attempt == record.attempt and one.retry == agent.retries for one in agent.attempts
        )
        agent = agent if known else with_attempt(agent, attempt)
    if record.will_fallback:
        return put_agent(view, agent)
    reason = _words_of(record.code or record.error)
    agent = agent.model_copy(
        update={
            "state": failed_state(record.code),
            "ended_ms": agent.ended_ms or record.timestamp or None,
            "reason": reason,
            "hint": agent.hint or hint_of(record.code),
        }
    )
    return _note_review_state(put_agent(view, agent), agent)


def note_todos_changed(view: RunView, record: TodosUpdated) -> RunView:
    """Take new todo states; in the original's journals they are all that is said of the primary."""
    view = note_todo_update(view, record)
    if record.phase != "primary":
        return view
    key = _key("primary", record.role or "primary", None)
    agent = get_agent(view, key, record.timestamp)
    if record.status == "running" and agent.state in OPEN_STATES:
        agent = agent.model_copy(
            update={"state": "running", "started_ms": agent.started_ms or record.timestamp or None}
        )
        return put_agent(view, agent, phase="answering")
    if agent.state not in OPEN_STATES or record.status in {"running", "pending"}:
        return view
    return _end_primary(view, agent, record)


def note_decision(view: RunView, decision: ReviewDecision) -> RunView:
    """Take the reviewer's decision; a reviewer that failed or rambled cannot approve."""
    reviewer = next((agent for agent in view.agents if agent.kind == "review"), None)
    is_usable = reviewer is None or reviewer.state in {"completed", "running", "queued", "waiting"}
    state: ReviewState = decision.decision
    reason: Said = ""
    if state == "approved" and not is_usable:
        state, reason = "not_reviewed", sentence("said.lateAdded")
    review = ReviewView(
        state=state,
        reason=reason,
        rationale=clip_text(decision.rationale, MAX_SUMMARY_CHARS),
        findings=tuple(_finding(one) for one in decision.findings[:MAX_ITEMS]),
        required_changes=_judged(decision.required_changes),
        blocking_issues=_items(decision.blocking_issues),
        residual_risks=_judged(decision.residual_risks),
        independence="" if decision.independence is None else decision.independence.level,
    )
    return view.model_copy(update={"review": review})


def _note_handoff(view: RunView, packet: HandoffPacket, *, phase: str, timestamp: int) -> RunView:
    agent = get_agent(view, _key(phase, packet.task.agent_role, packet.task.id), timestamp)
    goal = agent.goal or recorded("plans", clip_text(packet.task.goal, MAX_GOAL_CHARS))
    queued = agent.queued_ms or timestamp or None
    todo_ids = agent.todo_ids or tuple(t.id for t in view.todos if t.role == agent.role)
    is_planned = agent.goal == goal and agent.todo_ids == todo_ids
    view = put_agent(view, agent.having(goal=goal, queued_ms=queued, todo_ids=todo_ids))
    return view if is_planned else link_upstream(view)


def _note_review_state(view: RunView, agent: AgentView) -> RunView:
    """Leave the answer unreviewed after a review without decision; it is never blocked."""
    failed = {"failed", "blocked", "cancelled", "cut_off", "interrupted"}
    if agent.kind != "review" or agent.state not in failed or _is_decided(view.review.state):
        return view
    reason = agent.reason or sentence("said.noReviewResult")
    return view.model_copy(update={"review": ReviewView(state="not_reviewed", reason=reason)})


def _is_decided(state: ReviewState) -> bool:
    return state in {"approved", "changes_requested", "blocked"}


def _result_state(agent: AgentView, result: ExecutedWorkerResult) -> AgentState:
    if result.status == "failed":
        code = result.error
        return "cancelled" if code == "cancelled" else "cut_off" if code == "cut_off" else "failed"
    if result.status == "blocked":
        return "cancelled" if result.error == "cancelled" else "blocked"
    if agent.state == "cut_off":
        return "cut_off"
    return "unstructured" if result.unstructured else "completed"


def _reason(agent: AgentView, result: ExecutedWorkerResult, state: AgentState) -> Said | None:
    if state == "unstructured":
        return sentence("said.unstructured")
    if result.status == "completed":
        return sentence("reasons.cut_off") if agent.state == "cut_off" else None
    told = result.error or result.progress.summary
    return _words_of(told) if told else agent.reason or _words_of(result.summary)


def _words_of(error: str) -> Said:
    """Return what a reason code means; any other text as it is."""
    return meaning_of(error) or recorded("failures", clip_text(error, MAX_ITEM_CHARS))


def _end_primary(view: RunView, agent: AgentView, record: TodosUpdated) -> RunView:
    is_done = record.status == "completed"
    state: AgentState = "completed" if is_done else "blocked"
    if record.status == "failed":
        state = "failed"
    agent = agent.model_copy(
        update={
            "state": state,
            "ended_ms": record.timestamp or None,
            "reason": _words_of(record.error) if record.error else None,
        }
    )
    view = put_agent(view, agent)
    if is_done and record.summary and not view.answer.text:
        return note_answer(view, record.summary, "completed")
    return view


def _key(phase: str, role: str, context_id: str | None) -> AgentKey:
    return AgentKey(kind=kind_of(phase), role=role, context_id=context_id)


def _artifacts(
    result: ExecutedWorkerResult, made: tuple[ArtifactView, ...]
) -> tuple[ArtifactView, ...]:
    """Return what the tools of a worker made, then what its result names beside that."""
    known = {one.uri for one in made}
    named = tuple(
        ArtifactView(
            kind=one.kind,
            uri=clean_line(one.uri, 1_000),
            label=clean_line(one.label or one.uri, 400),
        )
        for one in result.artifacts[:MAX_ITEMS]
    )
    return (*made, *(one for one in named if one.uri not in known))


def _items(items: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(clip_text(item, MAX_ITEM_CHARS) for item in items[:MAX_ITEMS])
    rest = len(items) - MAX_ITEMS
    return (*kept, f"… +{rest}") if rest > 0 else kept


def _judged(items: tuple[str, ...]) -> tuple[Said, ...]:
    return tuple(recorded("judged", item) for item in _items(items))


def _finding(finding: ReviewFinding) -> FindingView:
    place = finding.file or ""
    if place and finding.line:
        place = f"{place}:{finding.line}"
    return FindingView(
        severity=finding.severity,
        text=recorded("judged", clip_text(finding.issue, MAX_ITEM_CHARS)),
        place=clean_line(place, 400),
        evidence=clip_text(finding.evidence or "", MAX_ITEM_CHARS),
        suggestion=clip_text(finding.suggestion or "", MAX_ITEM_CHARS),
    )
