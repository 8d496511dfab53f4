"""Records of model calls: what was sent as pointers, what came back, what it cost."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.record import Record
from braincode_jupyter.protocol.usage import CallKind, ReasonCode, TokenUsage


class SectionPointer(Packet):
    """One section of a prompt: a pointer, not the payload."""

    kind: str
    """Section kind of the flow matrix."""
    owner: str
    """``user``, ``brain``, ``project``, or the context id of an agent."""
    source: str
    """Where the text came from."""
    sha256: str
    """Digest of the text, or of the image bytes."""
    chars: int
    """Characters."""
    tokens: int
    """Estimated tokens, an upper bound."""
    reason: str | None = None
    """Why it was withheld: ``private``, ``no edge``, ``not granted``, ``not for this call``."""


class ToolPointer(Packet):
    """One tool that a call was offered: a pointer, not the schema."""

    name: str
    """Name as the model uses it."""
    sha256: str
    """Digest of name, description and schema."""
    tokens: int
    """Estimated tokens that it adds to each request, an upper bound."""


class PromptManifest(Record):
    """Which sections and tools one model call was given; written before the call."""

    type: Literal["prompt_manifest"] = "prompt_manifest"
    """Record type."""
    call_id: str
    """Id of the call."""
    call_kind: CallKind
    """Kind of the call."""
    role: str
    """Role that is asked."""
    attempt: int
    """Candidate, from 1."""
    model_id: str
    """Model that is asked."""
    sections: tuple[SectionPointer, ...]
    """In prompt order."""
    withheld: tuple[SectionPointer, ...] = ()
    """Sections that existed and that the matrix kept out; digests and sizes only."""
    tools: tuple[ToolPointer, ...] = ()
    """Tools that it was offered."""


class ModelReplied(Record):
    """The finished text of a model call."""

    type: Literal["model_reply"] = "model_reply"
    """Record type."""
    call_id: str
    """Id of the call."""
    call_kind: CallKind
    """Kind of the call."""
    role: str
    """Role that was asked."""
    attempt: int
    """Candidate, from 1."""
    model_id: str
    """Model that answered."""
    provider: str
    """Its provider."""
    text: str
    """The reply; private to this agent."""
    finish_reason: str
    """``stop`` or ``length``; a reply without one is a `ModelFailed`."""
    duration_ms: int = 0
    """Wall time of the call; milliseconds."""
    retries: int = 0
    """Tries of the same model that failed before this reply."""
    waited_ms: int = 0
    """Time waited between the tries; milliseconds."""
    usage: TokenUsage | None = None
    """What it spent, if the provider told; a `UsageRecorded` follows from it."""
    cost_usd: float | None = None
    """Price, if the provider told."""
    is_replayed: bool = False
    """It came from a recording; no model was asked."""


class ModelFailed(Record):
    """A model call that gave no usable reply."""

    type: Literal["model_error"] = "model_error"
    """Record type."""
    call_id: str
    """Id of the call."""
    call_kind: CallKind
    """Kind of the call."""
    role: str
    """Role that was asked."""
    attempt: int
    """Candidate, from 1."""
    model_id: str
    """Model that was asked."""
    provider: str
    """Its provider."""
    code: ReasonCode
    """Why, from the closed list."""
    error: str
    """The provider's words, redacted."""
    hint: str = ""
    """What to do."""
    status: int | None = None
    """HTTP status."""
    partial: str = ""
    """Text that had arrived."""
    duration_ms: int = 0
    """Wall time of the call; milliseconds."""
    is_replayed: bool = False
    """It came from a recording; no model was asked."""


class UsageRecorded(Record):
    """Tokens of one call."""

    type: Literal["token_usage"] = "token_usage"
    """Record type."""
    role: str | None = None
    """Role."""
    phase: str | None = None
    """router, support, primary or review."""
    brain_id: str | None = None
    """Brain preset; router and primary only."""
    model_id: str | None = None
    """Configured model id."""
    provider: str | None = None
    """Provider id."""
    agent_session_id: str | None = None
    """Agent session."""
    task_id: str | None = None
    """Context id of the agent."""
    parent_id: str | None = None
    """Context id of the Brain."""
    turn_id: str | None = None
    """``<agent session>:<message>:<n>``."""
    attempt: int | None = None
    """Candidate, from 1; the router has none."""
    usage: TokenUsage
    """Counters."""
    cost_usd: float | None = None
    """Price, if known; ours."""
    call_id: str | None = None
    """Call that spent it; ours."""
    is_replayed: bool | None = None
    """It was spent when the call was recorded, and not now; ours."""


class TurnReserved(Record):
    """Upper bound of what a conversation with tools spends, its next turn included."""

    type: Literal["turn_reserved"] = "turn_reserved"
    """Record type."""
    call_id: str
    """The conversation."""
    input_tokens: int
    """Tokens sent in all of its turns."""
    output_tokens: int
    """Tokens received in all of its turns."""


class BudgetChecked(Record):
    """A budget refused a call, or stands in the way of the run."""

    type: Literal["budget"] = "budget"
    """Record type."""
    limit: Literal["max_tokens", "max_cost"]
    """Which budget."""
    allowed: float
    """What may be spent; tokens or USD."""
    spent: float
    """What has been spent."""
    needed: float
    """Upper bound of the refused call."""
    call_kind: CallKind
    """Kind of the refused call."""
    role: str
    """Role that was to be asked."""
