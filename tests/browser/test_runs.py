from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

pytestmark = pytest.mark.slow

RUN_MIME = "application/vnd.braincode.run+json"
ASK = "%%braincode --roles librarian,analyst --review\nWhy did the sales fall?"
LIVE_ROUTES = {"worker": "librarian", "primary": "analyst"}


def outputs_of(document: dict[str, Any], index: int) -> list[dict[str, Any]]:
    return document["cells"][index]["outputs"]


def start_an_answer_that_does_not_end(notebook: Any) -> Locator:  # noqa: ANN401 - a fixture's
    notebook.run(1)
    cell = notebook.start(2)
    expect(cell.locator(".bc-state")).to_contain_text("answer")
    return cell


def test_B07_a_run_ends_as_a_card_that_needs_neither_widget_state_nor_kernel(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ASK)

    cell = notebook.run(1)

    expect(cell.locator(".bc-answer")).to_contain_text("Scripted answer of librarian")
    expect(cell.locator(".bc-state")).to_contain_text("completed")
    document = notebook.saved()
    (output,) = outputs_of(document, 1)
    assert sorted(output["data"]) == [RUN_MIME, "text/html", "text/plain"]
    assert "widgets" not in document["metadata"]

    notebook.command("notebook:shutdown-kernel")
    notebook.open(has_kernel=False)

    expect(cell.locator(".bc-answer")).to_contain_text("Scripted answer of librarian")
    expect(cell.get_by_role("button", name="Stop")).to_have_count(0)


def test_B07_a_run_that_somebody_else_saved_half_way_is_drawn_as_interrupted(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("slow = 'primary'", ASK)
    start_an_answer_that_does_not_end(notebook)

    notebook.reopen_changed_elsewhere()

    card = notebook.cell(2).locator(".jp-OutputArea")
    expect(card).to_contain_text("interrupted")
    expect(card.get_by_role("button", name="Stop")).to_have_count(0)


def test_B07_a_run_saved_half_way_is_drawn_as_interrupted_when_its_kernel_is_gone(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("slow = 'primary'", ASK)
    start_an_answer_that_does_not_end(notebook)
    notebook.saved()
    notebook.command("notebook:shutdown-kernel")

    notebook.open(has_kernel=False)

    card = notebook.cell(2).locator(".jp-OutputArea")
    expect(card.locator(".bc-state")).to_contain_text("interrupted")
    expect(card).not_to_contain_text("model not found")
    expect(card.get_by_role("button", name="Stop")).to_have_count(0)


def test_B06_stop_and_interrupt_end_runs_that_would_take_minutes(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("slow = 'primary'", ASK, "slow = 'librarian'", ASK)
    cell = start_an_answer_that_does_not_end(notebook)

    cell.get_by_role("button", name="Stop").click()
    notebook.wait_idle()

    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    expect(cell.locator(".jp-OutputArea")).to_contain_text("braincode:")

    notebook.run(3)
    cell = notebook.start(4)
    expect(cell.get_by_role("button", name="Stop")).to_be_visible()

    notebook.command("notebook:interrupt-kernel")
    notebook.wait_idle()

    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    expect(cell.locator(".jp-OutputArea")).to_contain_text("The run was interrupted.")


def test_B06_stop_reaches_a_background_run_while_another_cell_blocks_the_kernel(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("slow = 'primary'", ASK.replace("--review", "--background"), "block()")
    notebook.run(1)
    cell = notebook.run(2)
    notebook.start(3)

    cell.get_by_role("button", name="Stop").click()

    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    expect(notebook.cell(3).locator(".jp-InputPrompt").first).to_have_text("[*]:")


def test_B08_after_a_reload_during_a_run_the_card_is_complete(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        "slow = 'primary'", ASK.replace("--review", "--background"), "_braincode"
    )
    notebook.run(1)
    cell = notebook.run(2)
    expect(cell.get_by_role("button", name="Stop")).to_be_visible()
    notebook.saved()

    notebook.open()
    cell = notebook.cell(2)
    cell.get_by_role("button", name="Stop").click()

    expect(cell.locator(".bc-state")).to_contain_text("cancelled")
    shown = notebook.run(3)
    expect(shown.locator(".bc-state")).to_contain_text("cancelled")


def test_B04_a_failed_run_fails_its_cell_and_the_next_ones_do_not_run(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("%%braincode --brain nope\nx", "after = True")

    notebook.command("notebook:run-all-cells")
    expect(notebook.cell(1).locator(".jp-OutputArea")).to_contain_text("braincode: No ")
    notebook.wait_idle()

    expect(notebook.cell(2).locator(".jp-InputPrompt").first).to_have_text("[ ]:")
