from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.hooks import (
    HookDispatcher,
    HookScope,
    session_start,
    stop,
    subagent_start,
    subagent_stop,
    user_prompt_submit,
)
from braincode_jupyter.hooks.dispatch import hook_record
from braincode_jupyter.protocol.outside import HookHandler

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.protocol.outside import HookEvent
    from braincode_jupyter.protocol.outside_records import HookReport

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands are for a POSIX shell")


def _hook(
    command: str,
    *,
    event: HookEvent = "SessionStart",
    timeout_s: float = 20.0,
    skip_reason: str = "",
) -> HookHandler:
    return HookHandler(
        event=event,
        scope="project",
        path="/p/.agents/hooks.json",
        command=command,
        timeout_s=timeout_s,
        skip_reason=skip_reason,
    )


def _real(path: Path) -> str:
    return str(path.resolve())


async def _fired(tmp_path: Path, *handlers: HookHandler) -> HookReport:
    scope = HookScope(session_id="s", cwd=str(tmp_path))
    dispatcher = HookDispatcher(
        handlers,
        scope,
        cwd=tmp_path,
        redact=lambda text: text.replace("SECRET", "[secret]"),
    )
    return await dispatcher.fire(session_start())


async def test_a_hook_reads_its_event_and_runs_in_the_project(tmp_path: Path) -> None:
    report = await _fired(tmp_path, _hook("cat > told.json; pwd"))

    told = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    assert (told["hook_event_name"], told["source"], told["turn_id"]) == (
        "SessionStart",
        "startup",
        "s:1",
    )
    assert report.additional_context == (_real(tmp_path),)
    assert report.records[0].status == "completed"


async def test_a_hook_gets_a_short_list_of_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "KEY")
    monkeypatch.setenv("PYTHONPATH", "x")

    report = await _fired(tmp_path, _hook("env"))

    names = {line.partition("=")[0] for line in report.additional_context[0].splitlines()}
    assert "BRAINCODE_HOOK_SOURCE=/p/.agents/hooks.json" in report.additional_context[0]
    assert {"PATH", "HOME"} <= names
    assert not names & {"OPENAI_API_KEY", "PYTHONPATH"}


async def test_nothing_of_the_event_is_put_into_the_command(tmp_path: Path) -> None:
    scope = HookScope(session_id="s", cwd=str(tmp_path))
    handler = _hook("cat > got.json", event="UserPromptSubmit")
    prompt = "$(touch pwned) `touch pwned`; touch pwned\n'\"{}"

    await HookDispatcher([handler], scope, cwd=tmp_path).fire(user_prompt_submit(prompt))

    assert json.loads((tmp_path / "got.json").read_text(encoding="utf-8"))["prompt"] == prompt
    assert not (tmp_path / "pwned").exists()


async def test_a_skipped_hook_is_shown_and_not_started(tmp_path: Path) -> None:
    report = await _fired(tmp_path, _hook("touch ran", skip_reason="not trusted: x"))

    assert (report.records[0].status, report.records[0].reason) == ("skipped", "not trusted: x")
    assert not (tmp_path / "ran").exists()


async def test_a_hook_blocks_with_its_reason(tmp_path: Path) -> None:
    report = await _fired(tmp_path, _hook("echo no SECRET >&2; exit 2"), _hook("echo fine"))

    assert report.blocked_reason == "no [secret]"
    assert [run.status for run in report.records] == ["blocked", "completed"]
    assert report.records[0].exit_code == 2


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("exit 7", "exit status 7"),
        ("kill -9 $$", "exit status 137"),
        ("no-such-program-anywhere", "exit status 127"),
    ],
)
async def test_a_hook_that_fails_is_shown(tmp_path: Path, command: str, reason: str) -> None:
    report = await _fired(tmp_path, _hook(command))

    assert (report.records[0].status, report.records[0].reason) == ("failed", reason)
    assert report.blocked_reason is None


