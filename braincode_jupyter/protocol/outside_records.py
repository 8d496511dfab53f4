"""Records of what is outside a run: MCP servers, hooks, tool calls, dispatched specialists.

Names and fields follow the original's session format; a field marked "ours" is skipped by its
readers.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.record import Phase, Record

Scope = Literal["user", "project"]
"""Whose file an entry stands in."""
HookStatus = Literal["completed", "skipped", "failed", "blocked"]


class ConnectedServer(Packet):
    """An MCP server that answered."""

    scope: Scope
    """Whose entry."""
    name: str
    """Name in the file."""
    tool_count: int
    """Tools that may be called."""


class FailedServer(Packet):
    """An MCP server that could not be used."""

    scope: Scope
    """Whose entry."""
    name: str
    """Name in the file."""
    error: str
    """Why; cleaned and redacted."""


class SkippedServer(Packet):
    """An MCP server that was not started, or not yet."""

    scope: Scope
    """Whose entry."""
    name: str
    """Name in the file."""
    reason: str
    """Why."""


class ToolOff(Packet):
    """A tool of a connected server that may not be called."""

    server: str
    """Name of the server."""
    tool: str
    """Name at the server; cleaned."""
    reason: str
    """Why, and what to do."""


class McpReport(Packet):
    """What became of the configured MCP servers."""

    connected: tuple[ConnectedServer, ...] = ()
    """Those that answered."""
    failed: tuple[FailedServer, ...] = ()
    """Those that did not."""
    skipped: tuple[SkippedServer, ...] = ()
    """Those that were not started."""
    pending: tuple[SkippedServer, ...] = ()
    """Those that are still starting."""
    tool_count: int = 0
    """Tools of all servers that may be called."""
    loading: bool = False
    """Whether one is still starting."""
    strategy: Literal["eager", "lazy", "background"] = "eager"
    """How they are started."""
    off: tuple[ToolOff, ...] = ()
    """Tools that are off; ours."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was configured; such a report is not written."""
        return not (self.connected or self.failed or self.skipped or self.pending)


class McpConnected(Record):
    """MCP servers were started; may appear more than once."""

    type: Literal["mcp_connect"] = "mcp_connect"
    """Record type."""
    report: McpReport
    """What became of them."""


class HookSource(Packet):
    """The file that a hook stands in."""

    kind: Scope
    """Whose file."""
    path: str
    """Where it is."""


class HookRun(Packet):
    """What became of one hook."""

    event_name: str
    """The event."""
    source: HookSource
    """Its file."""
    matcher: str | None = None
    """As written."""
    command: str | None = None
    """As written."""
    status: HookStatus
    """How it ended."""
    reason: str | None = None
    """Why it was skipped, failed or blocked."""
    stdout: str | None = None
    """What it wrote; capped."""
    stderr: str | None = None
    """What it wrote; capped."""
    exit_code: int | None = None
    """Its exit status."""


class HookReport(Packet):
    """What came of all hooks of one event; the fields of the ``hook_*`` records."""

    event_name: str
    """The event."""
    matcher: str | None = None
    """The value that matchers were held against."""
    records: tuple[HookRun, ...] = ()
    """One for each matching hook, user's first."""
    additional_context: tuple[str, ...] = ()
    """Texts for the prompt, in order."""
    blocked_reason: str | None = None
    """Reason of the first hook that blocked."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened; such a report is not written."""
        return not (self.records or self.additional_context or self.blocked_reason)


class SessionStartHooksRan(HookReport, Record):
    """Hooks of a session's start."""

    type: Literal["hook_session_start"] = "hook_session_start"
    """Record type."""


class PromptHooksRan(HookReport, Record):
    """Hooks of a submitted prompt."""

    type: Literal["hook_user_prompt_submit"] = "hook_user_prompt_submit"
    """Record type."""


class SubagentStartHooksRan(HookReport, Record):
    """Hooks of a worker's start."""

    type: Literal["hook_subagent_start"] = "hook_subagent_start"
    """Record type."""


class SubagentStopHooksRan(HookReport, Record):
    """Hooks of a worker's end."""

    type: Literal["hook_subagent_stop"] = "hook_subagent_stop"
    """Record type."""


class StopHooksRan(HookReport, Record):
    """Hooks of a run's end."""

    type: Literal["hook_stop"] = "hook_stop"
    """Record type."""


