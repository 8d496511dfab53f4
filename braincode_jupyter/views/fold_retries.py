"""Workers that are taken up again: their entries begin anew, what went wrong stays in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.fold_calls import with_attempt
from braincode_jupyter.views.run_view import AttemptView

if TYPE_CHECKING:
    from braincode_jupyter.protocol.records import RetryRequested
    from braincode_jupyter.views.run_view import AgentView, RunView


def note_retry(view: RunView, record: RetryRequested) -> RunView:
    """Take a worker up again, and those that go with it; what the earlier try made is dropped."""
    again = {record.context_id, *record.also}
    agents: list[AgentView] = []
    dropped: set[str] = set()
    for agent in view.agents:
        if agent.context_id not in again or agent.kind != "worker":
            agents.append(agent)
            continue
        dropped |= {one.uri for one in agent.artifacts}
        number = agent.retries + (agent.started_ms is not None)
        if agent.context_id == record.context_id:
            number = record.number
        agents.append(_begin_again(agent, number))
    plots = tuple(one for one in view.plots if one.uri not in dropped)
    tables = tuple(one for one in view.tables if one.uri not in dropped)
    if len(plots) + len(tables) != len(view.plots) + len(view.tables):
        view = view.model_copy(update={"plots": plots, "tables": tables})
    return view.model_copy(update={"agents": tuple(agents)})


def _begin_again(agent: AgentView, number: int) -> AgentView:
    """Return an agent as queued, with what came of its last try in one line."""
    is_told = any(one.retry == agent.retries for one in agent.attempts)
    # One that was blocked was never asked: there is no try to remember.
    if agent.started_ms is not None and not is_told:
        attempt = AttemptView(
            attempt=1,
            model_id=agent.model_id or "",
            code=agent.state,
            message=agent.reason or "",
        )
        agent = with_attempt(agent, attempt)
    return agent.model_copy(
        update={
            "state": "queued",
            "retries": number,
            "is_kept": False,
            "can_retry": False,
            "started_ms": None,
            "ended_ms": None,
            "summary": "",
            "summary_blocks": (),
            "artifacts": (),
            "tool_calls": (),
            "risks": (),
            "next_questions": (),
            "reason": None,
            "hint": None,
            "partial": "",
        }
    )
