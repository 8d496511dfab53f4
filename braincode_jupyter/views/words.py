"""Every word that a card says of itself: one catalogue for text, HTML and the folded reasons."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.tables import TABLE_MEDIA_TYPE
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from braincode_jupyter.protocol.outside_records import ToolOff
    from braincode_jupyter.protocol.usage import ReasonCode
    from braincode_jupyter.views.approval_view import ApprovalView
    from braincode_jupyter.views.run_view import (
        AgentState,
        AgentView,
        AnswerState,
        ArtifactView,
        AttemptView,
        ReferenceView,
        ReviewState,
        ReviewView,
        RunPhase,
        RunState,
        RunView,
        ToolCallState,
        ToolCallView,
    )

RUN_STATES: Mapping[RunState, str] = MappingProxyType(
    {
        "queued": "queued",
        "running": "running",
        "completed": "completed",
        "needs_clarification": "needs your answer",
        "failed": "failed",
        "cancelled": "cancelled",
        "interrupted": "interrupted",
    }
)
RUN_PHASES: Mapping[RunPhase, str] = MappingProxyType(
    {
        "starting": "starting",
        "routing": "planning",
        "working": "workers at work",
        "answering": "writing the answer",
        "checking": "checking the changes",
        "reviewing": "reviewing",
        "done": "done",
    }
)
AGENT_STATES: Mapping[AgentState, str] = MappingProxyType(
    {
        "queued": "queued",
        "waiting": "waiting",
        "running": "running",
        "waiting_for_approval": "waiting for approval",
        "completed": "completed",
        "unstructured": "unstructured",
        "blocked": "blocked",
        "failed": "failed",
        "cancelled": "cancelled",
        "cut_off": "cut off",
        "interrupted": "interrupted",
    }
)
ANSWER_STATES: Mapping[AnswerState, str] = MappingProxyType(
    {
        "none": "no answer",
        "streaming": "being written",
        "completed": "completed",
        "cut_off": "cut off",
        "partial": "partial: not written to its end",
    }
)
REVIEW_STATES: Mapping[ReviewState, str] = MappingProxyType(
    {
        "not_required": "not required",
        "pending": "not reviewed yet",
        "running": "reviewing",
        "approved": "approved",
        "changes_requested": "changes requested",
        "blocked": "blocked",
        "not_reviewed": "not reviewed",
    }
)
MAX_TOOLS_NAMED = 8
"""Tools that one sentence names."""
STOPPED = "stopped with the run"
TOOL_STATES: Mapping[ToolCallState, str] = MappingProxyType(
    {
        "running": "running",
        "done": "done",
        "failed": "failed",
        "denied": "denied",
        "outcome_unknown": "outcome unknown",
    }
)
TODO_STATES: Mapping[str, str] = MappingProxyType(
    {
        "pending": "pending",
        "running": "running",
        "completed": "done",
        "blocked": "blocked",
        "failed": "failed",
    }
)
REASONS: Mapping[ReasonCode, str] = MappingProxyType(
    {
        "not_configured": "No usable model is configured for this role.",
        "authentication": "The provider refused the key.",
        "rate_limited": "The provider is limiting requests.",
        "overloaded": "The provider is overloaded.",
        "provider_error": "The provider reported an error.",
        "network": "The provider could not be reached.",
        "timeout": "The call took too long.",
        "cut_off": "The reply was cut off.",
        "empty_reply": "The model replied with nothing.",
        "context_too_long": "The prompt is too long for the model.",
        "refused_request": "The provider refused the request.",
        "vision_unsupported": "The model cannot see the attached image.",
        "token_limit": "The budget does not allow the call.",
        "upstream_failed": "A worker that it depends on did not complete.",
        "cancelled": "The run was stopped.",
        "stale_recording": "The recording does not match this request.",
        "internal_error": "Something went wrong inside braincode_jupyter.",
    }
)
HINTS: Mapping[ReasonCode, str] = MappingProxyType(
    {
        "not_configured": "See %braincode doctor.",
        "authentication": "Check the key with %braincode doctor.",
        "rate_limited": "Wait a little, or use fewer workers.",
        "overloaded": "Try again later, or add a fallback model to the role.",
        "network": "Check the connection and the address with %braincode doctor.",
        "timeout": "Try again, or ask for less in one go.",
        "context_too_long": "Refer to less, or choose a model with a longer context.",
        "vision_unsupported": "Choose a model that sees, or leave the image out.",
        "token_limit": "Raise --max-tokens or --max-cost.",
        "cut_off": "Run it again, or give the role a fallback model.",
        "empty_reply": "Run it again, or give the role a fallback model.",
        "provider_error": "Try again later, or give the role a fallback model.",
        "stale_recording": "Record again with --record.",
    }
)
KEPT = "What was done is kept: %braincode resume goes on with it."
NOT_RUN = "Not run: the run ended before its turn."
INTERRUPTED = "The session file ends without an end record."
RESUME_HINT = "What was found is kept, and is not paid for twice."
UNSTRUCTURED = "The reply was not in the asked form; its text was kept."
NO_REVIEW_RESULT = "The review gave no usable decision."
NO_REVIEW_STOPPED = "The run ended before the review."
NO_REVIEW_DEMO = "The embedded demo model never reviews its own work."
NO_REVIEW_ASKED = "Switched off with --no-review."
LATE_ADDED = "The reviewer's reply was not usable, so it cannot approve."
DEMO_MODEL = "The embedded demo model"
DEMO_NOTE = "small, on this machine. It shows how a run works and does not reason well."
RECOVERED = "A torn line of the session file was closed; what it held is lost."

YOUR_REQUEST = "your request"
SECTION_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "request": YOUR_REQUEST,
        "instruction": "instructions",
        "environment": "environment",
        "continuity": "earlier session",
        "hook": "hook text",
        "catalogue": "roles and models",
        "answer": "the answer",
        "patch": "what was changed",
        "review": "what the review asked for",
    }
)
OWNERS: Mapping[str, str] = MappingProxyType(
    {"user": "you", "brain": "Brain", "project": "project"}
)
CELLS: Mapping[str, str] = MappingProxyType(
    {"seen": "●", "own": "own", "withheld": "·", "not_called": "–"}
)
NOT_CALLED = "not called"
CELL_LEGEND = "● seen, own: its own, · not seen, – not called"

ANSWER = "Answer"
PARTIAL = "Text before it broke off"
REVIEW = "Review"
PLAN = "Plan"
TIME = "Time"
AGENTS = "Agents"
MATRIX = "Who saw what"
WARNINGS = "Warnings"
REFERENCES = "References"
QUESTION = "Needs your answer"
MODEL_SAID = "In the model's own words, unchecked"
GRANTS = "Allowed for this run"
EFFECTS: Mapping[str, str] = MappingProxyType(
    {"read": "read", "write": "change files", "execute": "run code"}
)
ERROR = "Why it failed"
ENDED_EARLY = "Why it ended early"
SAW: Mapping[str, str] = MappingProxyType(
    {
        "router": "What the router saw",
        "worker": "What this worker saw",
        "primary": "What the primary saw",
        "review": "What the reviewer saw",
    }
)
WITHHELD = "Withheld from it"
ARTIFACTS = "Artifacts"
PLOT = "plot"
TABLE = "table"
PLOTS = "Plots"
TOOL = "Tool"
FAILED_ATTEMPT = "Failed attempt"
RETRIED = "run again, try {number}"
KEPT_RESULT = "kept from the run before"
RISK = "Risk"
OPEN = "Open"
FINDING = "Finding"
REQUIRED = "Must change"
BLOCKING = "Blocks"
RESIDUAL = "Residual risk"
MISSING = "Missing"
OPTIONS = "Ways to go on"
CRITICAL = "critical path"
SESSION = "Session"
REQUEST = "Request as typed"
NOT_SAVED = "Not saved: the session file could not be written."
STOPPING = "stopping"
EMPTY_RUN = "braincode run"
INDEPENDENCE: Mapping[str, str] = MappingProxyType(
    {
        "none": "reviewer unknown",
        "weak": "by the model that wrote the answer",
        "moderate": "by another model of the same provider",
        "strong": "by a model of another provider",
    }
)
PLAIN_NOTE = "Shown as plain text: too large or too deeply nested to format."
LONG_NOTE = "Only the first {limit:,} characters are shown; the session file holds all of it."


_ID_CHARS = 12
"""Characters of a session id that are enough to find it."""


def waiting_words(roles: tuple[str, ...]) -> str:
    """Return what an agent waits for: a few role names, and how many more."""
    shown = ", ".join(roles[:3])
    rest = len(roles) - 3
    return f"{shown} and {rest} more" if rest > 0 else shown


def state_words(agent: AgentView) -> str:
    """Return an agent's state in words, with what it waits for."""
    words = AGENT_STATES[agent.state]
    if agent.retries > 0:
        words = f"{words}, {RETRIED.format(number=agent.retries + 1)}"
    if agent.is_kept:
        words = f"{words}, {KEPT_RESULT}"
    if agent.waiting_for and agent.state in {"waiting", "running"}:
        return (
            f"{words}, waiting for {agent.waiting_for}"
            if agent.state == "running"
            else (f"{words} for {agent.waiting_for}")
        )
    return words


