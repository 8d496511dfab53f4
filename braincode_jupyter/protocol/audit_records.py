"""Records for whoever looks at a run afterwards: what it might have done, and what it called.

Both have the original's fields and decide nothing.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.plan import (
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
    BrainSummary,
    RoutingSummary,
)
from braincode_jupyter.protocol.record import Record


class SideEffect(Packet):
    """One thing that a run could do to the world."""

    kind: Literal["file_edit", "patch", "command", "script", "mcp", "artifact"]
    """What it is."""
    target: str
    """Where: ``project``, or scope and name of a server."""
    risk: Literal["low", "medium", "high"]
    """How bad it can be."""


class ValidationPlan(Packet):
    """How the outcome would be judged."""

    checks: tuple[str, ...] = ()
    """Checks that the project has."""
    evidence: tuple[str, ...] = ()
    """What would be looked at."""
    success_criteria: tuple[str, ...] = ()
    """When it would be good."""


class PlanReviewed(Record):
    """What a plan could do before it is carried out; nobody is asked, nothing is decided."""

    type: Literal["execution_plan_review"] = "execution_plan_review"
    """Record type."""
    plan_id: str
    """``<brain id>:plan``."""
    session_id: str
    """Session."""
    brain_task_id: str
    """Context id of the Brain."""
    mode: Literal["auto", "radical"]
    """Mode."""
    status: str
    """``approved`` in auto, ``auto_approved`` in radical."""
    approver: str
    """``runtime_policy`` in auto, ``mode_policy`` in radical."""
    rationale: str
    """Why, in one sentence."""
    brain: BrainSummary
    """Brain preset."""
    primary_role: str
    """Who answers."""
    routing: RoutingSummary
    """How the plan came about."""
    required_review: bool
    """Whether the answer is reviewed."""
    workers: tuple[AgentWorkerPlan, ...]
    """Who works."""
    todos: tuple[AgentTodoItem, ...]
    """What is to be done."""
    dependencies: tuple[AgentTodoDependency, ...]
    """In which order."""
    prompt_references: tuple[JsonValue, ...] = ()
    """``{kind, token, path, size?, reason?}`` for each reference."""
    proposed_side_effects: tuple[SideEffect, ...]
    """What the allowed tools could do."""
    validation_plan: ValidationPlan
    """How the outcome would be judged."""
    risk_triggers: tuple[str, ...] = ()
    """What makes it risky."""
    residual_pre_execution_risks: tuple[str, ...] = ()
    """What stays uncertain."""


class PhaseToolCalls(Packet):
    """Tool calls of one phase."""

    phase: str
    """support, primary or review."""
    calls: int
    """Begun."""
    failed: int
    """Ended as a failure."""


class ToolCallsCounted(Record):
    """How many tools a run called."""

    type: Literal["tool_call_count"] = "tool_call_count"
    """Record type."""
    total: int
    """Begun."""
    failed: int
    """Ended as a failure."""
    by_phase: tuple[PhaseToolCalls, ...]
    """Phases without a call are left out."""
    attempt: int = 1
    """Candidate of the primary."""
