from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from braincode_jupyter.errors import RunError
from braincode_jupyter.tools.sandbox import Sandbox, find_sandbox
from braincode_jupyter.tools.scratch import ScratchKernel, ScratchLimits
from braincode_jupyter.tools.scratch_pool import ScratchPool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LIMITS = ScratchLimits(run_s=1.5, interrupt_s=1.0)
WITHIN_S = 10.0
FAMILY = """
import os, subprocess, sys
sleeper = [sys.executable, "-c", "import time; time.sleep(300)"]
for _ in range(3):
    subprocess.Popen(sleeper, start_new_session=True)
middle = "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True)"
subprocess.run([sys.executable, "-c", middle, *sleeper])
for _ in range(20):
    if os.fork() == 0:
        import time; time.sleep(300); os._exit(0)
"""
OWNER = """
import asyncio, sys, psutil
from braincode_jupyter.tools.sandbox import Sandbox, find_sandbox
from braincode_jupyter.tools.scratch import ScratchKernel, ScratchLimits
async def main():
    kernel = await ScratchKernel.start(limits=ScratchLimits(run_s=30), sandbox={sandbox})
    await kernel.run({family!r})
    below = psutil.Process().children(recursive=True)
    print(kernel.folder, *(process.pid for process in below), flush=True)
    await asyncio.sleep(300)
asyncio.run(main())
"""
SANDBOXES = [
    pytest.param(Sandbox(), id="process"),
    pytest.param(
        find_sandbox(),
        id="bubblewrap",
        marks=pytest.mark.skipif(
            find_sandbox().kind != "bubblewrap", reason="bubblewrap does not work here"
        ),
    ),
]
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="forks and signals")


def below(kernel: ScratchKernel) -> list[psutil.Process]:
    assert kernel.pid is not None
    guardian = psutil.Process(kernel.pid)
    return [guardian, *guardian.children(recursive=True)]


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in processes if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone_within(processes: list[psutil.Process], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(processes) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(processes)


@on_posix
@pytest.mark.parametrize("sandbox", SANDBOXES)
async def test_closing_ends_the_whole_family_and_deletes_the_folder(sandbox: Sandbox) -> None:
    kernel = await ScratchKernel.start(sandbox=sandbox, limits=ScratchLimits())
    assert (await kernel.run(FAMILY)).ending == "finished"
    family = below(kernel)
    assert len(family) > 24

    await kernel.aclose()
    await kernel.aclose()

    assert gone_within(family, 1.0)
    assert not kernel.folder.exists()
    assert (await kernel.run("1")).ending == "died"


@on_posix
@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_when_the_users_kernel_is_killed_nothing_is_left(
    sandbox: Sandbox, project_root: Path
) -> None:
    named = "find_sandbox()" if sandbox.program else "Sandbox()"
    code = OWNER.format(sandbox=named, family=FAMILY)
    with subprocess.Popen(  # noqa: S603 - this Python, with our own text
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(project_root)},
    ) as owner:
        assert owner.stdout is not None
        folder, *pids = owner.stdout.readline().split()
        family = [psutil.Process(int(pid)) for pid in pids]  # the guardian among them
        assert len(family) > 24

        owner.send_signal(signal.SIGKILL)

        assert gone_within(family, WITHIN_S)
        assert not Path(folder).exists()


async def test_a_loop_is_interrupted_and_variables_are_kept() -> None:
    async with kernel_for_one_test() as kernel:
        await kernel.run("kept = 41")

        looped = await kernel.run("while True: pass")
        after = await kernel.run("kept + 1")

    assert looped.ending == ("killed" if sys.platform == "win32" else "interrupted")
    assert looped.duration_s < 4.0
    if sys.platform != "win32":
        assert after.output.shown == "42"


