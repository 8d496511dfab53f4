from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.answering_text import approve_text, deny_text
from braincode_jupyter.notebook.state import Notebook
from braincode_jupyter.views import RunView
from braincode_jupyter.views.approval_view import ApprovalView
from braincode_jupyter.widget.questions import Questions


class Asking:
    """A run in the background that asks, and the questions of its card."""

    def __init__(self, notebook: Notebook, *names: str) -> None:
        self.answers: list[tuple[str, str]] = []
        self.view = RunView(session_id="3f2a91c4-1", state="running")
        self.questions = Questions(lambda _message: None)
        self.future: Future[None] = Future()
        for name in names:
            self.ask(name)
        run: Any = self
        job: Any = SimpleNamespace(future=self.future)
        notebook.track("3f2a91c4-1", run, job)
        notebook.take_answers("3f2a91c4-1", run, self.questions)

    def ask(self, name: str, *, code: str = "print(1)") -> None:
        approval = ApprovalView(
            approval_id=name,
            context_id="c",
            role="analyst",
            tool="run_python",
            effect="execute",
            action=f"run {name}",
            shown="head …",
            whole=code,
            deadline_ms=0,
            bound_sha256=f"digest of {code}",
        )
        others = tuple(one for one in self.view.approvals if one.approval_id != name)
        self.view = self.view.model_copy(update={"approvals": (*others, approval)})
        self.questions.ask(
            name,
            "nonce",
            digest=approval.bound_sha256,
            answer=lambda said: self.answers.append((name, said)),
        )


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


def test_what_waits_is_shown_in_full_and_approved_by_its_number(notebook: Notebook) -> None:
    run = Asking(notebook, "one", "two")

    shown = approve_text(notebook, "")
    said = approve_text(notebook, "2")

    assert "1. analyst wants to run code: run one" in shown
    assert "    print(1)" in shown
    assert "head …" not in shown
    assert said == "Approved: analyst wants to run code: run two"
    assert run.answers == [("two", "approve")]


def test_a_number_that_was_not_shown_approves_nothing(notebook: Notebook) -> None:
    run = Asking(notebook, "one")
    with pytest.raises(UsageError, match="Nothing was shown"):
        approve_text(notebook, "1")
    approve_text(notebook, "")
    run.ask("two")

    with pytest.raises(UnknownNameError):
        approve_text(notebook, "2")

    assert run.answers == []


def test_what_became_another_call_since_it_was_shown_is_not_approved(notebook: Notebook) -> None:
    run = Asking(notebook, "one")
    approve_text(notebook, "")
    run.ask("one", code="import os; os.remove('x')")

    with pytest.raises(UsageError, match="does not wait"):
        approve_text(notebook, "1")

    assert run.answers == []


def test_an_answer_counts_once_and_denying_needs_no_number(notebook: Notebook) -> None:
    run = Asking(notebook, "one", "two")
    approve_text(notebook, "")
    approve_text(notebook, "1")

    with pytest.raises(UsageError, match="does not wait"):
        approve_text(notebook, "1")
    said = deny_text(notebook, "")

    assert said == "Denied: analyst wants to run code: run two"
    assert run.answers == [("one", "approve"), ("two", "deny")]


def test_a_run_that_is_over_asks_nothing(notebook: Notebook) -> None:
    run = Asking(notebook, "one")
    run.future.set_result(None)

    with pytest.raises(UsageError, match="Nothing waits"):
        approve_text(notebook, "")
    with pytest.raises(UsageError, match="Nothing waits"):
        deny_text(notebook, "")
