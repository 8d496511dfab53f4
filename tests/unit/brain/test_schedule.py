from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.modes import limits_for
from braincode_jupyter.brain.plans import bind_plan
from braincode_jupyter.brain.presets import resolve_preset
from braincode_jupyter.brain.schedule import (
    deadlocked,
    primary_worker,
    ready,
    review_worker,
    support_workers,
    upstream_of,
)
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from braincode_jupyter.protocol.contexts import ResultStatus
    from braincode_jupyter.protocol.plan import RuntimePlan

    MakePlan = Callable[..., AgentRoutingPlan]
    Bind = Callable[..., RuntimePlan]

BRAIN = resolve_preset("brain", [])
ROLES = ("dba", "qa", "security", "designer", "librarian", "frontend")


def _roles(plan: RuntimePlan, context_ids: tuple[str, ...]) -> list[str]:
    return [w.role for w in plan.workers if w.context_id in context_ids]


def _id(plan: RuntimePlan, role: str) -> str:
    return next(w.context_id for w in plan.workers if w.role == role)


def test_primary_and_reviewer_are_no_support(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba", requires_review=True))

    reviewer = review_worker(plan)
    assert [worker.role for worker in support_workers(plan)] == ["qa", "dba"]
    assert primary_worker(plan).role == "backend"
    assert reviewer is not None
    assert reviewer.role == "review"


def test_a_reviewing_primary_has_no_reviewer(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("review", "qa"))

    assert review_worker(plan) is None
    assert primary_worker(plan).role == "review"


def test_upstreams_are_declared_edges_alone(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba", "security", edges=("dba>qa",)))

    assert _roles(plan, upstream_of(plan, _id(plan, "qa"))) == ["dba"]
    assert upstream_of(plan, _id(plan, "security")) == ()
    assert _roles(plan, upstream_of(plan, _id(plan, "backend"))) == ["qa", "dba", "security"]
    assert upstream_of(plan, "nobody") == ()


def test_a_worker_waits_until_its_upstream_has_completed(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba", edges=("dba>qa",)), parallel=4)
    dba, qa = _id(plan, "dba"), _id(plan, "qa")

    assert [w.role for w in ready(plan, finished={}, running=frozenset())] == ["dba"]
    assert ready(plan, finished={}, running=frozenset({dba})) == ()
    assert deadlocked(plan, finished={}, running=frozenset({dba})) == ()
    freed = ready(plan, finished={dba: "completed"}, running=frozenset())
    assert [w.context_id for w in freed] == [qa]


def test_a_failed_upstream_blocks_its_followers_alone(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba", "security", edges=("dba>qa",)), parallel=1)
    finished: dict[str, ResultStatus] = {_id(plan, "dba"): "failed"}

    assert [w.role for w in ready(plan, finished=finished, running=frozenset())] == ["security"]
    assert deadlocked(plan, finished=finished, running=frozenset()) == ()
    finished[_id(plan, "security")] = "completed"
    assert [w.role for w in deadlocked(plan, finished=finished, running=frozenset())] == ["qa"]


def test_workers_that_wait_for_each_other_are_blocked(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba", edges=("dba>qa", "qa>dba")))

    assert [w.role for w in deadlocked(plan, finished={}, running=frozenset())] == ["qa", "dba"]


def test_other_agents_take_no_place(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba"), parallel=1)

    running = frozenset({_id(plan, "backend"), "session:router"})
    assert [w.role for w in ready(plan, finished={}, running=running)] == ["qa"]


@st.composite
def _graphs(draw: st.DrawFn) -> tuple[RuntimePlan, dict[str, ResultStatus]]:
    """A plan whose support workers have acyclic edges, and how each of them will end."""
    count = draw(st.integers(1, len(ROLES)))
    roles = draw(st.permutations(ROLES))[:count]
    order = draw(st.permutations(roles))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if draw(st.booleans())]
    plan = AgentRoutingPlan(
        primary_role="backend",
        workers=tuple(AgentWorkerPlan(role=r, goal="g", reason="r") for r in ("backend", *roles)),
        todos=tuple(AgentTodoItem(id=r, title=r, role=r) for r in ("backend", *roles)),
        dependencies=tuple(AgentTodoDependency(from_todo_id=a, to_todo_id=b) for a, b in pairs),
    )
    bound = bind_plan(
        plan,
        run_id="r",
        session_id="s",
        preset=BRAIN,
        limits=limits_for("auto", BRAIN, max_workers=7),
        mode="auto",
        routing_source="heuristic",
        reason="",
        first_models={},
        review=None,
    )
    limit = draw(st.integers(1, 4))
    routing = bound.routing.model_copy(update={"max_parallel_agents": limit})
    ends = {
        w.context_id: draw(st.sampled_from(["completed", "completed", "blocked", "failed"]))
        for w in support_workers(bound)
    }
    return bound.model_copy(update={"routing": routing}), ends


@given(_graphs(), st.randoms(use_true_random=False))
def test_every_worker_runs_once_or_is_blocked_and_never_too_many_at_once(
    graph: tuple[RuntimePlan, dict[str, ResultStatus]], random: Random
) -> None:
    plan, ends = graph
    finished: dict[str, ResultStatus] = {}
    running: set[str] = set()
    while len(finished) < len(support_workers(plan)):
        for worker in ready(plan, finished=finished, running=running):
            upstream = upstream_of(plan, worker.context_id)
            assert all(finished.get(context_id) == "completed" for context_id in upstream)
            assert worker.context_id not in finished
            running.add(worker.context_id)
        assert len(running) <= plan.routing.max_parallel_agents
        if running:
            done = random.choice(sorted(running))
            running.remove(done)
            finished[done] = ends[done]
        else:
            stuck = deadlocked(plan, finished=finished, running=running)
            assert stuck
            finished.update({w.context_id: "blocked" for w in stuck})
