"""Records: the facts of a run, one journal line each.

Type names and fields follow the original's session format. Ours alone are ``reference``,
``prompt_manifest``, ``model_reply``, ``model_error``, ``budget``, ``recovered`` and
``run_cancelled``; the original skips them. Times are milliseconds since the epoch (UTC) and are
passed in, never made here. `parse_record` gives a typed record, or an `OpaqueRecord` for types and
versions that we do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from braincode_jupyter.protocol.contexts import BrainTaskContext, HandoffPacket
from braincode_jupyter.protocol.message import AgentMessage
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.plan import (
    AgentTodoDependency,
    AgentTodoItem,
    Clarification,
    ExecutedWorkerResult,
    RuntimePlan,
)
from braincode_jupyter.protocol.review import ReviewDecision
from braincode_jupyter.protocol.usage import CallKind, ReasonCode, TokenUsage

Phase = Literal["planning", "support", "primary", "review"]
ReferenceKind = Literal["file", "image", "session", "cell", "output", "variable"]


class Record(Packet):
    """What every record has."""

    timestamp: int
    """Milliseconds since the epoch, UTC."""
    context_id: str | None = None
    """Context of the agent that the record belongs to."""


class RunOptions(Packet):
    """What was asked for beside the prompt; enough to run the same again."""

    mode: Literal["auto", "radical"]
    """Mode."""
    brain_id: str
    """Brain preset."""
    force_roles: tuple[str, ...] = ()
    """Roles named with ``--roles`` or ``--team``."""
    review: bool | None = None
    """``--review`` true, ``--no-review`` false, absent: the Brain decides."""
    max_workers: int | None = None
    """Workers, primary included."""
    max_tokens: int | None = None
    """Token budget of the whole run, input and output."""
    heuristic: bool = False
    """Plan without asking a router model."""
    need_to_know: bool = False
    """Workers see only references granted to them."""


class RunStart(Record):
    """The first record of a run, and again once the primary starts, as the original does."""

    type: Literal["run_start"] = "run_start"
    """Record type."""
    run_id: str | None = None
    """Id of this run inside its session; ours."""
    prompt: str
    """The request as typed."""
    options: RunOptions | None = None
    """What was asked for; ours."""
    plan: RuntimePlan | None = None
    """Absent on the first line, present once the primary starts."""
    project_support: JsonValue = None
    """``{root, agents?, mcp?, skills, user?}``: paths and names, no contents."""
    attempt: int = 1
    """Candidate of the primary, from 1."""


class ReferenceUsed(Record):
    """What one reference of the request gave."""

    type: Literal["reference"] = "reference"
    """Record type."""
    token: str
    """As typed, marker included."""
    kind: ReferenceKind
    """What it points at."""
    state: Literal["sent", "cut", "missing"]
    """Whether all, a part, or nothing of it was sent."""
    uri: str
    """Where it is."""
    label: str
    """What was sent, for people: ``frame 24,310 × 7, schema and statistics``."""
    size_bytes: int = 0
    """Size of what was sent; bytes of UTF-8, or of the image."""
    sha256: str | None = None
    """Digest of what was sent."""
    reason: str | None = None
    """Why it is missing, or what was cut."""


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


class PromptManifest(Record):
    """Which sections one model call was given; written before the call."""

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


class ContextPlanned(Record):
    """The Brain's context with the ids of its children."""

    type: Literal["context_plan"] = "context_plan"
    """Record type."""
    context: BrainTaskContext
    """The context."""
    plan: RuntimePlan | None = None
    """The whole plan, so that a view knows every worker before one starts; ours."""


class TodosPlanned(Record):
    """Todos and their edges."""

    type: Literal["todo_plan"] = "todo_plan"
    """Record type."""
    todos: tuple[AgentTodoItem, ...]
    """Todos, in order."""
    dependencies: tuple[AgentTodoDependency, ...]
    """Edges."""
    reason: str | None = None
    """Only when policy changed an earlier plan."""


class TodosUpdated(Record):
    """Todos that changed state, after the change."""

    type: Literal["todo_update"] = "todo_update"
    """Record type."""
    phase: Phase
    """Phase."""
    role: str | None = None
    """Role that owns them."""
    status: Literal["pending", "running", "completed", "blocked", "failed"]
    """New state."""
    todo_ids: tuple[str, ...]
    """Which ones."""
    todos: tuple[AgentTodoItem, ...]
    """The changed items."""
    summary: str | None = None
    """What came of them."""
    error: str | None = None
    """Reason, for blocked and failed ones."""


class ClarificationRequested(Record):
    """A question to the user; the run stops here."""

    type: Literal["clarification_request"] = "clarification_request"
    """Record type."""
    clarification: Clarification
    """The question."""
    attempt: int = 1
    """Always 1."""


class MessageSent(Record):
    """A packet crossed the border."""

    type: Literal["agent_message"] = "agent_message"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    message: AgentMessage
    """The envelope."""
    attempt: int | None = None
    """On results of a concrete attempt."""


