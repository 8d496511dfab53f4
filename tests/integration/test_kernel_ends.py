"""What a run started in a real kernel is gone soon after it: kill, interrupt and Stop."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest
from kernel_process import RUN_MIME, Kernel
from mcp_hub import SERVER

from braincode_jupyter.views.run_view import RunView
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and sessions of processes")

LATEST_S = 10.0
"""R108: no child survives its kernel for longer."""
WAIT_S = 60.0
# A child in a session of its own, a grandchild, and a file that names both.
FAMILY = """
import subprocess, sys, time
middle = (
    "import subprocess, sys, time;"
    "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)']);"
    "print(p.pid, flush=True); time.sleep(300)"
)
child = subprocess.Popen(
    [sys.executable, "-c", middle], stdout=subprocess.PIPE, text=True, start_new_session=True
)
grandchild = child.stdout.readline().strip()
"""
COMMAND = f"""{FAMILY}
open("pids", "w").write(f"{{child.pid}} {{grandchild}}\\n")
time.sleep(300)
"""
# The first role answers, and so may compute, call servers and run commands in one turn.
SETUP = f"""
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel
def script(call):
    if call.call_kind != "primary":
        return None
    return Reply(text="done", tool_calls=(
        ("run_python", {{"code": {FAMILY!r}}}),
        ("mcp__srv__spawns", {{}}),
        ("exec_command", {{"cmd": "python family.py"}}),
    ))
use_models(ScriptedModel(script))
numbers = [1, 2, 3]
%load_ext braincode_jupyter
"""
ASK = "%%braincode --roles analyst,librarian --no-review --yes\nSum them up. @var:numbers"


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    """Start a kernel whose user has an MCP server."""
    home = tmp_path / ".braincode"
    home.mkdir(mode=0o700)
    entry = {"command": sys.executable, "args": [str(SERVER)]}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"srv": entry}}), encoding="utf-8")
    (tmp_path / "family.py").write_text(COMMAND, encoding="utf-8")
    made = Kernel(tmp_path, setup=SETUP)
    yield made
    made.close()


def _start(kernel: Kernel, folder: Path, *, cell_id: str | None = None) -> str:
    """Start the run, and wait until everything that it starts is there."""
    msg_id = kernel.send(ASK, cell_id=cell_id)
    pids = folder / "pids"
    deadline = time.monotonic() + WAIT_S
    while not (pids.exists() and pids.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < deadline, "the command was not started"
        time.sleep(0.02)
    return msg_id


def _below(kernel: Kernel) -> set[psutil.Process]:
    """Return what came of the kernel; equal processes have one id and one start time."""
    return set(psutil.Process(kernel.pid).children(recursive=True))


def _left(processes: set[psutil.Process]) -> list[psutil.Process]:
    """Wait until all are gone, as long as they may take; return those that are not."""
    deadline = time.monotonic() + LATEST_S
    while (left := [one for one in processes if _is_alive(one)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _has_all(processes: set[psutil.Process], folder: Path) -> bool:
    """Say whether command, server and scratch kernel each have a child and a grandchild there."""
    named = [int(pid) for pid in (folder / "pids").read_text(encoding="utf-8").split()]
    sleepers = [one for one in processes if one.cmdline()[-1:] == ["import time; time.sleep(300)"]]
    return {one.pid for one in processes} >= set(named) and len(sleepers) == 3


def test_B25_a_killed_kernel_leaves_nothing_of_server_scratch_kernel_and_command(
    kernel: Kernel, tmp_path: Path
) -> None:
    _start(kernel, tmp_path)
    family = _below(kernel)
    assert _has_all(family, tmp_path)

    kernel.kill()

    assert _left(family) == []


@pytest.mark.parametrize("how", ["interrupt", "stop"])
def test_B25_a_cancelled_run_leaves_nothing_and_its_card_says_what_was_stopped(
    kernel: Kernel, tmp_path: Path, how: str
) -> None:
    before = _below(kernel)
    if how == "stop":
        kernel.run("import threading; from braincode_jupyter.notebook.state import NOTEBOOK")
        kernel.run(
            "import os, time\ndef stop():\n"
            "    while not os.path.exists('stop'): time.sleep(0.02)\n"
            "    NOTEBOOK.stop()\n"
            "threading.Thread(target=stop, daemon=True).start()"
        )
    msg_id = _start(kernel, tmp_path)
    family = _below(kernel) - before
    assert _has_all(family, tmp_path)

    if how == "stop":
        (tmp_path / "stop").touch()
    else:
        kernel.manager.interrupt_kernel()
    outcome = kernel.collect(msg_id)

    assert outcome.error == "RunCancelledError", outcome.text
    assert _left(family) == []
    card = RunView.model_validate(outcome.outputs[-1][RUN_MIME])
    calls = {call.name: call for agent in card.agents for call in agent.tool_calls}
    assert card.state == "cancelled"
    assert speaker().said(calls["exec_command"].reason) == "stopped with the run"
    assert calls["run_python"].state == "done"
