from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from held_model import held
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ASK = "%%braincode --roles librarian,analyst --background\nWhy did **the sales** fall?"
TALL = "#\n" * 60
TOAST = ".Toastify__toast"
# A busy kernel may hear only then that the page has told it; nothing on the page shows that.
HEARD_MS = 2_000


def test_the_end_of_a_background_run_is_told_with_a_way_to_its_cell(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(held("gate-1"), ASK, TALL, TALL, "print('next')")
    notebook.run(1)
    card = notebook.run(2)
    notebook.cell(5).scroll_into_view_if_needed()
    expect(card).not_to_be_in_viewport()

    (notebook.path.parent / "gate-1").touch()

    toast = notebook.page.locator(TOAST)
    expect(toast).to_contain_text("Background run completed: Why did **the sales** fall?")
    toast.get_by_role("button", name="Go to the cell").click()
    expect(card.locator(".bc-state")).to_be_in_viewport()
    notebook.page.wait_for_timeout(HEARD_MS)
    assert notebook.run(5).locator(".jp-OutputArea").inner_text().strip() == "next"


def test_a_reader_who_sees_the_card_gets_no_message_over_it(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(held("gate-2"), ASK, "print('next')")
    notebook.run(1)
    card = notebook.run(2)
    expect(card.get_by_role("button", name="Stop")).to_be_visible()

    (notebook.path.parent / "gate-2").touch()

    expect(card.locator(".bc-state")).to_contain_text("completed")
    notebook.page.wait_for_timeout(HEARD_MS)
    assert notebook.run(3).locator(".jp-OutputArea").inner_text().strip() == "next"
    expect(notebook.page.locator(TOAST)).to_have_count(0)


@pytest.mark.usefixtures("without_extension")
def test_without_the_extension_the_card_changes_and_the_next_cell_says_it_once(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(held("gate-3"), ASK, "print('next')", "print('later')")
    notebook.run(1)
    card = notebook.run(2)
    expect(card.get_by_role("button", name="Stop")).to_be_visible()

    (notebook.path.parent / "gate-3").touch()
    expect(card).to_contain_text("completed")

    said = notebook.run(3).locator(".jp-OutputArea")
    expect(said).to_contain_text("braincode: completed in the background: Why did **the sales**")
    expect(said).to_contain_text("next")
    assert notebook.run(4).locator(".jp-OutputArea").inner_text().strip() == "later"


def test_notebook_7_tells_it_too(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(held("gate-4"), ASK, TALL, TALL, "1", in_notebook_7=True)
    notebook.run(1)
    notebook.run(2)
    notebook.cell(5).scroll_into_view_if_needed()

    (notebook.path.parent / "gate-4").touch()

    expect(notebook.page.locator(TOAST)).to_contain_text("Background run completed")
