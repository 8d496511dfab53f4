"""`RunView`: the one JSON shape of a run that every surface draws, live, replayed and saved.

Times are milliseconds since the epoch (UTC). Every string from outside is plain text; `Block` trees
are the only structure, so whoever draws them creates elements and text nodes and never parses
markup.
"""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.sentence import Said
from braincode_jupyter.views.approval_view import ApprovalView, GrantView
from braincode_jupyter.views.block_view import Block
from braincode_jupyter.views.change_view import ChangesView
from braincode_jupyter.views.table_view import TableView

RunState = Literal[
    "queued",
    "running",
    "completed",
    "needs_clarification",
    "failed",
    "cancelled",
    "interrupted",
]
RunPhase = Literal["starting", "routing", "working", "answering", "checking", "reviewing", "done"]
AgentState = Literal[
    "queued",
    "waiting",
    "running",
    "waiting_for_approval",
    "completed",
    "unstructured",
    "blocked",
    "failed",
    "cancelled",
    "cut_off",
    "interrupted",
]
AnswerState = Literal["none", "streaming", "completed", "cut_off", "partial"]
PlotMediaType = Literal["image/png", "image/jpeg"]
"""Images that a browser draws without running anything."""
ToolCallState = Literal["running", "done", "failed", "denied", "outcome_unknown"]
ReviewState = Literal[
    "not_required", "pending", "running", "approved", "changes_requested", "blocked", "not_reviewed"
]


class UsageView(Packet):
    """What was spent."""

    input_tokens: int = 0
    """Tokens sent."""
    output_tokens: int = 0
    """Tokens received."""
    total_tokens: int = 0
    """Both."""
    calls: int = 0
    """Model calls, failed ones included."""
    unmeasured_calls: int = 0
    """Calls whose usage the provider did not tell."""
    cost_usd: float | None = None
    """None when any price is unknown."""
    replayed_calls: int = 0
    """Calls that came from a recording: their tokens and price were spent then, not now."""


class ReferenceView(Packet):
    """One reference of the request."""

    token: str
    """As typed."""
    kind: str
    """file, image, session, cell, output or variable."""
    state: Literal["sent", "cut", "missing"]
    """What came of it."""
    label: Said
    """What was sent."""
    reason: Said | None = None
    """Why it is missing, or what was cut."""
    uri: str = ""
    """Where it is; joins it with the sections of a prompt."""


class TodoView(Packet):
    """One todo."""

    id: str
    """Slug."""
    title: Said
    """What is to be done."""
    role: str
    """Owner."""
    state: Literal["pending", "running", "completed", "blocked", "failed"]
    """State."""
    needs: tuple[str, ...] = ()
    """Ids of upstream todos."""
    needs_numbers: tuple[int, ...] = ()
    """Their positions in the list, from 1."""
    summary: Said | None = None
    """What came of it."""


class OfferedToolView(Packet):
    """One tool that an agent could use."""

    name: str
    """Name as the model uses it."""
    tokens: int
    """Estimated tokens that it adds to each request."""


class SectionView(Packet):
    """One section that an agent saw, or that was withheld from it."""

    kind: str
    """Section kind."""
    owner: str
    """Whose it is: ``user``, ``brain``, ``project`` or a context id."""
    owner_label: str
    """Role name of an agent; empty for the others."""
    source: str
    """Where it came from."""
    label: str
    """Its own name, ``@var:sales``; empty where kind and owner say what it is."""
    chars: int
    """Characters."""
    tokens: int
    """Estimated tokens."""
    share: float = 0.0
    """Share of the prompt, 0 to 1."""
    reason: str | None = None
    """Why it was withheld: ``private``, ``no edge``, ``not for this call``; said in words."""


class AttemptView(Packet):
    """A failed attempt."""

    attempt: int
    """Candidate, from 1."""
    retry: int = 0
    """How often the agent had been taken up again."""
    model_id: str
    """Model."""
    code: str
    """Reason code, or the state that the attempt came to."""
    message: Said
    """Provider's words, redacted."""
    tokens: int | None = None
    """Tokens that it spent all the same, if the provider told."""


