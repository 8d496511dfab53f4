from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp_hub import SERVER

from braincode_jupyter.machine.child_guard import descendants, guard_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="looks at POSIX processes")

LATEST_S = 10.0
"""R108: no child survives its kernel for longer."""
_TESTS = Path(__file__).parents[1]
_HOLDS_A_HUB = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from mcp_hub import connected
async def main():
    async with connected(Path({root!r})) as run:
        print((await run.call("spawns")).text.splitlines()[-1], flush=True)
        await run.call({tool!r})
asyncio.run(main())
"""
_HOLDS_A_HOOK = """
import asyncio
from pathlib import Path
from braincode_jupyter.hooks import HookDispatcher, HookScope, session_start
from braincode_jupyter.protocol.outside import HookHandler
command = "sleep 300 & trap '' TERM HUP; echo $$ $! > pids; sleep 300; sleep 300"
handler = HookHandler(event="SessionStart", scope="user", path="h", command=command)
root = Path({root!r})
scope = HookScope(session_id="s", cwd=str(root))
asyncio.run(HookDispatcher([handler], scope, cwd=root).fire(session_start()))
"""


def _start(code: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(_TESTS.parent)}
    return subprocess.Popen(  # noqa: S603 - code of this file
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environ
    )


def _killed(parent: subprocess.Popen[str]) -> dict[int, str]:
    """Kill a process as a kernel is killed; return what it had started."""
    tree = descendants(parent.pid)
    parent.kill()
    parent.wait()
    if parent.stdout is not None:
        parent.stdout.close()
    return tree


def _alive(tree: dict[int, str]) -> dict[int, str]:
    """Return those of a tree that are still there: same process id, same start time."""
    now = descendants(1) | descendants(0)
    return {pid: start for pid, start in tree.items() if now.get(pid) == start}


def _await(is_so: Callable[[], bool], seconds: float) -> float:
    started = time.monotonic()
    while not is_so() and time.monotonic() - started < seconds:
        time.sleep(0.02)
    return time.monotonic() - started


@pytest.mark.parametrize("tool", ["never", "floods_forever"])
def test_b25_a_killed_kernel_leaves_no_child_of_an_mcp_server(tmp_path: Path, tool: str) -> None:
    parent = _start(_HOLDS_A_HUB.format(tests=str(_TESTS), root=str(tmp_path), tool=tool))
    assert parent.stdout is not None
    pids = [int(word) for word in parent.stdout.readline().split()]

    tree = _killed(parent)
    took = _await(lambda: not _alive(tree), LATEST_S)

    assert set(pids) <= set(tree)
    assert len(tree) >= 4
    assert took < LATEST_S
    assert _alive(tree) == {}


def test_b25_a_killed_kernel_leaves_no_child_of_a_hook(tmp_path: Path) -> None:
    parent = _start(_HOLDS_A_HOOK.format(root=str(tmp_path)))
    pids = tmp_path / "pids"
    _await(lambda: pids.exists() and pids.read_text(encoding="utf-8").endswith("\n"), 30.0)

    tree = _killed(parent)
    took = _await(lambda: not _alive(tree), LATEST_S)

    assert {int(word) for word in pids.read_text(encoding="utf-8").split()} <= set(tree)
    assert took < LATEST_S
    assert _alive(tree) == {}


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(mode: str, *words: str, limit: int = 1000) -> subprocess.Popen[bytes]:
        started.append(
            subprocess.Popen(  # noqa: S603 - words of this file
                [*guard_command(mode, limit_bytes=limit), *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=tmp_path,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                stream.close()


Guarded = "Callable[..., subprocess.Popen[bytes]]"


def test_the_guard_passes_input_output_and_status_on(guarded: Guarded) -> None:
    process = guarded("talk", "/bin/sh", "-c", "cat; echo bad >&2; exit 5")

    stdout, stderr = process.communicate(b"one\ntwo\n", timeout=20)

    assert (stdout, stderr, process.returncode) == (b"one\ntwo\n", b"bad\n", 5)


def test_the_guard_keeps_the_end_of_a_flooded_error_stream(guarded: Guarded) -> None:
    script = "head -c 3000000 /dev/zero | tr '\\0' e >&2; echo end >&2"
    process = guarded("talk", "/bin/sh", "-c", script)

    _, stderr = process.communicate(timeout=20)

    assert len(stderr) == 4096
    assert stderr.endswith(b"e" * 8 + b"end\n")


def test_a_line_beyond_the_limit_ends_the_program(guarded: Guarded) -> None:
    process = guarded("talk", "/bin/sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x; sleep 300")

    assert process.stdout is not None
    stdout = process.stdout.read()

    assert (process.wait(20), stdout) == (125, b"")


def test_many_short_lines_are_no_long_line(guarded: Guarded) -> None:
    process = guarded("talk", "/bin/sh", "-c", "yes | head -c 1000000")

    stdout, _ = process.communicate(timeout=20)

    assert (len(stdout), process.returncode) == (1_000_000, 0)


def test_a_program_that_ignores_its_end_of_input_and_term_is_killed(guarded: Guarded) -> None:
    process = guarded("talk", "/bin/sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done")
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    tree = descendants(process.pid)

    started = time.monotonic()
    process.communicate(timeout=20)

    assert time.monotonic() - started < LATEST_S
    assert _alive(tree) == {}


def test_told_to_stop_the_guard_ends_the_tree_at_once(guarded: Guarded) -> None:
    process = guarded("talk", "/bin/sh", "-c", "(setsid sleep 300 &); sleep 300 & echo up; wait")
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    tree = descendants(process.pid)

    process.send_signal(signal.SIGTERM)
    process.wait(20)

    assert len(tree) >= 2
    assert _alive(tree) == {}


def test_interrupts_are_not_for_guarded_programs(guarded: Guarded) -> None:
    process = guarded("talk", "/bin/sh", "-c", "echo up; cat")
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"

    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(b"still here\n", timeout=20)

    assert (stdout, process.returncode) == (b"still here\n", 0)


def test_a_program_that_is_not_there_has_its_own_status(guarded: Guarded) -> None:
    process = guarded("once", "/no/such/program")

    _, stderr = process.communicate(timeout=20)

    assert process.returncode == 127
    assert b"cannot start '/no/such/program'" in stderr


def test_the_server_of_the_tests_is_there() -> None:
    assert SERVER.is_file()