def run_state_words(view: RunView) -> str:
    """Return the state of a run in words; while it runs, what is being done."""
    if view.state != "running":
        return RUN_STATES[view.state]
    return STOPPING if view.is_stopping else RUN_PHASES[view.phase]


def request_rest(view: RunView) -> str:
    """Return what the request says beyond its title."""
    return view.request.strip().removeprefix(view.title).strip()


def error_title(view: RunView) -> str:
    """Return the heading above the reason of a run without answer."""
    return ERROR if view.state == "failed" else ENDED_EARLY


def reference_words(reference: ReferenceView) -> str:
    """Return what was sent of a reference, or why nothing was."""
    if reference.state == "missing":
        return f"missing: {reference.reason or reference.label or 'no reason given'}"
    cut = f" (cut: {reference.reason})" if reference.state == "cut" and reference.reason else ""
    return f"{reference.label}{cut}"


def review_words(review: ReviewView) -> str:
    """Return the decision, or why there is none."""
    state = REVIEW_STATES[review.state]
    if review.reason:
        return f"{state}: {review.reason}"
    distance = INDEPENDENCE.get(review.independence, "")
    return f"{state}, {distance}" if distance else state


def review_points(review: ReviewView) -> tuple[str, ...]:
    """Return findings, required changes, blocking issues and risks, each with its name."""
    return (
        *(f"{BLOCKING}: {issue}" for issue in review.blocking_issues),
        *(f"{REQUIRED}: {change}" for change in review.required_changes),
        *(f"{FINDING} ({one.severity}): {one.text}" for one in review.findings),
        *(f"{RESIDUAL}: {risk}" for risk in review.residual_risks),
    )


