from __future__ import annotations

from typing import Any

import pytest

from braincode_jupyter.brain.presets import (
    BUILT_IN_PRESETS,
    ModelPolicy,
    policy_for,
    preset_ids,
    resolve_preset,
    router_policy,
)
from braincode_jupyter.errors import ConfigurationError, UnknownNameError

AZURE = "azure-openai-responses/gpt-5.5"
SONNET = "anthropic/claude-sonnet-4-6"
PRO = "google/gemini-3.1-pro-preview"
FLASH = "google/gemini-3-flash-preview"

BRAIN = {
    "routeBrain": ((AZURE, SONNET), "xhigh"),
    "frontend": ((SONNET, PRO, AZURE), "medium"),
    "backend": ((SONNET, AZURE, PRO), "medium"),
    "designer": ((PRO, SONNET, FLASH), "medium"),
    "imageMaker": (("openai/gpt-image-2",), "off"),
    "dba": ((PRO, AZURE, SONNET), "high"),
    "devops": ((SONNET, PRO, AZURE), "medium"),
    "security": ((PRO, AZURE, SONNET), "high"),
    "qa": ((FLASH, SONNET, PRO), "low"),
    "review": ((PRO, SONNET, AZURE), "high"),
    "summarize": ((FLASH, SONNET), "low"),
    "oracle": ((AZURE, SONNET, PRO), "xhigh"),
    "librarian": ((SONNET, PRO, AZURE), "high"),
    "rush": ((FLASH, SONNET, AZURE), "low"),
    "pet": ((FLASH, SONNET), "minimal"),
}


def _child(**keys: object) -> dict[str, Any]:
    return {"id": "mine", "extends": "brain", **keys}


def test_brain_has_the_chains_of_the_original() -> None:
    brain = resolve_preset("brain", [])

    assert {r: (p.chain, p.thinking_level) for r, p in brain.roles.items()} == BRAIN
    assert (brain.planner.chain, brain.planner.thinking_level) == ((AZURE,), "xhigh")
    assert brain.routing.max_parallel_agents == 2
    assert (brain.context.max_input_tokens, brain.context.compaction) == (120_000, "auto")
    assert not brain.has_data_roles


def test_any_single_key_is_enough_for_every_role_of_notebook() -> None:
    notebook = resolve_preset("notebook", [])

    assert set(notebook.roles) == {*BRAIN, "analyst", "statistician", "visualizer"}
    for role, policy in notebook.roles.items():
        providers = {model_id.split("/")[0] for model_id in policy.chain}
        assert role == "imageMaker" or {"openai", "anthropic", "google"} <= providers
    for role, (chain, level) in BRAIN.items():
        assert set(chain) <= set(notebook.roles[role].chain)
        assert notebook.roles[role].thinking_level == level
    assert notebook.routing.max_parallel_agents == 4


def test_local_asks_the_embedded_model_alone_and_never_reviews() -> None:
    local = resolve_preset("local", [])

    assert {policy.chain for policy in local.roles.values()} == {("local/embedded",)}
    assert router_policy(local).chain == ("local/embedded",)
    assert (local.routing.router, local.routing.review) == ("heuristic", "never")
    assert local.routing.max_parallel_agents == 1


def test_child_keys_win_and_the_fallbacks_are_replaced_as_a_whole() -> None:
    mine = resolve_preset(
        "mine",
        [
            _child(
                name="Mine",
                roles={
                    "dba": {"modelId": "x/y"},
                    "qa": {"fallbackModelIds": ["x/z"], "systemPrompt": "Test."},
                },
                routing={"maxParallelAgents": 3.9},
            )
        ],
    )

    assert mine.roles["dba"].chain == ("x/y", AZURE, SONNET)
    assert mine.roles["qa"].chain == (FLASH, "x/z")
    assert mine.roles["qa"].system_prompt == "Test."
    assert mine.routing.max_parallel_agents == 3
    assert mine.routing.require_review_for_file_edits
    assert (mine.name, mine.description) == ("Mine", resolve_preset("brain", []).description)


def test_roles_that_only_the_child_has_are_dropped() -> None:
    mine = resolve_preset("mine", [_child(roles={"poet": {"modelId": "x/y"}})])

    assert set(mine.roles) == set(BRAIN)


def test_a_user_preset_may_extend_notebook() -> None:
    mine = resolve_preset(
        "mine", [_child(extends="notebook", roles={"analyst": {"modelId": "a/b"}})]
    )

    assert mine.roles["analyst"].chain[0] == "a/b"
    assert mine.has_data_roles


def test_what_a_person_chose_in_brain_counts_in_notebook_too() -> None:
    own = {**BUILT_IN_PRESETS[0]}
    roles = {**own["roles"], "backend": {"modelId": "ollama/q"}}
    presets: list[Any] = [{**own, "roles": roles, "planner": {"modelId": "ollama/p"}}]

    notebook = resolve_preset("notebook", presets)

    assert notebook.roles["backend"].chain == ("ollama/q",)
    assert notebook.roles["analyst"].chain == ("ollama/q",)
    assert notebook.planner.chain == ("ollama/p",)
    assert notebook.roles["dba"] == resolve_preset("notebook", []).roles["dba"]


def test_unknown_preset_names_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="notebook"):
        resolve_preset("notebok", [])


@pytest.mark.parametrize(
    ("presets", "words"),
    [
        ([{"id": "a", "extends": "b"}, {"id": "b", "extends": "a"}], "a > b > a"),
        ([{"id": "a", "extends": "nowhere"}], "nowhere"),
        ([{"id": "a", "name": "A"}], "description, planner, roles, routing, context"),
        ([{"id": "a", "extends": "brain", "roles": {"qa": {"modelId": 3}}}], "roles.qa.modelId"),
        ([{"id": "a", "extends": "brain", "roles": {"qa": "fast"}}], "roles.qa"),
        (
            [{"id": "a", "extends": "brain", "roles": {"qa": {"thinkingLevel": "huge"}}}],
            "thinkingLevel",
        ),
    ],
)
def test_broken_presets_name_the_place(presets: list[Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        resolve_preset("a", presets)


@pytest.mark.parametrize(
    ("value", "agents"), [(0, 1), (-2, 1), ("4", 1), (True, 1), (1e9, 64), (float("inf"), 1)]
)
def test_odd_numbers_of_agents_become_usable_ones(value: object, agents: int) -> None:
    mine = resolve_preset("mine", [_child(routing={"maxParallelAgents": value})])

    assert mine.routing.max_parallel_agents == agents


def test_a_chain_has_no_blanks_and_no_duplicates() -> None:
    policy = ModelPolicy(model_id=" a/b ", fallback_model_ids=("", "c/d", "a/b"))

    assert policy.chain == ("a/b", "c/d")


def test_a_missing_role_falls_back_to_rush() -> None:
    brain = resolve_preset("brain", [])

    assert policy_for(brain, "analyst") == brain.roles["rush"]
    assert policy_for(brain.model_copy(update={"roles": {}}), "qa").chain == ()


def test_router_uses_the_planner_before_its_own_role() -> None:
    brain = resolve_preset("brain", [])

    assert router_policy(brain) == brain.planner
    assert router_policy(brain.model_copy(update={"planner": ModelPolicy()})).chain == (
        AZURE,
        SONNET,
    )


def test_ids_list_built_in_presets_first_and_each_once() -> None:
    assert preset_ids([{"id": "mine"}, {"id": "brain"}, {}]) == (
        "brain",
        "notebook",
        "local",
        "mine",
    )
