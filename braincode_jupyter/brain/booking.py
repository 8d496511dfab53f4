"""What a call spent: told by its reply, booked, and put on a record of its own for whoever counts.

Text and tokens of a reply are one record, so that no cut leaves a reply that is paid for and not
there. Older sessions have what was spent on a record before the reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.records import UsageRecorded

if TYPE_CHECKING:
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.records import ModelReplied
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.usage import CallKind

_PHASES: dict[CallKind, str] = {
    "router": "router",
    "worker": "support",
    "primary": "primary",
    "review": "review",
}


def book_reply(t: Transition, record: ModelReplied) -> None:
    """Book what a reply says that it spent; nothing where the provider did not tell."""
    opened = t.state.open_calls.get(record.call_id)
    if opened is None or record.usage is None or record.usage.total <= 0:
        return
    spent = _usage_of(t, opened.call, record)
    t.write(spent)
    book_usage(t, spent)


def book_usage(t: Transition, record: UsageRecorded) -> None:
    """Book what a call spent that has no reply yet."""
    opened = t.state.open_calls.get(record.call_id or "")
    if opened is None or record.call_id is None:
        return
    usage, cost = record.usage, record.cost_usd
    if cost is None:
        cost = opened.cost_of(usage.input, usage.output)
    t.set(
        spent_tokens=t.state.spent_tokens + usage.total,
        spent_usd=t.state.spent_usd + cost,
        measured_calls=t.state.measured_calls | {record.call_id},
    )


def _usage_of(t: Transition, call: ModelCall, record: ModelReplied) -> UsageRecorded:
    session_id = t.state.request.session_id
    agent = {
        "router": f"{session_id}:router",
        "primary": session_id,
    }.get(call.call_kind, call.agent_session_id)
    is_brain = call.call_kind in {"router", "primary"}
    return UsageRecorded.model_validate(
        {
            "timestamp": record.timestamp,
            "context_id": call.context_id,
            "role": call.role,
            "phase": _PHASES[call.call_kind],
            "brain_id": t.state.request.preset.id if is_brain else None,
            "model_id": record.model_id,
            "provider": record.provider,
            "agent_session_id": agent,
            "task_id": call.context_id,
            "parent_id": session_id,
            "turn_id": f"{agent}:{call.iteration + 1}:1",
            "attempt": None if call.call_kind == "router" else call.attempt,
            "usage": record.usage,
            "cost_usd": record.cost_usd,
            "call_id": record.call_id,
            "is_replayed": record.is_replayed or None,
        }
    )
