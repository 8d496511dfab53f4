from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from computing_model import ASK, CODE, COMPUTE, RESULT
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

pytestmark = pytest.mark.slow

BACKGROUND = ASK.replace("--no-review", "--no-review --background")
# At its end a card is replaced by the saved one: an entry is opened until it says what it should.
SAYS = """([cell, role, words]) => {
  cell.querySelectorAll('details.bc-workers, details.bc-worker').forEach(d => { d.open = true; });
  const entry = [...cell.querySelectorAll('.bc-worker')]
    .find(one => one.querySelector('.bc-name').textContent === role);
  return !!entry && words.every(word => entry.textContent.includes(word)) && entry.textContent;
}"""


def asked(cell: Locator) -> Locator:
    """Wait for the question, and return it."""
    question = cell.locator(".bc-approvals")
    expect(question).to_contain_text("analyst wants to run code")
    assert question.locator("pre").inner_text() == CODE
    return question


def press(question: Locator, label: str) -> None:
    question.get_by_role("button", name=label, exact=True).click()


def entry_of_analyst(cell: Locator, *words: str) -> str:
    """Wait until the analyst's entry says these words, and return all that it says."""
    page = cell.page
    return page.wait_for_function(SAYS, arg=[cell.element_handle(), "analyst", words]).json_value()


def expect_approved(cell: Locator) -> None:
    expect(cell.locator(".bc-state")).to_contain_text("completed")
    entry_of_analyst(cell, RESULT, "approved by you")


def expect_denied(cell: Locator) -> None:
    expect(cell.locator(".bc-state")).to_contain_text("completed")
    assert RESULT not in entry_of_analyst(cell, "denied by you")


def test_approved_while_the_cell_runs_the_code_is_run(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(COMPUTE, ASK)
    notebook.run(1)
    cell = notebook.start(2)

    question = asked(cell)
    expect(cell.locator(".bc-state")).to_have_text("waiting for approval")
    # What JupyterLab draws elsewhere changes no part of the card.
    expect(cell.locator(".bc-entries").first).to_be_visible()

    press(question, "Approve")

    notebook.wait_idle()
    expect_approved(cell)
    expect(cell.locator(".bc-approvals")).to_be_hidden()


def test_denied_while_the_cell_runs_the_run_goes_on_without(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(COMPUTE, ASK)
    notebook.run(1)
    cell = notebook.start(2)

    press(asked(cell), "Deny")

    notebook.wait_idle()
    expect_denied(cell)


@pytest.mark.parametrize("label", ["Approve", "Deny"])
def test_an_answer_counts_while_another_cell_blocks_the_kernel(
    open_notebook: Callable[..., Any], label: str
) -> None:
    notebook = open_notebook(COMPUTE, BACKGROUND, "block()")
    notebook.run(1)
    cell = notebook.run(2)
    question = asked(cell)
    notebook.start(3)

    press(question, label)

    expect(question).to_be_hidden()
    (expect_approved if label == "Approve" else expect_denied)(cell)
    expect(notebook.cell(3).locator(".jp-InputPrompt").first).to_have_text("[*]:")


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_a_background_run_is_answered_by_line_magic_too(
    open_notebook: Callable[..., Any], decision: str
) -> None:
    notebook = open_notebook(COMPUTE, BACKGROUND, "%braincode approve", f"%braincode {decision} 1")
    notebook.run(1)
    cell = notebook.run(2)
    question = asked(cell)

    expect(notebook.run(3)).to_contain_text("print(sum(numbers) * ")
    notebook.run(4)

    expect(question).to_be_hidden()
    (expect_approved if decision == "approve" else expect_denied)(cell)


def test_a_background_run_that_asks_is_stopped_by_line_magic(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(COMPUTE, BACKGROUND, "%braincode stop")
    notebook.run(1)
    cell = notebook.run(2)
    question = asked(cell)

    expect(notebook.run(3)).to_contain_text("Stopping")

    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    expect(question).to_be_hidden()


@pytest.mark.parametrize("label", ["Approve", "Deny"])
def test_after_a_reload_the_question_can_still_be_answered(
    open_notebook: Callable[..., Any], label: str
) -> None:
    notebook = open_notebook(COMPUTE, BACKGROUND, "_braincode")
    notebook.run(1)
    asked(notebook.run(2))
    document = notebook.saved()
    assert "nonce" not in str(document)

    notebook.open()
    cell = notebook.cell(2)
    press(asked(cell), label)

    (expect_approved if label == "Approve" else expect_denied)(cell)


@pytest.mark.parametrize("way", ["stop", "interrupt"])
def test_a_waiting_question_holds_neither_stop_nor_interrupt(
    open_notebook: Callable[..., Any], way: str
) -> None:
    notebook = open_notebook(COMPUTE, ASK, "1 + 1")
    notebook.run(1)
    cell = notebook.start(2)
    asked(cell)

    if way == "stop":
        cell.get_by_role("button", name="Stop").click()
    else:
        notebook.command("notebook:interrupt-kernel")
    notebook.wait_idle()

    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    expect(cell.locator(".bc-approvals")).to_be_hidden()
    expect(notebook.run(3)).to_contain_text("2")


def test_a_saved_question_asks_nobody(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(COMPUTE, ASK)
    notebook.run(1)
    asked(notebook.start(2))

    notebook.reopen_changed_elsewhere()

    card = notebook.cell(2).locator(".jp-OutputArea")
    expect(card).to_contain_text("interrupted")
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
