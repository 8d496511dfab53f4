"""From the request to a plan: forced roles, a router model, or the heuristics behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.directives import router_directives
from braincode_jupyter.brain.heuristics import heuristic_plan, is_conversational
from braincode_jupyter.brain.plans import bind_plan, forced_plan, routed_roles, with_reviewer
from braincode_jupyter.brain.prompts import instruction
from braincode_jupyter.brain.router import ROUTER_REPLY_SCHEMA, parse_router_reply
from braincode_jupyter.brain.state import RunState
from braincode_jupyter.brain.transition import Asking, Transition
from braincode_jupyter.protocol.contexts import BrainTaskContext, TaskProgress
from braincode_jupyter.protocol.plan import ModelSummary
from braincode_jupyter.protocol.records import ContextPlanned, TodosPlanned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.brain.state import OpenCall, RunRequest
    from braincode_jupyter.protocol.plan import AgentRoutingPlan, RuntimePlan
    from braincode_jupyter.protocol.records import ModelFailed, ModelReplied
    from braincode_jupyter.protocol.sections import Candidate

ROUTER_ROLE = "routeBrain"


def router_context_id(session_id: str) -> str:
    """Return the context id of the router, as the original names it."""
    return f"{session_id}:router"


def summary_of(candidate: Candidate) -> ModelSummary:
    """Reduce a candidate to what may be stored."""
    return ModelSummary(id=candidate.model_id, provider=candidate.provider, name=candidate.name)


def begin_planning(t: Transition) -> bool:
    """Make the plan, or ask the router for one.

    Parameters
    ----------
    t : Transition
        Open transition of a new run.

    Returns
    -------
    bool
        True if the plan is there, False while the router is asked.
    """
    request = t.state.request
    base = _baseline(request)
    if request.options.force_roles:
        set_plan(t, base, source="heuristic", reason="Roles were named by the user.")
        return True
    reason = _reason_to_skip_router(t, base)
    if reason is not None:
        set_plan(t, base, source="heuristic", reason=reason)
        return True
    if _ask_router(t, attempt=1):
        return False
    return _fall_back(t, "the budget has no room for a router call")


def take_router_reply(t: Transition, record: ModelReplied) -> bool:
    """Turn the router's reply into a plan; what is no JSON falls back to the heuristics."""
    request = t.state.request
    chains = {
        role: tuple(c.model_id for c in resolution.candidates)
        for role, resolution in request.chains.items()
    }
    plan = parse_router_reply(
        record.text,
        baseline=_baseline(request),
        allowed_roles=routed_roles(request.preset),
        limits=request.limits,
        chains=chains,
        preset=request.preset,
    )
    if plan is None:
        return _fall_back(t, "the router's reply was not the asked JSON")
    set_plan(t, plan, source="router-brain", reason=plan.reason)
    return True


def take_router_failure(t: Transition, opened: OpenCall, record: ModelFailed) -> bool:
    """Try the router's next model; without one, fall back to the heuristics."""
    if _ask_router(t, attempt=opened.call.attempt + 1):
        return False
    return _fall_back(t, f"the router could not be asked ({record.code})")


def ask_router_again(t: Transition, attempt: int) -> bool:
    """Ask the router anew; without a model that can be asked, fall back to the heuristics."""
    known = len(t.state.request.router.candidates)
    if _ask_router(t, attempt=attempt if attempt <= known else 1):
        return False
    return _fall_back(t, "the router can no longer be asked")


def set_plan(t: Transition, plan: AgentRoutingPlan, *, source: str, reason: str) -> None:
    """Bind a plan to contexts and models and put it on the record."""
    request = t.state.request
    bound = bind_plan(
        plan,
        run_id=request.run_id,
        session_id=request.session_id,
        preset=request.preset,
        limits=request.limits,
        mode=request.options.mode,
        routing_source="router-brain" if source == "router-brain" else "heuristic",
        reason=reason,
        first_models=_first_models(request),
        review=request.options.review,
    )
    t.set(plan=bound, at="working")
    t.write(
        ContextPlanned(
            timestamp=t.timestamp,
            context_id=request.session_id,
            context=BrainTaskContext(
                id=request.session_id,
                goal=request.prompt,
                progress=TaskProgress(status="pending", summary=_planned(bound)),
                child_context_ids=tuple(w.context_id for w in bound.workers),
            ),
            plan=bound,
        )
    )
    t.write(TodosPlanned(timestamp=t.timestamp, todos=bound.todos, dependencies=bound.dependencies))


