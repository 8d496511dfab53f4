"""Rounds of mending: the primary is shown what is wrong with its change, and may change it again.

Only changes of files are mended so, a few times, and never after a block. The primary keeps no
transcript, so a round is a new call with the request, its answer, its own change, the failing
checks and the findings. Nothing that is judged survives a new version: answer, checks and review
of an older one are dropped the moment a newer one is there.

References
----------
Braincode, fix loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.effects import CollectChanges
from braincode_jupyter.brain.ending import end_completed
from braincode_jupyter.brain.prompts import fix_instructions
from braincode_jupyter.brain.roles import REVIEW_ROLE
from braincode_jupyter.brain.schedule import primary_worker
from braincode_jupyter.brain.transition import Asking
from braincode_jupyter.brain.working import candidates_of
from braincode_jupyter.protocol.records import FixStarted

if TYPE_CHECKING:
    from braincode_jupyter.brain.state import RunState
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.change_records import FixTrigger
    from braincode_jupyter.protocol.records import ModelFailed

_USED_UP = {
    "checks_failed": "Checks still fail, and no round of mending is left.",
    "changes_requested": "The review still asks for changes, and no round of mending is left.",
}


def fix_trigger(state: RunState) -> FixTrigger | None:
    """Return why a change has to be mended; None if it has not, or must not be.

    Parameters
    ----------
    state : RunState
        After checks and review.

    Returns
    -------
    FixTrigger or None
        None where nothing was changed, and after a review that blocked.
    """
    if not state.has_changes or (state.review is not None and state.review.decision == "blocked"):
        return None
    if state.checks is not None and state.checks.status == "failed":
        return "checks_failed"
    if state.review is not None and state.review.decision == "changes_requested":
        return "changes_requested"
    return None


def may_fix(state: RunState) -> bool:
    """Say whether another round of mending may begin."""
    request = state.request
    return (
        not state.is_fix_over
        and not request.options.force_roles
        and (state.plan is None or state.plan.role != REVIEW_ROLE)
        and state.fix_iteration < request.limits.max_fix_iterations
    )


def conclude(t: Transition) -> None:
    """Begin a round of mending if there is reason and room, else end the run."""
    trigger = fix_trigger(t.state)
    if trigger is None:
        end_completed(t)
        return
    if may_fix(t.state) and _start_fix(t, trigger):
        return
    if t.state.fix_iteration:
        t.warn(_USED_UP[trigger])
    end_completed(t)


def give_up_fix(t: Transition, record: ModelFailed) -> None:
    """End a round that broke off: what stands in the files is looked at once more, and stands."""
    worker = primary_worker(t.plan)
    t.warn(f"The change could not be mended: the model could not be asked ({record.code}).")
    t.set(is_fix_over=True)
    t.set_todos(worker.todo_ids or (), "completed", phase="primary", role=worker.role)
    collect_changes(t)


def collect_changes(t: Transition) -> None:
    """Have the changes in the project looked at."""
    t.set(at="collecting")
    t.effects.append(
        CollectChanges(attempt=t.state.primary_attempt, fix_iteration=t.state.fix_iteration)
    )


def _start_fix(t: Transition, trigger: FixTrigger) -> bool:
    worker = primary_worker(t.plan)
    attempt = t.state.primary_attempt
    done = t.state.fix_iteration
    t.set(fix_iteration=done + 1)
    prepared = t.prepare(
        Asking(
            call_kind="primary",
            role=worker.role,
            context_id=worker.context_id,
            candidate=candidates_of(t, worker)[attempt - 1],
            attempt=attempt,
            extra=fix_instructions(worker.context_id),
        )
    )
    if prepared is None:
        t.set(fix_iteration=done)
        t.warn("The budget has no room for mending the change.")
        return False
    t.set(at="answering")
    t.write(
        FixStarted(
            timestamp=t.timestamp,
            context_id=worker.context_id,
            iteration=done + 1,
            trigger=trigger,
            attempt=attempt,
        )
    )
    t.set_todos(worker.todo_ids or (), "running", phase="primary", role=worker.role)
    t.launch(prepared)
    return True
