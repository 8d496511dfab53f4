from __future__ import annotations

import asyncio
import os
import sys
import textwrap
import time
from pathlib import Path

import pytest

from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.programs import (
    MAX_SEEN_BYTES,
    Limits,
    Outcome,
    child_environment,
    find_program,
    run_program,
)

posix = pytest.mark.skipif(os.name == "nt", reason="needs fork")


async def python(source: str, folder: Path, *, time_s: float = 20, kept: int = 1_000) -> Outcome:
    return await run_program(
        [sys.executable, "-c", textwrap.dedent(source)],
        folder=folder,
        limits=Limits(time_s=time_s, kept_bytes=kept),
        environment=child_environment(),
    )


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def pids(folder: Path) -> list[int]:
    return [int(text) for text in (folder / "pids").read_text().split()]


def until_two_run(folder: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if (folder / "pids").exists() and len(pids(folder)) == 2:
            return


_FORKS = """
    import os, sys, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 3)
            open("pids", "a").write(f"{os.getpid()} ")
            time.sleep(60)
        os._exit(0)
    if os.fork() == 0:
        import signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open("pids", "a").write(f"{os.getpid()} ")
        time.sleep(60)
    while not os.path.exists("pids") or len(open("pids").read().split()) < 2:
        time.sleep(0.01)
    print("ready", flush=True)
"""


async def test_both_streams_and_the_status_come_back(tmp_path: Path) -> None:
    outcome = await python(
        "import sys; print('a'); print('b', file=sys.stderr); sys.exit(3)", tmp_path
    )

    assert (outcome.status, outcome.output.split(), outcome.errors.split()) == (3, [b"a"], [b"b"])
    assert outcome.ended == "itself"


async def test_r42_input_is_closed(tmp_path: Path) -> None:
    outcome = await python("import sys; print(repr(sys.stdin.read()))", tmp_path)

    assert outcome.output.strip() == b"''"


async def test_r42_no_key_and_no_token_reaches_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "OPENAI_API_KEY",
        "JUPYTER_TOKEN",
        "JPY_SESSION_NAME",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "BASH_ENV",
        "ENV",
        "LD_PRELOAD",
    ):
        monkeypatch.setenv(name, "canary-7f3a")  # fmt: skip
    outcome = await python("import os; print(dict(os.environ))", tmp_path, kept=100_000)

    assert b"canary" not in outcome.output
    assert b"PATH" in outcome.output


def test_the_search_path_holds_absolute_folders_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", os.sep + "usr"]))

    found = child_environment()["PATH"].split(os.pathsep)

    assert found == [os.path.dirname(sys.executable), os.sep + "usr"]


async def test_the_end_of_a_flood_is_kept_and_the_rest_is_counted(tmp_path: Path) -> None:
    outcome = await python(
        "import sys\nfor n in range(50000): print(n)\nsys.stderr.write('e' * 5000)", tmp_path
    )

    assert outcome.output.endswith(b"49999\n") or outcome.output.endswith(b"49999\r\n")
    assert (len(outcome.output), len(outcome.errors)) == (1_000, 1_000)
    assert outcome.cut_bytes > 250_000


async def test_a_program_without_end_is_ended_in_time(tmp_path: Path) -> None:
    started = time.monotonic()

    outcome = await python("print('x', flush=True)\nwhile True: pass", tmp_path, time_s=0.7)

    assert (outcome.ended, outcome.status) == ("time", None)
    assert outcome.output.strip() == b"x"
    assert time.monotonic() - started < 5


async def test_a_program_that_writes_without_end_is_ended(tmp_path: Path) -> None:
    outcome = await python(
        "import sys\nwhile True: sys.stdout.write('y' * 65536)", tmp_path, time_s=60
    )

    assert outcome.ended == "output"
    assert outcome.cut_bytes > MAX_SEEN_BYTES * 0.9


@posix
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("then", ["", "time.sleep(60)"])
async def test_r108_no_grandchild_is_alive_afterwards(then: str, tmp_path: Path) -> None:
    source = textwrap.dedent(_FORKS) + then

    await run_program(
        [sys.executable, "-c", source],
        folder=tmp_path,
        limits=Limits(time_s=2, kept_bytes=1_000),
        environment=child_environment(),
    )

    assert len(pids(tmp_path)) == 2
    assert [pid for pid in pids(tmp_path) if is_alive(pid)] == []


@posix
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_r104_a_cancelled_call_leaves_nothing(tmp_path: Path) -> None:
    source = textwrap.dedent(_FORKS) + "time.sleep(60)"
    call = asyncio.ensure_future(
        run_program(
            [sys.executable, "-c", source],
            folder=tmp_path,
            limits=Limits(time_s=60, kept_bytes=1_000),
            environment=child_environment(),
        )
    )
    await asyncio.to_thread(until_two_run, tmp_path)
    started = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert time.monotonic() - started < 5
    assert [pid for pid in pids(tmp_path) if is_alive(pid)] == []


async def test_a_program_that_cannot_start_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        await run_program(
            [str(tmp_path / "none")],
            folder=tmp_path,
            limits=Limits(time_s=5, kept_bytes=100),
            environment=child_environment(),
            is_guarded=False,
        )


@posix
def test_r40_programs_of_the_project_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, tools = tmp_path / "project", tmp_path / "tools"
    for folder in (root, tools):
        folder.mkdir()
        (folder / "thing").write_text("#!/bin/sh\n")
        (folder / "thing").chmod(0o755)
    (tools / "linked").symlink_to(root / "thing")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", str(tools)]))

    found = find_program("thing", root=root)
    assert found is not None
    assert (found.path, found.is_inside) == (tools / "thing", False)
    for name in ("./thing", str(root / "thing"), "linked"):
        inside = find_program(name, root=root)
        assert inside is not None
        assert inside.is_inside
    for name in ("", "none", "a\0b", "./none"):
        assert find_program(name, root=root) is None
