"""The records of one model call: how it ended, and what it spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.records import ModelFailed, ModelReplied, UsageRecorded
from braincode_jupyter.protocol.usage import reason_of

if TYPE_CHECKING:
    from braincode_jupyter.brain.state import RunRequest
    from braincode_jupyter.errors import ModelError
    from braincode_jupyter.protocol.sections import ModelCall, ModelReply
    from braincode_jupyter.protocol.usage import CallKind

_PHASES: dict[CallKind, str] = {
    "router": "router",
    "worker": "support",
    "primary": "primary",
    "review": "review",
}


def reply_record(
    call: ModelCall, reply: ModelReply, *, started_ms: int, now_ms: int
) -> ModelReplied:
    """Return the record of a finished reply."""
    return ModelReplied(
        timestamp=now_ms,
        context_id=call.context_id,
        call_id=call.call_id,
        call_kind=call.call_kind,
        role=call.role,
        attempt=call.attempt,
        model_id=call.candidate.model_id,
        provider=call.candidate.provider,
        text=reply.text,
        finish_reason=reply.finish_reason,
        duration_ms=now_ms - started_ms,
        retries=reply.retries,
        waited_ms=reply.waited_ms,
        is_replayed=reply.is_replayed,
    )


def failure_record(
    call: ModelCall, error: ModelError, *, started_ms: int, now_ms: int
) -> ModelFailed:
    """Return the record of a call that failed."""
    return ModelFailed(
        timestamp=now_ms,
        context_id=call.context_id,
        call_id=call.call_id,
        call_kind=call.call_kind,
        role=call.role,
        attempt=call.attempt,
        model_id=call.candidate.model_id,
        provider=call.candidate.provider,
        code=reason_of(error.code),
        error=error.message,
        hint=error.hint,
        status=error.status,
        partial=error.partial,
        duration_ms=now_ms - started_ms,
        is_replayed=error.is_replayed,
    )


def usage_record(
    call: ModelCall, reply: ModelReply, request: RunRequest, *, now_ms: int
) -> UsageRecorded | None:
    """Return the record of what a call spent; None if the provider did not tell."""
    if reply.usage is None or reply.usage.total <= 0:
        return None
    session_id = request.session_id
    agent = {
        "router": f"{session_id}:router",
        "primary": session_id,
    }.get(call.call_kind, call.agent_session_id)
    is_brain = call.call_kind in {"router", "primary"}
    return UsageRecorded(
        timestamp=now_ms,
        context_id=call.context_id,
        role=call.role,
        phase=_PHASES[call.call_kind],
        brain_id=request.preset.id if is_brain else None,
        model_id=call.candidate.model_id,
        provider=call.candidate.provider,
        agent_session_id=agent,
        task_id=call.context_id,
        parent_id=session_id,
        turn_id=f"{agent}:{call.iteration + 1}:1",
        attempt=None if call.call_kind == "router" else call.attempt,
        usage=reply.usage,
        cost_usd=reply.cost_usd,
        call_id=call.call_id,
        is_replayed=reply.is_replayed or None,
    )
