"""Who may start: support workers in plan order, each once its declared upstreams have completed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.roles import REVIEW_ROLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from braincode_jupyter.protocol.contexts import ResultStatus
    from braincode_jupyter.protocol.plan import RuntimePlan, RuntimeWorker


def support_workers(plan: RuntimePlan) -> tuple[RuntimeWorker, ...]:
    """Return the workers that are neither primary nor reviewer, in plan order.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan.

    Returns
    -------
    tuple of RuntimeWorker
        May be empty.
    """
    return tuple(w for w in plan.workers if w.role not in {plan.role, REVIEW_ROLE})


def primary_worker(plan: RuntimePlan) -> RuntimeWorker:
    """Return the worker that writes the answer.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan, which always has one.

    Returns
    -------
    RuntimeWorker
        The first worker of the primary role.
    """
    return next(worker for worker in plan.workers if worker.role == plan.role)


def review_worker(plan: RuntimePlan) -> RuntimeWorker | None:
    """Return the worker that reviews the answer.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan.

    Returns
    -------
    RuntimeWorker or None
        None where nobody reviews, and where the reviewer is the primary.
    """
    if plan.role == REVIEW_ROLE:
        return None
    return next((worker for worker in plan.workers if worker.role == REVIEW_ROLE), None)


def upstream_of(plan: RuntimePlan, context_id: str) -> tuple[str, ...]:
    """Return the support workers whose results a worker was promised.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan.
    context_id : str
        Context of the worker.

    Returns
    -------
    tuple of str
        Context ids in plan order, its own left out.
    """
    worker = next((w for w in plan.workers if w.context_id == context_id), None)
    own = set(worker.todo_ids or ()) if worker is not None else set[str]()
    sources = {edge.from_todo_id for edge in plan.dependencies if edge.to_todo_id in own}
    return tuple(
        other.context_id
        for other in support_workers(plan)
        if other.context_id != context_id and not sources.isdisjoint(other.todo_ids or ())
    )


def ready(
    plan: RuntimePlan, *, finished: Mapping[str, ResultStatus], running: Set[str]
) -> tuple[RuntimeWorker, ...]:
    """Return the support workers that may start now.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan.
    finished : mapping of str to {"completed", "blocked", "failed"}
        Final state by context id.
    running : set of str
        Context ids under way; ids of other agents do not count.

    Returns
    -------
    tuple of RuntimeWorker
        In plan order, as many as the limit leaves free.

    References
    ----------
    Braincode, support scheduling.
    """
    support = support_workers(plan)
    busy = sum(worker.context_id in running for worker in support)
    free = max(1, plan.routing.max_parallel_agents) - busy
    waiting = [w for w in support if w.context_id not in finished and w.context_id not in running]
    if free <= 0 or not waiting:
        return ()
    done = {
        todo_id
        for worker in support
        if finished.get(worker.context_id) == "completed"
        for todo_id in worker.todo_ids or ()
    }
    sources: dict[str, list[str]] = {}
    for edge in plan.dependencies:
        sources.setdefault(edge.to_todo_id, []).append(edge.from_todo_id)
    return tuple(w for w in waiting if _is_ready(w, sources, done))[:free]


def deadlocked(
    plan: RuntimePlan, *, finished: Mapping[str, ResultStatus], running: Set[str]
) -> tuple[RuntimeWorker, ...]:
    """Return the support workers that can never start.

    Parameters
    ----------
    plan : RuntimePlan
        A bound plan.
    finished : mapping of str to {"completed", "blocked", "failed"}
        Final state by context id.
    running : set of str
        Context ids under way.

    Returns
    -------
    tuple of RuntimeWorker
        Empty while a support worker runs or may start.
    """
    support = support_workers(plan)
    is_busy = any(worker.context_id in running for worker in support)
    if is_busy or ready(plan, finished=finished, running=running):
        return ()
    return tuple(worker for worker in support if worker.context_id not in finished)


def _is_ready(worker: RuntimeWorker, sources: Mapping[str, list[str]], done: Set[str]) -> bool:
    own = worker.todo_ids or ()
    return all(
        source in done or source in own for todo_id in own for source in sources.get(todo_id, ())
    )
