"""Running the checks of a change: through the run's gate, and every outcome a record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.changing import missing_results
from braincode_jupyter.brain.effects import CollectChanges
from braincode_jupyter.protocol.change_records import (
    ChangedFile,
    ChangesCollected,
    CheckResult,
    ChecksRan,
)
from braincode_jupyter.protocol.tools import ToolUse
from braincode_jupyter.tools.checks import NAME

if TYPE_CHECKING:
    from braincode_jupyter.brain.effects import RunChecks
    from braincode_jupyter.protocol.change_records import CheckStatus
    from braincode_jupyter.runtime.host import RunHost
    from braincode_jupyter.runtime.toolbox import GatedToolBox
    from braincode_jupyter.tools.checks import CheckTools

_NOT_ALLOWED = "They were not allowed to run."
_NOBODY = "Nobody could be asked whether they may run; --yes allows them."


async def run_checks(
    order: RunChecks, host: RunHost, *, box: GatedToolBox, tools: CheckTools
) -> ChecksRan:
    """Ask for the checks and run them, if they are allowed.

    Parameters
    ----------
    order : RunChecks
        Which, and why.
    host : RunHost
        The run.
    box : GatedToolBox
        The gate, with ``tools`` behind it.
    tools : CheckTools
        The checks.

    Returns
    -------
    ChecksRan
        Skipped, with the reason, where they were not allowed.
    """
    selection = order.selection
    session_id = host.request.session_id
    arguments = {
        "scripts": list(selection.names),
        "commands": [list(command.words) for command in selection.commands],
        "patchKind": order.patch_kind,
        "reason": selection.reason,
        # A change of the project since the last answer is another question.
        "round": order.fix_iteration if selection.asks_because else 0,
    }
    await box.use(
        ToolUse(
            call_id=f"patch-checks:{session_id}:{order.attempt}",
            name=NAME,
            arguments=json.dumps(arguments),
        )
    )
    results = (*tools.results, *missing_results(selection))
    has_run = bool(tools.results)
    reason = selection.reason
    if not has_run:
        reason = _NOT_ALLOWED if box.gate.approvals.approver is not None else _NOBODY
    return ChecksRan(
        timestamp=host.clock.now_ms(),
        context_id=session_id,
        status=_status(results) if has_run else "skipped",
        reason=reason,
        patch_kind=order.patch_kind,
        selected_scripts=selection.names,
        review_required=_true(selection.needs_review),
        results=results if has_run else (),
        attempt=order.attempt,
        fix_iteration=order.fix_iteration,
    )


def unseen(
    order: CollectChanges | RunChecks, error: Exception, *, timestamp: int
) -> ChangesCollected | ChecksRan:
    """Return the outcome of a look that failed by a fault of ours: it never counts as good.

    Parameters
    ----------
    order : CollectChanges or RunChecks
        What was ordered.
    error : Exception
        What was raised.
    timestamp : int
        Time; milliseconds since the epoch.

    Returns
    -------
    ChangesCollected or ChecksRan
        Changes that nobody saw, or checks that failed.
    """
    what = f"braincode_jupyter itself failed ({type(error).__name__})"
    if isinstance(order, CollectChanges):
        return ChangesCollected(
            timestamp=timestamp,
            changed_files=(ChangedFile(path="?", status="M"),),
            notes=(f"What was changed is not known: {what}.",),
            attempt=order.attempt,
            fix_iteration=order.fix_iteration,
        )
    names = order.selection.names
    return ChecksRan(
        timestamp=timestamp,
        status="failed",
        reason=what,
        patch_kind=order.patch_kind,
        selected_scripts=names,
        review_required=_true(order.selection.needs_review),
        results=tuple(
            CheckResult(name=name, command=name, status="failed", stderr=what) for name in names
        ),
        attempt=order.attempt,
        fix_iteration=order.fix_iteration,
    )


def _status(results: tuple[CheckResult, ...]) -> CheckStatus:
    return "passed" if all(one.status == "passed" for one in results) else "failed"


def _true(value: bool) -> Literal[True] | None:  # noqa: FBT001 - the value of a field
    return True if value else None
