"""Approvals in a real kernel without a page: the input prompt, or a no at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from computing_model import ASK, CODE, COMPUTE
from kernel_process import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETUP = f"""
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel
{COMPUTE}
%load_ext braincode_jupyter
"""
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


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    made = Kernel(tmp_path, setup=SETUP)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("typed", "state"),
    [
        ("y", "completed|done|approved by you|"),
        ("", "completed|denied|denied by you|"),
    ],
)
def test_without_a_page_the_input_prompt_asks(kernel: Kernel, typed: str, state: str) -> None:
    msg_id = kernel.send(ASK, has_stdin=True)
    asked = kernel.question()

    kernel.client.input(typed)

    assert "analyst wants to run code: run_python in a scratch kernel" in asked
    assert f"\n    {CODE}\n" in asked
    assert kernel.collect(msg_id).error == ""
    assert kernel.run(STATE).text.strip() == state


def test_a_page_of_which_nothing_is_heard_is_replaced_by_the_prompt(kernel: Kernel) -> None:
    msg_id = kernel.send(ASK, cell_id="cell-1", has_stdin=True)

    kernel.question()
    kernel.client.input("y")

    assert kernel.collect(msg_id).error == ""
    assert kernel.run(STATE).text.startswith("completed|done|approved by you")


def test_where_nobody_can_be_asked_the_call_is_denied_at_once(kernel: Kernel) -> None:
    assert kernel.run(ASK).error == ""
    assert kernel.run(STATE).text.strip() == (
        "completed|denied|denied by policy|"
        "Nobody can be asked here. To allow it, run the cell with --allow-compute or --yes."
    )


def test_allow_compute_asks_nobody(kernel: Kernel) -> None:
    assert kernel.run(ASK.replace("--no-review", "--no-review --allow-compute")).error == ""
    assert kernel.run(STATE).text.startswith("completed|done|allowed by")


def test_an_interrupt_ends_the_prompt_and_the_run(kernel: Kernel) -> None:
    msg_id = kernel.send(ASK, has_stdin=True)
    kernel.question()

    kernel.manager.interrupt_kernel()

    assert kernel.collect(msg_id).error == "RunCancelledError"
    assert kernel.value("_braincode.status") == "cancelled"


def test_stop_ends_the_prompt_and_the_run(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run(STOP_ON_SIGN)
    msg_id = kernel.send(ASK, has_stdin=True)
    kernel.question()
    (tmp_path / "sign").touch()

    assert kernel.collect(msg_id).error == "RunCancelledError"
    assert kernel.value("1 + 1") == "2"


@pytest.mark.parametrize("wait", ["", "await asyncio.sleep(0)"])
def test_a_prompt_that_nobody_answers_ends_by_itself(kernel: Kernel, wait: str) -> None:
    ended = kernel.run(TIMED.format(wait=wait), has_stdin=True)

    assert (ended.error, ended.text.strip()) == ("", "None")
    assert kernel.run("print(input('again? '))").error == "StdinNotImplementedError"
