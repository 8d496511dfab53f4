"""Running a worker again: which one is meant, and what a new run goes on from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.going_on import take_up
from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.runtime.going_on import other_text, prepare_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.runtime.going_on import EarlierRun
    from braincode_jupyter.runtime.preparation import Preparation
    from braincode_jupyter.runtime.settings import RunArguments, Sources
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


def prepare_again(
    earlier: EarlierRun,
    worker: AgentView,
    arguments: RunArguments,
    *,
    sources: Sources,
    clock: Clock,
    new_id: Callable[[], str],
) -> Preparation:
    """Resolve what a run starts from that runs one worker of an earlier one again.

    Parameters
    ----------
    earlier : EarlierRun
        Where it goes on from.
    worker : AgentView
        The worker.
    arguments : RunArguments
        Where things are, who answers and what is allowed.
    sources, clock, new_id
        As in `prepare`.

    Returns
    -------
    Preparation
        Ready to run.

    Raises
    ------
    UsageError
        If the worker cannot be run again, or what the request refers to is gone.
    ConfigurationError
        When no model can be used.
    """
    taken = take_up(earlier.records, worker.context_id)
    if isinstance(taken, str):
        raise UsageError(f"{worker.role!r} cannot be run again: {taken}", hint=RETRY_HINT)
    preparation = prepare_from(earlier, arguments, sources=sources, clock=clock, new_id=new_id)
    request = preparation.request
    kept = len(taken.results)
    told = f"{worker.role} is run again; results that are kept from the run before: {kept}."
    other = other_text(earlier.records, request.references)
    changed = (
        f"{token} has changed since: kept results were found with what it was before."
        for token in (*other.changed, *other.missing)
    )
    return replace(
        preparation,
        request=replace(request, taken_up=taken, warnings=(*request.warnings, told, *changed)),
    )
