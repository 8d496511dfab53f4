"""What follows from all agents together: who waits for whom, the critical path, the usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.protocol.work_records import MAX_RETRIES
from braincode_jupyter.views.roster import OPEN_STATES
from braincode_jupyter.views.usage import sum_usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from braincode_jupyter.protocol.sentence import Said
    from braincode_jupyter.views.run_view import AgentView, RunView

_ENDLESS = 1 << 62
"""End of an agent that still runs."""
_LACKING = frozenset({"failed", "blocked", "cut_off", "unstructured", "cancelled", "interrupted"})
"""States of a worker that may be taken up again."""
_RETRY_PHASES = frozenset({"working", "done"})
"""Before the primary starts, and when all is over."""


def settle(view: RunView) -> RunView:
    """Return the view with waiting agents named as such, the critical path marked, usage summed.

    Parameters
    ----------
    view : RunView
        View after a record.

    Returns
    -------
    RunView
        The same, with `state`, `waiting_for`, `can_retry` and `is_critical` of each agent, and the
        usage of the run, up to date.
    """
    known = {agent.context_id: agent for agent in view.agents}
    is_open = view.phase in _RETRY_PHASES and not view.is_stopping and view.clarification is None
    agents = tuple(_retryable(_waiting(agent, known), is_open) for agent in view.agents)
    critical = critical_path(agents)
    agents = tuple(
        agent
        if agent.is_critical == (index in critical)
        else agent.model_copy(update={"is_critical": index in critical})
        for index, agent in enumerate(agents)
    )
    usage = sum_usage(agent.usage for agent in agents)
    return view.model_copy(update={"agents": agents, "usage": usage})


def has_moved(before: RunView, after: RunView) -> bool:
    """Tell whether something changed that `settle` depends on."""
    if before is after:
        return False
    if _state_of(before) != _state_of(after) or len(before.agents) != len(after.agents):
        return True
    return any(
        old is not new and _facts(old) != _facts(new)
        for old, new in zip(before.agents, after.agents, strict=True)
    )


def critical_path(agents: Sequence[AgentView]) -> frozenset[int]:
    """Return the positions of the agents on the critical path.

    It is walked backwards: from the agent that ended last (or still runs), to whichever of those
    it had to wait for ended last.

    Parameters
    ----------
    agents : sequence of AgentView
        Agents with times and upstream contexts.

    Returns
    -------
    frozenset of int
        Indices into ``agents``; empty while nobody has started.
    """
    begun = [index for index, agent in enumerate(agents) if agent.started_ms is not None]
    path: set[int] = set()
    here = max(begun, key=lambda index: _rank(agents, index), default=None)
    while here is not None and here not in path:
        path.add(here)
        before = [index for index in _waited_for(agents, here) if index in begun]
        here = max(before, key=lambda index: _rank(agents, index), default=None)
    return frozenset(path)


def few_names(names: Sequence[str], *, limit: int = 3) -> Said:
    """Return the first names, and how many more there are."""
    shown = ", ".join(names[:limit])
    rest = len(names) - limit
    return sentence("said.andMore", names=shown, count=rest) if rest > 0 else shown


def _state_of(view: RunView) -> tuple[object, ...]:
    return view.phase, view.is_stopping, view.clarification is None


def _facts(agent: AgentView) -> tuple[object, ...]:
    times = agent.started_ms, agent.ended_ms
    retrying = agent.retries, agent.is_planned
    awaited = agent.upstream, agent.model_id, _running_tool(agent)
    return agent.state, times, retrying, awaited, agent.usage


def _running_tool(agent: AgentView) -> str | None:
    return next((call.name for call in agent.tool_calls if call.state == "running"), None)


def _rank(agents: Sequence[AgentView], index: int) -> tuple[int, int, int]:
    agent = agents[index]
    started = agent.started_ms or 0
    if agent.ended_ms is None:
        return _ENDLESS, -started, -index
    return agent.ended_ms, started, index


def _waited_for(agents: Sequence[AgentView], index: int) -> list[int]:
    agent = agents[index]
    if agent.kind == "router":
        return []
    upstream = frozenset(agent.upstream)
    declared = [i for i, one in enumerate(agents) if one.context_id in upstream and i != index]
    if declared:
        return declared
    routers = [i for i, other in enumerate(agents) if other.kind == "router"]
    started = agent.started_ms or 0
    slots = [
        i
        for i, other in enumerate(agents)
        if other.kind == agent.kind == "worker"
        and other.ended_ms is not None
        and (other.started_ms or 0) < other.ended_ms <= started
    ]
    return routers + slots


def _waiting(agent: AgentView, known: Mapping[str, AgentView]) -> AgentView:
    if agent.state not in OPEN_STATES:
        return _with(agent, agent.state, None)
    if agent.state == "waiting_for_approval":
        return _with(agent, agent.state, None)
    if agent.state == "running":
        model = agent.model_id
        asked = sentence("said.replyOf", model=model) if model else sentence("said.reply")
        return _with(agent, "running", _running_tool(agent) or asked)
    awaited = [known[one] for one in agent.upstream if one in known and one != agent.context_id]
    open_roles = [other.role for other in awaited if other.state in OPEN_STATES]
    if open_roles:
        return _with(agent, "waiting", few_names(open_roles))
    return _with(agent, "queued", None)


def _retryable(agent: AgentView, is_open: bool) -> AgentView:  # noqa: FBT001 - a fact
    can_retry = (
        is_open
        and agent.is_planned
        and agent.kind == "worker"
        and agent.state in _LACKING
        and agent.retries < MAX_RETRIES
    )
    if agent.can_retry == can_retry:
        return agent
    return agent.model_copy(update={"can_retry": can_retry})


def _with(agent: AgentView, state: str, waiting_for: Said | None) -> AgentView:
    if agent.state == state and agent.waiting_for == waiting_for:
        return agent
    return agent.model_copy(update={"state": state, "waiting_for": waiting_for})