class ArtifactView(Packet):
    """Something a worker made or points at."""

    kind: str
    """file, thread, summary or artifact."""
    uri: str
    """Where."""
    label: str
    """Short name."""
    media_type: str | None = None
    """Media type of a plot or a table."""


class PlotView(Packet):
    """An image that a tool made; artifacts name it by its uri."""

    uri: str
    """Where it is."""
    label: str
    """Short name."""
    media_type: PlotMediaType
    """What it is."""
    data: str
    """Base64."""


class ToolCallView(Packet):
    """One tool call of an agent."""

    call_id: str
    """Id of the call, unique within a turn of the agent."""
    name: str
    """Tool."""
    action: str = ""
    """What it does, in the host's words."""
    state: ToolCallState = "running"
    """State; ``outcome_unknown`` began and was never told to have ended."""
    progress: str = ""
    """What it said last of itself, while it runs."""
    chars: int | None = None
    """Characters that the agent got back."""
    isolation: Said = ""
    """How code was kept from the machine, as the tool told."""
    approver: Said = ""
    """Who allowed or denied it, in words."""
    reason: Said = ""
    """Why it was denied or refused, or how it ended unfinished."""


class AgentView(Packet):
    """One agent: router, worker, primary or reviewer."""

    context_id: str
    """Context id."""
    kind: Literal["router", "worker", "primary", "review"]
    """Kind of call."""
    role: str
    """Role."""
    state: AgentState
    """State."""
    waiting_for: Said | None = None
    """What it waits for, in words."""
    goal: Said = ""
    """What it is to do."""
    model_id: str | None = None
    """Model that answers."""
    queued_ms: int | None = None
    """When it was planned."""
    started_ms: int | None = None
    """When its first model call began."""
    ended_ms: int | None = None
    """When it came to its final state."""
    is_critical: bool = False
    """On the critical path."""
    usage: UsageView = UsageView()
    """What it spent, failed attempts included."""
    last_call_id: str = ""
    """The call that was counted last; its reply and its tokens come in either order."""
    summary: str = ""
    """Findings."""
    summary_blocks: tuple[Block, ...] = ()
    """Findings, formatted."""
    artifacts: tuple[ArtifactView, ...] = ()
    """Artifacts."""
    tool_calls: tuple[ToolCallView, ...] = ()
    """Tool calls, oldest first."""
    risks: tuple[str, ...] = ()
    """Risks."""
    next_questions: tuple[str, ...] = ()
    """Open questions."""
    reason: Said | None = None
    """Why it failed or is blocked, in words."""
    hint: Said | None = None
    """What to do about it."""
    partial: str = ""
    """Text of a call that broke off."""
    todo_ids: tuple[str, ...] = ()
    """Todos it owns."""
    upstream: tuple[str, ...] = ()
    """Context ids of declared upstream workers."""
    attempts: tuple[AttemptView, ...] = ()
    """Failed attempts."""
    is_planned: bool = False
    """Named by the plan; others were called by the primary."""
    retries: int = 0
    """How often it was taken up again."""
    is_kept: bool = False
    """Its result was found by an earlier run, which this one goes on from."""
    can_retry: bool = False
    """Whether it can be taken up again now."""
    saw: tuple[SectionView, ...] = ()
    """What it was given."""
    withheld: tuple[SectionView, ...] = ()
    """What existed and was kept from it."""
    tools: tuple[OfferedToolView, ...] = ()
    """Tools that it was offered."""


class AnswerView(Packet):
    """The answer."""

    state: AnswerState = "none"
    """State."""
    text: str = ""
    """Markdown as the model wrote it."""
    blocks: tuple[Block, ...] = ()
    """The same, parsed; empty while streaming."""


class FindingView(Packet):
    """One finding of the review."""

    severity: str
    """low, medium or high."""
    text: Said
    """The issue."""
    place: str = ""
    """File and line."""
    evidence: str = ""
    """What shows it."""
    suggestion: str = ""
    """What could be done."""


