"""The envelope in which packets travel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from braincode_jupyter.protocol.contexts import ContextRef, HandoffPacket
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.plan import ExecutedWorkerResult


class AgentMessage(Packet):
    """One packet on its way between Brain and agent.

    A handoff goes from ``"brain"`` to a role; a result comes from a role to ``"orchestrator"``, the
    literal name by which the Brain is addressed.
    """

    id: str
    """Message id."""
    parent_id: str | None = None
    """Brain context id for a handoff, handoff id for a result."""
    sender: str = Field(alias="from")
    """Sender."""
    to: str
    """Recipient."""
    kind: Literal["handoff", "result", "question", "fact", "artifact", "error"]
    """``error`` only for a failed result; a blocked one travels as ``result``."""
    payload: HandoffPacket | ExecutedWorkerResult
    """The packet."""
    context_refs: tuple[ContextRef, ...] | None = None
    """The task's pointers, or the artifacts."""