class WorkerStarted(Record):
    """A worker's model is asked."""

    type: Literal["worker_start"] = "worker_start"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    goal: str
    """What it is to do."""
    handoff: HandoffPacket
    """Its packet."""
    model: str
    """Model id."""
    agent_session_id: str
    """``<context id>-<attempt>``."""
    attempt: int
    """Candidate, from 1."""


class WorkerEnded(Record):
    """A worker's final result, whatever its state."""

    type: Literal["worker_end"] = "worker_end"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    result: ExecutedWorkerResult
    """The result."""
    attempt: int | None = None
    """Candidate that answered."""


class WorkerFailed(Record):
    """An attempt of a worker failed."""

    type: Literal["worker_error"] = "worker_error"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    error: str
    """The provider's words, redacted."""
    code: ReasonCode | None = None
    """Why, from the closed list; ours."""
    handoff: HandoffPacket | None = None
    """Only when no model was usable."""
    attempt: int | None = None
    """Candidate, from 1."""
    will_fallback: bool | None = None
    """Whether another candidate is tried."""


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


class ReviewDecided(Record, ReviewDecision):
    """The reviewer's decision, after the gates."""

    type: Literal["review_decision"] = "review_decision"
    """Record type."""
    attempt: int = 1
    """Candidate of the primary."""
    fix_iteration: int = 0
    """0 for the first pass."""


class FinalReported(Record):
    """The report of a run."""

    type: Literal["final_report"] = "final_report"
    """Record type."""
    final_report: JsonValue
    """Version 1 of the original's report."""
    attempt: int = 1
    """Candidate of the primary."""


class RunEnded(Record):
    """Terminal record of a run that came to an answer or a question."""

    type: Literal["run_end"] = "run_end"
    """Record type."""
    summary: str
    """Answer, and the review."""
    worker_results: tuple[ExecutedWorkerResult, ...]
    """In plan order."""
    review_decision: ReviewDecision | None = None
    """If it was reviewed."""
    final_report: JsonValue
    """Version 1 of the original's report."""
    fix_iterations: int | None = None
    """Present, even 0, on the normal path."""
    attempt: int = 1
    """Candidate of the primary."""


class RunFailed(Record):
    """An attempt of the primary failed; without fallback it is the terminal record."""

    type: Literal["run_error"] = "run_error"
    """Record type."""
    error: str
    """What happened, redacted."""
    code: ReasonCode | None = None
    """Why; ours."""
    hint: str = ""
    """What to do; ours."""
    attempt: int = 1
    """Candidate of the primary."""
    will_fallback: bool
    """Whether another candidate is tried."""


class RunCancelled(Record):
    """Somebody stopped the run; a terminal ``run_error`` follows."""

    type: Literal["run_cancelled"] = "run_cancelled"
    """Record type."""
    by: Literal["stop", "interrupt", "shutdown"]
    """Stop button or `%braincode stop`, kernel interrupt, or kernel shutdown."""


class Recovered(Record):
    """The writer found a torn line before this record and closed it."""

    type: Literal["recovered"] = "recovered"
    """Record type."""
    at_byte: int
    """Offset of the torn piece."""
    size_bytes: int
    """Its length."""


class Warned(Record):
    """Something that the user should see; part of no decision."""

    type: Literal["warning"] = "warning"
    """Record type."""
    message: str
    """One sentence."""


class OpaqueRecord(Packet):
    """A line of a type, shape or version that we do not know; kept, shown as it is."""

    type: str
    """As written."""
    timestamp: int = 0
    """Milliseconds since the epoch, 0 if absent."""
    data: Mapping[str, JsonValue]
    """The whole line."""


RecordUnion = Annotated[
    RunStart
    | ReferenceUsed
    | PromptManifest
    | ModelReplied
    | ModelFailed
    | ContextPlanned
    | TodosPlanned
    | TodosUpdated
    | ClarificationRequested
    | MessageSent
    | WorkerStarted
    | WorkerEnded
    | WorkerFailed
    | UsageRecorded
    | BudgetChecked
    | ReviewDecided
    | FinalReported
    | RunEnded
    | RunFailed
    | RunCancelled
    | Recovered
    | Warned,
    Field(discriminator="type"),
]
AnyRecord = RecordUnion | OpaqueRecord

_ADAPTER: TypeAdapter[RecordUnion] = TypeAdapter(RecordUnion)


def parse_record(line: Mapping[str, JsonValue]) -> AnyRecord:
    """Return the typed record of one journal line, or an opaque one.

    Parameters
    ----------
    line : mapping
        A decoded JSON object.

    Returns
    -------
    AnyRecord
        Never raises on content: what does not fit is an `OpaqueRecord`.
    """
    try:
        return _ADAPTER.validate_python(line)
    except ValidationError:
        stamp = line.get("timestamp")
        kind = line.get("type")
        return OpaqueRecord(
            type=kind if isinstance(kind, str) else "",
            timestamp=stamp if isinstance(stamp, int) else 0,
            data=dict(line),
        )
