"""Records of model calls: manifest, reply, failure, tokens, and a refused call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.blocks import to_blocks
from braincode_jupyter.views.clean import clean_line, clean_text, clip_text, count_hidden
from braincode_jupyter.views.fold_plan import DEMO_PROVIDER, MAX_SUMMARY_CHARS, demo_note
from braincode_jupyter.views.matrix import note_sections
from braincode_jupyter.views.reasons import hint_of
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.roster import AgentKey, find_agent, get_agent, kind_of, put_agent
from braincode_jupyter.views.run_view import AnswerView, AttemptView
from braincode_jupyter.views.usage import NOT_CALLED, count_call, count_tokens, tokens_of

if TYPE_CHECKING:
    from braincode_jupyter.protocol.records import (
        BudgetChecked,
        ModelFailed,
        ModelReplied,
        PartialText,
        PromptManifest,
        UsageRecorded,
    )
    from braincode_jupyter.protocol.sentence import Said
    from braincode_jupyter.protocol.usage import CallKind, ReasonCode
    from braincode_jupyter.views.run_view import AgentState, AgentView, AnswerState, RunView

MAX_ANSWER_CHARS = 1_048_576
"""Characters of an answer; a longer reply is cut by the model client already."""
MAX_ATTEMPTS = 32
"""Failed attempts of one agent that are kept."""
MAX_WARNINGS = 64
"""Warnings of one run that are kept."""
_PHASES = {
    "router": "routing",
    "worker": "working",
    "primary": "answering",
    "review": "reviewing",
}


def note_manifest(view: RunView, record: PromptManifest) -> RunView:
    """Take a call that is about to be made: its agent runs, and what it sees is known."""
    key = AgentKey(kind=record.call_kind, role=record.role, context_id=record.context_id)
    agent = get_agent(view, key, record.timestamp)
    agent = agent.model_copy(
        update={
            "state": "running",
            "started_ms": agent.started_ms or record.timestamp or None,
            "ended_ms": None,
            "model_id": clean_line(record.model_id),
            "partial": "",
            "reason": None,
            "hint": None,
        }
    )
    changes: dict[str, object] = {"phase": _PHASES[record.call_kind]}
    if record.call_kind == "primary":
        changes["answer"] = AnswerView(state="streaming")
    if record.call_kind == "review":
        changes["review"] = view.review.model_copy(update={"state": "running", "reason": ""})
    return note_sections(put_agent(view, agent, **changes), agent, record)


def note_reply(view: RunView, record: ModelReplied) -> RunView:
    """Take the finished text of a call; the primary's is the answer."""
    agent = _called(view, record)
    is_cut = record.finish_reason == "length"
    state: AgentState = "cut_off" if is_cut else "completed"
    done = record.call_kind in {"router", "primary"}
    agent = agent.model_copy(
        update={
            "state": state if done or is_cut else "running",
            "ended_ms": record.timestamp if done else None,
            "model_id": clean_line(record.model_id),
            "partial": "",
        }
    )
    name = clean_line(record.model_id)
    changes = {} if name in view.models else {"models": (*view.models, name)}
    agent = count_call(agent, record.call_id, is_replayed=record.is_replayed)
    view = put_agent(view, agent, **changes)
    if record.retries > 0:
        waited = sentence(
            "said.answeredAtTry",
            role=clean_line(record.role),
            number=record.retries + 1,
            seconds=f"{max(record.waited_ms, 0) / 1000:.1f}",
        )
        view = note_warning(view, waited)
    if record.provider == DEMO_PROVIDER and not view.model_note:
        view = view.model_copy(update={"model_note": demo_note("")})
    if record.call_kind == "primary":
        return note_answer(view, record.text, "cut_off" if is_cut else "completed")
    return view


def note_answer(view: RunView, text: str, state: AnswerState) -> RunView:
    """Take the answer's text, cleaned, and the same as blocks."""
    cleaned = clean_text(text[:MAX_ANSWER_CHARS])
    answer = AnswerView(state=state, text=cleaned, blocks=to_blocks(cleaned))
    view = view.model_copy(update={"answer": answer})
    hidden = count_hidden(text[:MAX_ANSWER_CHARS])
    return note_warning(view, sentence("said.hiddenInAnswer", count=hidden)) if hidden else view


def note_failure(view: RunView, record: ModelFailed) -> RunView:
    """Keep and mark a failed attempt; whether its agent has failed, other records say."""
    agent = _called(view, record)
    partial = clip_text(record.partial, MAX_SUMMARY_CHARS)
    done = record.call_kind in {"router", "primary"}
    agent = with_attempt(
        agent,
        AttemptView(
            attempt=record.attempt,
            model_id=clean_line(record.model_id),
            code=record.code,
            message=recorded("failures", clip_text(record.error, MAX_SUMMARY_CHARS)),
        ),
    )
    agent = agent.model_copy(
        update={
            "partial": partial,
            "hint": recorded("failures", clean_text(record.hint)) or hint_of(record.code),
            "reason": sentence(f"reasons.{record.code}"),
            "state": failed_state(record.code) if done else agent.state,
            "ended_ms": record.timestamp if done else agent.ended_ms,
        }
    )
    if record.code not in NOT_CALLED:
        agent = count_call(agent, record.call_id, is_replayed=record.is_replayed)
    view = put_agent(view, agent)
    if record.call_kind != "primary":
        return view
    if not record.partial:
        return view.model_copy(update={"answer": AnswerView()})
    return note_answer(view, record.partial, "cut_off" if record.code == "cut_off" else "partial")