def add_reviewer(t: Transition) -> None:
    """Put a reviewer into a plan that is under way, because of what was changed."""
    request = t.state.request
    plan = with_reviewer(
        t.plan,
        run_id=request.run_id,
        session_id=request.session_id,
        first_models=_first_models(request),
    )
    t.set(plan=plan)
    t.write(
        TodosPlanned(
            timestamp=t.timestamp,
            todos=plan.todos,
            dependencies=plan.dependencies,
            reason="What was changed has to be reviewed.",
        )
    )


def preview(request: RunRequest) -> RuntimePlan:
    """Return the plan that the heuristics give, without asking any model."""
    t = Transition(state=RunState(request=request), timestamp=0)
    set_plan(t, _baseline(request), source="heuristic", reason="Planned without a model.")
    return t.plan


def _planned(plan: RuntimePlan) -> str:
    todos, workers = len(plan.todos), len(plan.workers)
    return (
        f"Planned {todos} todo{'' if todos == 1 else 's'} across "
        f"{workers} worker context{'' if workers == 1 else 's'}."
    )


def _baseline(request: RunRequest) -> AgentRoutingPlan:
    """Return the plan that needs no model: roles that the user named, else the heuristics."""
    plan = heuristic_plan(
        request.prompt, preset=request.preset, has_continuity=request.has_continuity
    )
    roles = request.options.force_roles
    if not roles:
        return plan
    return forced_plan(roles, request.prompt, preset=request.preset, base=plan)


def _first_models(request: RunRequest) -> Mapping[str, ModelSummary]:
    return {
        role: summary_of(resolution.candidates[0])
        for role, resolution in request.chains.items()
        if resolution.candidates
    }


def _reason_to_skip_router(t: Transition, base: AgentRoutingPlan) -> str | None:
    request = t.state.request
    if request.options.heuristic:
        return "Planned without a model, as asked."
    if request.preset.routing.router == "heuristic":
        return "This Brain plans from the words of the request."
    # A request that refers to something wants that looked at: never small talk.
    if not request.references and is_conversational(
        request.prompt,
        plan=base,
        has_images=request.has_images,
        has_continuity=request.has_continuity,
    ):
        return "A short request: one agent answers, and no router is asked."
    if not request.router.candidates:
        t.warn("No model can route; planned from the words of the request.")
        return "No router model is usable."
    return None


def _ask_router(t: Transition, *, attempt: int) -> bool:
    request = t.state.request
    if attempt > len(request.router.candidates):
        return False
    context_id = router_context_id(request.session_id)
    directives = router_directives(
        roles=routed_roles(request.preset),
        limits=request.limits,
        mode=request.options.mode,
        chains=request.chains,
        image_count=sum(s.image is not None for s in request.sections),
    )
    prepared = t.prepare(
        Asking(
            call_kind="router",
            role=ROUTER_ROLE,
            context_id=context_id,
            candidate=request.router.candidates[attempt - 1],
            attempt=attempt,
            extra=tuple(
                instruction(context_id, f"instruction:{title}", text) for title, text in directives
            ),
            reply_schema=ROUTER_REPLY_SCHEMA,
        )
    )
    if prepared is None:
        return False
    t.set(at="routing")
    t.launch(prepared)
    return True


def _fall_back(t: Transition, why: str) -> bool:
    """Plan from the words of the request; with images the router is mandatory: no plan."""
    if t.state.request.has_images:
        t.warn(f"The request has images and {why}.")
        return False
    t.warn(f"Planned from the words of the request: {why}.")
    set_plan(t, _baseline(t.state.request), source="heuristic", reason="The router gave no plan.")
    return True