def attempt_words(attempt: AttemptView) -> str:
    """Return a failed attempt: which model, why, and what it spent all the same."""
    spent = "" if attempt.tokens is None else f", {attempt.tokens:,} tokens"
    said = f": {attempt.message}" if attempt.message else ""
    code = attempt.code.replace("_", " ")
    return f"{FAILED_ATTEMPT} {attempt.attempt}: {attempt.model_id} {code}{spent}{said}"


def demo_words(name: str) -> str:
    """Say plainly which small model answers."""
    return f"{name.removesuffix(' (local demo model)') or DEMO_MODEL}: {DEMO_NOTE}"


def lost_words(roles: tuple[str, ...]) -> str:
    """Return the warning that an answer was written without the results of some workers."""
    them = "it" if len(roles) == 1 else "them"
    return f"{waiting_words(roles)} gave no result; the answer was written without {them}."


def tool_words(call: ToolCallView) -> str:
    """Return a tool call: what it did, how it ended, how much came back, who let it."""
    chars = "" if call.chars is None else f", {plural(call.chars, 'character')}"
    approver = f", {call.approver}" if call.approver else ""
    reason = f": {call.reason}" if call.reason else ""
    isolation = f", {call.isolation}" if call.isolation else ""
    progress = f", {call.progress}" if call.progress else ""
    action = call.action or call.name
    facts = f"{progress}{chars}{approver}{reason}{isolation}"
    return f"{TOOL}: {action} · {TOOL_STATES[call.state]}{facts}"


def server_failed(name: str, error: str) -> str:
    """Return why an MCP server cannot be used."""
    return f"MCP server {clean_line(name)}: {clean_line(error, 600)}"


