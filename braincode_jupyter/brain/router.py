"""What the router model is told, and what its reply becomes.

A reply chooses among what was offered: roles of the preset, models of a role's own usable chain.
It can add no tool, permission, endpoint or review rule, and every count and text has a cap.

References
----------
Braincode, router prompt sections, JSON contract, normalisation and capping.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from braincode_jupyter.brain.clarify import normalise_clarification
from braincode_jupyter.brain.directives import router_directives
from braincode_jupyter.brain.heuristics import support_goal
from braincode_jupyter.brain.plans import capped_plan, normalise_plan
from braincode_jupyter.brain.replies import extract_json
from braincode_jupyter.brain.roles import NOTEBOOK_ROLES, REVIEW_ROLE, ROUTED_ROLES
from braincode_jupyter.brain.text import (
    MAX_GOAL_CHARS,
    MAX_ID_CHARS,
    MAX_REASON_CHARS,
    MAX_TITLE_CHARS,
    kept_text,
)
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.brain.modes import ModeLimits
    from braincode_jupyter.brain.presets import BrainPreset

__all__ = [
    "MAX_LISTED",
    "MAX_ROUTER_JSON_BYTES",
    "ROUTER_REPLY_SCHEMA",
    "parse_router_reply",
    "router_directives",
]

MAX_ROUTER_JSON_BYTES = 64 * 1024
"""JSON of a router's reply, UTF-8."""
MAX_LISTED = 64
"""Workers and edges that are read of a reply."""

_RUSH = "rush"
_MAX_MODEL_ID_CHARS = 200


def _text(chars: int) -> dict[str, JsonValue]:
    return {"type": "string", "maxLength": chars}


def _object(**properties: JsonValue) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
    }


def _list(items: JsonValue, count: int) -> dict[str, JsonValue]:
    return {"type": "array", "maxItems": count, "items": items}


_ROLE: dict[str, JsonValue] = {"type": "string", "enum": [*ROUTED_ROLES, *NOTEBOOK_ROLES]}

ROUTER_REPLY_SCHEMA: Mapping[str, JsonValue] = _object(
    role=_ROLE,
    workers=_list(_object(role=_ROLE, goal=_text(400), reason=_text(200)), 8),
    todos=_list(_object(id=_text(40), title=_text(160), role=_ROLE, reason=_text(200)), 8),
    dependencies=_list(_object(**{"from": _text(40), "to": _text(40), "reason": _text(160)}), 16),
    clarification=_object(
        required={"type": "boolean"},
        reason=_text(300),
        question=_text(300),
        missing=_list(_text(160), 6),
        options=_list(_object(id=_text(40), label=_text(80), description=_text(200)), 3),
    ),
    confidence={"type": "number", "minimum": 0, "maximum": 1},
    reason=_text(300),
)
"""For routers that are held to a schema; every length is bounded."""


def parse_router_reply(
    text: str,
    *,
    baseline: AgentRoutingPlan,
    allowed_roles: Sequence[str],
    limits: ModeLimits,
    chains: Mapping[str, Sequence[str]],
    preset: BrainPreset,
) -> AgentRoutingPlan | None:
    """Return the plan that a router's reply asks for, within all bounds.

    Parameters
    ----------
    text : str
        The reply.
    baseline : AgentRoutingPlan
        The heuristic plan: source of whatever is missing, of the review rule and of the question.
    allowed_roles : sequence of str
        Roles that may be chosen, at least one.
    limits : ModeLimits
        Caps on workers and todos.
    chains : mapping of str to sequence of str
        Usable model ids of each role.
    preset : BrainPreset
        The Brain; with data roles, support workers ask for a review.

    Returns
    -------
    AgentRoutingPlan or None
        A normalised plan; None if the reply holds no JSON object.
    """
    raw = extract_json(text, max_bytes=MAX_ROUTER_JSON_BYTES)
    if not isinstance(raw, dict):
        return None
    primary = _primary(raw.get("role"), baseline, allowed_roles)
    workers = _workers(raw.get("workers"), primary, baseline, allowed_roles=allowed_roles)
    model_id = _model_id(raw.get("modelId"), chains.get(primary, ()))
    plan = AgentRoutingPlan(
        primary_role=primary,
        workers=tuple(
            _with_model(w, chains, model_id if w.role == primary else None) for w in workers
        ),
        todos=_todos(
            raw.get("todos"), primary, allowed_roles=allowed_roles, limit=limits.max_todos
        ),
        dependencies=_edges(raw.get("dependencies")),
        requires_review=baseline.requires_review,
        reason=kept_text(raw.get("reason"), MAX_REASON_CHARS) or baseline.reason,
        clarification=normalise_clarification(raw.get("clarification")) or baseline.clarification,
        confidence=_confidence(raw.get("confidence")),
        model_id=model_id,
    )
    plan = normalise_plan(capped_plan(plan, limits.max_worker_agents))
    if preset.has_data_roles and _has_support(plan):
        plan = plan.model_copy(update={"requires_review": True})
    return plan


