from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from mcp_hub import SERVER, connected

from braincode_jupyter.notebook.mcp_text import mcp_text, say_of_mcp
from braincode_jupyter.protocol.outside import McpServerEntry
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.tools.mcp_servers import McpLimits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.models.scripted import Script
    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run

_LIMITS = McpLimits(connect_s=60.0, call_s=60.0)


_needs_time_server = pytest.mark.skipif(
    find_spec("mcp_server_time") is None, reason="mcp-server-time is not installed"
)
PLAN = json.dumps(
    {
        "role": "analyst",
        "workers": [{"role": "librarian", "goal": "look it up", "reason": "r"}],
        "todos": [{"id": r, "title": r, "role": r} for r in ("librarian", "analyst")],
    }
)


@pytest.fixture
def http_address() -> Iterator[str]:
    """Start the SDK's own server class over HTTP on a free port of this machine."""
    with subprocess.Popen(  # noqa: S603 - fixed words
        [sys.executable, str(SERVER), "--http", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "running on http" in line)
        yield f"{line.split('running on ')[1].split()[0]}/mcp"
        process.kill()


@_needs_time_server
async def test_a_worker_uses_a_published_server_over_stdio_and_another_over_http(
    tmp_path: Path, http_address: str
) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    home.mkdir(mode=0o700)
    root.mkdir()
    words = ["-m", "mcp_server_time", "--local-timezone", "UTC"]
    servers = {"time": {"command": sys.executable, "args": words}, "web": {"url": http_address}}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")

    async def run(script: Script) -> Run:
        arguments = RunArguments(
            home=home, project_root=root, models=ScriptedModel(script), review=False
        )
        return await prepare_run("why did revenue fall", arguments, Sources()).execute()

    def told(returns: Sequence[ToolReturn]) -> str:
        return json.dumps({"summary": returns[0].text})

    noon = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}

    def using(name: str, arguments: Mapping[str, JsonValue]) -> Script:
        reply = Reply(text="x", tool_calls=((name, arguments),), then=told)
        return {"router": PLAN, "librarian": reply}

    before = await run(using("mcp__web__add", {"a": 2, "b": 3}))
    shown: set[str] = set()
    mcp_text(home, root, shown=shown)
    for name in ("time/convert_time", "web/add"):
        say_of_mcp(home, root, verb="read", name=name, shown=shown)
    # A run that has read what others wrote asks before it calls one more server.
    converted = await run(using("mcp__time__convert_time", noon))
    added = await run(using("mcp__web__add", {"a": 2, "b": 3}))

    assert "There is no tool" in before.workers["librarian"].summary
    assert "21:00" in converted.workers["librarian"].summary
    assert added.workers["librarian"].summary.endswith("5")


@_needs_time_server
async def test_a_server_from_the_package_index_is_used(tmp_path: Path) -> None:
    entry = McpServerEntry(
        scope="user",
        name="time",
        transport="stdio",
        digest="d",
        command=sys.executable,
        args=("-m", "mcp_server_time", "--local-timezone", "UTC"),
    )

    async with connected(tmp_path, entry, limits=_LIMITS) as run:
        given = await run.call(
            "convert_time",
            "time",
            source_timezone="UTC",
            time="12:00",
            target_timezone="Asia/Tokyo",
        )

    assert "21:00" in given.text
    assert {spec.name for spec in run.tools.specs()} == set()
    assert run.report.tool_count == 2
