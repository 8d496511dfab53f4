from __future__ import annotations

import io
import os
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.notebook.prompt_readers import read_in_kernel, read_in_terminal
from braincode_jupyter.notebook.prompting import CannotAsk, Question

if TYPE_CHECKING:
    from collections.abc import Iterator

has_terminals = pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals")


def question(timeout_s: float = 5.0) -> Question:
    return Question("Run it? ", timeout_s, reply=print)


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Replace standard input by a terminal; gives the other end."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield ours
    os.close(ours)


@has_terminals
def test_a_line_typed_at_a_terminal_is_the_answer(
    keyboard: int, capsys: pytest.CaptureFixture[str]
) -> None:
    os.write(keyboard, b"yes\n")

    assert read_in_terminal(question()) == "yes"
    assert capsys.readouterr().out == "Run it? "


@has_terminals
def test_a_terminal_that_stays_silent_is_no_answer(keyboard: int) -> None:
    assert keyboard
    assert read_in_terminal(question(0.05)) is None


@has_terminals
def test_the_end_of_the_question_ends_the_prompt_at_a_terminal(keyboard: int) -> None:
    assert keyboard
    asked = question()
    asked.over.set()

    assert read_in_terminal(asked) is None


def test_input_that_is_no_terminal_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))

    with pytest.raises(CannotAsk):
        read_in_terminal(question())


def test_a_front_end_without_input_asks_nobody() -> None:
    def refuse(prompt: str) -> str:
        raise NotImplementedError(prompt)

    with pytest.raises(CannotAsk):
        read_in_kernel(question(), refuse)


def test_a_blocking_read_is_cut_when_its_time_is_up_and_signals_go_on_as_before() -> None:
    def block(prompt: str) -> str:
        threading.Event().wait(5)
        return prompt

    assert read_in_kernel(question(0.05), block) is None
    assert read_in_kernel(question(), lambda prompt: f"{prompt}yes") == "Run it? yes"


def test_an_interrupt_of_the_reader_passes_on() -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt(prompt)

    with pytest.raises(KeyboardInterrupt):
        read_in_kernel(question(), interrupted)
