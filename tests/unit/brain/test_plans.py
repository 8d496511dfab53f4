from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.clarify import default_clarification
from braincode_jupyter.brain.modes import limits_for
from braincode_jupyter.brain.plans import (
    bind_plan,
    capped_plan,
    forced_plan,
    normalise_plan,
    routed_roles,
    stable_id,
)
from braincode_jupyter.brain.presets import resolve_preset
from braincode_jupyter.errors import UnknownNameError
from braincode_jupyter.protocol.plan import (
    AgentRoutingPlan,
    AgentTodoDependency,
    AgentTodoItem,
    AgentWorkerPlan,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.protocol.plan import RuntimePlan

    MakePlan = Callable[..., AgentRoutingPlan]
    Bind = Callable[..., RuntimePlan]

ROLES = ["frontend", "imageMaker", "qa", "review", "librarian", "rush"]
NAMES = st.sampled_from(["a", "A b", "a-2", "", "日", "todo-01-qa", "x_y", "-"])
ROLE = st.sampled_from(ROLES)
TEXT = st.sampled_from(["", " ", "Do it.", "long " * 200])

TODOS = st.lists(st.builds(AgentTodoItem, id=NAMES, title=TEXT, role=ROLE), max_size=7)
WORKERS = st.lists(
    st.builds(
        AgentWorkerPlan,
        role=ROLE,
        goal=TEXT,
        reason=TEXT,
        todo_ids=st.none() | st.lists(NAMES, max_size=3).map(tuple),
    ),
    max_size=5,
)
EDGES = st.lists(st.builds(AgentTodoDependency, from_todo_id=NAMES, to_todo_id=NAMES), max_size=8)
PLANS = st.builds(
    AgentRoutingPlan,
    primary_role=ROLE,
    workers=WORKERS.map(tuple),
    todos=TODOS.map(tuple),
    dependencies=EDGES.map(tuple),
    clarification=st.none() | st.just(default_clarification("zh")),
)


def _pairs(plan: AgentRoutingPlan | RuntimePlan) -> list[str]:
    return [f"{edge.from_todo_id}>{edge.to_todo_id}" for edge in plan.dependencies]


@given(PLANS)
def test_normalising_a_plan_twice_changes_nothing(plan: AgentRoutingPlan) -> None:
    once = normalise_plan(plan)

    assert normalise_plan(once) == once


@given(PLANS)
def test_every_todo_has_an_owner_and_every_worker_a_todo(plan: AgentRoutingPlan) -> None:
    normal = normalise_plan(plan)

    ids = [todo.id for todo in normal.todos]
    owned = {todo_id for worker in normal.workers for todo_id in worker.todo_ids or ()}
    assert len(set(ids)) == len(ids)
    assert owned == set(ids)
    assert all(worker.todo_ids for worker in normal.workers)
    assert any(worker.role == plan.primary_role for worker in normal.workers)


@given(PLANS)
def test_no_edge_runs_against_the_order_of_phases(plan: AgentRoutingPlan) -> None:
    normal = normalise_plan(plan)

    roles = {todo.id: todo.role for todo in normal.todos}
    primary = normal.primary_role
    for edge in normal.dependencies:
        source, target = roles[edge.from_todo_id], roles[edge.to_todo_id]
        assert edge.from_todo_id != edge.to_todo_id
        if source == "review":
            assert target == "review"
        if source == primary:
            assert target in {primary, "review"}


def test_todo_ids_are_slugs_numbered_on_collision(make_plan: MakePlan) -> None:
    todos = [("Map It!", "One"), ("map it", "Two"), ("", " Three "), ("x", "  ")]
    plan = make_plan("rush").model_copy(
        update={"todos": tuple(AgentTodoItem(id=i, title=t, role="rush") for i, t in todos)}
    )

    normal = normalise_plan(plan)

    assert [todo.id for todo in normal.todos] == ["map-it", "map-it-2", "todo-03-rush"]
    assert normal.todos[2].title == "Three"


def test_a_worker_without_todo_gets_one_of_its_goal(make_plan: MakePlan) -> None:
    plan = make_plan("rush", "qa").model_copy(update={"todos": ()})

    normal = normalise_plan(plan)

    assert [todo.id for todo in normal.todos] == ["todo-01-rush", "todo-02-qa"]
    assert normal.todos[1].title == "Do qa."
    assert normal.todos[1].reason == "Why."


def test_support_comes_before_the_primary_and_the_primary_before_the_review(
    make_plan: MakePlan,
) -> None:
    plan = make_plan("backend", "dba", "qa", "review", edges=("backend>qa", "dba>qa", "review>dba"))

    assert _pairs(normalise_plan(plan)) == [
        "dba>qa", "dba>backend", "qa>backend", "backend>review",
    ]  # fmt: skip


def test_an_explicit_reason_survives_the_implied_edge(make_plan: MakePlan) -> None:
    edge = AgentTodoDependency(from_todo_id="qa", to_todo_id="backend", reason="Tests first.")
    plan = make_plan("backend", "qa").model_copy(update={"dependencies": (edge,)})

    assert normalise_plan(plan).dependencies == (edge,)


def test_forced_roles_work_alone_and_the_first_is_primary(
    notebook: BrainPreset, make_plan: MakePlan
) -> None:
    base = make_plan("rush").model_copy(update={"clarification": default_clarification()})

    plan = forced_plan(["analyst", "qa", "analyst"], "Why {this}?", preset=notebook, base=base)

    assert [worker.role for worker in plan.workers] == ["analyst", "qa"]
    assert plan.primary_role == "analyst"
    assert "(primary)" in plan.workers[0].goal
    assert plan.workers[1].goal.endswith("Why {this}?")
    assert not plan.requires_review
    assert plan.clarification == default_clarification()
    assert _pairs(plan) == ["as-qa>as-analyst"]
    assert [t.title for t in plan.todos] == ["Answer as Analyst", "Look at it as QA"]


def test_a_reviewer_that_is_added_has_a_short_todo(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("analyst", "librarian"), review=True)

    assert [(t.id, t.title) for t in plan.todos if t.role == "review"] == [
        ("review", "Check the answer against the evidence")
    ]


def test_a_forced_reviewer_that_is_not_first_reviews(
    notebook: BrainPreset, make_plan: MakePlan, bind: Bind
) -> None:
    plan = forced_plan(["qa", "review"], "x", preset=notebook, base=make_plan("rush"))

    assert [worker.role for worker in bind(plan).workers] == ["qa", "review"]
    assert forced_plan(["review"], "x", preset=notebook, base=plan).requires_review is False


def test_an_unknown_forced_role_names_near_ones(brain: BrainPreset, make_plan: MakePlan) -> None:
    with pytest.raises(UnknownNameError, match="librarian"):
        forced_plan(["libarian"], "x", preset=brain, base=make_plan("rush"))
    with pytest.raises(UnknownNameError):
        forced_plan(["analyst"], "x", preset=brain, base=make_plan("rush"))


def test_notebook_roles_are_routed_where_the_preset_has_them(
    brain: BrainPreset, notebook: BrainPreset
) -> None:
    assert len(routed_roles(brain)) == 13
    assert routed_roles(notebook)[13:] == ("analyst", "statistician", "visualizer")


@pytest.mark.parametrize(
    ("required", "asked", "roles"),
    [
        (True, None, ["backend", "review"]),
        (False, None, ["backend"]),
        (True, False, ["backend"]),
        (False, True, ["backend", "review"]),
    ],
)
def test_the_users_word_on_review_wins(
    make_plan: MakePlan, bind: Bind, *, required: bool, asked: bool | None, roles: list[str]
) -> None:
    plan = bind(make_plan("backend", requires_review=required), review=asked)

    assert [worker.role for worker in plan.workers] == roles
    assert plan.agent_plan.requires_review == (len(roles) == 2)
    assert [worker.role for worker in plan.agent_plan.workers] == ["backend"]


def test_a_reviewer_that_will_not_run_leaves_no_todo(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "review"))

    assert [worker.role for worker in plan.workers] == ["backend"]
    assert [todo.id for todo in plan.todos] == ["backend"]
    assert plan.dependencies == ()