@pytest.mark.parametrize(
    "code",
    [
        "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
        "import time\nwhile True:\n    try: time.sleep(0.1)\n    except BaseException: pass",
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
    ],
    ids=["compiled code", "swallows the interrupt", "ignores the signal"],
)
async def test_what_cannot_be_interrupted_is_killed_in_time(code: str) -> None:
    async with kernel_for_one_test() as kernel:
        family = below(kernel)
        started = time.monotonic()

        run = await kernel.run(code)

        assert run.ending == "killed"
        assert time.monotonic() - started < LIMITS.run_s + LIMITS.interrupt_s + 4.0
        assert gone_within(family, 1.0)


@pytest.mark.parametrize(
    "code",
    ["import os; os._exit(3)", "import os; os.kill(os.getpid(), 9)"],
)
async def test_a_kernel_that_dies_is_told_at_once(code: str) -> None:
    async with kernel_for_one_test() as kernel:
        run = await kernel.run(f"print('before', flush=True)\nimport time; time.sleep(0.5)\n{code}")

    assert run.ending == "died"
    assert run.output.printed == "before\n"
    assert run.duration_s < LIMITS.run_s + 1.0


@on_posix
async def test_a_kernel_that_kills_its_guardian_leaves_nothing() -> None:
    async with kernel_for_one_test() as kernel:
        family = below(kernel)

        run = await kernel.run("import os; os.kill(os.getppid(), 9)")
        await kernel.aclose()

    assert run.ending in {"died", "finished"}
    assert gone_within(family, 3.0)


async def test_a_flood_past_the_printed_text_does_not_hold_us() -> None:
    flood = (
        "kernel = get_ipython().kernel\n"
        "content = {'name': 'stdout', 'text': 'y' * 50_000_000}\n"
        "parent = get_ipython().parent_header\n"
        "kernel.session.send(kernel.iopub_socket, 'stream', content, parent=parent)"
    )
    async with kernel_for_one_test(ScratchLimits(run_s=8.0)) as kernel:
        run = await kernel.run(flood)

        assert run.ending == "killed"
        assert not kernel.is_alive


async def test_a_cancelled_run_takes_its_kernel_along() -> None:
    async with kernel_for_one_test(ScratchLimits(run_s=30.0)) as kernel:
        family = below(kernel)
        running = asyncio.create_task(kernel.run("import time; time.sleep(300)"))
        await asyncio.sleep(0.3)

        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        assert gone_within(family, 3.0)


async def test_the_pool_gives_each_worker_a_kernel_that_was_started_ahead() -> None:
    pool = ScratchPool(sandbox=Sandbox())
    first = await pool.acquire()
    await first.run("private = 'of the first worker'")
    await _until_warm(pool)

    started = time.monotonic()
    second = await pool.acquire()
    waited = time.monotonic() - started
    leaked = await second.run("private")
    families = below(first) + below(second)
    await pool.aclose()
    await first.aclose()
    await second.aclose()

    assert waited < 0.2
    assert first is not second
    assert "NameError" in leaked.output.error
    assert gone_within(families, 1.0)
    with pytest.raises(RunError):
        await pool.acquire()


async def test_a_pool_closed_while_it_starts_a_kernel_leaves_nothing() -> None:
    before = set(psutil.Process().children(recursive=True))
    pool = ScratchPool(sandbox=Sandbox())
    pool.prepare()
    await asyncio.sleep(0.2)

    await pool.aclose()

    left = [p for p in psutil.Process().children(recursive=True) if p not in before]
    assert gone_within(left, 3.0)


@contextlib.asynccontextmanager
async def kernel_for_one_test(limits: ScratchLimits = LIMITS) -> AsyncIterator[ScratchKernel]:
    kernel = await ScratchKernel.start(sandbox=Sandbox(), limits=limits)
    try:
        yield kernel
    finally:
        await kernel.aclose()


async def _until_warm(pool: ScratchPool) -> None:
    warming = [task for task in asyncio.all_tasks() if task.get_name().startswith("braincode")]
    await asyncio.wait(warming, timeout=20.0)
