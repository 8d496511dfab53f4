from __future__ import annotations

import pytest

from braincode_jupyter.brain.roles import (
    INTERNAL_ROLES,
    NOTEBOOK_ROLES,
    ROLES,
    ROUTED_ROLES,
    role_catalogue,
    role_prompt,
)
from braincode_jupyter.errors import UnknownNameError

DIRECTIVES = "## Core directives"


def test_routed_roles_stand_in_the_order_of_the_original() -> None:
    assert ROUTED_ROLES == (
        "frontend", "backend", "designer", "imageMaker", "dba", "devops", "security", "qa",
        "review", "summarize", "oracle", "librarian", "rush",
    )  # fmt: skip
    assert NOTEBOOK_ROLES == ("analyst", "statistician", "visualizer")
    assert INTERNAL_ROLES == ("routeBrain", "pet")


def test_every_role_is_described_completely() -> None:
    assert set(ROLES) == {*ROUTED_ROLES, *NOTEBOOK_ROLES, *INTERNAL_ROLES}
    for role in ROLES.values():
        assert role.identity
        assert role.responsibility
        assert role.output
        assert len(role.capabilities) >= 2
        assert len(role.boundaries) >= 2
        assert 2 <= len(role.working_rules) <= 8


@pytest.mark.parametrize("removed", ["coding", "fastReply", "research"])
def test_removed_roles_are_unknown(removed: str) -> None:
    with pytest.raises(UnknownNameError):
        role_prompt(removed)


def test_catalogue_has_one_line_for_each_role() -> None:
    lines = role_catalogue(["rush", "dba"]).splitlines()

    assert lines[0] == f"- rush (Rush): {ROLES['rush'].responsibility}"
    assert lines[1] == f"- dba (DBA): {ROLES['dba'].responsibility}"
    assert len(lines) == 2


def test_prompt_parts_stand_in_order() -> None:
    prompt = role_prompt("analyst", None)

    role = ROLES["analyst"]
    parts = [
        role.label, role.identity, role.responsibility, role.capabilities[0], role.boundaries[0],
        role.output, "isolated task context", DIRECTIVES, role.working_rules[0],
    ]  # fmt: skip
    places = [prompt.index(part) for part in parts]
    assert places == sorted(places)
    assert len(prompt[prompt.index(DIRECTIVES) :].split("##")[1].strip().splitlines()) == 5


def test_configured_prompt_replaces_the_built_in_one_as_a_whole() -> None:
    assert role_prompt("dba", "Only SQL.") == "Only SQL."
    assert role_prompt("dba", "   ") == role_prompt("dba", None)


def test_router_prompt_lists_all_roles_and_has_no_directives() -> None:
    prompt = role_prompt("routeBrain")

    assert role_catalogue([*ROUTED_ROLES, *NOTEBOOK_ROLES, "routeBrain", "pet"]) in prompt
    assert DIRECTIVES not in prompt


def test_status_prompt_asks_for_strict_json() -> None:
    prompt = role_prompt("pet")

    assert '{"status":"…","lines":["…","…"]}' in prompt
    assert "24" in prompt
    assert DIRECTIVES not in prompt


def test_no_prompt_holds_a_fence() -> None:
    assert not any("```" in role_prompt(role) for role in ROLES)
