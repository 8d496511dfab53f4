"""The packet that a worker is handed, its envelope, and the shape of the reply that it asks for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from braincode_jupyter.brain.plans import stable_id
from braincode_jupyter.protocol.contexts import AgentTaskContext, HandoffPacket, TaskProgress
from braincode_jupyter.protocol.message import AgentMessage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.contexts import ContextRef
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimeWorker

_EXPECTED_RESULT = (
    "A JSON object with the keys taskId, parentId, progress, summary, artifacts, risks and "
    "nextQuestions."
)
_ASK = "Reply with one JSON object of this shape and with nothing else:"


def _texts(items: int, chars: int) -> dict[str, JsonValue]:
    return {"type": "array", "maxItems": items, "items": {"type": "string", "maxLength": chars}}


def _object(properties: dict[str, JsonValue], required: Sequence[str]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }


_PROGRESS = _object(
    {
        "status": {"type": "string", "enum": ["completed", "blocked"]},
        "summary": {"type": "string", "maxLength": 200},
    },
    ("status", "summary"),
)
_ARTIFACT = _object(
    {
        "kind": {"type": "string", "enum": ["file", "thread", "summary", "artifact"]},
        "uri": {"type": "string", "maxLength": 200},
        "label": {"type": "string", "maxLength": 80},
    },
    ("kind", "uri", "label"),
)
_FINDING = _object(
    {
        "severity": {"type": "string", "enum": ["low", "medium", "high"]},
        "issue": {"type": "string", "maxLength": 240},
        "evidence": {"type": "string", "maxLength": 200},
        "suggestion": {"type": "string", "maxLength": 200},
    },
    ("severity", "issue", "evidence", "suggestion"),
)

WORKER_REPLY_SCHEMA: Mapping[str, JsonValue] = _object(
    {
        "summary": {"type": "string", "maxLength": 1500},
        "risks": _texts(4, 200),
        "nextQuestions": _texts(3, 200),
        "artifacts": {"type": "array", "maxItems": 3, "items": _ARTIFACT},
        "progress": _PROGRESS,
    },
    ("summary", "risks", "nextQuestions", "artifacts", "progress"),
)
"""For models that are held to a schema. The ids are the Brain's own in any case, so such a model
does not spend tokens on repeating them; every length is bounded, since a grammar does not stop."""

_REVIEW_FIELDS: dict[str, JsonValue] = {
    "findings": {"type": "array", "maxItems": 4, "items": _FINDING},
    "requiredChanges": _texts(4, 200),
    "blockingIssues": _texts(3, 200),
    "residualRisks": _texts(4, 200),
    "rationale": {"type": "string", "maxLength": 600},
    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    "decision": {"type": "string", "enum": ["approved", "changes_requested", "blocked"]},
    "summary": {"type": "string", "maxLength": 400},
    "progress": _PROGRESS,
}
REVIEW_REPLY_SCHEMA: Mapping[str, JsonValue] = _object(_REVIEW_FIELDS, tuple(_REVIEW_FIELDS))
"""Findings come before the decision, so that the decision follows from them."""


_COVERED = _object(
    {
        "file": {"type": "string", "maxLength": 200},
        "status": {"type": "string", "enum": ["inspected", "partially_inspected", "skipped"]},
    },
    ("file", "status"),
)
REVIEW_CHANGE_REPLY_SCHEMA: Mapping[str, JsonValue] = _object(
    {
        "coverage": {"type": "array", "maxItems": 40, "items": _COVERED},
        **_REVIEW_FIELDS,
    },
    ("coverage", *_REVIEW_FIELDS),
)
"""The same for a review of changed files: what was looked at comes first of all."""


def build_handoff(
    worker: RuntimeWorker,
    *,
    session_id: str,
    run_id: str,
    phase: str,
    context_refs: Sequence[ContextRef],
    rounds: Sequence[str] = (),
) -> HandoffPacket:
    """Return the packet for one worker.

    Parameters
    ----------
    worker : RuntimeWorker
        Who gets it.
    session_id : str
        Context id of the Brain.
    run_id : str
        Id of the run.
    phase : str
        ``support`` or ``review``.
    context_refs : sequence of ContextRef
        Pointers to the support files.
    rounds : sequence of str
        What the id is derived from too, in a round of mending.

    Returns
    -------
    HandoffPacket
        The same for the same arguments.
    """
    return HandoffPacket(
        id=stable_id(run_id, "handoff", worker.context_id, *rounds),
        task=AgentTaskContext(
            id=worker.context_id,
            parent_id=session_id,
            agent_role=worker.role,
            goal=worker.goal,
            progress=TaskProgress(
                status="pending", summary=f"{worker.role} {phase} task is queued."
            ),
            context_refs=tuple(context_refs),
        ),
        constraints=_constraints(worker.role),
        expected_result=_EXPECTED_RESULT,
    )


def envelope(packet: HandoffPacket | ExecutedWorkerResult, *, run_id: str) -> AgentMessage:
    """Return the message in which a packet travels.

    Parameters
    ----------
    packet : HandoffPacket or ExecutedWorkerResult
        What travels.
    run_id : str
        Id of the run.

    Returns
    -------
    AgentMessage
        From the Brain to a role, or from a role to ``"orchestrator"``; a failed result travels as
        ``error``, a blocked one as ``result``.
    """
    if isinstance(packet, HandoffPacket):
        parent, sender, to, kind = packet.task.parent_id, "brain", packet.task.agent_role, "handoff"
        key, refs = packet.id, packet.task.context_refs
    else:
        kind = "error" if packet.progress.status == "failed" else "result"
        parent, sender, to = packet.handoff_id, packet.role, "orchestrator"
        key, refs = packet.handoff_id, packet.artifacts
    return AgentMessage.model_validate(
        {
            "id": stable_id(run_id, "message", kind, key),
            "parentId": parent,
            "from": sender,
            "to": to,
            "kind": kind,
            "payload": packet,
            "contextRefs": refs or None,
        }
    )


def reply_template(handoff: HandoffPacket) -> str:
    """Return what a support worker is told about its reply.

    Parameters
    ----------
    handoff : HandoffPacket
        Its packet.

    Returns
    -------
    str
        Fixed wording with the two ids filled in; no code fence.
    """
    return f"{_ASK}\n{_shape(_worker_shape(handoff))}"


def review_reply_template(handoff: HandoffPacket, *, has_changes: bool = False) -> str:
    """Return what a reviewer is told about its reply.

    Parameters
    ----------
    handoff : HandoffPacket
        Its packet.
    has_changes : bool
        Files were changed: the reply says which of them were looked at, and findings where.

    Returns
    -------
    str
        Fixed wording with the two ids filled in; no code fence.
    """
    finding: dict[str, JsonValue] = {
        "severity": "low|medium|high",
        "issue": "...",
        "evidence": "...",
        "suggestion": "...",
    }
    covered: dict[str, JsonValue] = {
        "file": "...",
        "status": "inspected|partially_inspected|skipped",
        "reason": "...",
    }
    if has_changes:
        finding = {**finding, "file": "...", "line": 1}
    shape: dict[str, JsonValue] = {
        **_worker_shape(handoff),
        "decision": "approved|changes_requested|blocked",
        "confidence": 0.0,
        "rationale": "...",
        "findings": [finding],
        "requiredChanges": ["..."],
        "blockingIssues": ["..."],
        "residualRisks": ["..."],
        "coverage": [covered] if has_changes else [],
    }
    return f"{_ASK}\n{_shape(shape)}\nLeave a list empty where there is nothing to say."


def _worker_shape(handoff: HandoffPacket) -> dict[str, JsonValue]:
    return {
        "taskId": handoff.task.id,
        "parentId": handoff.task.parent_id,
        "progress": {"status": "completed|blocked", "summary": "..."},
        "summary": "...",
        "artifacts": [{"kind": "file|thread|summary|artifact", "uri": "...", "label": "..."}],
        "risks": ["..."],
        "nextQuestions": ["..."],
    }


def _shape(shape: Mapping[str, JsonValue]) -> str:
    return json.dumps(shape, ensure_ascii=False, separators=(",", ":"))


def _constraints(role: str) -> tuple[str, ...]:
    return (
        f"Act as {role} and as nobody else.",
        "The Brain passes context to you: orchestration belongs to the Brain, you own nothing but "
        "this one isolated task.",
        "Your only inputs are this packet, the user's request, and results of other workers that "
        "stand in this prompt.",
        "Return the task id and the parent id exactly as you received them; the Brain's own values "
        "are the ones that count.",
        "Do not assume that you can see the Brain's transcript or what another worker thought.",
        "Answer with short, structured findings for the primary agent.",
    )
