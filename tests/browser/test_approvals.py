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


def test_an_answer_counts_while_its_cell_runs(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(COMPUTE, ASK, ASK)
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

    cell = notebook.start(3)
    press(asked(cell), "Deny")

    notebook.wait_idle()
    expect_denied(cell)


def test_an_answer_counts_while_another_cell_blocks_the_kernel(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(COMPUTE, BACKGROUND, BACKGROUND, "block()")
    notebook.run(1)
    first, second = notebook.run(2), notebook.run(3)
    for question in (asked(first), asked(second)):
        expect(question).to_be_visible()
    notebook.start(4)

    press(asked(first), "Approve")
    press(asked(second), "Deny")

    for cell, expect_answered in ((first, expect_approved), (second, expect_denied)):
        expect(cell.locator(".bc-approvals")).to_be_hidden()
        expect_answered(cell)
    expect(notebook.cell(4).locator(".jp-InputPrompt").first).to_have_text("[*]:")


def test_a_background_run_is_answered_and_stopped_by_line_magic_too(
    open_notebook: Callable[..., Any],
) -> None:
    shown, approve, deny, stop = (
        f"%braincode {line}" for line in ("approve", "approve 1", "deny 1", "stop")
    )
    notebook = open_notebook(
        COMPUTE, BACKGROUND, shown, approve, BACKGROUND, deny, BACKGROUND, stop
    )
    notebook.run(1)
    cell = notebook.run(2)
    question = asked(cell)
    expect(notebook.run(3)).to_contain_text("print(sum(numbers) * ")
    notebook.run(4)
    expect(question).to_be_hidden()
    expect_approved(cell)

    cell = notebook.run(5)
    question = asked(cell)
    notebook.run(3)
    notebook.run(6)
    expect(question).to_be_hidden()
    expect_denied(cell)

    cell = notebook.run(7)
    question = asked(cell)
    expect(notebook.run(8)).to_contain_text("Stopping")
    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    expect(question).to_be_hidden()


def test_after_a_reload_questions_can_still_be_answered(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(COMPUTE, BACKGROUND, BACKGROUND)
    notebook.run(1)
    for index in (2, 3):
        asked(notebook.run(index))
    document = notebook.saved()
    assert "nonce" not in str(document)

    notebook.open()
    first, second = notebook.cell(2), notebook.cell(3)
    press(asked(first), "Deny")
    press(asked(second), "Approve")

    expect_denied(first)
    expect_approved(second)


def test_a_waiting_question_holds_neither_stop_nor_interrupt(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(COMPUTE, ASK, ASK, "1 + 1")
    notebook.run(1)
    for index, way in ((2, "stop"), (3, "interrupt")):
        cell = notebook.start(index)
        asked(cell)

        if way == "stop":
            cell.get_by_role("button", name="Stop").click()
        else:
            notebook.command("notebook:interrupt-kernel")
        notebook.wait_idle()

        expect(cell.locator(".bc-state")).to_contain_text("cancelled")
        expect(cell.locator(".bc-approvals")).to_be_hidden()
    expect(notebook.run(4)).to_contain_text("2")


def test_a_saved_question_asks_nobody(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(COMPUTE, ASK)
    notebook.run(1)
    asked(notebook.start(2))

    notebook.reopen_changed_elsewhere()

    card = notebook.cell(2).locator(".jp-OutputArea")
    expect(card).to_contain_text("interrupted")
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