def test_a_primary_reviewer_is_not_reviewed(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("review", requires_review=True), review=True)

    assert [worker.role for worker in plan.workers] == ["review"]


def test_local_reviews_only_when_asked(make_plan: MakePlan, bind: Bind) -> None:
    local = resolve_preset("local", [])
    plan = make_plan("analyst", requires_review=True)

    assert len(bind(plan, preset=local).workers) == 1
    assert len(bind(plan, preset=local, review=True).workers) == 2


def test_ids_depend_on_run_place_and_role_alone(make_plan: MakePlan, bind: Bind) -> None:
    plan = bind(make_plan("backend", "qa", "dba"))

    ids = [worker.context_id for worker in plan.workers]
    assert len({*ids}) == 3
    assert ids == [worker.context_id for worker in bind(make_plan("backend", "qa", "dba")).workers]
    assert all(UUID(context_id).version == 5 for context_id in ids)
    assert stable_id("r", "a", "b") != stable_id("r", "a,b")


def test_a_bound_plan_says_where_it_came_from(
    brain: BrainPreset, make_plan: MakePlan, bind: Bind
) -> None:
    plan = bind(make_plan("backend", "qa"))

    assert plan.brain.id == brain.id
    assert (plan.routing.source, plan.routing.max_todos) == ("heuristic", 6)
    assert [worker.model is None for worker in plan.workers] == [True, False]
    assert plan.model is None


def test_the_users_cap_keeps_the_primary_and_gives_it_the_todos(
    make_plan: MakePlan, bind: Bind
) -> None:
    plan = bind(make_plan("backend", "qa", "dba"), asked=2)

    assert [worker.role for worker in plan.workers] == ["backend", "qa"]
    assert plan.workers[0].todo_ids == ("backend", "dba")


def test_a_primary_beyond_the_cap_takes_the_first_place(make_plan: MakePlan) -> None:
    plan = make_plan("backend", "qa", "dba")
    turned = plan.model_copy(update={"workers": plan.workers[::-1]})

    assert [worker.role for worker in capped_plan(turned, 2).workers] == ["backend", "qa"]


def test_a_plan_with_sixty_four_workers_of_one_role_keeps_them_apart(brain: BrainPreset) -> None:
    todos = tuple(AgentTodoItem(id=f"t-{i}", title="T", role="librarian") for i in range(64))
    workers = tuple(
        AgentWorkerPlan(role="librarian", goal="G", reason="R", todo_ids=(t.id,)) for t in todos
    )
    plan = AgentRoutingPlan(primary_role="rush", workers=workers, todos=todos)

    bound = bind_plan(
        plan,
        run_id="r",
        session_id="s",
        preset=brain,
        limits=limits_for("auto", brain),
        mode="auto",
        routing_source="heuristic",
        reason="",
        first_models={},
        review=None,
    )

    assert len({worker.context_id for worker in bound.workers}) == 65
    assert [worker.todo_ids for worker in bound.workers[1:]] == [(t.id,) for t in todos]