class PolicyMatch(Packet):
    """One permission rule that matched a call."""

    kind: Literal["path", "command"]
    """What the rule is about."""
    pattern: str
    """As written."""
    action: Literal["allow", "ask", "deny"]
    """What it says."""
    review_required: bool
    """Whether it asks for a review."""
    target: str
    """What it matched."""
    reason: str | None = None
    """Why the rule is there."""


class PolicyDecision(Packet):
    """What the permission rules said of a call."""

    action: Literal["allow", "ask", "deny"]
    """Deny before ask before allow."""
    review_required: bool
    """Whether a rule asks for a review."""
    matches: tuple[PolicyMatch, ...]
    """All rules that matched."""
    target_paths: tuple[str, ...] | None = None
    """Paths that the call names."""
    command: str | None = None
    """Command that the call names."""
    reason: str | None = None
    """Why."""


class _ToolRecord(Record):
    """The agent that a tool call belongs to, and the call."""

    phase: Phase
    """Phase."""
    role: str | None = None
    """Role."""
    agent_session_id: str | None = None
    """Agent session."""
    task_id: str | None = None
    """Context id of the agent."""
    parent_id: str | None = None
    """Context id of the Brain."""
    attempt: int | None = None
    """Candidate, from 1."""
    brain_id: str | None = None
    """Brain preset; primary only."""
    tool_call_id: str
    """Id of the call."""
    tool_name: str
    """Tool."""
    args_summary: JsonValue | None = None
    """Arguments, cut in depth and length, redacted."""


class ToolApprovalDecided(_ToolRecord):
    """Whether a tool call may go on; on the disk before it does."""

    type: Literal["tool_approval_decision"] = "tool_approval_decision"
    """Record type."""
    decision: Literal["allowed", "approved", "auto_approved", "blocked", "denied"]
    """What was decided."""
    approver: Literal["human", "permission_policy", "mode_policy", "runtime_policy"]
    """Who decided."""
    reason: str | None = None
    """Why."""
    permission_policy: PolicyDecision | None = None
    """What the rules said, if one matched."""
    grant_id: str | None = None
    """The "same again in this run" that it was approved by; ours."""


class ToolExecuted(_ToolRecord):
    """A tool call began or ended."""

    type: Literal["tool_execution_summary"] = "tool_execution_summary"
    """Record type."""
    event: Literal["start", "end"]
    """Which of the two."""
    is_error: bool | None = None
    """At the end: whether it failed."""
    result_summary: JsonValue | None = None
    """At the end: its result, cut in depth and length, redacted."""
    call_sha256: str | None = None
    """At the start of a call that may change the project: digest of tool and arguments; ours."""
    result: str | None = None
    """At the end of such a call: what it gave to the agent, without keys; ours."""
    is_recalled: bool | None = None
    """Such a call was not made again: the agent was given what it gave before; ours."""


class ToolProgressed(_ToolRecord):
    """A tool call is still at work; few of a call are kept."""

    type: Literal["tool_progress"] = "tool_progress"
    """Record type; ours."""
    message: str
    """What it says of itself; one line, redacted."""


class DispatchRequested(Record):
    """The primary asked for a specialist; stands before the specialist's own records."""

    type: Literal["dynamic_dispatch"] = "dynamic_dispatch"
    """Record type."""
    phase: Literal["request"] = "request"
    """Which of the two."""
    role: str
    """Role of the specialist."""
    goal: str
    """What it is to do."""
    reason: str
    """Why the primary asked."""
    context_id: str  # pyright: ignore[reportGeneralTypeIssues, reportIncompatibleVariableOverride] - a specialist always has one
    """Context of the specialist."""
    primary_role: str
    """Role that asked."""


class DispatchAnswered(Record):
    """A specialist came back; stands after its own records."""

    type: Literal["dynamic_dispatch"] = "dynamic_dispatch"
    """Record type."""
    phase: Literal["result"] = "result"
    """Which of the two."""
    role: str
    """Role of the specialist."""
    context_id: str  # pyright: ignore[reportGeneralTypeIssues, reportIncompatibleVariableOverride] - a specialist always has one
    """Context of the specialist."""
    status: str
    """State of its result."""
    summary: str
    """Its result in short."""


DynamicDispatch = Annotated[DispatchRequested | DispatchAnswered, Field(discriminator="phase")]
"""Both records of the type ``dynamic_dispatch``."""
