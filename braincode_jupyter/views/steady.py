"""A view without what differs from one run to the next, for outputs that are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.roster import agent_labels

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import AgentView, RunView, SectionView


def to_steady(view: RunView) -> RunView:
    """Return the view without ids and times; context ids become role names.

    Parameters
    ----------
    view : RunView
        The run.

    Returns
    -------
    RunView
        The same for two runs that differ in ids and times alone.
    """
    labels = agent_labels(view)
    agents = tuple(_steady_agent(agent, labels) for agent in view.agents)
    columns = tuple(
        column.model_copy(update={"key": f"{number} {column.kind} {column.label}"})
        for number, column in enumerate(view.matrix.columns, start=1)
    )
    rows = tuple(row.model_copy(update={"context_id": row.label}) for row in view.matrix.rows)
    return view.model_copy(
        update={
            "session_id": "",
            "run_id": "",
            "started_ms": 0,
            "ended_ms": None,
            "agents": agents,
            "matrix": view.matrix.model_copy(update={"columns": columns, "rows": rows}),
        }
    )


def _steady_agent(agent: AgentView, labels: dict[str, str]) -> AgentView:
    return agent.model_copy(
        update={
            "context_id": labels.get(agent.context_id, agent.role),
            "last_call_id": "",
            "queued_ms": None,
            "started_ms": None,
            "ended_ms": None,
            "is_critical": False,
            "upstream": tuple(labels.get(one, one) for one in agent.upstream),
            "saw": tuple(_steady_section(one, labels) for one in agent.saw),
            "withheld": tuple(_steady_section(one, labels) for one in agent.withheld),
        }
    )


def _steady_section(section: SectionView, labels: dict[str, str]) -> SectionView:
    is_ours = section.owner in labels
    source = (
        section.source.replace(section.owner, labels[section.owner]) if is_ours else section.source
    )
    owner = labels.get(section.owner, section.owner)
    return section.model_copy(update={"owner": owner, "source": source})
