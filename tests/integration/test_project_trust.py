"""Hooks and MCP servers of a project are inert until approved, and inert again when changed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.home.hooks_file import hook_subjects
from braincode_jupyter.home.mcp_file import mcp_subjects
from braincode_jupyter.home.trust import approve
from braincode_jupyter.notebook.mcp_text import mcp_text
from braincode_jupyter.notebook.outside_text import hooks_text
from braincode_jupyter.notebook.trust_text import trust_text
from braincode_jupyter.protocol.outside_records import McpConnected
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from braincode_jupyter.protocol.outside_records import McpReport
    from braincode_jupyter.runtime import Run

SERVER = Path(__file__).parents[1] / "fixtures" / "mcp" / "server.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "mark.py").write_text(
        "import pathlib, sys\npathlib.Path(sys.argv[1]).write_text('ran')\n", encoding="utf-8"
    )
    return project


def write_hook(root: Path, *, marker: Path, timeout: int = 20) -> None:
    command = f'"{sys.executable}" mark.py "{marker}"'
    entry = {"type": "command", "command": command, "timeout": timeout, "trusted": True}
    (root / ".agents").mkdir(exist_ok=True)
    (root / ".agents" / "hooks.json").write_text(
        json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [entry]}]}}), encoding="utf-8"
    )


def write_server(root: Path, **more: object) -> None:
    (root / "server.py").write_bytes(SERVER.read_bytes())
    entry = {"command": sys.executable, "args": ["server.py"], "trusted": True, **more}
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {"lookup": entry}}), encoding="utf-8")


async def run(root: Path) -> Run:
    arguments = RunArguments(
        home=root.parent / "home",
        project_root=root,
        models=ScriptedModel(),
        roles=("librarian",),
        review=False,
    )
    return await prepare_run("why did it fall?", arguments, Sources()).execute()


async def test_a_hook_of_a_project_runs_only_as_it_was_approved(root: Path, tmp_path: Path) -> None:
    home, marker = tmp_path / "home", tmp_path / "marker"
    write_hook(root, marker=marker)

    trust_text(home, root, shown=set())
    assert "inert: not trusted" in hooks_text(home, root)
    assert (await run(root)).status == "completed"
    assert not marker.exists()

    (subject,) = hook_subjects(root)
    approve(home, subject, now_ms=1)
    assert "trusted: runs" in hooks_text(home, root)
    assert not marker.exists()
    await run(root)
    assert marker.read_text(encoding="utf-8") == "ran"

    marker.unlink()
    write_hook(root, marker=marker, timeout=21)
    assert "changed since you approved it" in hooks_text(home, root)
    assert (await run(root)).status == "completed"
    assert not marker.exists()


async def test_a_hook_is_inert_again_when_a_file_that_it_names_changes(
    root: Path, tmp_path: Path
) -> None:
    home, marker = tmp_path / "home", tmp_path / "marker"
    write_hook(root, marker=marker)
    approve(home, hook_subjects(root)[0], now_ms=1)

    with (root / "mark.py").open("a", encoding="utf-8") as file:
        file.write("print('more')\n")
    await run(root)

    assert not marker.exists()
    shown = trust_text(home, root, shown=set())
    assert "inert: changed since you approved it" in shown
    assert "mark.py: its content changed" in shown


def report_of(result: Run) -> McpReport:
    reports = [r.report for r in result.records if isinstance(r, McpConnected)]
    return reports[-1]


async def test_a_server_of_a_project_starts_only_as_it_was_approved(
    root: Path, tmp_path: Path
) -> None:
    pytest.importorskip("mcp")
    home = tmp_path / "home"
    write_server(root)

    assert "inert: untrusted project MCP server" in mcp_text(home, root, shown=set())
    report = report_of(await run(root))
    assert (report.connected, [one.name for one in report.skipped]) == ((), ["lookup"])

    approve(home, mcp_subjects(root)[0], now_ms=1)
    assert "trusted: starts with a run" in mcp_text(home, root, shown=set())
    report = report_of(await run(root))
    assert [one.name for one in report.connected] == ["lookup"]

    write_server(root, env={"CHANGED": "1"})
    said = " ".join(mcp_text(home, root, shown=set()).split())
    assert "changed since you approved it" in said
    assert report_of(await run(root)).connected == ()
