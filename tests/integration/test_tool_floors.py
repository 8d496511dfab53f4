"""Agents that never stop asking, and tools that never answer: each ends at a stated number."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from mcp_hub import SERVER

from braincode_jupyter.protocol.outside_records import McpConnected, ToolExecuted, ToolProgressed
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.runtime.toolbox import MAX_CALLS_PER_AGENT
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.tools.mcp_results import MAX_RESULT_BYTES
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.brain.modes import Mode
    from braincode_jupyter.models.scripted import Script
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run
    from braincode_jupyter.views.run_view import RunView, ToolCallView

SPECIALISTS = {"auto": 2, "radical": 4}
PLAN = json.dumps(
    {
        "role": "analyst",
        "workers": [{"role": r, "goal": f"goal of {r}", "reason": "r"} for r in ("oracle",)],
        "todos": [{"id": r, "title": r, "role": r} for r in ("oracle", "analyst")],
    }
)


def asking(count: int) -> Reply:
    """Return a reply that asks for one more specialist again and again."""
    calls = [
        ("dispatch_specialist", {"role": "oracle", "goal": f"think {number}", "reason": "more"})
        for number in range(count)
    ]
    return Reply(text="x", tool_calls=tuple(calls), then=lambda _: "All that I have.")


def calls_of(view: RunView, kind: str) -> list[ToolCallView]:
    return [call for agent in view.agents if agent.kind == kind for call in agent.tool_calls]


async def run(
    tmp_path: Path, script: Script, *, mode: Mode | None = None, yes: bool = False
) -> Run:
    (tmp_path / "project").mkdir(exist_ok=True)
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path / "project",
        models=ScriptedModel(script),
        review=False,
        mode=mode,
        yes=yes,
    )
    return await prepare_run("why did revenue fall", arguments, Sources()).execute()


@pytest.mark.parametrize("mode", ["auto", "radical"])
async def test_B13_agents_that_ask_for_agents_on_every_turn_have_a_floor(
    tmp_path: Path, mode: Mode
) -> None:
    seen: Counter[str] = Counter()

    def script(call: ModelCall) -> str | Reply:
        seen[call.call_kind] += 1
        return PLAN if call.call_kind == "router" else asking(3 * MAX_CALLS_PER_AGENT)

    result = await run(tmp_path, script, mode=mode)

    most = SPECIALISTS[mode]
    planned = len(result.plan.workers) if result.plan else 0
    assert (result.status, result.answer) == ("completed", "All that I have.")
    assert seen == {"router": 1, "primary": 1, "worker": planned - 1 + most}
    assert [r.type for r in result.records].count("dynamic_dispatch") == 2 * most

    asked = calls_of(result.view, "primary")
    assert [call.state for call in asked] == [*["done"] * most, *["failed"] * (51 - most)]
    assert {speaker().said(call.reason) for call in asked[most:-1]} == {
        f"All {most} specialists of this run were called. Answer with what you have."
    }
    assert speaker().said(asked[-1].reason).startswith("All tool calls are used up: 50 of an agent")
    below = calls_of(result.view, "worker")
    assert {call.state for call in below} == {"failed"}
    assert "There is no tool 'dispatch_specialist'" in speaker().said(below[0].reason)
    ends = [r for r in result.records if isinstance(r, ToolExecuted) and r.event == "end"]
    assert len(ends) <= (planned + most) * (MAX_CALLS_PER_AGENT + 1)
    assert read_run(result.session_id, tmp_path / "home").view == result.view


def server_of(home: Path, **more: int) -> None:
    """Give the user an MCP server."""
    home.mkdir(mode=0o700)
    entry = {"command": sys.executable, "args": [str(SERVER)], **more}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"srv": entry}}), encoding="utf-8")


def using(*calls: tuple[str, Mapping[str, JsonValue]]) -> Script:
    """Return the script of a primary that calls tools of the server and tells what it got."""

    def told(returns: Sequence[ToolReturn]) -> str:
        return "\n##\n".join(
            f"{len(one.text.encode())} bytes: {one.text[-400:]}" for one in returns
        )

    named = tuple((f"mcp__srv__{name}", arguments) for name, arguments in calls)
    return {"router": PLAN, "primary": Reply(text="x", tool_calls=named, then=told)}


async def test_B26_a_slow_tool_shows_its_progress_and_outlives_the_wait_for_a_sign(
    tmp_path: Path,
) -> None:
    server_of(tmp_path / "home", timeout=1)

    result = await run(tmp_path, using(("slow", {"seconds": 3.0, "every": 0.2})), yes=True)

    notes = [r.message for r in result.records if isinstance(r, ToolProgressed)]
    assert result.answer.endswith("done")
    assert notes[0] == "step 0 (0 of 15)"
    assert 2 <= len(notes) <= 5
    assert [call.progress for call in calls_of(result.view, "primary")] == [""]


async def test_B26_at_the_stated_limit_of_the_users_entry_the_agent_goes_on(
    tmp_path: Path,
) -> None:
    server_of(tmp_path / "home", timeout=1)

    result = await run(tmp_path, using(("never", {}), ("add", {"a": 2, "b": 3})), yes=True)

    never, added = result.answer.split("\n##\n")
    assert result.status == "completed"
    assert "the limit is 1 s without a sign" in never
    assert "timeout (seconds) in the server's entry of mcp.json" in never
    assert added.endswith("5")
    assert [call.state for call in calls_of(result.view, "primary")] == ["failed", "done"]


async def test_B26_a_result_of_5_mb_is_cut_with_a_mark_while_the_loop_stays_free(
    tmp_path: Path,
) -> None:
    server_of(tmp_path / "home")
    gaps: list[float] = []

    async def watch() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - before)

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        result = await run(tmp_path, using(("large", {"size": 5_000_000})), yes=True)
        watching.cancel()

    size, _, text = result.answer.partition(" bytes: ")
    assert int(size) <= MAX_RESULT_BYTES
    assert "5,000,000 bytes" in text
    assert "cut" in text
    assert len(gaps) > 20


async def test_the_second_run_starts_a_server_with_the_first_call_of_its_tool(
    tmp_path: Path,
) -> None:
    server_of(tmp_path / "home")
    script = using(("add", {"a": 2, "b": 3}))

    def reports(result: Run) -> list[tuple[str, list[str], list[str]]]:
        found = [r.report for r in result.records if isinstance(r, McpConnected)]
        return [
            (r.strategy, [one.name for one in r.connected], [one.name for one in r.pending])
            for r in found
        ]

    first = await run(tmp_path, script, yes=True)
    idle = await run(tmp_path, {"router": PLAN}, yes=True)
    second = await run(tmp_path, script, yes=True)

    assert reports(first) == [("eager", ["srv"], [])]
    assert reports(idle) == [("lazy", [], ["srv"])]
    assert reports(second) == [("lazy", [], ["srv"]), ("eager", ["srv"], [])]
    assert first.answer == second.answer
    assert second.view.warnings == ()
