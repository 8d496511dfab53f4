"""Going on with a run that was cut off, stopped, or failed: what has no outcome is asked again.

The state is what replaying the records gave, so nothing that came to an outcome is done twice. What
a lost call may have spent is booked before anybody is asked; who has failed in a run that failed is
taken up again; results that were found with another text of a reference say so. Hooks of a worker's
end, which nothing waits for, are not run again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.answering import start_primary
from braincode_jupyter.brain.changing import take_changes
from braincode_jupyter.brain.ending import end_completed, phase_of_role
from braincode_jupyter.brain.fixing import collect_changes, conclude
from braincode_jupyter.brain.schedule import support_workers
from braincode_jupyter.brain.working import (
    ask_worker,
    candidates_of,
    phase_of,
    stamp,
    start_worker,
)
from braincode_jupyter.protocol.records import RetryRequested, WorkerEnded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.brain.state import OpenCall, RunState
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimeWorker
    from braincode_jupyter.protocol.records import GoesOn, RunStart


def to_take_up(state: RunState) -> Mapping[str, int]:
    """Return which workers of a run that failed are taken up again.

    Parameters
    ----------
    state : RunState
        Where the run was before it failed.

    Returns
    -------
    mapping of str to int
        How often each was taken up then, this time included; empty once there is an answer.
    """
    if state.plan is None or state.answer is not None:
        return {}
    ids = (worker.context_id for worker in support_workers(state.plan))
    lost = [key for key in ids if key in state.results and _is_lost(state.results[key])]
    return {key: state.retries.get(key, 0) + 1 for key in lost}


def take_resume(t: Transition, record: RunStart, origin: GoesOn) -> tuple[OpenCall, ...]:
    """Put the run where it goes on, and start all but its lost calls.

    Parameters
    ----------
    t : Transition
        Open transition; its state is what the records gave.
    record : RunStart
        First record after the resume.
    origin : GoesOn
        What it says of the records before it.

    Returns
    -------
    tuple of OpenCall
        Calls without outcome that have to be made again, in the order in which they were made.
    """
    state = t.state
    lost = tuple(state.open_calls.values())
    held = tuple(one for one in state.held.values() if one not in state.dispatched)
    t.set(
        request=replace(state.request, run_id=record.run_id or state.request.run_id),
        open_calls={},
        held={},
        # A specialist without result goes with the primary that called it.
        dispatched=tuple(one for one in state.dispatched if one.context_id in state.results),
        spent_tokens=origin.spent_tokens,
        spent_usd=origin.spent_usd,
    )
    _note_changed(t, origin)
    if origin.run_id != record.run_id:
        _open_todos(t)
    if origin.retries:
        _take_up(t, origin)
        lost = tuple(opened for opened in lost if opened.call.call_kind == "worker")
    for worker in held:
        ask_again(t, worker)
    _look_again(t)
    return lost


def ask_again(t: Transition, worker: RuntimeWorker, *, attempt: int | None = None) -> None:
    """Ask a worker or the reviewer anew.

    Parameters
    ----------
    t : Transition
        Open transition.
    worker : RuntimeWorker
        Who.
    attempt : int or None
        Candidate that was being asked, from 1; None: nobody was yet, so its hooks come first.
    """
    candidates = candidates_of(t, worker)
    if attempt is None or not candidates:
        start_worker(t, worker)
    else:
        ask_worker(t, worker, attempt=attempt if attempt <= len(candidates) else 1)
    if worker.role == "review" and worker.context_id in t.state.results:
        conclude(t)


def ask_primary_again(t: Transition, attempt: int) -> None:
    """Ask for the answer anew, or for the change to be mended."""
    if t.state.fix_iteration:
        t.set(fix_iteration=t.state.fix_iteration - 1)
        conclude(t)
        return
    candidates = t.state.request.chains
    role = t.plan.role
    known = len(candidates[role].candidates) if role in candidates else 0
    start_primary(t, attempt=attempt if attempt <= known else 1)


def _look_again(t: Transition) -> None:
    """Do what was neither a call nor a worker's start: look, check, fire the hooks of the end."""
    state = t.state
    if state.are_stop_hooks_fired:
        t.set(are_stop_hooks_fired=False)
        end_completed(t)
    elif state.at == "collecting":
        collect_changes(t)
    elif state.at == "checking" and state.changes is not None:
        t.set(at="collecting")
        take_changes(t, state.changes)


def _take_up(t: Transition, origin: GoesOn) -> None:
    state = t.state
    again = origin.retries.keys()
    t.set(
        at="working",
        results={key: result for key, result in state.results.items() if key not in again},
        retries={**state.retries, **origin.retries},
    )
    for worker in support_workers(t.plan):
        if worker.context_id not in again:
            continue
        t.set_todos(worker.todo_ids or (), "pending", phase=phase_of(worker), role=worker.role)
        t.write(
            RetryRequested(
                timestamp=t.timestamp,
                context_id=worker.context_id,
                worker=worker.role,
                number=origin.retries[worker.context_id],
                from_run=origin.run_id,
            )
        )


def _is_lost(result: ExecutedWorkerResult) -> bool:
    return result.status == "failed" or result.error == "upstream_failed"


def _open_todos(t: Transition) -> None:
    """Put todos that the end of the run closed back on the record as pending."""
    if t.state.plan is None:
        return
    by_role: dict[str, list[str]] = {}
    for todo in t.plan.todos:
        if todo.status in {"pending", "running"}:
            by_role.setdefault(todo.role, []).append(todo.id)
    for role, todo_ids in by_role.items():
        t.set_todos(todo_ids, "pending", phase=phase_of_role(t, role), role=role)


def _note_changed(t: Transition, origin: GoesOn) -> None:
    """Tell which references give something else by now, and mark what was found with them."""
    for token in origin.changed:
        t.warn(f"{token} has changed since this run began: kept results were found with the old.")
    for token in origin.missing:
        t.warn(f"{token} is gone since this run began: kept results were found with it.")
    if t.state.plan is None:
        return
    for worker in support_workers(t.plan):
        result = t.state.results.get(worker.context_id)
        other = _used(t, worker, (*origin.changed, *origin.missing))
        if result is None or result.status != "completed" or not other:
            continue
        note = f"Found before this changed: {', '.join(other)}."
        marked = result.model_copy(update={"risks": (*result.risks, note)})
        t.set(results={**t.state.results, worker.context_id: marked})
        t.write(
            WorkerEnded(
                **stamp(t, worker),
                result=marked,
            )
        )


def _used(t: Transition, worker: RuntimeWorker, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return those references that a worker was given."""
    if not t.state.request.options.need_to_know:
        return tokens
    return tuple(token for token in tokens if token in worker.goal)
