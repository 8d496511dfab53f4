"""The records of one agent's tool calls: what was decided, how they began, went on and ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.protocol.outside_records import (
    ToolApprovalDecided,
    ToolExecuted,
    ToolProgressed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.brain.permission import Decision
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolReturn, ToolTarget, ToolUse

PROGRESS_EVERY_MS = 1_000
"""Shortest time between two signs of life of a call that are kept."""
MAX_PROGRESS_RECORDS = 300
"""Signs of life of one call that are kept."""
MAX_PROGRESS_CHARS = 400
"""Longest sign of life."""
_PHASES = {"worker": "support", "primary": "primary", "review": "review"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecords:
    """Writes what becomes of the tool calls of one model call.

    Parameters
    ----------
    call : ModelCall
        The call that they serve.
    write : callable
        Takes a record; it is on the disk when this returns (security R53).
    clock : Clock
        Time.
    redact : callable
        Takes keys out of a text.
    """

    call: ModelCall
    write: Callable[[AnyRecord], None]
    clock: Clock
    redact: Callable[[str], str]

    def decided(
        self,
        wanted: ToolUse,
        target: ToolTarget,
        decision: str,
        *,
        approver: str,
        why: Decision,
        grant_id: str | None = None,
    ) -> None:
        """Write who allowed or denied a call; before it is carried out."""
        self.write(
            ToolApprovalDecided.model_validate(
                {
                    **self._scope(wanted),
                    "decision": decision,
                    "approver": approver,
                    "reason": why.reason,
                    "args_summary": {"action": target.action},
                    "grant_id": grant_id,
                }
            )
        )

    def began(self, wanted: ToolUse, target: ToolTarget | None = None, **more: object) -> None:
        """Write that a call began; further fields are those of the record."""
        summary = {} if target is None else {"args_summary": {"action": target.action}}
        self._executed(wanted, event="start", **summary, **more)

    def ended(self, wanted: ToolUse, given: ToolReturn, **more: object) -> None:
        """Write what a call gave: how much, and what the tool tells of it."""
        summary = {"chars": len(given.text), **given.details}
        self._executed(wanted, event="end", is_error=given.is_error, result_summary=summary, **more)

    def progress_of(self, wanted: ToolUse) -> Callable[[str], None]:
        """Return what takes the signs of life of a call, and keeps few of them."""
        return _Progress(self, wanted).take

    def progressed(self, wanted: ToolUse, message: str) -> None:
        """Write a sign of life of a call."""
        text, _ = mask_keys(self.redact(message[:MAX_PROGRESS_CHARS]))
        self.write(ToolProgressed.model_validate({**self._scope(wanted), "message": text}))

    def _executed(self, wanted: ToolUse, **fields: object) -> None:
        self.write(ToolExecuted.model_validate({**self._scope(wanted), **fields}))

    def _scope(self, wanted: ToolUse) -> dict[str, object]:
        return {
            "timestamp": self.clock.now_ms(),
            "context_id": self.call.context_id,
            "phase": _PHASES.get(self.call.call_kind, "support"),
            "role": self.call.role,
            "agent_session_id": f"{self.call.context_id}-{self.call.attempt}",
            "task_id": self.call.context_id,
            "attempt": self.call.attempt,
            "tool_call_id": wanted.call_id,
            "tool_name": wanted.name,
        }


@dataclass(slots=True)
class _Progress:
    records: ToolRecords
    wanted: ToolUse
    _left: int = field(default=MAX_PROGRESS_RECORDS, init=False)
    _next_ms: int = field(default=0, init=False)

    def take(self, message: str) -> None:
        """Take a sign of life; it is dropped if the last one is not old enough."""
        now_ms = self.records.clock.now_ms()
        if self._left > 0 and now_ms >= self._next_ms:
            self._left -= 1
            self._next_ms = now_ms + PROGRESS_EVERY_MS
            self.records.progressed(self.wanted, message)