async def test_a_folder_that_is_gone_is_a_failure_of_the_hook(tmp_path: Path) -> None:
    scope = HookScope(session_id="s", cwd="/gone")

    report = await HookDispatcher([_hook("true")], scope, cwd=tmp_path / "gone").fire(
        session_start()
    )

    assert report.records[0].status == "failed"
    assert "could not be started" in (report.records[0].reason or "")


async def test_a_hook_that_hangs_ends_with_everything_it_started(
    tmp_path: Path, left_alive: Callable[[], dict[int, str]]
) -> None:
    command = "(setsid sh -c 'sleep 300; true' &) ; sleep 300 & trap '' TERM; sleep 300; sleep 300"
    started = time.monotonic()

    report = await _fired(tmp_path, _hook(command, timeout_s=1.0))

    assert report.records[0].reason == "ended after 1 s"
    assert time.monotonic() - started < 10
    assert left_alive() == {}


async def test_what_a_hook_leaves_behind_is_ended(
    tmp_path: Path, left_alive: Callable[[], dict[int, str]]
) -> None:
    report = await _fired(tmp_path, _hook("sleep 300 & echo ready"))

    assert report.additional_context == ("ready",)
    assert left_alive() == {}


async def test_a_hook_that_floods_is_cut_and_goes_on(tmp_path: Path) -> None:
    command = "head -c 5000000 /dev/zero | tr '\\0' x; head -c 5000000 /dev/zero >&2; exit 0"

    report = await _fired(tmp_path, _hook(command))

    assert report.records[0].status == "completed"
    assert len(report.records[0].stdout or "") <= 4_000


async def test_hooks_run_beside_one_another(tmp_path: Path) -> None:
    wait = "touch {0}; until [ -e {1} ]; do sleep 0.02; done"

    report = await _fired(tmp_path, _hook(wait.format("a", "b")), _hook(wait.format("b", "a")))

    assert [run.status for run in report.records] == ["completed", "completed"]


async def test_a_stopped_run_ends_its_hooks(
    tmp_path: Path, left_alive: Callable[[], dict[int, str]]
) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_fired(tmp_path, _hook("touch there; sleep 300")))
        while not (tmp_path / "there").exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.02)
        task.cancel()

    assert task.cancelled()
    assert left_alive() == {}


async def test_an_unread_input_is_no_trouble(tmp_path: Path) -> None:
    scope = HookScope(session_id="s", cwd=str(tmp_path))
    handler = _hook("exec <&-; sleep 0.1; echo fine", event="UserPromptSubmit")

    report = await HookDispatcher([handler], scope, cwd=tmp_path).fire(
        user_prompt_submit("x" * 200_000)
    )

    assert report.additional_context == ("fine",)


async def test_the_record_has_the_type_of_its_event(tmp_path: Path) -> None:
    points = (
        session_start(),
        user_prompt_submit("p"),
        subagent_start("qa", agent_id="c"),
        subagent_stop("qa", agent_id="c", last_message="m"),
        stop("m"),
    )
    handlers = [_hook("true", event=point.event) for point in points]
    dispatcher = HookDispatcher(handlers, HookScope(session_id="s", cwd="."), cwd=tmp_path)

    records = [hook_record(await dispatcher.fire(point), timestamp=9) for point in points]

    assert [record.type for record in records] == [
        "hook_session_start",
        "hook_user_prompt_submit",
        "hook_subagent_start",
        "hook_subagent_stop",
        "hook_stop",
    ]
    assert records[2].to_wire() == {
        "timestamp": 9,
        "type": "hook_subagent_start",
        "eventName": "SubagentStart",
        "matcher": "qa",
        "records": [
            {
                "eventName": "SubagentStart",
                "source": {"kind": "project", "path": "/p/.agents/hooks.json"},
                "command": "true",
                "status": "completed",
                "exitCode": 0,
            }
        ],
        "additionalContext": [],
    }
