"""Texts on what a project asks to run: shown whole, approved as shown, never started."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.home.trust import read_approvals
from braincode_jupyter.notebook.mcp_text import mcp_text
from braincode_jupyter.notebook.outside_text import hooks_text, skills_text
from braincode_jupyter.notebook.trust_text import (
    MAX_SHOWN_CHARS,
    approve_text,
    revoke_text,
    trust_text,
)
from braincode_jupyter.notebook.undo_text import undo_text
from braincode_jupyter.runtime import UndoneRun

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-proj-" + "a1B2" * 12


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / ".agents").mkdir(parents=True)
    return project


def server(root: Path, name: str = "db", **more: object) -> None:
    entry = {"command": "serve", "args": ["--fast"], "trusted": True, **more}
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {name: entry}}), encoding="utf-8")


def hook(root: Path, *, command: str = "lint") -> None:
    entry = {"command": command, "trusted": True}
    (root / ".agents" / "hooks.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}}), encoding="utf-8"
    )


def test_a_project_without_requests_says_so(home: Path, root: Path) -> None:
    assert "asks for nothing" in trust_text(home, root, shown=set())
    assert "No MCP servers" in mcp_text(home, root, shown=set())
    assert "No hooks" in hooks_text(home, root)
    assert "No skills" in skills_text(home, root)


def test_everything_that_an_approval_binds_is_shown(home: Path, root: Path) -> None:
    (root / "tool.py").write_text("1", encoding="utf-8")
    server(root, args=["tool.py", "\u202egnp"], env={"PRELOAD": "evil.so"})

    text = trust_text(home, root, shown=set())

    assert "mcp:db  inert: not approved" in text
    assert '"PRELOAD": "evil.so"' in text
    assert "\\u202egnp" in text
    assert "names tool.py (sha256 " in text


def test_what_is_approved_as_shown_is_trusted_and_can_be_taken_back(home: Path, root: Path) -> None:
    server(root)
    hook(root)
    shown: set[str] = set()
    trust_text(home, root, shown=shown)

    said = approve_text(home, root, name="db", shown=shown, now_ms=5)
    approve_text(home, root, name="hook:Stop/0/0", shown=shown, now_ms=6)

    assert said.startswith("Approved mcp:db")
    assert [(a.kind, a.approved_at) for a in read_approvals(home)] == [("mcp", 5), ("hook", 6)]
    assert "mcp:db  approved: it runs" in trust_text(home, root, shown=shown)
    assert "project:db  trusted: starts with a run (serve --fast)" in mcp_text(
        home, root, shown=set()
    )
    assert "project:Stop  trusted: runs (lint)" in hooks_text(home, root)

    (root / ".mcp.json").unlink()
    assert "Revoked mcp:db" in revoke_text(home, root, name="mcp:db")
    assert [a.kind for a in read_approvals(home)] == ["hook"]


def test_what_changed_since_it_was_shown_is_not_approved(home: Path, root: Path) -> None:
    server(root)
    shown: set[str] = set()
    trust_text(home, root, shown=shown)
    server(root, args=["--evil"])

    with pytest.raises(UsageError, match="not shown as it is now"):
        approve_text(home, root, name="db", shown=shown, now_ms=1)

    assert read_approvals(home) == ()


def test_what_changed_since_it_was_approved_is_inert_and_the_change_is_shown(
    home: Path, root: Path
) -> None:
    server(root)
    shown: set[str] = set()
    trust_text(home, root, shown=shown)
    approve_text(home, root, name="db", shown=shown, now_ms=1)
    server(root, args=["--slow"])

    text = trust_text(home, root, shown=shown)

    assert "mcp:db  inert: changed since you approved it" in text
    assert '"--slow"' in text.split("What changed:")[1]
    assert "project:db  inert:" in mcp_text(home, root, shown=set())


def test_what_is_too_long_to_be_shown_cannot_be_approved(home: Path, root: Path) -> None:
    server(root, args=["x" * MAX_SHOWN_CHARS])
    shown: set[str] = set()

    assert "too many to be approved" in trust_text(home, root, shown=shown)
    with pytest.raises(UsageError):
        approve_text(home, root, name="db", shown=shown, now_ms=1)


def test_what_does_not_ask_for_trust_is_not_approved(home: Path, root: Path) -> None:
    server(root, trusted=False)
    shown: set[str] = set()
    trust_text(home, root, shown=shown)

    with pytest.raises(UsageError, match="does not ask to be trusted"):
        approve_text(home, root, name="db", shown=shown, now_ms=1)


def test_an_unknown_name_is_refused(home: Path, root: Path) -> None:
    server(root)

    with pytest.raises(UnknownNameError):
        approve_text(home, root, name="dbb", shown=set(), now_ms=1)
    with pytest.raises(UnknownNameError):
        revoke_text(home, root, name="db")


def test_a_broken_hooks_file_does_not_hide_the_servers(home: Path, root: Path) -> None:
    server(root)
    (root / ".agents" / "hooks.json").write_text("{", encoding="utf-8")

    text = trust_text(home, root, shown=set())

    assert "mcp:db" in text
    assert "Its hooks are left out." in text


def test_keys_are_in_no_listing(home: Path, root: Path) -> None:
    server(root, args=["--key", KEY], env={"TOKEN": KEY})
    hook(root, command=f"post {KEY}")
    shown: set[str] = set()

    texts = [trust_text(home, root, shown=shown)]
    for name in ("db", "Stop/0/0"):
        approve_text(home, root, name=name, shown=shown, now_ms=1)
    texts += [mcp_text(home, root, shown=set()), hooks_text(home, root)]

    assert all(KEY not in text for text in texts)


def test_entries_of_the_user_are_told_apart(home: Path, root: Path) -> None:
    home.mkdir()
    (home / "mcp.json").write_text(
        json.dumps({"mcpServers": {"mine": {"command": "own"}, "db": {"command": "a"}}}),
        encoding="utf-8",
    )
    server(root)
    (home / "hooks.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "beep"}]}]}}), encoding="utf-8"
    )

    assert "user:mine   trusted: starts with a run (own)" in mcp_text(home, root, shown=set())
    assert "a project's never takes its" in mcp_text(home, root, shown=set())
    assert "user:Stop  inert: not trusted: its file does not say so (beep)" in hooks_text(
        home, root
    )


def test_skills_are_listed_with_whose_they_are(home: Path, root: Path) -> None:
    for folder in (home / "skills" / "own", root / ".agents" / "skills" / "theirs"):
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text("Do it.", encoding="utf-8")

    text = skills_text(home, root)

    assert "project:theirs  sent as text (.agents/skills/theirs/SKILL.md)" in text
    assert "user:own        sent as text" in text
    assert "nothing of it is run" in text


def test_an_undo_says_what_it_did_with_each_file() -> None:
    undone = UndoneRun(
        session_id="0123456789ab", restored=("a",), removed=("b\x1b[2J",), left=("c",)
    )

    text = undo_text(undone)

    assert text.splitlines()[:3] == [
        "Restored as before the run:",
        "  a",
        "Removed, since the run had made them:",
    ]
    assert "\x1b" not in text
    assert "edited no files" in undo_text(UndoneRun(session_id="0123456789ab"))


def test_checks_of_a_project_are_shown_and_approved_like_hooks(home: Path, root: Path) -> None:
    document = {"trusted": True, "commands": {"evil": ["python", "run.py"]}}
    (root / ".braincode").mkdir()
    (root / ".braincode" / "checks.json").write_text(json.dumps(document), encoding="utf-8")
    (root / "run.py").write_text("1", encoding="utf-8")
    shown: set[str] = set()

    text = trust_text(home, root, shown=shown)
    told = approve_text(home, root, name="check:checks.json", shown=shown, now_ms=1)

    assert "check:checks.json  inert: not approved" in text
    assert '"evil": [' in text
    assert "names run.py (sha256 " in text
    assert told.startswith("Approved check:checks.json")
    assert "approved: it runs" in trust_text(home, root, shown=set())
