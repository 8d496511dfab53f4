"""Plans and packets that several tests of the pure layer start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.brain.handoff import build_handoff
from braincode_jupyter.brain.modes import limits_for
from braincode_jupyter.brain.plans import bind_plan, normalise_plan
from braincode_jupyter.brain.presets import BrainPreset, resolve_preset
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
    ModelSummary,
    RuntimePlan,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.contexts import HandoffPacket


@pytest.fixture(scope="session")
def brain() -> BrainPreset:
    return resolve_preset("brain", [])


@pytest.fixture(scope="session")
def notebook() -> BrainPreset:
    return resolve_preset("notebook", [])


@pytest.fixture(scope="session")
def make_plan() -> Callable[..., AgentRoutingPlan]:
    """Make a plan: the first role is primary; one todo a role, its id is the role's name."""

    def make(
        *roles: str, edges: tuple[str, ...] = (), requires_review: bool = False
    ) -> AgentRoutingPlan:
        pairs = [edge.split(">") for edge in edges]
        return AgentRoutingPlan(
            primary_role=roles[0],
            workers=tuple(AgentWorkerPlan(role=r, goal=f"Do {r}.", reason="Why.") for r in roles),
            todos=tuple(AgentTodoItem(id=r, title=f"Todo of {r}", role=r) for r in roles),
            dependencies=tuple(AgentTodoDependency(from_todo_id=a, to_todo_id=b) for a, b in pairs),
            requires_review=requires_review,
        )

    return make


@pytest.fixture(scope="session")
def bind(brain: BrainPreset) -> Callable[..., RuntimePlan]:
    """Bind a plan; ``parallel`` is the limit of workers at once."""

    def bound(
        plan: AgentRoutingPlan,
        *,
        parallel: int = 2,
        review: bool | None = None,
        preset: BrainPreset = brain,
        asked: int | None = None,
    ) -> RuntimePlan:
        runtime = bind_plan(
            normalise_plan(plan),
            run_id="run",
            session_id="session",
            preset=preset,
            limits=limits_for("auto", preset, max_workers=asked),
            mode="auto",
            routing_source="heuristic",
            reason="Test.",
            first_models={"qa": ModelSummary(id="a/b", provider="a", name="B")},
            review=review,
        )
        routing = runtime.routing.model_copy(update={"max_parallel_agents": parallel})
        return runtime.model_copy(update={"routing": routing})

    return bound


@pytest.fixture
def worker_plan(
    make_plan: Callable[..., AgentRoutingPlan], bind: Callable[..., RuntimePlan]
) -> RuntimePlan:
    return bind(make_plan("analyst", "librarian", requires_review=True))


@pytest.fixture
def packet(worker_plan: RuntimePlan) -> HandoffPacket:
    return build_handoff(
        worker_plan.workers[1],
        session_id="session",
        run_id="run",
        phase="support",
        context_refs=(),
    )
