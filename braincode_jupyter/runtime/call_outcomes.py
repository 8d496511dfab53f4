"""The record of one model call: how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import ModelError
from braincode_jupyter.protocol.records import ModelFailed, ModelReplied
from braincode_jupyter.protocol.usage import reason_of

if TYPE_CHECKING:
    from braincode_jupyter.protocol.sections import ModelCall, ModelReply


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
        usage=reply.usage,
        cost_usd=reply.cost_usd,
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


def client_fault(error: Exception, *, partial: str) -> ModelError:
    """Return the failure of a call whose client raised what is no failure of a model."""
    return ModelError(
        f"The model client raised {type(error).__name__}.",
        code="internal_error",
        partial=partial,
        hint="To see where, call logging.basicConfig() and run the cell again.",
    )
