"""Specialists that the primary calls while it writes: few, one level deep, support only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.plans import routed_roles, stable_id
from braincode_jupyter.brain.working import start_worker
from braincode_jupyter.protocol.outside_records import DispatchAnswered
from braincode_jupyter.protocol.plan import RuntimeWorker

if TYPE_CHECKING:
    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.brain.state import RunState
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.outside_records import DispatchRequested

DISPATCH_TOOL = "dispatch_specialist"
"""Name of the tool by which the primary calls one."""
MAX_GOAL_CHARS = 4_000
"""Longest goal of a specialist; characters."""
_NEVER = frozenset({"review", "rush", "imageMaker"})


def dispatch_roles(preset: BrainPreset) -> tuple[str, ...]:
    """Return the roles that may be called."""
    return tuple(role for role in routed_roles(preset) if role not in _NEVER)


def next_context_id(state: RunState) -> str:
    """Return the context id that the next specialist gets."""
    return stable_id(state.request.run_id, "dispatch", str(len(state.dispatched) + 1))


def why_not(state: RunState, role: str, goal: str) -> str | None:
    """Say in a sentence to the model why a call for a specialist is refused.

    Parameters
    ----------
    state : RunState
        Where the run is.
    role : str
        Role that is asked for.
    goal : str
        What it is to do.

    Returns
    -------
    str or None
        None if the call may go on.
    """
    request = state.request
    most = request.limits.max_dynamic_dispatches
    if len(state.dispatched) >= most:
        return f"All {most} specialists of this run were called. Answer with what you have."
    roles = dispatch_roles(request.preset)
    if role not in roles:
        return f"{role!r} cannot be called. Roles: {', '.join(roles)}."
    if not goal.strip() or len(goal) > MAX_GOAL_CHARS:
        return f"Give a goal of 1 to {MAX_GOAL_CHARS:,} characters that stands on its own."
    return None


def take_dispatch(t: Transition, record: DispatchRequested) -> None:
    """Start a specialist; a request beyond the bounds starts nobody."""
    state = t.state
    if state.at != "answering" or why_not(state, record.role, record.goal) is not None:
        return
    worker = RuntimeWorker(
        role=record.role,
        goal=record.goal,
        reason=record.reason,
        todo_ids=(),
        context_id=record.context_id,
    )
    t.set(dispatched=(*state.dispatched, worker))
    start_worker(t, worker)
    note_end(t, worker)


def note_end(t: Transition, worker: RuntimeWorker) -> None:
    """Put the end of a specialist on the record, once it has a result."""
    result = t.state.results.get(worker.context_id)
    if result is None or worker not in t.state.dispatched:
        return
    t.write(
        DispatchAnswered(
            timestamp=t.timestamp,
            role=worker.role,
            context_id=worker.context_id,
            status=result.status,
            summary=result.summary,
        )
    )
