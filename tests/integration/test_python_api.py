"""The Python API where there is no IPython: a script, a thread, a running loop."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SETUP = """
import asyncio, sys, threading
from pathlib import Path
import braincode_jupyter
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel
use_models(ScriptedModel())
ask = dict(roles="librarian,analyst", home=Path(sys.argv[1]))
"""
SCRIPTS = {
    "script": "print(braincode_jupyter.run('why?', **ask).status)",
    "thread": """
found = []
thread = threading.Thread(target=lambda: found.append(braincode_jupyter.run('why?', **ask)))
thread.start(); thread.join()
print(found[0].status)
""",
    "inside a running loop": """
async def main():
    return braincode_jupyter.run('why?', **ask).status
print(asyncio.run(main()))
""",
    "awaited": """
async def main():
    ticks = 0
    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)
    task = asyncio.create_task(tick())
    run = await braincode_jupyter.run_async('why?', **ask)
    task.cancel()
    assert ticks > 1
    return run.status
print(asyncio.run(main()))
""",
    "with another event loop installed": """
class Loop(asyncio.SelectorEventLoop):
    pass
class Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self):
        return Loop()
asyncio.set_event_loop_policy(Policy())
async def main():
    return (await braincode_jupyter.run_async('why?', **ask)).status
print(asyncio.run(main()))
""",
}
FORKED = """
import os, signal, warnings
print(braincode_jupyter.run('why?', **ask).status, flush=True)
warnings.simplefilter("ignore")
child = os.fork()
if not child:
    signal.alarm(30)
    print(braincode_jupyter.run('why?', **ask).status, flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
LEFT_RUNNING = """
use_models(ScriptedModel({"primary": Reply(text="late", delay_s=600)}))
threading.Thread(target=lambda: braincode_jupyter.run('why?', **ask), daemon=True).start()
sessions = Path(sys.argv[1]) / "sessions"
while not any('"primary"' in path.read_text() for path in sessions.glob("*.jsonl")):
    pass
"""


def run_script(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-W", "error", "-c", SETUP + code, str(home)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("code", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_B24_a_run_completes_without_ipython(code: str, tmp_path: Path) -> None:
    ended = run_script(f"{code}\nprint('IPython' in sys.modules)", tmp_path)

    assert ended.stdout.split() == ["completed", "False"], ended.stderr
    assert ended.stderr == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_B24_a_run_completes_in_a_child_that_was_forked_after_another_run(tmp_path: Path) -> None:
    ended = run_script(FORKED, tmp_path)

    assert ended.stdout.split() == ["completed", "completed", "0"], ended.stderr


def test_a_process_that_ends_leaves_an_end_record(tmp_path: Path) -> None:
    ended = run_script(LEFT_RUNNING, tmp_path)

    assert ended.returncode == 0, ended.stderr
    (path,) = (tmp_path / "sessions").glob("*.jsonl")
    assert '"run_cancelled"' in path.read_text(encoding="utf-8")
