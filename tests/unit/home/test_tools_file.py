from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.tools_file import read_tools

if TYPE_CHECKING:
    from pathlib import Path


def write(home: Path, value: object) -> Path:
    path = home / "tools.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_without_a_file_everything_is_on_and_nothing_is_made(tmp_path: Path) -> None:
    found = read_tools(tmp_path)

    assert (found.disabled, found.rules, dict(found.approval)) == (frozenset(), (), {})
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_the_original_is_read_and_stays_as_it_is(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "tools": [
                {"name": "shell", "enabled": False, "risk": "low", "requiresApproval": True},
                {"name": "edit_file", "requiresApproval": False},
                {"name": "of_a_plugin", "approvalPolicy": "allow", "odd": 1},
            ],
            "checks": {"lint": {"command": "ruff check"}},
            "permissions": {
                "paths": [{"pattern": "db/**", "edit": "deny", "reason": "mine"}],
                "commands": [{"pattern": "make", "policy": "allow", "review": "required"}],
            },
        },
    )
    before = path.read_bytes()

    found = read_tools(tmp_path)

    assert found.disabled == {"shell"}
    assert found.approval == {
        "shell": "confirm-dangerous",
        "edit_file": "allow",
        "of_a_plugin": "allow",
    }
    assert [(r.kind, r.pattern, r.action, r.needs_review) for r in found.rules] == [
        ("path", "db/**", "deny", False),
        ("command", "make", "allow", True),
    ]
    assert found.checks == {"lint": {"command": "ruff check"}}
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "value",
    [
        '{"tools": [], "tools": []}',
        {"tools": {}},
        {"tools": ["shell"]},
        {"tools": [{"enabled": True}]},
        {"tools": [{"name": "shell", "enabled": "no"}]},
        {"tools": [{"name": "shell", "approvalPolicy": "never"}]},
        {"permissions": {"commands": [{"pattern": "x", "policy": "forbid"}]}},
        {"permissions": [1]},
        "{",
    ],
)
def test_r59_a_broken_file_is_an_error(value: object, tmp_path: Path) -> None:
    write(tmp_path, value)

    with pytest.raises(ConfigurationError):
        read_tools(tmp_path)
