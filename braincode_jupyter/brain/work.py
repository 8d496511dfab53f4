"""What a run did beside answering, for its last records: changes, checks, tool calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from braincode_jupyter.brain.changed import tail
from braincode_jupyter.brain.plan_review import plan_review
from braincode_jupyter.protocol.audit_records import PhaseToolCalls, ToolCallsCounted
from braincode_jupyter.protocol.change_records import CheckSummary, PatchSummary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from braincode_jupyter.brain.state import RunState, ToolCount
    from braincode_jupyter.protocol.audit_records import PlanReviewed

MAX_OUTPUT_CHARS = 1_200
"""Characters of one stream of one check that the last records repeat; its end."""
_PHASES = ("router", "support", "primary", "review")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a run did beside answering.

    Parameters
    ----------
    patch : PatchSummary or None
        None if no file of the project was changed.
    checks : CheckSummary or None
        Likewise; outputs are cut, the whole ones stand in the record of the checks.
    plan_review : PlanReviewed or None
        What it could have done; None: nothing.
    fix_iterations : int
        Rounds of mending.
    tool_calls : mapping of str to ToolCount
        By phase.
    """

    patch: PatchSummary | None = None
    checks: CheckSummary | None = None
    plan_review: PlanReviewed | None = None
    fix_iterations: int = 0
    tool_calls: Mapping[str, ToolCount] = field(default_factory=dict[str, "ToolCount"])


def work_of(state: RunState) -> Work:
    """Return what a run did, at its end."""
    return Work(
        patch=_patch(state),
        checks=_checks(state),
        plan_review=None
        if state.plan is None
        else plan_review(state.request, state.plan, timestamp=0),
        fix_iterations=state.fix_iteration,
        tool_calls=state.tool_calls,
    )


def tool_call_count(
    tool_calls: Mapping[str, ToolCount], *, timestamp: int, attempt: int
) -> ToolCallsCounted:
    """Return the record of the tool calls of a run."""
    found = [(phase, tool_calls[phase]) for phase in _PHASES if phase in tool_calls]
    return ToolCallsCounted(
        timestamp=timestamp,
        total=sum(count.calls for _, count in found),
        failed=sum(count.failed for _, count in found),
        by_phase=tuple(
            PhaseToolCalls(phase=phase, calls=count.calls, failed=count.failed)
            for phase, count in found
        ),
        attempt=attempt,
    )


def tool_metrics(tool_calls: Mapping[str, ToolCount]) -> dict[str, JsonValue]:
    """Return the same for the final report."""
    count = tool_call_count(tool_calls, timestamp=0, attempt=1)
    phases: list[JsonValue] = [one.model_dump(mode="json", by_alias=True) for one in count.by_phase]
    return {"total": count.total, "failed": count.failed, "byPhase": phases}


def _patch(state: RunState) -> PatchSummary | None:
    if state.changes is None or not state.changes.changed_files:
        return None
    names = PatchSummary.model_fields
    return PatchSummary(**{name: getattr(state.changes, name) for name in names})


def _checks(state: RunState) -> CheckSummary | None:
    if state.checks is None:
        return None
    found = CheckSummary(**{n: getattr(state.checks, n) for n in CheckSummary.model_fields})
    results = tuple(
        one.model_copy(
            update={
                "stdout": tail(one.stdout, MAX_OUTPUT_CHARS),
                "stderr": tail(one.stderr, MAX_OUTPUT_CHARS),
            }
        )
        for one in found.results
    )
    return found.model_copy(update={"results": results})