def _primary(value: JsonValue, baseline: AgentRoutingPlan, allowed: Sequence[str]) -> str:
    if isinstance(value, str) and value in allowed:
        return value
    return baseline.primary_role if baseline.primary_role in allowed else allowed[0]


def _workers(
    value: JsonValue,
    primary: str,
    baseline: AgentRoutingPlan,
    *,
    allowed_roles: Sequence[str],
) -> tuple[AgentWorkerPlan, ...]:
    known = {worker.role: worker for worker in baseline.workers}
    found: dict[str, AgentWorkerPlan] = {}
    for item in value[:MAX_LISTED] if isinstance(value, list) else ():
        role = item.get("role") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(role, str) or role not in allowed_roles:
            continue
        default = known.get(role) or _default_worker(role, is_primary=role == primary)
        found[role] = AgentWorkerPlan(
            role=role,
            goal=kept_text(item.get("goal"), MAX_GOAL_CHARS) or default.goal,
            reason=kept_text(item.get("reason"), MAX_REASON_CHARS) or default.reason,
            model_id=kept_text(item.get("modelId"), _MAX_MODEL_ID_CHARS),
        )
    if primary != _RUSH:
        found.pop(_RUSH, None)
    if primary not in found:
        own = known.get(primary) if baseline.primary_role == primary else None
        found = {primary: own or _default_worker(primary, is_primary=True), **found}
    return tuple(found.values())


def _default_worker(role: str, *, is_primary: bool) -> AgentWorkerPlan:
    return AgentWorkerPlan(
        role=role,
        goal=support_goal(role, is_primary=is_primary),
        reason="Chosen by the router.",
    )


def _with_model(
    worker: AgentWorkerPlan, chains: Mapping[str, Sequence[str]], model_id: str | None
) -> AgentWorkerPlan:
    """Keep a model only where it stands in the role's own usable chain."""
    own = _model_id(worker.model_id, chains.get(worker.role, ()))
    return worker.model_copy(update={"model_id": own or model_id, "todo_ids": None})


def _model_id(value: JsonValue, chain: Sequence[str]) -> str | None:
    return value if isinstance(value, str) and value in chain else None


def _todos(
    value: JsonValue, primary: str, *, allowed_roles: Sequence[str], limit: int
) -> tuple[AgentTodoItem, ...]:
    todos: list[AgentTodoItem] = []
    items = value[: max(1, limit)] if isinstance(value, list) else []
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            continue
        titles = (kept_text(item.get(key), MAX_TITLE_CHARS) for key in ("title", "task", "goal"))
        title = next((text for text in titles if text is not None), None)
        named = item.get("role")
        role = named if isinstance(named, str) and named in allowed_roles else primary
        if title is None or (role == _RUSH and primary != _RUSH):
            continue
        todos.append(
            AgentTodoItem(
                id=kept_text(item.get("id"), MAX_ID_CHARS) or f"todo-{number:02d}-{role}",
                title=title,
                role=role,
                reason=kept_text(item.get("reason"), MAX_REASON_CHARS),
            )
        )
    return tuple(todos)


def _edges(value: JsonValue) -> tuple[AgentTodoDependency, ...]:
    edges: list[AgentTodoDependency] = []
    for item in value[:MAX_LISTED] if isinstance(value, list) else ():
        if not isinstance(item, dict):
            continue
        source = kept_text(item.get("fromTodoId") or item.get("from"), MAX_ID_CHARS)
        target = kept_text(item.get("toTodoId") or item.get("to"), MAX_ID_CHARS)
        if source is None or target is None or source == target:
            continue
        reason = kept_text(item.get("reason"), MAX_REASON_CHARS)
        edges.append(AgentTodoDependency(from_todo_id=source, to_todo_id=target, reason=reason))
    return tuple(edges)


def _confidence(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return min(1.0, max(0.0, float(value)))


def _has_support(plan: AgentRoutingPlan) -> bool:
    return any(w.role not in {plan.primary_role, REVIEW_ROLE} for w in plan.workers)
