from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ConfigurationError, UnknownNameError
from braincode_jupyter.home.mcp_file import read_mcp_servers
from braincode_jupyter.home.mcp_switches import switch_mcp

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.outside import McpServers

WRITTEN = {
    "$schema": "kept",
    "mcpServers": {
        "b": {"command": "run", "args": ["x"], "env": {"K": "v"}, "note": "of another program"},
        "a": {"url": "https://x.example/mcp", "disabled": True},
    },
    "inputs": [1, 2],
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "mcp.json").write_text(json.dumps(WRITTEN), encoding="utf-8")
    return tmp_path


def read(home: Path) -> McpServers:
    return read_mcp_servers(home, home / "project", approvals=(), api_keys={})


def test_switching_changes_one_field_and_nothing_else(home: Path) -> None:
    before = read(home)
    switch_mcp(home, "b", is_on=False)
    off = json.loads((home / "mcp.json").read_text(encoding="utf-8"))
    assert off["mcpServers"]["b"].pop("disabled") is True
    assert json.dumps(off) == json.dumps(WRITTEN)
    assert [one.reason for one in read(home).skipped] == ["disabled", "disabled"]

    switch_mcp(home, "b", is_on=True)

    assert read(home) == before


def test_a_tool_is_switched_without_making_its_server_another_one(home: Path) -> None:
    (before,) = read(home).servers
    for name in ("add", "drop", "add"):
        switch_mcp(home, "b", tool=name, is_on=False)
    (after,) = read(home).servers

    assert after.disabled_tools == ("drop", "add")
    assert after.digest == before.digest

    for name in ("add", "drop"):
        switch_mcp(home, "b", tool=name, is_on=True)
    assert json.loads((home / "mcp.json").read_text(encoding="utf-8")) == WRITTEN


def test_an_unknown_server_is_refused_with_near_names(home: Path) -> None:
    with pytest.raises(UnknownNameError):
        switch_mcp(home, "c", is_on=False)

    assert json.loads((home / "mcp.json").read_text(encoding="utf-8")) == WRITTEN


def test_a_broken_file_stays_as_it_is(home: Path) -> None:
    (home / "mcp.json").write_text("{broken", encoding="utf-8")

    with pytest.raises(ConfigurationError):
        switch_mcp(home, "b", is_on=False)

    assert (home / "mcp.json").read_text(encoding="utf-8") == "{broken"


@pytest.mark.parametrize("value", ["add", {"add": True}, ["x"] * 200, [1]])
def test_a_list_of_tools_that_is_none_skips_the_server(home: Path, value: object) -> None:
    entry = {"command": "run", "disabledTools": value}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"b": entry}}), encoding="utf-8")

    assert "disabledTools" in read(home).skipped[0].reason
