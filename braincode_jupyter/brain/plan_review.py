"""What a plan could do to the world, put on record before it is carried out.

It informs whoever reads the session later. Nobody is asked by it and nothing is allowed by it: that
is decided call by call, when there is something exact to decide on.

References
----------
Braincode, execution plan review.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.audit_records import PlanReviewed, SideEffect, ValidationPlan

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.brain.state import RunRequest
    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.protocol.records import ReferenceUsed

_PROJECT = "project"
_EDITS = (
    SideEffect(kind="file_edit", target=_PROJECT, risk="medium"),
    SideEffect(kind="patch", target=_PROJECT, risk="medium"),
)
_COMMANDS = (
    SideEffect(kind="command", target=_PROJECT, risk="high"),
    SideEffect(kind="script", target=_PROJECT, risk="high"),
)
_CRITERIA = (
    "The checks of the project pass on what was changed.",
    "A reviewer approves the change and names the files that it looked at.",
)


def plan_review(request: RunRequest, plan: RuntimePlan, *, timestamp: int) -> PlanReviewed | None:
    """Return what a plan could do.

    Parameters
    ----------
    request : RunRequest
        With what the user allowed.
    plan : RuntimePlan
        The plan.
    timestamp : int
        Time; milliseconds since the epoch.

    Returns
    -------
    PlanReviewed or None
        None where nothing outside could change.
    """
    effects = _effects(request)
    if not effects:
        return None
    is_auto = plan.mode == "auto"
    checks = tuple(command.name for command in request.checks.available)
    return PlanReviewed(
        timestamp=timestamp,
        context_id=request.session_id,
        plan_id=f"{request.session_id}:plan",
        session_id=request.session_id,
        brain_task_id=request.session_id,
        mode=plan.mode,
        status="approved" if is_auto else "auto_approved",
        approver="runtime_policy" if is_auto else "mode_policy",
        rationale="Each call that could change something is decided on its own.",
        brain=plan.brain,
        primary_role=plan.role,
        routing=plan.routing,
        required_review=plan.agent_plan.requires_review,
        workers=plan.workers,
        todos=plan.todos,
        dependencies=plan.dependencies,
        prompt_references=tuple(map(_reference, request.references)),
        proposed_side_effects=effects,
        validation_plan=ValidationPlan(
            checks=checks,
            evidence=("diff", "checks", "review"),
            success_criteria=_CRITERIA,
        ),
        risk_triggers=tuple(f"{one.kind}: {one.target}" for one in effects if one.risk == "high"),
        residual_pre_execution_risks=() if checks else ("No check of the project is known.",),
    )


def review_summary(review: PlanReviewed) -> dict[str, JsonValue]:
    """Return what the final report repeats of it."""
    effects: list[JsonValue] = [
        one.model_dump(mode="json", by_alias=True) for one in review.proposed_side_effects
    ]
    return {
        "status": review.status,
        "approver": review.approver,
        "requiredReview": review.required_review,
        "proposedSideEffects": effects,
        "validationChecks": list(review.validation_plan.checks),
        "riskTriggers": list(review.risk_triggers),
        "residualPreExecutionRisks": list(review.residual_pre_execution_risks),
    }


def _effects(request: RunRequest) -> tuple[SideEffect, ...]:
    edits = () if request.tool_mode == "read-only" else _EDITS
    commands = _COMMANDS if request.tool_mode in {"ask", "all"} else ()
    servers = (SideEffect(kind="mcp", target=name, risk="medium") for name in request.servers)
    return (*edits, *commands, *servers)


def _reference(reference: ReferenceUsed) -> JsonValue:
    entry: dict[str, JsonValue] = {
        "kind": reference.kind if reference.state != "missing" else "missing",
        "token": reference.token,
        "path": reference.uri,
        "size": reference.size_bytes,
    }
    return entry if reference.reason is None else {**entry, "reason": reference.reason}