class ReviewView(Packet):
    """The review."""

    state: ReviewState = "not_required"
    """State."""
    reason: Said = ""
    """Why it is not required or not reviewed."""
    rationale: str = ""
    """The reviewer's words."""
    findings: tuple[FindingView, ...] = ()
    """Findings."""
    required_changes: tuple[Said, ...] = ()
    """What must change."""
    blocking_issues: tuple[str, ...] = ()
    """What blocks."""
    residual_risks: tuple[Said, ...] = ()
    """What stays uncertain."""
    independence: str = ""
    """none, weak, moderate or strong."""


class ClarificationView(Packet):
    """A question to the user."""

    question: Said
    """The question."""
    reason: Said
    """Why."""
    missing: tuple[Said, ...] = ()
    """What is missing."""
    options: tuple[tuple[Said, Said], ...] = ()
    """Label and description of each option."""


class MatrixColumn(Packet):
    """One column of the matrix: a section that exists in this run."""

    key: str
    """Unique key: ``kind:context id`` where it is text of one agent."""
    label: str
    """Its own name; empty where kind and owner say what it is."""
    kind: str = ""
    """Section kind."""
    owner_label: str = ""
    """Role name of an agent; empty for the others."""


class MatrixRow(Packet):
    """One row of the matrix: an agent."""

    context_id: str
    """Context id."""
    label: str
    """Role."""
    cells: tuple[Literal["seen", "own", "withheld", "not_called"], ...]
    """One per column."""


class MatrixView(Packet):
    """Who saw what, from the prompt manifests."""

    columns: tuple[MatrixColumn, ...] = ()
    """Sections."""
    rows: tuple[MatrixRow, ...] = ()
    """Agents."""


class RunView(Packet):
    """Everything that is drawn of a run."""

    version: Literal[1] = 1
    """Version of this shape."""
    session_id: str
    """Session id."""
    run_id: str = ""
    """Id of the run inside the session."""
    state: RunState = "queued"
    """State."""
    phase: RunPhase = "starting"
    """What is being done now."""
    is_stopping: bool = False
    """Stop was asked for."""
    title: str = ""
    """First line of the request."""
    request: str = ""
    """The request as typed, at most 4,000 characters."""
    brain_id: str = ""
    """Brain preset."""
    mode: str = "auto"
    """auto or radical."""
    routing: Said = ""
    """Who planned, in words: ``routed 0.82``, ``heuristic``."""
    routing_reason: Said = ""
    """Why."""
    started_ms: int = 0
    """Start."""
    ended_ms: int | None = None
    """End; None while running."""
    usage: UsageView = UsageView()
    """What the run spent."""
    max_tokens: int | None = None
    """Token budget."""
    max_cost_usd: float | None = None
    """Cost budget; US dollars."""
    models: tuple[str, ...] = ()
    """Names of the models that answered."""
    model_note: Said = ""
    """Said plainly when the embedded demo model answered."""
    references: tuple[ReferenceView, ...] = ()
    """References."""
    clarification: ClarificationView | None = None
    """A question, when the run stopped for one."""
    answer: AnswerView = AnswerView()
    """The answer."""
    changes: ChangesView = ChangesView()
    """What was changed in the project."""
    review: ReviewView = ReviewView()
    """The review."""
    todos: tuple[TodoView, ...] = ()
    """Todos."""
    agents: tuple[AgentView, ...] = ()
    """Router, workers in plan order, primary, review."""
    approvals: tuple[ApprovalView, ...] = ()
    """Tool calls that wait for the reader, oldest first."""
    grants: tuple[GrantView, ...] = ()
    """Calls that are allowed for the rest of the run, oldest first."""
    plots: tuple[PlotView, ...] = ()
    """Images that tools made, oldest first."""
    tables: tuple[TableView, ...] = ()
    """Tables that tools made, oldest first."""
    matrix: MatrixView = MatrixView()
    """Who saw what."""
    warnings: tuple[Said, ...] = ()
    """What the user should know."""
    recorded: Said = ""
    """Where its model calls were recorded."""
    error: Said | None = None
    """Why the run failed."""
    hint: Said | None = None
    """What to do."""
    is_saved: bool = True
    """False when the journal could not be written."""
