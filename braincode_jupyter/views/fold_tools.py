"""Records of tool calls: a person is asked, a decision, a start, an end, what was made."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, get_args

from braincode_jupyter.protocol.approval_records import MAX_GRANTS, MAX_MODEL_WORDS
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.approval_view import ApprovalView, GrantView
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.exact import is_diff, to_exact
from braincode_jupyter.views.fold_calls import note_warning
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.roster import AgentKey, get_agent, kind_of, put_agent
from braincode_jupyter.views.run_view import (
    ArtifactView,
    PlotMediaType,
    PlotView,
    ToolCallView,
)
from braincode_jupyter.views.table_view import MAX_COPIES_CHARS, MAX_TABLES, to_table_view
from braincode_jupyter.views.timeline import few_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.approval_records import (
        ApprovalGranted,
        ApprovalRequested,
        ApprovalRevoked,
        ArtifactMade,
    )
    from braincode_jupyter.protocol.outside_records import (
        McpConnected,
        ToolApprovalDecided,
        ToolExecuted,
        ToolOff,
        ToolProgressed,
    )
    from braincode_jupyter.protocol.sentence import Said, Sentence
    from braincode_jupyter.views.run_view import AgentView, RunView

MAX_TOOL_CALLS = 64
"""Tool calls of one agent that a card keeps; an agent may make 50."""
MAX_APPROVALS = 64
"""Approvals that wait at the same time: one for each worker."""
MAX_ARTIFACTS = 64
"""Artifacts of one agent that a card keeps."""
MAX_LABEL_CHARS = 400
"""Characters of an artifact's name."""
MAX_PLOTS_CHARS = 1_000_000
"""Base64 of all plots of a run; a server drops what is beyond some MB in a few seconds."""
MAX_ACTION_CHARS = 400
"""Characters of the line that says what a call does."""
MAX_PROGRESS_CHARS = 200
"""Characters of what a call says of itself."""
MAX_REASON_CHARS = 600
"""Characters of a reason."""
MAX_TOOLS_NAMED = 8
"""Tools that one sentence names."""

