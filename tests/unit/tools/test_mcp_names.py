from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.protocol.outside import PinnedTool
from braincode_jupyter.tools.mcp_names import (
    MAX_DESCRIPTION_BYTES,
    ListedTool,
    NamedTool,
    clean_description,
    listed_tool,
    name_tools,
    tool_name,
)

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside_records import Scope

_HIDDEN = "\u202e\u200b\u2066\ufeff\U000e0041\x1b[2J\x00\x07"


def _tool(
    name: str = "t", *, server: str = "s", scope: Scope = "user", **raw: JsonValue
) -> ListedTool:
    return listed_tool(scope, server, raw={"name": name, **raw})


def _named(
    *tools: ListedTool, reads: bool = False, reserved: tuple[str, ...] = ()
) -> dict[str, NamedTool]:
    pins: dict[tuple[Scope, str], dict[str, PinnedTool]] = {}
    for tool in tools:
        accepted = pins.setdefault((tool.scope, tool.server), {})
        accepted[tool.tool] = PinnedTool(digest=tool.digest, is_read=reads)
    return {n.name: n for n in name_tools(tools, pins=pins, reserved=reserved)}


def test_hidden_characters_of_a_description_become_visible_or_go() -> None:
    cleaned = _tool(description=f"Reads{_HIDDEN} files").description

    assert not any(c in cleaned for c in "\u202e\u200b\u2066\ufeff\U000e0041\x1b\x00\x07")
    assert "⟨U+202E⟩" in cleaned
    assert "⟨U+FEFF ×2⟩" in cleaned


@given(st.text(max_size=4000))
def test_a_description_keeps_its_limit(text: str) -> None:
    assert len(clean_description(text).encode()) <= MAX_DESCRIPTION_BYTES


@given(st.text(max_size=80), st.text(max_size=80))
def test_names_are_what_providers_take(server: str, tool: str) -> None:
    assert re.fullmatch(r"mcp__[A-Za-z0-9_]{1,59}", tool_name(server, tool))


def test_long_names_that_begin_alike_stay_apart() -> None:
    first, second = tool_name("s", "x" * 100 + "a"), tool_name("s", "x" * 100 + "b")

    assert first != second


def test_an_accepted_tool_is_on_and_its_mark_says_whether_it_reads() -> None:
    assert _named(_tool())["mcp__s__t"].off == ""
    assert not _named(_tool())["mcp__s__t"].is_read
    assert _named(_tool(), reads=True)["mcp__s__t"].is_read


def test_what_the_server_says_of_itself_marks_nothing_as_read() -> None:
    tool = _tool(annotations={"readOnlyHint": True, "title": "read only"})

    assert not _named(tool)["mcp__s__t"].is_read


def test_a_new_tool_is_off() -> None:
    (named,) = name_tools([_tool()], pins={("user", "s"): {}})

    assert named.off.startswith("new since")


@pytest.mark.parametrize(
    "change",
    [
        {"description": "other"},
        {"inputSchema": {"type": "object", "properties": {"a": {}}}},
        {"annotations": {"readOnlyHint": True}},
        {"outputSchema": {"type": "object"}},
    ],
)
def test_a_changed_tool_is_off_and_its_mark_does_not_hold(change: dict[str, JsonValue]) -> None:
    before = PinnedTool(digest=_tool(description="one").digest, is_read=True)

    (named,) = name_tools(
        [_tool(**{"description": "one", **change})], pins={("user", "s"): {"t": before}}
    )

    assert "changed since you accepted it" in named.off
    assert not named.is_read


def test_tools_of_one_scope_that_collide_are_both_off() -> None:
    named = name_tools(
        [one := _tool("b__c", server="a"), two := _tool("c", server="a__b")],
        pins={
            ("user", "a"): {"b__c": PinnedTool(digest=one.digest)},
            ("user", "a__b"): {"c": PinnedTool(digest=two.digest)},
        },
    )

    assert [("same name" in n.off) for n in named] == [True, True]


def test_r62_a_users_tool_stays_on_when_a_projects_collides() -> None:
    users, projects = _tool("b c"), _tool("b_c", scope="project")

    named = name_tools(
        [users, projects],
        pins={
            ("user", "s"): {"b c": PinnedTool(digest=users.digest)},
            ("project", "s"): {"b_c": PinnedTool(digest=projects.digest)},
        },
    )

    assert [bool(n.off) for n in named] == [False, True]


def test_a_built_in_name_is_never_taken() -> None:
    assert _named(_tool("connect", server="x"), reserved=("mcp__x__connect",))[
        "mcp__x__connect"
    ].off


@pytest.mark.parametrize(("scope", "has_alias"), [("user", True), ("project", False)])
def test_r62_only_a_users_own_server_gets_the_search_alias(
    *, scope: Scope, has_alias: bool
) -> None:
    named = _named(_tool("tavily_search", server="tavily", scope=scope))

    assert ("web_search" in named) == has_alias


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object", "properties": {f"a{_HIDDEN}": {}}}, "hidden characters"),
        ({"type": "object", "$ref": "https://evil.example/schema"}, "another document"),
        ({"type": "object", "description": "x" * 40_000}, "over 32,768 bytes"),
    ],
)
def test_a_schema_that_cannot_be_shown_turns_the_tool_off(
    schema: dict[str, JsonValue], words: str
) -> None:
    assert words in _named(_tool(inputSchema=schema))["mcp__s__t"].off


def test_a_schema_nested_too_deep_turns_the_tool_off() -> None:
    schema: dict[str, JsonValue] = {"type": "object"}
    for _ in range(40):
        schema = {"type": "object", "properties": {"a": schema}}

    assert "nested" in _named(_tool(inputSchema=schema))["mcp__s__t"].off


@pytest.mark.parametrize("schema", [None, "x", {"type": "string"}, []])
def test_a_schema_that_is_none_becomes_an_open_object(schema: JsonValue) -> None:
    assert _tool(inputSchema=schema).parameters == {"type": "object"}


def test_texts_inside_a_schema_are_cleaned() -> None:
    tool = _tool(inputSchema={"properties": {"a": {"description": f"x{_HIDDEN}"}}})

    assert "\u202e" not in str(tool.parameters)
    assert tool.parameters["type"] == "object"


@pytest.mark.parametrize("name", ["", 7, None, "x" * 3000])
def test_a_tool_without_a_usable_name_is_off(name: JsonValue) -> None:
    assert listed_tool("user", "s", raw={"name": name}).problem