def tools_off(off: Sequence[ToolOff]) -> str:
    """Return which tools of MCP servers are off, and why."""
    named = [f"{clean_line(one.server)}/{clean_line(one.tool)}" for one in off[:MAX_TOOLS_NAMED]]
    more = f" and {len(off) - len(named)} more" if len(off) > len(named) else ""
    return f"MCP tools that are off: {', '.join(named)}{more}. {clean_line(off[0].reason, 200)}"


def approver_words(decision: str, approver: str) -> str:
    """Return who allowed or denied a call; a read that no rule is about says nothing."""
    who = {
        "human": "by you",
        "permission_policy": "by a permission rule",
        "mode_policy": "by the mode",
        "runtime_policy": "by policy",
    }.get(approver, "")
    done = {"auto_approved": "allowed"}.get(decision, decision)
    return f"{done} {who}".strip()


def asking_words(approval: ApprovalView) -> str:
    """Return who asks for what."""
    return f"{approval.role} wants to {EFFECTS[approval.effect]}: {approval.action}"


def model_said(approval: ApprovalView) -> str:
    """Return what the model said of its call, marked as such; empty if it said nothing."""
    return f"{MODEL_SAID}: {approval.model_words}" if approval.model_words else ""


def hidden_in_approval(count: int) -> str:
    """Return the warning about marks in a text that is to be approved."""
    return f"It holds {plural(count, 'hidden character')}, shown as marks."


def plot_left_out(label: str) -> str:
    """Return the warning about a plot for which the card has no room."""
    return f"The plot {label!r} is not on the card: the plots of this run are too large together."


def artifact_words(artifact: ArtifactView) -> str:
    """Return what an artifact is and its name; of one that a result names, where it is."""
    if artifact.media_type is None:
        return f"{artifact.label} ({artifact.uri})"
    return f"{TABLE if artifact.media_type == TABLE_MEDIA_TYPE else PLOT}: {artifact.label}"


def hidden_words(where: str, count: int) -> str:
    """Return the warning about hidden characters."""
    return f"{where} held {plural(count, 'hidden character')}; shown as marks such as ⟨U+200B⟩."


def brief_foot(session_id: str) -> str:
    """Return where the rest of a run is told."""
    start = session_id.split("-", 1)[0][:_ID_CHARS]
    return f"{SESSION} @@{start} · %braincode show {start} tells more"


def brain_words(view: RunView) -> str:
    """Return Brain, mode and who planned."""
    brain = f"Brain {view.brain_id}" if view.brain_id else ""
    return " · ".join(part for part in (brain, view.mode, view.routing) if part)


def todo_words(done: int, total: int) -> str:
    """Return the heading of the plan: ``Plan · 3 of 6``."""
    return f"{PLAN} · {done} of {total}"


def count_words(count: int, word: str) -> str:
    """Return how many are in a state: ``3 failed``."""
    return f"{count:,} {word}"


def audience_words(readers: Sequence[str], strangers: Sequence[str], *, has_owner: bool) -> str:
    """Return who saw a section: ``seen by all 65``, ``seen by its own agent alone``.

    Parameters
    ----------
    readers : sequence of str
        Who was given it.
    strangers : sequence of str
        Who was called without it.
    has_owner : bool
        Whether it is also the text of one who was called.

    Returns
    -------
    str
        Words; whichever are fewer, readers or strangers, are named.
    """
    if not readers:
        return "seen by its own agent alone" if has_owner else "seen by nobody"
    told = ", ".join(readers)
    if not strangers:
        told = f"all {len(readers) + has_owner}"
    elif len(strangers) < len(readers):
        told = f"all but {', '.join(strangers)}"
    return f"seen by its own agent and {told}" if has_owner and strangers else f"seen by {told}"


def plural(count: int, noun: str) -> str:
    """Return ``1 call``, ``2 calls``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def section_words(kind: str, owner_label: str, name: str) -> str:
    """Return the short name of a section: ``@var:sales``, ``analyst result``, ``AGENTS.md``.

    Parameters
    ----------
    kind : str
        Section kind.
    owner_label : str
        Whose it is, for people.
    name : str
        Token or file name; may be empty.

    Returns
    -------
    str
        Label.
    """
    match kind:
        case "role":
            return f"role: {owner_label}"
        case "result" | "private":
            return f"{owner_label} {kind}"
        case "handoff":
            return f"{owner_label} task"
        case "reference" | "support":
            return name or kind
        case _:
            return SECTION_LABELS.get(kind, kind)
