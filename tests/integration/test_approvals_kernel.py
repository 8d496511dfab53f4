"""Approvals in a real kernel without a page: the input prompt, or a no at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from jupyter_client.manager import KernelManager

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jupyter_client.blocking.client import BlockingKernelClient

WAIT_S = 60.0
SETUP = """
import os
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel
def compute(call):
    if call.role != 'analyst':
        return None
    wanted = ('run_python', {'code': 'print(sum(numbers) * 7)'})
    return Reply(text='', tool_calls=(wanted,), then=lambda got: got[0].text)
use_models(ScriptedModel(compute))
numbers = [1, 2, 3]
%load_ext braincode_jupyter
"""
ASK = "%%braincode --roles librarian,analyst --no-review\nSum them up, times seven. @var:numbers"
CALL = "_braincode.view.agents[0].tool_calls[0]"
STATE = f"""
from braincode_jupyter.views.speaker import speaker
said = [speaker().said(text) for text in ({CALL}.approver, {CALL}.reason)]
print(_braincode.status, {CALL}.state, *said, sep='|')
"""
TIMED = """
from braincode_jupyter.notebook.prompt_readers import read_in_kernel
from braincode_jupyter.notebook.prompting import Question
import asyncio
{wait}
print(read_in_kernel(Question("? ", 0.3, reply=print), get_ipython().kernel.raw_input))
"""


# The main thread of the kernel is in the prompt, so another one looks for the sign.
STOP_ON_SIGN = """
import pathlib, threading, time
from braincode_jupyter.notebook.state import NOTEBOOK
def stop_on_sign():
    while not pathlib.Path("sign").exists():
        time.sleep(0.05)
    NOTEBOOK.stop()
threading.Thread(target=stop_on_sign, daemon=True).start()
"""


class Front:
    """A front end that can be asked for input and draws no card."""

    def __init__(self, home: Path) -> None:
        self.sign = home / "sign"
        self.manager = KernelManager(kernel_name="python3")
        env = dict(os.environ, HOME=str(home), USERPROFILE=str(home), IPYTHONDIR=str(home / "ip"))
        self.manager.start_kernel(env=env, cwd=str(home))
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=WAIT_S)
        assert self.run(SETUP)[0] == ""

    def send(self, code: str, *, has_stdin: bool = True, cell_id: str | None = None) -> str:
        content: dict[str, Any] = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": has_stdin,
            "stop_on_error": False,
        }
        metadata = {} if cell_id is None else {"cellId": cell_id}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def collect(self, msg_id: str) -> tuple[str, str]:
        """Return the error's name and all printed text of a cell."""
        error, text = "", ""
        while True:
            message = self.client.get_iopub_msg(timeout=WAIT_S)
            if message["parent_header"].get("msg_id") != msg_id:
                continue
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    text += content["text"]
                case "error":
                    error = content["ename"]
                case "status" if content["execution_state"] == "idle":
                    return error, text
                case _:
                    pass

    def run(self, code: str, *, has_stdin: bool = True) -> tuple[str, str]:
        return self.collect(self.send(code, has_stdin=has_stdin))

    def question(self) -> str:
        """Wait until the kernel asks for input, and return what it asks."""
        message: dict[str, Any] = self.client.get_stdin_msg(timeout=WAIT_S)
        assert message["msg_type"] == "input_request"
        return str(message["content"]["prompt"])


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    made = Front(tmp_path)
    yield made
    made.client.stop_channels()
    made.manager.shutdown_kernel(now=True)


@pytest.mark.parametrize(
    ("typed", "state"),
    [
        ("y", "completed|done|approved by you|"),
        ("", "completed|denied|denied by you|"),
    ],
)
def test_without_a_page_the_input_prompt_asks(front: Front, typed: str, state: str) -> None:
    msg_id = front.send(ASK)
    asked = front.question()

    front.client.input(typed)

    assert "analyst wants to run code: run_python in a scratch kernel" in asked
    assert "\n    print(sum(numbers) * 7)\n" in asked
    assert front.collect(msg_id)[0] == ""
    assert front.run(STATE)[1].strip() == state


def test_a_page_of_which_nothing_is_heard_is_replaced_by_the_prompt(front: Front) -> None:
    msg_id = front.send(ASK, cell_id="cell-1")

    front.question()
    front.client.input("y")

    assert front.collect(msg_id)[0] == ""
    assert front.run(STATE)[1].startswith("completed|done|approved by you")


def test_where_nobody_can_be_asked_the_call_is_denied_at_once(front: Front) -> None:
    error, _ = front.run(ASK, has_stdin=False)

    assert error == ""
    assert front.run(STATE)[1].strip() == (
        "completed|denied|denied by policy|"
        "Nobody can be asked here. To allow it, run the cell with --allow-compute or --yes."
    )


def test_allow_compute_asks_nobody(front: Front) -> None:
    error, _ = front.run(ASK.replace("--no-review", "--no-review --allow-compute"), has_stdin=False)

    assert error == ""
    assert front.run(STATE)[1].startswith("completed|done|allowed by")


def test_an_interrupt_ends_the_prompt_and_the_run(front: Front) -> None:
    msg_id = front.send(ASK)
    front.question()

    front.manager.interrupt_kernel()
    error, _ = front.collect(msg_id)

    assert error == "RunCancelledError"
    assert front.run("print(_braincode.status)")[1].strip() == "cancelled"


def test_stop_ends_the_prompt_and_the_run(front: Front) -> None:
    assert front.run(STOP_ON_SIGN) == ("", "")
    msg_id = front.send(ASK)
    front.question()
    front.sign.touch()

    error, _ = front.collect(msg_id)

    assert error == "RunCancelledError"
    assert front.run("print(1 + 1)")[1].strip() == "2"


@pytest.mark.parametrize("wait", ["", "await asyncio.sleep(0)"])
def test_a_prompt_that_nobody_answers_ends_by_itself(front: Front, wait: str) -> None:
    error, text = front.run(TIMED.format(wait=wait))

    assert (error, text.strip()) == ("", "None")
    assert front.run("print(input('again? '))", has_stdin=False)[0] == "StdinNotImplementedError"