_ALLOWED = frozenset({"allowed", "approved", "auto_approved"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def note_request(view: RunView, record: ApprovalRequested) -> RunView:
    """Take a question to the reader: it stands on the card, and its agent waits."""
    if any(one.approval_id == record.approval_id for one in view.approvals):
        return view
    if len(view.approvals) >= MAX_APPROVALS:
        return view
    agent = _agent(view, record.context_id, role=record.role, timestamp=record.timestamp)
    exact, action = to_exact(record.shown), to_exact(record.action)
    approval = ApprovalView(
        approval_id=record.approval_id,
        context_id=agent.context_id,
        role=agent.role,
        tool=clean_line(record.tool),
        effect=record.effect,
        action=clean_line(action.shown, MAX_ACTION_CHARS),
        shown=exact.shown,
        whole=exact.whole,
        is_diff=is_diff(record.shown),
        hidden_chars=exact.hidden + action.hidden,
        reason=recorded("rules", clean_line(record.reason, MAX_REASON_CHARS)),
        model_words=clean_line(record.model_words, MAX_MODEL_WORDS),
        deadline_ms=record.asked_ms + int(record.timeout_s * 1000),
        bound_sha256=clean_line(record.bound_sha256),
    )
    view = put_agent(view, agent.model_copy(update={"state": "waiting_for_approval"}))
    return view.model_copy(update={"approvals": (*view.approvals, approval)})


def note_approval(view: RunView, record: ToolApprovalDecided) -> RunView:
    """Take a decision: the question goes, and a denied call is marked as such."""
    agent = _agent_of(view, record)
    tail = f":{record.tool_call_id}"
    left = tuple(
        one
        for one in view.approvals
        if one.context_id != agent.context_id or not one.approval_id.endswith(tail)
    )
    is_waiting = any(one.context_id == agent.context_id for one in left)
    if agent.state == "waiting_for_approval" and not is_waiting:
        agent = agent.model_copy(update={"state": "running"})
    is_allowed = record.decision in _ALLOWED
    call = _open_call(agent, record.tool_call_id, name=record.tool_name).model_copy(
        update={
            "action": _action(record.args_summary),
            "state": "running" if is_allowed else "denied",
            "approver": sentence(
                f"decisions.{record.decision}", who=sentence(f"approvers.{record.approver}")
            ),
            "reason": _denial(record),
        }
    )
    after = put_agent(view, _with_call(agent, call)).model_copy(update={"approvals": left})
    return _with_use(after, record.grant_id)


def note_grant(view: RunView, record: ApprovalGranted) -> RunView:
    """Take a "same again in this run": it is listed until it is revoked."""
    if len(view.grants) >= MAX_GRANTS:
        return view
    grant = GrantView(
        approval_id=record.approval_id,
        role=clean_line(record.role),
        tool=clean_line(record.tool),
        effect=record.effect,
        action=clean_line(to_exact(record.action).shown, MAX_ACTION_CHARS),
        shown=to_exact(record.shown).shown,
        is_diff=is_diff(record.shown),
    )
    return view.model_copy(update={"grants": (*view.grants, grant)})


def note_revoked(view: RunView, record: ApprovalRevoked) -> RunView:
    """Take that a grant was taken back."""
    left = tuple(one for one in view.grants if one.approval_id != record.approval_id)
    return view.model_copy(update={"grants": left})


def _with_use(view: RunView, grant_id: str | None) -> RunView:
    if grant_id is None:
        return view
    grants = tuple(
        one.model_copy(update={"uses": one.uses + 1}) if one.approval_id == grant_id else one
        for one in view.grants
    )
    return view.model_copy(update={"grants": grants})


def note_execution(view: RunView, record: ToolExecuted) -> RunView:
    """Take the start or the end of a tool call; one that was not made again is there already."""
    if record.is_recalled:
        return view
    agent = _agent_of(view, record)
    call = _open_call(agent, record.tool_call_id, name=record.tool_name)
    if record.event == "start":
        call = call.model_copy(update={"action": _action(record.args_summary) or call.action})
    else:
        summary = record.result_summary
        chars = summary.get("chars") if isinstance(summary, dict) else None
        is_number = isinstance(chars, int) and not isinstance(chars, bool) and chars >= 0
        call = call.model_copy(
            update={
                "state": "failed" if record.is_error else "done",
                "chars": chars if is_number else None,
                "progress": "",
                "isolation": recorded("rules", _said(summary, "isolation")),
                "reason": recorded("refused", _said(summary, "refused")),
            }
        )
    return put_agent(view, _with_call(agent, call))


def note_progress(view: RunView, record: ToolProgressed) -> RunView:
    """Take what a call that is under way says of itself; it goes once the call has ended."""
    agent = _agent_of(view, record)
    call = _open_call(agent, record.tool_call_id, name=record.tool_name)
    call = call.model_copy(update={"progress": clean_line(record.message, MAX_PROGRESS_CHARS)})
    return put_agent(view, _with_call(agent, call))


def note_servers(view: RunView, record: McpConnected) -> RunView:
    """Take what became of MCP servers: what cannot be used is told, the rest is no news."""
    for failed in record.report.failed:
        view = note_warning(view, _server_failed(failed.name, failed.error))
    if record.report.off:
        view = note_warning(view, _tools_off(record.report.off))
    return view


def note_artifact(view: RunView, record: ArtifactMade) -> RunView:
    """Take what a tool made: a line in its agent's entry, and the plot or table that it is."""
    agent = _agent(view, record.context_id, role="", timestamp=record.timestamp)
    uri = clean_line(record.uri, 1_000)
    known = next((one for one in agent.artifacts if one.uri == uri), None)
    if known is not None:  # a table that was made again takes the place of the earlier one
        return _with_table(view, record, known.label)
    if len(agent.artifacts) >= MAX_ARTIFACTS:
        return view
    name = _free_name(view, clean_line(record.label or record.uri, MAX_LABEL_CHARS))
    plot = _plot(record, name)
    media_type = record.media_type if record.table is not None else plot and plot.media_type
    artifact = ArtifactView(kind="artifact", uri=uri, label=name, media_type=media_type)
    agent = agent.model_copy(update={"artifacts": (*agent.artifacts, artifact)})
    view = _with_table(put_agent(view, agent), record, name)
    if plot is None or any(one.uri == plot.uri for one in view.plots):
        return view
    if sum(len(one.data) for one in view.plots) + len(plot.data) > MAX_PLOTS_CHARS:
        return note_warning(view, sentence("said.plotLeftOut", label=repr(plot.label)))
    return view.model_copy(update={"plots": (*view.plots, plot)})


def _with_table(view: RunView, record: ArtifactMade, name: str) -> RunView:
    uri = clean_line(record.uri, 1_000)
    others = [one for one in view.tables if one.uri != uri]
    room = MAX_COPIES_CHARS - sum(len(one.csv) for one in others)
    table = to_table_view(record, name, session_id=view.session_id, room=room)
    if table is None or len(others) >= MAX_TABLES:
        return view
    if len(others) == len(view.tables):
        return view.model_copy(update={"tables": (*others, table)})
    tables = tuple(table if one.uri == uri else one for one in view.tables)
    return view.model_copy(update={"tables": tables})


def _free_name(view: RunView, name: str) -> str:
    """Return a name that no other artifact of the run has."""
    taken = {one.label for agent in view.agents for one in agent.artifacts}
    numbers = count(2)
    free = name
    while free in taken:
        free = f"{name}-{next(numbers)}"
    return free


def end_calls(agent: AgentView, *, were_stopped: bool) -> AgentView:
    """Return the agent of a run that is over: a call that did not end has an unknown outcome."""
    if all(call.state != "running" for call in agent.tool_calls):
        return agent
    ended = {
        "state": "outcome_unknown",
        "progress": "",
        "reason": sentence("said.stopped") if were_stopped else "",
    }
    calls = tuple(
        call.model_copy(update=ended) if call.state == "running" else call
        for call in agent.tool_calls
    )
    return agent.model_copy(update={"tool_calls": calls})


def _server_failed(name: str, error: str) -> Sentence:
    return sentence("said.serverFailed", name=clean_line(name), error=clean_line(error, 600))


def _tools_off(off: Sequence[ToolOff]) -> Sentence:
    """Return which tools of MCP servers are off, and why."""
    shown = [f"{clean_line(one.server)}/{clean_line(one.tool)}" for one in off]
    names = few_names(shown, limit=MAX_TOOLS_NAMED)
    return sentence("said.toolsOff", names=names, reason=clean_line(off[0].reason, 200))


def _agent_of(
    view: RunView, record: ToolApprovalDecided | ToolExecuted | ToolProgressed
) -> AgentView:
    context_id = record.context_id or record.task_id
    kind = kind_of(record.phase)
    key = AgentKey(kind=kind, role=record.role or kind, context_id=context_id)
    return get_agent(view, key, record.timestamp)


def _agent(view: RunView, context_id: str | None, *, role: str, timestamp: int) -> AgentView:
    return get_agent(view, AgentKey(kind="worker", role=role, context_id=context_id), timestamp)


def _open_call(agent: AgentView, call_id: str, *, name: str) -> ToolCallView:
    """Return the call that is under way, or a new one: providers use an id again."""
    call_id = clean_line(call_id)
    known = (call for call in agent.tool_calls if call.call_id == call_id)
    found = next((call for call in known if call.state == "running"), None)
    return found or ToolCallView(call_id=call_id, name=clean_line(name))


def _with_call(agent: AgentView, call: ToolCallView) -> AgentView:
    calls = list(agent.tool_calls)
    for index, known in enumerate(calls):
        if known.call_id == call.call_id and known.state == "running":
            calls[index] = call
            return agent.model_copy(update={"tool_calls": tuple(calls)})
    if len(calls) >= MAX_TOOL_CALLS:
        return agent
    return agent.model_copy(update={"tool_calls": (*calls, call)})


def _denial(record: ToolApprovalDecided) -> Said:
    """Return why a call was denied; a person is not asked for a reason."""
    if record.decision in _ALLOWED or record.approver == "human":
        return ""
    return recorded("rules", clean_line(record.reason or "", MAX_REASON_CHARS))


def _action(summary: JsonValue | None) -> str:
    return _said(summary, "action", limit=MAX_ACTION_CHARS)


def _said(summary: JsonValue | None, key: str, *, limit: int = MAX_REASON_CHARS) -> str:
    """Return one text of a summary; empty if there is none."""
    said = summary.get(key) if isinstance(summary, dict) else None
    return clean_line(said, limit) if isinstance(said, str) else ""


def _plot(record: ArtifactMade, name: str) -> PlotView | None:
    """Return the image of an artifact; only what a browser draws without running anything."""
    media_types: tuple[PlotMediaType, ...] = get_args(PlotMediaType)
    for media_type in media_types:
        if record.media_type == media_type and record.data and _BASE64.fullmatch(record.data):
            return PlotView(
                uri=clean_line(record.uri, 1_000),
                label=name,
                media_type=media_type,
                data=record.data,
            )
    return None
