"""Taking a worker up again: what failed, came to nothing or came back unusable gets a new try.

The worker gets the same packet and a fresh agent. What it wrote before stays private, as always.
Workers that were blocked for want of its result go with it, and so do those whose lacking results
blocked it. While a run goes on this is possible until the primary starts; later a new run of the
session goes on from what this one found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.schedule import support_workers, upstream_of
from braincode_jupyter.brain.working import phase_of
from braincode_jupyter.protocol.work_records import MAX_RETRIES, RetryRequested

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.brain.state import RunState
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimePlan

TOO_LATE = "The answer is being written. Once this run has ended, the worker can be run again."
USED_UP = f"It was run again {MAX_RETRIES} times, which is the most."
IS_GOOD = "It completed: there is nothing to run again."
NOT_DONE = "It has not come to an end yet."
NOT_PLANNED = "Only planned workers can be run again, not the primary or the reviewer."


def why_not_again(state: RunState, context_id: str) -> str | None:
    """Say in a sentence why a worker cannot be taken up again in a run that goes on.

    Parameters
    ----------
    state : RunState
        Where the run is.
    context_id : str
        Context of the worker.

    Returns
    -------
    str or None
        None if it can be.
    """
    if state.plan is None:
        return NOT_DONE
    if all(worker.context_id != context_id for worker in support_workers(state.plan)):
        return NOT_PLANNED
    if state.at != "working":
        return TOO_LATE
    result = state.results.get(context_id)
    if result is None:
        return NOT_DONE
    if is_good(result) and context_id not in state.cut_off:
        return IS_GOOD
    return USED_UP if state.retries.get(context_id, 0) >= MAX_RETRIES else None


def is_good(result: ExecutedWorkerResult) -> bool:
    """Tell whether a result is what was asked for."""
    return result.status == "completed" and not result.unstructured


def taken_up(
    plan: RuntimePlan, results: Mapping[str, ExecutedWorkerResult], context_id: str
) -> tuple[str, ...]:
    """Return who is taken up again when one worker is.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan.
    results : mapping of str to ExecutedWorkerResult
        Final results by context id.
    context_id : str
        The worker that was asked for.

    Returns
    -------
    tuple of str
        Context ids in plan order: the worker, those that were blocked because they lacked its
        result, and, if it was blocked itself, those without whose results it cannot start.
    """
    again = {context_id}
    workers = support_workers(plan)
    needs = {worker.context_id: upstream_of(plan, worker.context_id) for worker in workers}
    lacking = [context_id] if _is_blocked(results, context_id) else []
    while lacking:
        for needed in needs[lacking.pop()]:
            done = results.get(needed)
            if needed not in again and done is not None and done.status != "completed":
                again.add(needed)
                lacking.append(needed)
    for _ in workers:
        again |= {
            worker.context_id
            for worker in workers
            if _is_blocked(results, worker.context_id)
            and not again.isdisjoint(needs[worker.context_id])
        }
    return tuple(worker.context_id for worker in workers if worker.context_id in again)


def retry_record(state: RunState, context_id: str, *, timestamp: int) -> RetryRequested | str:
    """Return the record that takes a worker of a run that goes on up again.

    Parameters
    ----------
    state : RunState
        Where the run is.
    context_id : str
        Context of the worker.
    timestamp : int
        When; milliseconds since the epoch.

    Returns
    -------
    RetryRequested or str
        A sentence on why it cannot be.
    """
    refusal = why_not_again(state, context_id)
    if refusal is not None or state.plan is None:
        return refusal or NOT_DONE
    again = taken_up(state.plan, state.results, context_id)
    worker = next(one for one in state.workers if one.context_id == context_id)
    return RetryRequested(
        timestamp=timestamp,
        context_id=context_id,
        worker=worker.role,
        number=state.retries.get(context_id, 0) + 1,
        also=tuple(one for one in again if one != context_id),
    )


def take_retry(t: Transition, record: RetryRequested) -> bool:
    """Take a worker up again; a request that comes too late, or once too often, does nothing.

    Returns
    -------
    bool
        True if the run has something new to do.
    """
    state = t.state
    if why_not_again(state, record.context_id) is not None:
        return False
    again = frozenset(taken_up(t.plan, state.results, record.context_id))
    asked = (again & state.handoffs.keys()) | {record.context_id}
    t.set(
        results={key: result for key, result in state.results.items() if key not in again},
        retries={**state.retries, **{key: state.retries.get(key, 0) + 1 for key in asked}},
        cut_off=state.cut_off - again,
    )
    for worker in support_workers(t.plan):
        if worker.context_id in again:
            t.set_todos(worker.todo_ids or (), "pending", phase=phase_of(worker), role=worker.role)
    return True


def _is_blocked(results: Mapping[str, ExecutedWorkerResult], context_id: str) -> bool:
    result = results.get(context_id)
    return result is not None and result.error == "upstream_failed"
