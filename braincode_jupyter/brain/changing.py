"""After an answer: what was changed, whether the checks pass, whether somebody has to look.

Nothing of this happens in a run that could not have changed anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.changed import kind_of_change, paths_of
from braincode_jupyter.brain.checks import select_checks
from braincode_jupyter.brain.effects import RunChecks
from braincode_jupyter.brain.ending import end_completed
from braincode_jupyter.brain.fixing import collect_changes
from braincode_jupyter.brain.planning import add_reviewer
from braincode_jupyter.brain.reviewing import start_review
from braincode_jupyter.brain.roles import REVIEW_ROLE
from braincode_jupyter.brain.schedule import review_worker
from braincode_jupyter.brain.state import ToolCount
from braincode_jupyter.protocol.change_records import CheckResult
from braincode_jupyter.protocol.records import ChecksRan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.brain.checks import CheckSelection
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.outside_records import ToolExecuted
    from braincode_jupyter.protocol.records import ChangesCollected

CHANGING_TOOLS = frozenset({"edit_file", "apply_patch", "exec_command", "shell"})
"""Tools that can change files of the project; those of an MCP server can too."""


def note_tool(t: Transition, record: ToolExecuted) -> None:
    """Count a tool call, and remember that something may have been changed."""
    if record.is_recalled:
        return
    count = t.state.tool_calls.get(record.phase, ToolCount())
    if record.event == "start":
        count = ToolCount(calls=count.calls + 1, failed=count.failed)
        is_changing = record.tool_name in CHANGING_TOOLS or record.tool_name.startswith("mcp__")
        if is_changing and record.phase == "primary":
            t.set(may_have_changed=True)
    elif record.is_error:
        count = ToolCount(calls=count.calls, failed=count.failed + 1)
    t.set(tool_calls={**t.state.tool_calls, record.phase: count})


def after_answer(t: Transition) -> None:
    """Have the changes looked at, if there can be any; else go on to the review."""
    if t.state.may_have_changed:
        collect_changes(t)
    else:
        start_review(t)


def take_changes(t: Transition, record: ChangesCollected) -> None:
    """Choose the checks of what was changed; without changes the answer alone is reviewed."""
    if t.state.at != "collecting":
        return
    t.set(changes=record)
    _warn_once(t, record.notes)
    if record.changed_files:
        _warn_once(t, (t.state.request.checks.note,))
    if t.state.is_fix_over:
        end_completed(t)
        return
    if not record.changed_files:
        start_review(t)
        return
    kind = kind_of_change(record)
    setup = t.state.request.checks
    selection = select_checks(kind, setup.config, setup.available, paths=paths_of(record))
    if selection.commands:
        t.set(at="checking")
        t.effects.append(
            RunChecks(
                selection=selection,
                config=setup.config,
                patch_kind=kind,
                attempt=t.state.primary_attempt,
                fix_iteration=t.state.fix_iteration,
            )
        )
        return
    checks = ChecksRan(
        timestamp=t.timestamp,
        context_id=t.state.request.session_id,
        status="failed" if selection.missing else "skipped",
        reason=selection.reason,
        patch_kind=kind,
        selected_scripts=selection.names or None,
        review_required=True if selection.needs_review else None,
        results=missing_results(selection),
        attempt=t.state.primary_attempt,
        fix_iteration=t.state.fix_iteration,
    )
    t.set(checks=checks)
    t.write(checks)
    _go_on(t)


def take_checks(t: Transition, record: ChecksRan) -> None:
    """Go on to the review with what the checks said."""
    if t.state.at != "checking":
        return
    t.set(checks=record)
    _go_on(t)


def missing_results(selection: CheckSelection) -> tuple[CheckResult, ...]:
    """Return the failed results of checks that are configured and not there."""
    return tuple(
        CheckResult(name=name, command=name, status="failed", stderr="There is no such check.")
        for name in selection.missing
    )


def _warn_once(t: Transition, notes: Iterable[str]) -> None:
    for note in notes:
        if note and note not in t.state.warnings:
            t.warn(note)


def _go_on(t: Transition) -> None:
    """Add a reviewer where policy wants one and the user did not say no, then have it reviewed."""
    checks, changes = t.state.checks, t.state.changes
    wants = (checks is not None and checks.review_required is True) or (
        changes is not None and bool(changes.review_rules)
    )
    is_possible = t.plan.role != REVIEW_ROLE and t.state.request.options.review is not False
    if wants and is_possible and review_worker(t.plan) is None:
        add_reviewer(t)
    start_review(t)
