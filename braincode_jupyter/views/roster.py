"""The agents of a view: finding one, adding one, keeping them in order.

Router, primary and reviewer are one row each, whatever their context ids; a worker is its context.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.run_view import AgentView

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import RunView

AgentKind = Literal["router", "worker", "primary", "review"]
OPEN_STATES = frozenset({"queued", "waiting", "running", "waiting_for_approval"})
"""States of an agent that is not done."""
MAX_AGENTS = 160
"""Agents in one view; the mode limits allow 64 workers and as many dispatched ones."""
_RANK: dict[AgentKind, int] = {"router": 0, "worker": 1, "primary": 2, "review": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKey:
    """What a record says of the agent it belongs to."""

    kind: AgentKind
    role: str
    context_id: str | None


def kind_of(phase: str | None) -> AgentKind:
    """Return the kind of agent that a phase names."""
    match phase:
        case "router" | "planning":
            return "router"
        case "primary":
            return "primary"
        case "review":
            return "review"
        case _:
            return "worker"


def find_agent(view: RunView, key: AgentKey) -> AgentView | None:
    """Return the agent that ``key`` names, or None."""
    if key.kind == "router":
        return next((agent for agent in view.agents if agent.kind == "router"), None)
    if key.context_id:
        for agent in view.agents:
            if agent.context_id == key.context_id and agent.kind != "router":
                return agent
    if key.kind != "worker":
        return next((agent for agent in view.agents if agent.kind == key.kind), None)
    if key.context_id:
        return None
    return next((a for a in view.agents if a.kind == "worker" and a.role == key.role), None)


def get_agent(view: RunView, key: AgentKey, timestamp: int) -> AgentView:
    """Return the agent that ``key`` names, or a new queued one that is not in the view yet."""
    found = find_agent(view, key)
    if found is not None:
        return found
    role = "router" if key.kind == "router" else clean_line(key.role) or key.kind
    return AgentView(
        context_id=key.context_id or f"{key.kind}:{role}",
        kind=key.kind,
        role=role,
        state="queued",
        queued_ms=timestamp or None,
    )


def put_agent(view: RunView, agent: AgentView, **changes: object) -> RunView:
    """Return the view with ``agent`` in its place.

    Parameters
    ----------
    view : RunView
        View so far.
    agent : AgentView
        A new one, or one that takes the place of its earlier self.
    **changes : object
        What else changes in the view, by name of the field.

    Returns
    -------
    RunView
        A new view; ``view`` itself if nothing is new.
    """
    agents = list(view.agents)
    for index, known in enumerate(agents):
        if known.context_id == agent.context_id and known.kind == agent.kind:
            if known is agent and not changes:
                return view
            agents[index] = agent
            return view.model_copy(update={"agents": tuple(agents), **changes})
    if len(agents) < MAX_AGENTS:
        agents = sorted((*agents, agent), key=lambda one: _RANK[one.kind])
    return view.model_copy(update={"agents": tuple(agents), **changes})


def agent_labels(view: RunView) -> dict[str, str]:
    """Return a name for each context id; a role that acts twice is numbered."""
    labels: dict[str, str] = {}
    seen: dict[str, int] = {}
    for agent in view.agents:
        if agent.context_id in labels:
            continue
        count = seen.get(agent.role, 0) + 1
        seen[agent.role] = count
        labels[agent.context_id] = agent.role if count == 1 else f"{agent.role} {count}"
    return labels