def note_partial(view: RunView, partial: PartialText) -> RunView:
    """Keep what a call had streamed when the run was stopped; the primary's is a partial answer."""
    key = AgentKey(kind=partial.call_kind, role=partial.role, context_id=partial.context_id)
    agent = find_agent(view, key)
    if agent is None:
        return view
    text = clip_text(partial.text, MAX_SUMMARY_CHARS)
    view = put_agent(view, agent.model_copy(update={"partial": text}))
    return note_answer(view, partial.text, "partial") if partial.call_kind == "primary" else view


def note_usage(view: RunView, record: UsageRecorded) -> RunView:
    """Book tokens on the agent that spent them, and on its failed attempt if it was one."""
    spent = tokens_of(record)
    if spent <= 0:
        return view
    kind = kind_of(record.phase)
    context_id = record.task_id or record.context_id
    role = record.role or ("unknown" if kind == "worker" else kind)
    agent = get_agent(view, AgentKey(kind=kind, role=role, context_id=context_id), record.timestamp)
    if agent.attempts and record.attempt is not None:
        attempts = tuple(
            one.model_copy(update={"tokens": (one.tokens or 0) + spent})
            if _is_attempt(one, agent, record.attempt)
            else one
            for one in agent.attempts
        )
        agent = agent.model_copy(update={"attempts": attempts})
    agent = count_tokens(agent, record)
    if agent.kind == "router" and agent.state in {"queued", "running"} and record.call_id is None:
        # The original journals no router call but its tokens, which come when it is over.
        agent = agent.model_copy(update={"state": "completed", "ended_ms": record.timestamp})
    return put_agent(view, agent)


def note_budget(view: RunView, record: BudgetChecked) -> RunView:
    """Warn of a call that the budget refused."""
    role = "router" if record.call_kind == "router" else clean_line(record.role)
    amounts = (record.spent, record.allowed, record.needed)
    if record.limit == "max_tokens":
        spent, allowed, needed = map(_whole, amounts)
        over = sentence("said.overTokens", role=role, spent=spent, allowed=allowed, needed=needed)
    else:
        spent, allowed, needed = (sentence("words.money", text=f"{one:.3f}") for one in amounts)
        over = sentence("said.overCost", role=role, spent=spent, allowed=allowed, needed=needed)
    return note_warning(view, over)


def note_warning(view: RunView, message: Said) -> RunView:
    """Add a warning once."""
    warning = message
    if isinstance(message, str):
        warning = recorded("warnings", clip_text(message, MAX_SUMMARY_CHARS))
    is_empty = isinstance(warning, str) and not warning.strip()
    if is_empty or warning in view.warnings or len(view.warnings) >= MAX_WARNINGS:
        return view
    return view.model_copy(update={"warnings": (*view.warnings, warning)})


def with_attempt(agent: AgentView, attempt: AttemptView) -> AgentView:
    """Return the agent with a failed attempt; the same attempt twice is one."""
    attempt = attempt.model_copy(update={"retry": agent.retries})
    known = [(one.retry, one.attempt, one.model_id) for one in agent.attempts]
    is_known = (attempt.retry, attempt.attempt, attempt.model_id) in known
    if is_known or len(known) >= MAX_ATTEMPTS:
        return agent
    return agent.model_copy(update={"attempts": (*agent.attempts, attempt)})


def failed_state(code: ReasonCode | None) -> AgentState:
    """Return the state of an agent whose last call failed for this reason."""
    if code == "cancelled":
        return "cancelled"
    return "cut_off" if code == "cut_off" else "failed"


def _is_attempt(one: AttemptView, agent: AgentView, attempt: int) -> bool:
    return one.attempt == attempt and one.retry == agent.retries


def _called(view: RunView, record: ModelReplied | ModelFailed) -> AgentView:
    kind: CallKind = record.call_kind
    key = AgentKey(kind=kind, role=record.role, context_id=record.context_id)
    agent = get_agent(view, key, record.timestamp)
    if agent.started_ms is not None:
        return agent
    started = max(0, record.timestamp - max(0, record.duration_ms)) or None
    return agent.model_copy(update={"started_ms": started})


def _whole(number: float) -> int:
    return int(min(max(number, 0.0), 1e15)) if number == number else 0  # noqa: PLR0124 - NaN
