from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.clarify import default_clarification
from braincode_jupyter.brain.heuristics import heuristic_plan
from braincode_jupyter.brain.modes import limits_for
from braincode_jupyter.brain.plans import normalise_plan, routed_roles
from braincode_jupyter.brain.presets import resolve_preset
from braincode_jupyter.brain.router import (
    MAX_ROUTER_JSON_BYTES,
    parse_router_reply,
    router_directives,
)
from braincode_jupyter.protocol.sections import Candidate, Resolution

if TYPE_CHECKING:
    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.protocol.plan import AgentRoutingPlan

BRAIN = resolve_preset("brain", [])
CHAINS = {"backend": ("p/one", "p/two"), "qa": ("p/two",), "imageMaker": ("p/image",)}


def _parse(
    reply: object, *, prompt: str = "fix the api", preset: BrainPreset = BRAIN
) -> AgentRoutingPlan | None:
    return parse_router_reply(
        reply if isinstance(reply, str) else json.dumps(reply),
        baseline=heuristic_plan(prompt, preset=preset),
        allowed_roles=routed_roles(preset),
        limits=limits_for("radical", preset),
        chains=CHAINS,
        preset=preset,
    )


def _plan(reply: object, **keywords: object) -> AgentRoutingPlan:
    plan = _parse(reply, **keywords)
    assert plan is not None
    return plan


def _roles(plan: AgentRoutingPlan) -> list[str]:
    return [worker.role for worker in plan.workers]


def _workers(*roles: str) -> list[dict[str, str]]:
    return [{"role": role, "goal": f"Do {role}.", "reason": "Why."} for role in roles]


@pytest.mark.parametrize(
    "text",
    [
        "", "I would ask backend.", "[1]", '{"role":"qa","role":"dba"}', '{"confidence":NaN}',
        '{"reason":"' + "x" * MAX_ROUTER_JSON_BYTES + '"}', "{" * 100_000 + "}",
    ],
)  # fmt: skip
def test_what_is_no_json_object_gives_no_plan(text: str) -> None:
    assert _parse(text) is None


def test_a_whole_reply_is_followed() -> None:
    plan = _plan(
        {
            "role": "backend",
            "workers": _workers("backend", "qa"),
            "todos": [
                {"id": "Plan Tests", "title": "Plan", "role": "qa"},
                {"id": "build", "task": "Build", "role": "backend", "reason": "Core."},
            ],
            "dependencies": [{"from": "plan-tests", "to": "build", "reason": "First."}],
            "confidence": 0.8,
            "reason": "Server work.",
            "unknown": {"tools": ["shell"]},
        }
    )

    assert (plan.primary_role, _roles(plan)) == ("backend", ["backend", "qa"])
    assert [(t.id, t.title, t.role) for t in plan.todos] == [
        ("plan-tests", "Plan", "qa"), ("build", "Build", "backend"),
    ]  # fmt: skip
    assert plan.dependencies[0].reason == "First."
    assert (plan.confidence, plan.reason) == (0.8, "Server work.")
    assert plan.requires_review


def test_fences_and_prose_around_the_reply_do_not_matter() -> None:
    assert _plan('Here:\n```json\n{"role":"qa"}\n```').primary_role == "qa"


@pytest.mark.parametrize("role", ["coding", "routeBrain", "pet", "analyst", "QA", 3, None])
def test_an_unknown_role_falls_back_to_the_words(role: object) -> None:
    assert _plan({"role": role}).primary_role == "backend"


def test_an_empty_object_gives_the_primary_alone() -> None:
    plan = _plan({})

    assert _roles(plan) == ["backend"]
    assert plan.workers[0].goal == heuristic_plan("fix the api", preset=BRAIN).workers[0].goal


def test_a_later_duplicate_overwrites_but_keeps_its_place() -> None:
    workers = [*_workers("backend", "qa"), {"role": "backend", "goal": "Again.", "reason": " "}]

    plan = _plan({"role": "backend", "workers": workers})

    assert _roles(plan) == ["backend", "qa"]
    assert plan.workers[0].goal == "Again."
    assert plan.workers[0].reason == "Chosen as primary."


def test_rush_supports_nobody() -> None:
    plan = _plan(
        {
            "role": "qa",
            "workers": _workers("rush"),
            "todos": [{"title": "Quick", "role": "rush"}, {"title": "Test", "role": "qa"}],
        }
    )

    assert _roles(plan) == ["qa"]
    assert [todo.title for todo in plan.todos] == ["Test"]
    assert _roles(_plan({"role": "rush", "workers": _workers("rush")})) == ["rush"]


def test_a_missing_primary_comes_first() -> None:
    assert _roles(_plan({"role": "dba", "workers": _workers("qa")})) == ["dba", "qa"]


def test_workers_are_capped_and_the_primary_is_kept() -> None:
    names = ["qa", "dba", "security", "designer", "backend"]

    plan = _plan(
        {
            "role": "backend",
            "workers": _workers(*names),
            "todos": [{"id": n, "title": n, "role": n} for n in names],
        }
    )

    assert _roles(plan) == ["backend", "dba", "security", "designer"]
    owners = {todo.id: todo.role for todo in plan.todos}
    assert owners["qa"] == "backend"
    assert plan.workers[0].todo_ids == ("qa", "backend")


def test_todos_are_cut_before_they_are_checked() -> None:
    todos = [{"title": ""}] * 8 + [{"title": "Late"}]

    plan = _plan({"role": "backend", "todos": todos})

    assert [todo.id for todo in plan.todos] == ["todo-01-backend"]
    assert plan.todos[0].title == plan.workers[0].goal


