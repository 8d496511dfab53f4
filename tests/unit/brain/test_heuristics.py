from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.brain.heuristics import heuristic_plan, is_conversational
from braincode_jupyter.brain.plans import normalise_plan

if TYPE_CHECKING:
    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.protocol.plan import AgentRoutingPlan

# The original's table: prompt, primary, workers, todos, whether words of editing occur.
VERIFIED = [
    ("hello there", "rush", "todo-01-rush", False),
    ("fix it", "rush", "todo-01-rush", True),
    ("implement a new feature", "rush", "todo-01-rush", True),
    ("git status", "devops", "handle-workspace", False),
    ("review this patch", "review", "review-result", False),
    (
        "Add a login page with form validation",
        "frontend librarian backend",
        "map-context build-backend build-frontend",
        True,
    ),
    ("fix the failing test in packages/tools", "qa librarian", "map-context verify-behavior", True),
    (
        "Write a SQL migration adding an index on users.email",
        "dba librarian",
        "map-context plan-data",
        True,
    ),
    (
        "Design the layout of a settings screen",
        "frontend designer",
        "design-experience build-frontend",
        False,
    ),
    ("summarize this session", "backend", "build-backend final-report", False),
    (
        "train a model on iris and report accuracy", "summarize", "todo-01-summarize", False,
    ),
    ("generate an image of a cat", "imageMaker", "generate-image", False),
    ("update the docs", "rush", "todo-01-rush", False),
]  # fmt: skip

QUIRKS = [
    ("merge two dataframes", "devops"),
    ("execute the next cell", "devops"),
    ("reset the index of df", "dba"),
    ("copy the dataframe and sort it", "designer"),
    ("view the first rows", "frontend"),
    ("make a picture of the loss curve", "imageMaker"),
    ("登录页", "frontend"),
    ("修复接口", "backend"),
    ("生成一张猫的图片", "imageMaker"),
    ("git test", "qa"),
    ("run script and report", "devops"),
    ("generate a\nnew image", "rush"),
    ("restyled capitals", "rush"),
]


def _roles(plan: AgentRoutingPlan) -> list[str]:
    return [worker.role for worker in plan.workers]


def _small_talk(
    prompt: str, preset: BrainPreset, *, images: bool = False, goes_on: bool = False
) -> bool:
    plan = heuristic_plan(prompt, preset=preset, has_continuity=goes_on)
    return is_conversational(prompt, plan=plan, has_images=images, has_continuity=goes_on)


@pytest.mark.parametrize(("prompt", "roles", "todos", "is_edit"), VERIFIED)
def test_brain_plans_as_the_original_does(
    brain: BrainPreset, prompt: str, *, roles: str, todos: str, is_edit: bool
) -> None:
    plan = heuristic_plan(prompt, preset=brain)

    assert _roles(plan) == roles.split()
    assert plan.primary_role == roles.split(maxsplit=1)[0]
    assert [todo.id for todo in plan.todos] == todos.split()
    assert plan.requires_review == is_edit
    assert (plan.clarification is not None) == (prompt == "fix it")


@pytest.mark.parametrize(("prompt", "primary"), QUIRKS)
def test_brain_keeps_the_quirks_of_the_original(
    brain: BrainPreset, prompt: str, primary: str
) -> None:
    assert heuristic_plan(prompt, preset=brain).primary_role == primary


@pytest.mark.parametrize(
    "prompt", [v[0] for v in VERIFIED if v[0] not in {"train a model on iris and report accuracy"}]
)
def test_notebook_plans_other_work_as_brain_does(
    brain: BrainPreset, notebook: BrainPreset, prompt: str
) -> None:
    ours, original = (heuristic_plan(prompt, preset=preset) for preset in (notebook, brain))

    assert (ours.workers, ours.todos, ours.dependencies) == (
        original.workers, original.todos, original.dependencies,
    )  # fmt: skip


def test_review_joins_only_where_something_is_edited(brain: BrainPreset) -> None:
    assert _roles(heuristic_plan("fix and review the api", preset=brain)) == [
        "backend", "librarian", "review",
    ]  # fmt: skip
    assert "review" not in _roles(heuristic_plan("review the api", preset=brain))


def test_edges_follow_the_order_of_the_original(brain: BrainPreset) -> None:
    plan = heuristic_plan(
        "implement login api, database schema, page layout, security and tests", preset=brain
    )

    assert plan.primary_role == "frontend"
    pairs = {(edge.from_todo_id, edge.to_todo_id) for edge in plan.dependencies}
    assert {
        ("map-context", "plan-data"), ("plan-data", "build-backend"),
        ("assess-security", "build-backend"), ("build-backend", "build-frontend"),
        ("design-experience", "build-frontend"), ("build-backend", "verify-behavior"),
        ("verify-behavior", "build-frontend"),
    } <= pairs  # fmt: skip
    assert ("build-frontend", "verify-behavior") not in pairs


def test_review_of_edits_can_be_turned_off(brain: BrainPreset) -> None:
    routing = brain.routing.model_copy(update={"require_review_for_file_edits": False})
    preset = brain.model_copy(update={"routing": routing})

    assert not heuristic_plan("fix the api", preset=preset).requires_review


def test_notebook_reviews_whatever_has_support(notebook: BrainPreset) -> None:
    assert heuristic_plan("merge two dataframes", preset=notebook).requires_review
    assert not heuristic_plan("hello", preset=notebook).requires_review


def test_plans_are_normal_and_repeatable(notebook: BrainPreset) -> None:
    plan = heuristic_plan("why did revenue fall?", preset=notebook)

    assert normalise_plan(plan) == plan
    assert heuristic_plan("why did revenue fall?", preset=notebook) == plan


@pytest.mark.timeout(5)
def test_a_very_long_request_is_planned_at_once(notebook: BrainPreset) -> None:
    assert heuristic_plan("generate make why " * 15_000, preset=notebook).primary_role == "rush"


@pytest.mark.parametrize("prompt", ["hi!", "hello there", "what is a monad?", "thanks"])
def test_small_talk_needs_no_router(notebook: BrainPreset, prompt: str) -> None:
    assert _small_talk(prompt, notebook)


@pytest.mark.parametrize(
    "prompt",
    [
        "", " ", "x" * 241, "look at src/app", "what is `x`?", "hello app.py", "hello my_name",
        "fix it", "implement it well", "merge two dataframes", "git status", "and/or",
    ],
)  # fmt: skip
def test_what_points_at_work_goes_to_the_router(notebook: BrainPreset, prompt: str) -> None:
    assert not _small_talk(prompt, notebook)


def test_images_and_earlier_turns_are_never_small_talk(notebook: BrainPreset) -> None:
    assert not _small_talk("hello", notebook, images=True)
    assert not _small_talk("hello", notebook, goes_on=True)
