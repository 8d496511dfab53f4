"""A kernel process with a home of its own, driven as a front end drives it."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jupyter_client.manager import KernelManager

if TYPE_CHECKING:
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient

WAIT_S = 60.0
RUN_MIME = "application/vnd.braincode.run+json"
# Plays a whole run; the calls of one phase take longer than any test.
SETUP = """
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel
slow = None
def script(call):
    is_slow = slow in (call.call_kind, call.role)
    return Reply(text="late", delay_s=600) if is_slow else None
use_models(ScriptedModel(script))
%load_ext braincode_jupyter
"""


@dataclass
class Outcome:
    """What one cell gave: its reply and its outputs, updates applied."""

    reply: dict[str, Any]
    outputs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    shown: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    text: str = ""
    is_idle: bool = False

    def take(self, kind: str, content: dict[str, Any]) -> None:
        match kind:
            case "status":
                self.is_idle = content["execution_state"] == "idle"
            case "stream":
                self.text += content["text"]
            case "display_data" | "execute_result":
                self.outputs.append(content["data"])
                display_id = content.get("transient", {}).get("display_id", "")
                self.shown[display_id] = content["data"]
            case "update_display_data":
                data = self.shown[content["transient"]["display_id"]]
                data.clear()
                data.update(content["data"])
            case "error":
                self.text += "\n".join(content["traceback"])
            case _:
                pass

    @property
    def error(self) -> str:
        return str(self.reply.get("ename", ""))


class Kernel:
    """A kernel process with a home of its own."""

    def __init__(self, home: Path, *, setup: str = SETUP) -> None:
        self.home = home / ".braincode"
        self._earlier: set[Path] = set()
        self._of_others: list[dict[str, Any]] = []
        self.manager = KernelManager(kernel_name="python3")
        env = dict(os.environ, HOME=str(home), USERPROFILE=str(home), IPYTHONDIR=str(home / "ip"))
        self.manager.start_kernel(env=env, cwd=str(home))
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=WAIT_S)
        outcome = self.run(setup)
        assert not outcome.error, outcome.text

    def send(self, code: str, *, cell_id: str | None = None, has_stdin: bool = False) -> str:
        content: dict[str, Any] = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": has_stdin,
            "stop_on_error": False,
        }
        metadata = {} if cell_id is None else {"cellId": cell_id}
        self._earlier = self.sessions()
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def collect(self, msg_id: str) -> Outcome:
        outcome = Outcome(reply={})
        while not outcome.is_idle:
            message = self.client.get_iopub_msg(timeout=WAIT_S)
            if message["parent_header"].get("msg_id") == msg_id:
                outcome.take(message["msg_type"], message["content"])
            else:
                self._of_others.append(message)
        while not outcome.reply:
            reply = self.client.get_shell_msg(timeout=WAIT_S)
            if reply["parent_header"].get("msg_id") == msg_id:
                outcome.reply = reply["content"]
        return outcome

    def run(self, code: str, *, cell_id: str | None = None, has_stdin: bool = False) -> Outcome:
        return self.collect(self.send(code, cell_id=cell_id, has_stdin=has_stdin))

    def question(self) -> str:
        """Wait until the kernel asks for input, and return what it asks."""
        message: dict[str, Any] = self.client.get_stdin_msg(timeout=WAIT_S)
        assert message["msg_type"] == "input_request"
        return str(message["content"]["prompt"])

    def value(self, expression: str) -> str:
        outcome = self.run(f"print({expression})")
        assert not outcome.error, outcome.text
        return outcome.text.strip()

    @property
    def pid(self) -> int:
        provisioner: Any = self.manager.provisioner
        return int(provisioner.pid)

    def sessions(self) -> set[Path]:
        return set((self.home / "sessions").glob("*.jsonl"))

    def wait_for_call(self, kind: str) -> str:
        """Wait until the session of the newest cell has such a call; return its id."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            for path in self.sessions() - self._earlier:
                lines = path.read_text(encoding="utf-8").splitlines()
                if f'"{kind}"' in "".join(line for line in lines if "prompt_manifest" in line):
                    return path.stem
            time.sleep(0.02)
        raise AssertionError(f"no {kind} call was made")

    def wait_for_update(self) -> dict[str, Any]:
        """Return what replaces the display of a cell that has returned."""
        while True:
            message = (
                self._of_others.pop(0)
                if self._of_others
                else self.client.get_iopub_msg(timeout=WAIT_S)
            )
            if message["msg_type"] == "update_display_data":
                return dict(message["content"]["data"])

    def kill(self) -> None:
        self.manager.signal_kernel(signal.SIGKILL)
        deadline = time.monotonic() + WAIT_S
        while self.manager.is_alive() and time.monotonic() < deadline:
            time.sleep(0.02)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def end_records(home: Path, session_id: str) -> list[str]:
    lines = (home / "sessions" / f"{session_id}.jsonl").read_text(encoding="utf-8").splitlines()
    types = [json.loads(line)["type"] for line in lines]
    return [kind for kind in types if kind in {"run_end", "run_error", "run_cancelled"}]