def test_todo_fields_have_fallbacks() -> None:
    todos = ["text", {"goal": " Go "}, {"title": "T", "role": "coding", "status": "completed"}]

    plan = _plan({"role": "backend", "todos": todos})

    assert [(t.id, t.title, t.role, t.status) for t in plan.todos] == [
        ("todo-02-backend", "Go", "backend", "pending"),
        ("todo-03-backend", "T", "backend", "pending"),
    ]


def test_edges_take_both_spellings_and_lose_what_cannot_be() -> None:
    plan = _plan(
        {
            "role": "backend",
            "workers": _workers("backend", "qa", "dba"),
            "todos": [{"id": r, "title": r, "role": r} for r in ("backend", "qa", "dba")],
            "dependencies": [
                {"fromTodoId": " dba ", "toTodoId": "qa"},
                {"from": "backend", "to": "qa"},
                {"from": "qa", "to": "qa"},
                {"from": "", "to": "qa"},
                {"from": "QA", "to": "backend"},
                "qa",
            ],
        }
    )

    pairs = [(edge.from_todo_id, edge.to_todo_id) for edge in plan.dependencies]
    assert pairs == [("dba", "qa"), ("qa", "backend"), ("dba", "backend")]


def test_a_reply_cannot_switch_review_on_or_off() -> None:
    reply = {"role": "backend", "requiresReview": False}

    assert _plan(reply).requires_review
    assert not _plan({**reply, "requiresReview": True}, prompt="explain the api").requires_review


def test_support_asks_for_review_where_the_preset_has_data_roles(notebook: BrainPreset) -> None:
    reply = {"role": "analyst", "workers": _workers("analyst", "statistician")}

    assert _plan(reply, prompt="hello", preset=notebook).requires_review
    assert not _plan({"role": "analyst"}, prompt="hello", preset=notebook).requires_review


def test_a_vague_request_is_asked_about_whatever_the_router_says() -> None:
    no = {"clarification": {"required": False}}

    assert _plan(no, prompt="fix it").clarification == default_clarification()
    assert _plan(no).clarification is None
    own = {"clarification": {"required": True, "question": "Which API?"}}
    question = _plan(own, prompt="fix it").clarification
    assert question is not None
    assert question.question == "Which API?"


@pytest.mark.parametrize(
    ("value", "confidence"), [(2, 1.0), (-1, 0.0), ("0.5", None), (True, None), (None, None)]
)
def test_confidence_is_a_number_from_zero_to_one(value: object, confidence: float | None) -> None:
    assert _plan({"confidence": value}).confidence == confidence


def test_a_model_is_kept_only_in_the_roles_own_chain() -> None:
    workers = _workers("backend", "qa", "imageMaker")
    workers[1]["modelId"] = "p/one"
    workers[2]["modelId"] = "p/other"

    plan = _plan({"role": "backend", "modelId": "p/two", "workers": workers})

    assert plan.model_id == "p/two"
    assert [worker.model_id for worker in plan.workers] == ["p/two", None, None]
    assert _plan({"role": "backend", "modelId": "evil/model"}).model_id is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
_ROLE = st.sampled_from(["qa", "review", "rush", "backend", "imageMaker", "coding"]) | _JSON
_ITEM = _JSON | st.fixed_dictionaries(
    {},
    optional={
        "role": _ROLE,
        "id": _JSON,
        "title": _JSON,
        "goal": _JSON,
        "from": _JSON,
        "to": _JSON,
    },
)


@settings(max_examples=60)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "role": _ROLE,
            "workers": st.lists(_ITEM, max_size=9) | _JSON,
            "todos": st.lists(_ITEM, max_size=12) | _JSON,
            "dependencies": st.lists(_ITEM, max_size=6) | _JSON,
            "clarification": _JSON,
            "confidence": _JSON,
        },
    )
)
def test_any_object_gives_a_normal_plan_within_the_caps(reply: dict[str, object]) -> None:
    plan = _plan(reply)

    assert normalise_plan(plan) == plan
    assert len(plan.workers) <= 4
    assert len(plan.todos) <= 8 + len(plan.workers)
    assert set(_roles(plan)) <= set(routed_roles(BRAIN))
    assert plan.primary_role in _roles(plan)


def test_directives_name_roles_models_and_limits_and_hold_no_fence(notebook: BrainPreset) -> None:
    seeing = Candidate(model_id="p/one", provider="p", name="One", vision=True, context_window=9)
    pieces = router_directives(
        roles=routed_roles(notebook),
        limits=limits_for("radical", notebook),
        mode="radical",
        chains={"qa": Resolution(candidates=(seeing,))},
        image_count=2,
    )

    titles = [title for title, _ in pieces]
    text = dict(pieces)
    assert titles == [
        "task", "mode", "modality", "models", "roles", "principles", "reply", "constraints",
    ]  # fmt: skip
    assert "8 todos" in text["mode"]
    assert "2 images" in text["modality"]
    assert "- p/one: vision, no tools, context 9" in text["models"]
    assert "- qa: p/one" in text["models"]
    assert "- dba: no usable model" in text["models"]
    assert "- analyst (Analyst): " in text["roles"]
    assert "routeBrain" not in text["roles"]
    assert not any("```" in piece for _, piece in pieces)


def test_the_shape_that_is_asked_for_is_itself_readable(brain: BrainPreset) -> None:
    pieces = dict(
        router_directives(
            roles=routed_roles(brain), limits=limits_for("auto", brain), mode="auto", chains={}
        )
    )

    assert _parse(pieces["reply"]) is not None
    assert "text only" in pieces["modality"]
