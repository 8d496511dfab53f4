"""Which worker of a run is meant, where one is to be taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import AgentView, RunView

RETRY_HINT = "%braincode show tells the state of each worker."


def find_worker(view: RunView, name: str) -> AgentView:
    """Return the worker that a person names.

    Parameters
    ----------
    view : RunView
        The run.
    name : str
        Context id, or role; a second one of a role is ``role-2``. A role alone means the first of
        its workers that can be run again, else the first.

    Returns
    -------
    AgentView
        The worker.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    workers = [agent for agent in view.agents if agent.kind == "worker"]
    named = {agent.context_id: agent for agent in workers}
    seen: dict[str, int] = {}
    for agent in workers:
        seen[agent.role] = seen.get(agent.role, 0) + 1
        tail = f"-{seen[agent.role]}" if seen[agent.role] > 1 else ""
        named.setdefault(f"{agent.role}{tail}", agent)
        if not tail or (agent.can_retry and not named[agent.role].can_retry):
            named[agent.role] = agent
    found = named.get(name.strip())
    if found is None:
        raise UnknownNameError("worker", name[:64], sorted(seen))
    return found
