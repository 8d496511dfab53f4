from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from mcp_hub import KEY, OLD_SERVER, MemoryPins, connected, stdio_entry

from braincode_jupyter.protocol.outside import PinnedTool
from braincode_jupyter.protocol.tools import ToolRefused
from braincode_jupyter.tools.mcp_names import listed_tool
from braincode_jupyter.tools.mcp_results import MAX_RESULT_BYTES
from braincode_jupyter.tools.mcp_servers import McpLimits
from braincode_jupyter.tools.mcp_toolset import toolset_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SHORT = McpLimits(connect_s=60.0, call_s=1.5, longest_call_s=4.0)
_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="looks at POSIX processes")


def _real(path: Path) -> str:
    return str(path.resolve())


def _uri(path: Path) -> str:
    return path.resolve().as_uri()


async def test_a_tool_of_a_real_server_is_called_over_stdio(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        given = await run.call("add", a=2, b=3)

    assert (given.is_error, given.text.splitlines()[-1]) == (False, "5")
    assert [(c.scope, c.name) for c in run.report.connected] == [("user", "srv")]
    assert run.report.tool_count == run.report.connected[0].tool_count > 8


async def test_a_server_gets_few_variables_its_own_key_and_the_project(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        given = await run.call("environment")

    folder, *names = given.text.splitlines()[1:]
    assert folder == _real(tmp_path)
    assert "OWN_KEY" in names
    assert not [n for n in names if n.endswith("_API_KEY") or n.startswith(("PYTEST", "JPY"))]
    assert names[-1] == "[secret]"
    assert KEY not in given.text


async def test_what_a_server_says_of_its_tools_is_cleaned_and_cut(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        specs = {spec.name: spec for spec in run.tools.specs()}

    description = specs["mcp__srv__poisoned"].description
    assert description.startswith("[MCP server srv] Hidden⟨U+202E⟩ text⟨U+200B⟩ and ⟨U+E0041⟩tags")
    assert len(description.encode()) <= 2 * 1024 + 100
    assert specs["mcp__srv__add"].parameters["required"] == ["a", "b"]
    assert {spec.effect for spec in specs.values()} == {"execute"}


async def test_b26_a_result_of_5_mb_is_cut_with_a_mark_and_the_loop_stays_free(
    tmp_path: Path,
) -> None:
    gaps: list[float] = []

    async def watch() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - before)

    async with connected(tmp_path) as run, asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        given = await run.call("large", size=5_000_000)
        watching.cancel()

    assert len(given.text.encode()) <= MAX_RESULT_BYTES
    assert "5,000,000 bytes" in given.text[-120:]
    assert len(gaps) > 5


async def test_b26_a_tool_that_never_answers_ends_at_a_stated_limit(tmp_path: Path) -> None:
    async with connected(tmp_path, limits=_SHORT) as run:
        given = await run.call("never")
        after = await run.call("add", a=1, b=1)

    assert given.is_error
    assert "1.5 s without a sign" in given.text
    assert after.text.endswith("2")


async def test_b26_notes_of_progress_keep_a_call_alive_and_are_shown(tmp_path: Path) -> None:
    async with connected(tmp_path, limits=_SHORT) as run:
        given = await run.call("slow", seconds=3.0, every=0.3)

    assert given.text.endswith("done")
    assert [note.message for note in run.notes][:2] == ["step 0", "step 1"]
    assert run.notes[-1].total == 10


async def test_progress_does_not_keep_a_call_alive_for_ever(tmp_path: Path) -> None:
    async with connected(tmp_path, limits=_SHORT) as run:
        given = await run.call("slow", seconds=60.0, every=0.2)

    assert given.details["code"] == "timeout"


async def test_a_flooded_error_stream_is_drained(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        given = await run.call("floods", size=20_000_000)

    assert given.text.endswith("still here")


async def test_a_server_that_dies_in_a_call_is_named_with_its_last_words(tmp_path: Path) -> None:
    async with connected(tmp_path, stdio_entry(), stdio_entry("other")) as run:
        given = await run.call("dies")
        report = run.hub.report()
        left = {spec.name.split("__")[1] for spec in run.tools.specs()}
        other = await run.call("add", "other", a=1, b=2)

    assert given.is_error
    assert "these are my last words" in given.text
    assert "Go on without it" in given.text
    assert [failed.name for failed in report.failed] == ["srv"]
    assert left == {"srv", "other", "connect"}
    assert other.text.endswith("3")


async def test_a_server_that_died_is_started_again_a_stated_number_of_times(
    tmp_path: Path,
) -> None:
    async with connected(tmp_path) as run:
        died = [await run.call("dies") for _ in range(3)]
        with pytest.raises(ToolRefused, match="no tool"):
            await run.call("add", a=1, b=1)

    assert [one.text.rpartition(" A further call ")[2] for one in died[:2]] == [
        "starts it again: start 2 of 3.",
        "starts it again: start 3 of 3.",
    ]
    assert "A further call" not in died[2].text
    assert [notice.partition("; it was ")[2] for notice in run.notices] == [
        "started again, start 2 of 3.",
        "started again, start 3 of 3.",
    ]
    assert "last words" in run.notices[0]


async def test_a_server_whose_tools_are_known_is_started_by_the_first_call_alone(
    tmp_path: Path, left_alive: Callable[[], dict[int, str]]
) -> None:
    pins = MemoryPins()
    async with connected(tmp_path, pins=pins) as run:
        names = {spec.name for spec in run.tools.specs()}
    before = left_alive()

    async with connected(tmp_path, pins=pins) as run:
        assert left_alive() == before
        assert {spec.name for spec in run.tools.specs()} == names | {"mcp__connect"}
        assert run.report.strategy == "lazy"
        assert [one.reason for one in run.report.pending] == [
            "starts with the first call of one of its tools"
        ]
        given = await run.call("add", a=2, b=3)
        after = {spec.name for spec in run.tools.specs()}

    assert given.text.endswith("5")
    assert after == names
    assert [report.connected[0].name for report in run.reports] == ["srv"]


async def test_the_primary_alone_brings_servers_up_by_name(tmp_path: Path) -> None:
    pins = MemoryPins()
    entries = (stdio_entry(), stdio_entry("other"))
    async with connected(tmp_path, *entries, pins=pins):
        pass

    async with connected(tmp_path, *entries, pins=pins) as run:
        target = run.tools.target("mcp__connect", {"server": "other"})
        given = await run.tools.call("mcp__connect", {"server": "other"}, target=target)
        with pytest.raises(ToolRefused):
            toolset_for(run.hub, "qa").target("mcp__connect", {})
        qa = [spec.name for spec in toolset_for(run.hub, "qa").specs()]

    lines = given.text.splitlines()
    assert lines[0].startswith("connected: other, ")
    assert lines[1].startswith("pending: srv: ")
    assert qa == []


async def test_a_known_tool_that_changed_meanwhile_is_not_called(tmp_path: Path) -> None:
    pins = MemoryPins()
    async with connected(tmp_path, pins=pins):
        pass
    (known,) = [dict(tool) for tool in pins.lists["user:srv"] if tool["name"] == "add"]
    changed = {**known, "description": "Add two numbers, and more."}
    digest = listed_tool("user", "srv", raw=changed).digest
    pins.tools["user:srv"]["add"] = PinnedTool(digest=digest)
    pins.lists["user:srv"] = [changed]

    async with connected(tmp_path, pins=pins) as run:
        given = await run.call("add", a=1, b=2)

    assert given.details["code"] == "tool_changed"


async def test_a_tool_that_was_switched_off_is_not_offered(tmp_path: Path) -> None:
    entry = replace(stdio_entry(), disabled_tools=("add",))
    async with connected(tmp_path, entry) as run:
        names = {spec.name for spec in run.tools.specs()}
        off = {tool.tool: tool.reason for tool in run.hub.report().off}

    assert "mcp__srv__large" in names
    assert "mcp__srv__add" not in names
    assert off == {"add": "you switched it off: see %braincode mcp"}


async def test_a_failing_tool_is_an_error_without_the_key(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        given = await run.call("fails")

    assert given.is_error
    assert KEY not in given.text


async def test_changed_and_new_tools_are_off_until_accepted(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        allowed = run.tools.target("mcp__srv__add", {"a": 1, "b": 2})
        await run.call("changes")
        async with asyncio.timeout(15):
            while not run.hub.report().off:  # noqa: ASYNC110 - another process changes it
                await asyncio.sleep(0.02)
        off = {tool.tool: tool.reason for tool in run.hub.report().off}
        with pytest.raises(ToolRefused):
            await run.tools.call("mcp__srv__add", {"a": 1, "b": 2}, target=allowed)

    assert "changed since you accepted it" in off["add"]
    assert off["extra"].startswith("new since")


async def test_a_tool_is_read_only_if_the_user_marked_exactly_it(tmp_path: Path) -> None:
    pins = MemoryPins()
    async with connected(tmp_path, pins=pins) as run:
        assert toolset_for(run.hub, "qa").specs() == []
    tools = pins.tools["user:srv"]
    tools["add"] = PinnedTool(digest=tools["add"].digest, is_read=True)
    async with connected(tmp_path, pins=pins) as run:
        specs = toolset_for(run.hub, "qa").specs()
        with pytest.raises(ToolRefused):
            toolset_for(run.hub, "qa").target("mcp__srv__large", {"size": 1})

    assert [(spec.name, spec.effect) for spec in specs] == [("mcp__srv__add", "read")]
    assert toolset_for(run.hub, "imageMaker", is_primary=True).specs() == []


async def test_a_call_is_bound_to_its_arguments(tmp_path: Path) -> None:
    async with connected(tmp_path) as run:
        target = run.tools.target("mcp__srv__add", {"a": 1, "b": 2})
        with pytest.raises(ToolRefused, match="no longer what was allowed"):
            await run.tools.call("mcp__srv__add", {"a": 1, "b": 3}, target=target)
        with pytest.raises(ToolRefused, match="needs b"):
            run.tools.target("mcp__srv__add", {"a": 1})
        with pytest.raises(ToolRefused, match="65,536 bytes"):
            run.tools.target("mcp__srv__add", {"a": "x" * 70_000, "b": 1})

    assert target.action == "MCP srv/add"
    assert target.shown == '{\n "a": 1,\n "b": 2\n}'


async def test_r65_a_server_can_ask_neither_the_person_nor_the_model(tmp_path: Path) -> None:
    async with connected(tmp_path, stdio_entry("old", server=str(OLD_SERVER))) as run:
        asked = json.loads((await run.call("asks", "old")).text.splitlines()[-1])

    assert asked["elicitation/create"] == {"action": "decline"}
    assert "not supported" in asked["sampling/createMessage"]["error"].lower()
    assert [root["uri"] for root in asked["roots/list"]["roots"]] == [_uri(tmp_path)]
    assert run.notices == [
        "The MCP server 'old' wanted to ask you something (elicitation); that was declined: its "
        "tools get arguments alone.",
        "The MCP server 'old' wanted an answer of your models (sampling); that was declined: "
        "servers never use them.",
    ]


async def test_an_old_server_announces_changed_tools_and_they_are_off(tmp_path: Path) -> None:
    async with connected(tmp_path, stdio_entry("old", server=str(OLD_SERVER))) as run:
        await run.call("changes", "old")
        async with asyncio.timeout(15):
            while not run.hub.report().off:  # noqa: ASYNC110 - another process changes it
                await asyncio.sleep(0.02)
        off = {tool.tool for tool in run.hub.report().off}

    assert off == {"asks", "changes"}


@_POSIX
async def test_a_path_is_taken_from_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    for folder, code in ((tmp_path, ""), (elsewhere, "exit 1; ")):
        folder.mkdir(exist_ok=True)
        script = folder / "start.sh"
        script.write_text(f'#!/bin/sh\n{code}exec {sys.executable} "$@"\n', encoding="utf-8")
        script.chmod(0o700)
    monkeypatch.chdir(elsewhere)

    async with connected(tmp_path, stdio_entry(command="./start.sh")) as run:
        given = await run.call("add", a=1, b=2)

    assert given.text.endswith("3")


async def test_servers_that_cannot_start_fail_alone_and_say_why(tmp_path: Path) -> None:
    quits = stdio_entry("quits", server="-c", command=sys.executable)
    silent = stdio_entry("silent", "import time; time.sleep(60)", server="-c")
    missing = stdio_entry("missing", command="no-such-program-anywhere")
    limits = McpLimits(connect_s=8.0, call_s=60.0)

    async with connected(tmp_path, quits, silent, missing, limits=limits) as run:
        errors = {failed.name: failed.error for failed in run.report.failed}

    assert "last words" in errors["quits"]
    assert errors["silent"].startswith("no answer within 8 s")
    assert "'no-such-program-anywhere' is not there" in errors["missing"]


async def test_a_late_server_is_pending_and_reported_once_it_is_there(tmp_path: Path) -> None:
    async with connected(tmp_path, budget_s=0.0) as run:
        pending = [server.name for server in run.report.pending]
        async with asyncio.timeout(60):
            while run.hub.report().loading:  # noqa: ASYNC110 - another process is starting
                await asyncio.sleep(0.02)
        given = await run.call("add", a=1, b=1)

    assert (run.report.loading, pending) == (True, ["srv"])
    assert given.text.endswith("2")


async def test_what_a_server_writes_is_in_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chatty = (
        "import runpy; print('SPILLED TEXT', flush=True); "
        f"runpy.run_path({stdio_entry().args[0]!r}, run_name='__main__')"
    )

    with caplog.at_level(logging.DEBUG):
        async with connected(tmp_path, stdio_entry("srv", chatty, server="-c")) as run:
            given = await run.call("add", a=1, b=1)

    assert given.text.endswith("2")
    assert "SPILLED" not in caplog.text


async def test_a_cancelled_call_leaves_the_server_usable(tmp_path: Path) -> None:
    async with connected(tmp_path) as run, asyncio.TaskGroup() as group:
        waiting = group.create_task(run.call("never"))
        await run.call("add", a=1, b=1)
        waiting.cancel()
        given = await run.call("add", a=2, b=2)

    assert waiting.cancelled()
    assert given.text.endswith("4")


async def test_calls_in_flight_are_answered_when_the_hub_closes(tmp_path: Path) -> None:
    async with connected(tmp_path) as run, asyncio.TaskGroup() as group:
        waiting = group.create_task(run.call("never"))
        await run.call("add", a=1, b=1)
        await run.hub.aclose()
        await run.hub.aclose()

    assert waiting.result().details["code"] == "server_down"


@_POSIX
async def test_nothing_is_alive_after_close_not_even_what_left_its_group(
    tmp_path: Path, left_alive: Callable[[], dict[int, str]]
) -> None:
    async with connected(tmp_path) as run:
        await run.call("spawns")
        assert len(left_alive()) >= 4
        started = time.monotonic()
        await run.hub.aclose()

    assert left_alive() == {}
    assert time.monotonic() - started < 10


@_POSIX
async def test_a_cancelled_run_leaves_nothing_alive(
    tmp_path: Path, left_alive: Callable[[], dict[int, str]]
) -> None:
    async def run_until_cancelled(ready: asyncio.Event) -> None:
        async with connected(tmp_path) as run:
            await run.call("spawns")
            ready.set()
            await run.call("never")

    ready = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(run_until_cancelled(ready))
        await ready.wait()
        running.cancel()

    assert left_alive() == {}
