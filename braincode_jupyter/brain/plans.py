"""Plans made whole: ids, owners and edges of todos, forced roles, and the binding to contexts.

`normalise_plan` is the one door through which every plan goes, whoever made it; it is total and
idempotent. Beyond the original it gives each todo an owner, so that no todo is left pending.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

from braincode_jupyter.brain.clarify import normalise_clarification
from braincode_jupyter.brain.roles import NOTEBOOK_ROLES, REVIEW_ROLE, ROLES, ROUTED_ROLES
from braincode_jupyter.brain.text import clip, unused
from braincode_jupyter.brain.todos import (
    adopt_orphans,
    bind_todos,
    generic_goal,
    normal_edges,
    normal_todos,
)
from braincode_jupyter.errors import UnknownNameError
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
    BrainSummary,
    RoutingSummary,
    RuntimePlan,
    RuntimeWorker,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from pydantic import JsonValue

    from braincode_jupyter.brain.modes import Mode, ModeLimits
    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.protocol.plan import Clarification, ModelSummary

_NAMESPACE = uuid.UUID("6d0c1f5e-8a43-5b0e-9d2b-3f6a7c1e4b90")
_MAX_PROMPT_IN_GOAL = 200


def stable_id(run_id: str, *names: str) -> str:
    """Return a UUID that depends on the run and the names alone.

    Parameters
    ----------
    run_id : str
        Id of the run.
    *names : str
        What is identified, from the general to the particular.

    Returns
    -------
    str
        A UUID of version 5.
    """
    return str(uuid.uuid5(_NAMESPACE, json.dumps([run_id, *names])))


def routed_roles(preset: BrainPreset) -> tuple[str, ...]:
    """Return the roles that may be primary or worker under a preset, in catalogue order.

    Parameters
    ----------
    preset : BrainPreset
        The Brain.

    Returns
    -------
    tuple of str
        The routed roles, and those for notebooks that the preset knows.
    """
    return (*ROUTED_ROLES, *(role for role in NOTEBOOK_ROLES if role in preset.roles))


def normalise_plan(plan: AgentRoutingPlan) -> AgentRoutingPlan:
    """Return the plan with unique todo ids, an owner for each todo, and executable edges.

    Parameters
    ----------
    plan : AgentRoutingPlan
        Any plan.

    Returns
    -------
    AgentRoutingPlan
        ``normalise_plan(normalise_plan(p)) == normalise_plan(p)``.

    References
    ----------
    Braincode, plan normalisation: todos, worker binding, dependencies, clarification.
    """
    workers = _with_primary(plan)
    todos = normal_todos(plan.todos)
    workers, todos = bind_todos(workers, todos)
    workers, todos = adopt_orphans(workers, todos, primary=plan.primary_role)
    return plan.model_copy(
        update={
            "workers": workers,
            "todos": todos,
            "dependencies": normal_edges(plan.dependencies, todos, primary=plan.primary_role),
            "clarification": _normal_clarification(plan.clarification),
        }
    )


def capped_plan(plan: AgentRoutingPlan, max_workers: int) -> AgentRoutingPlan:
    """Return the plan with the first workers only; the primary is always one of them.

    Parameters
    ----------
    plan : AgentRoutingPlan
        Any plan.
    max_workers : int
        Workers, primary included, >= 1; a reviewer named in a plan counts.

    Returns
    -------
    AgentRoutingPlan
        Todos of workers that were cut belong to the primary; not normalised.
    """
    kept = plan.workers[: max(1, max_workers)]
    if all(worker.role != plan.primary_role for worker in kept):
        primary = next((w for w in plan.workers if w.role == plan.primary_role), None)
        kept = (*((primary,) if primary else ()), *kept[1:])
    roles = {worker.role for worker in kept}
    todos = tuple(
        todo if todo.role in roles else todo.model_copy(update={"role": plan.primary_role})
        for todo in plan.todos
    )
    if len(kept) < len(plan.workers):
        # A worker that listed its todos would leave the moved ones without an owner.
        kept = tuple(worker.model_copy(update={"todo_ids": None}) for worker in kept)
    return plan.model_copy(update={"workers": kept, "todos": todos})


def forced_plan(
    roles: Sequence[str], prompt: str, *, preset: BrainPreset, base: AgentRoutingPlan
) -> AgentRoutingPlan:
    """Return the plan for roles that the user named: the first is primary, each works alone.

    Parameters
    ----------
    roles : sequence of str
        Role names, at least one; a repeated one counts once.
    prompt : str
        The request; its beginning stands in the goals.
    preset : BrainPreset
        The Brain, which knows the roles.
    base : AgentRoutingPlan
        The heuristic plan, whose question to the user still holds.

    Returns
    -------
    AgentRoutingPlan
        A normalised plan. A ``review`` role that is not the first reviews the answer.

    Raises
    ------
    UnknownNameError
        If a role cannot be routed under this preset.
    """
    known = routed_roles(preset)
    names = tuple(dict.fromkeys(roles))
    for name in names:
        if name not in known:
            raise UnknownNameError("role", name, known)
    subject = clip(" ".join(prompt.split()), _MAX_PROMPT_IN_GOAL)
    workers = tuple(
        AgentWorkerPlan(
            role=name,
            goal=_forced_goal(name, subject, is_primary=name == names[0]),
            reason="Named by the user.",
        )
        for name in names
    )
    return normalise_plan(
        AgentRoutingPlan(
            primary_role=names[0],
            workers=workers,
            todos=tuple(_forced_todo(name, is_primary=name == names[0]) for name in names),
            requires_review=REVIEW_ROLE in names[1:],
            reason="The user named the roles.",
            clarification=base.clarification,
        )
    )


def bind_plan(  # noqa: PLR0913 - each is another source of what a plan is bound to
    plan: AgentRoutingPlan,
    *,
    run_id: str,
    session_id: str,
    preset: BrainPreset,
    limits: ModeLimits,
    mode: Mode,
    routing_source: Literal["router-brain", "heuristic"],
    reason: str,
    first_models: Mapping[str, ModelSummary],
    review: bool | None,
) -> RuntimePlan:
    """Return the plan bound to contexts, models and limits, with or without a reviewer.

    Parameters
    ----------
    plan : AgentRoutingPlan
        The plan as decided.
    run_id, session_id : str
        What the context ids are derived from, with the worker's place and role.
    preset : BrainPreset
        The Brain.
    limits : ModeLimits
        Caps; the user's own cap on workers is applied here.
    mode : {"auto", "radical"}
        The mode.
    routing_source : {"router-brain", "heuristic"}
        Who planned.
    reason : str
        Why this source.
    first_models : mapping of str to ModelSummary
        First usable model of each role.
    review : bool or None
        True and False are the user's word, None leaves it to plan and preset.

    Returns
    -------
    RuntimePlan
        The plan to run. A reviewer that is not to run is not in it.
    """
    if limits.asked_max_workers is not None:
        plan = capped_plan(plan, limits.asked_max_workers)
    plan = normalise_plan(plan)
    is_reviewed = _is_reviewed(plan, preset, review=review)
    plan = plan.model_copy(update={"requires_review": is_reviewed})
    runtime = normalise_plan(_with_reviewer(plan) if is_reviewed else _without_reviewer(plan))
    return RuntimePlan(
        mode=mode,
        mode_description=limits.description,
        brain=BrainSummary(id=preset.id, name=preset.name, description=preset.description),
        role=plan.primary_role,
        agent_plan=plan,
        todos=runtime.todos,
        dependencies=runtime.dependencies,
        workers=tuple(
            _bound(
                worker,
                stable_id(run_id, session_id, "worker", str(index), worker.role),
                first_models,
            )
            for index, worker in enumerate(runtime.workers)
        ),
        routing=RoutingSummary(
            source=routing_source,
            confidence=plan.confidence,
            reason=reason or None,
            configured_max_parallel_agents=limits.configured_max_parallel_agents,
            max_parallel_agents=limits.max_parallel_agents,
            max_worker_agents=limits.max_worker_agents,
            max_todos=limits.max_todos,
        ),
        model=first_models.get(plan.primary_role),
    )


def with_reviewer(
    plan: RuntimePlan, *, run_id: str, session_id: str, first_models: Mapping[str, ModelSummary]
) -> RuntimePlan:
    """Return a plan that is under way with a reviewer at its end.

    Parameters
    ----------
    plan : RuntimePlan
        One without a reviewer.
    run_id, session_id : str
        What the context id is derived from.
    first_models : mapping of str to ModelSummary
        First usable model of each role.

    Returns
    -------
    RuntimePlan
        The same with one more worker and its todo, which comes after the primary's; every other
        todo stays as it is.
    """
    todo_id = unused(REVIEW_ROLE, {todo.id for todo in plan.todos})
    todos = (*plan.todos, _review_todo(todo_id))
    reviewer = _reviewer().model_copy(update={"todo_ids": (todo_id,)})
    place = str(len(plan.workers))
    worker = _bound(
        reviewer, stable_id(run_id, session_id, "worker", place, REVIEW_ROLE), first_models
    )
    edges = tuple(
        AgentTodoDependency(from_todo_id=todo.id, to_todo_id=todo_id)
        for todo in plan.todos
        if todo.role == plan.role
    )
    agent_plan = plan.agent_plan.model_copy(update={"requires_review": True, "todos": todos})
    return plan.model_copy(
        update={
            "agent_plan": agent_plan,
            "todos": todos,
            "dependencies": (*plan.dependencies, *edges),
            "workers": (*plan.workers, worker),
        }
    )


def _forced_goal(role: str, subject: str, *, is_primary: bool) -> str:
    mark = " (primary)" if is_primary else ""
    if role == REVIEW_ROLE and not is_primary:
        return f"Review the answer to the request: {subject}".rstrip(": ")
    return f"Answer independently as {ROLES[role].label}{mark}: {subject}".rstrip(": ")


def _forced_todo(role: str, *, is_primary: bool) -> AgentTodoItem:
    """Return the todo of a named role; the request is its subject and stands above all of them."""
    if role == REVIEW_ROLE and not is_primary:
        title = "Review the answer"
    else:
        title = f"{'Answer' if is_primary else 'Look at it'} as {ROLES[role].label}"
    return AgentTodoItem(id=f"as-{role}", title=title, role=role)


def _with_primary(plan: AgentRoutingPlan) -> tuple[AgentWorkerPlan, ...]:
    if any(worker.role == plan.primary_role for worker in plan.workers):
        return plan.workers
    primary = AgentWorkerPlan(
        role=plan.primary_role, goal=generic_goal(plan.primary_role), reason="Chosen as primary."
    )
    return (primary, *plan.workers)


def _normal_clarification(clarification: Clarification | None) -> Clarification | None:
    if clarification is None:
        return None
    raw: dict[str, JsonValue] = clarification.model_dump(mode="json", by_alias=True)
    return normalise_clarification(raw)


def _is_reviewed(plan: AgentRoutingPlan, preset: BrainPreset, *, review: bool | None) -> bool:
    if plan.primary_role == REVIEW_ROLE:
        return False
    if review is not None:
        return review
    return plan.requires_review and preset.routing.review != "never"


def _with_reviewer(plan: AgentRoutingPlan) -> AgentRoutingPlan:
    if any(worker.role == REVIEW_ROLE for worker in plan.workers):
        return plan
    todos = plan.todos
    if not any(todo.role == REVIEW_ROLE for todo in todos):
        todos = (*todos, _review_todo(unused(REVIEW_ROLE, {todo.id for todo in todos})))
    return plan.model_copy(update={"workers": (*plan.workers, _reviewer()), "todos": todos})


def _reviewer() -> AgentWorkerPlan:
    return AgentWorkerPlan(
        role=REVIEW_ROLE,
        goal="Review the answer independently: claims against evidence, defects and missing parts.",
        reason="Added by policy.",
    )


def _review_todo(todo_id: str) -> AgentTodoItem:
    return AgentTodoItem(
        id=todo_id, title="Check the answer against the evidence", role=REVIEW_ROLE
    )


def _without_reviewer(plan: AgentRoutingPlan) -> AgentRoutingPlan:
    """Drop a reviewer that will not run, and its todos, which would stay pending."""
    if plan.primary_role == REVIEW_ROLE:
        return plan
    dropped = {todo.id for todo in plan.todos if todo.role == REVIEW_ROLE}
    return plan.model_copy(
        update={
            "workers": tuple(w for w in plan.workers if w.role != REVIEW_ROLE),
            "todos": tuple(t for t in plan.todos if t.id not in dropped),
        }
    )


def _bound(
    worker: AgentWorkerPlan, context_id: str, first_models: Mapping[str, ModelSummary]
) -> RuntimeWorker:
    return RuntimeWorker(
        role=worker.role,
        goal=worker.goal,
        reason=worker.reason,
        todo_ids=worker.todo_ids,
        model_id=worker.model_id,
        context_id=context_id,
        model=first_models.get(worker.role),
    )
