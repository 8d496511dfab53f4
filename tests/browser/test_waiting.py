from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

pytestmark = pytest.mark.slow

# Workers named in `asks` ask for code to be run, once the file is there: so the test says when.
ASKING = """
import asyncio, pathlib
gate, asks = pathlib.Path('GATE'), ASKS
class Held(ScriptedModel):
    async def complete(self, call, on_text, tools=None):
        while call.role in asks and not gate.exists():
            await asyncio.sleep(0.05)
        return await super().complete(call, on_text, tools)
def asking(call):
    if call.role not in asks:
        return None
    wanted = ('run_python', {'code': f'print(sum(numbers), "for the {call.role}")'})
    return Reply(text='', tool_calls=(wanted,), then=lambda got: got[0].text)
use_models(Held(asking))
numbers = [1, 2, 3]
"""
ASK = (
    "%%braincode --roles librarian,analyst,statistician --no-review --background\n"
    "Sum them. @var:numbers"
)
TALL = "#\n" * 60
TOAST = ".Toastify__toast"
ONE = "A background run waits for your approval: analyst, run_python in a scratch kernel"
LINE = "braincode: waits for your approval in the background: analyst wants to run code: run_python"


def asking(gate: str, *roles: str) -> str:
    return ASKING.replace("GATE", gate).replace("ASKS", repr(roles or ("analyst",)))


def let_ask(notebook: Any, gate: str) -> None:  # noqa: ANN401 - a notebook of the fixtures
    (notebook.path.parent / gate).touch()


def approve(card: Locator) -> None:
    card.get_by_role("button", name="Approve", exact=True).first.click()


def test_a_call_that_waits_is_told_in_another_tab_with_a_way_to_its_card(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(asking("ask-1"), ASK, TALL, TALL, "print('next')")
    notebook.run(1)
    card = notebook.run(2)
    notebook.command("launcher:create")
    expect(notebook.page.locator(".jp-NotebookPanel")).to_be_hidden()

    let_ask(notebook, "ask-1")

    toast = notebook.page.locator(TOAST)
    expect(toast).to_contain_text(ONE)
    expect(toast).to_have_count(1)
    toast.get_by_role("button", name="Show").click()

    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_in_viewport()
    expect(toast).to_have_count(0)
    assert notebook.run(5).locator(".jp-OutputArea").inner_text().strip() == "next"
    approve(card)
    expect(card.locator(".bc-state")).to_contain_text("completed")


def test_two_calls_that_wait_share_one_notification_until_both_are_answered(
    open_notebook: Callable[..., Any],
) -> None:
    answers = ("%braincode approve", "%braincode deny 1", "%braincode deny 2")
    setup = asking("ask-2", "analyst", "statistician")
    notebook = open_notebook(setup, ASK, TALL, TALL, *answers)
    notebook.run(1)
    notebook.run(2)
    notebook.cell(5).scroll_into_view_if_needed()
    toast = notebook.page.locator(TOAST)

    let_ask(notebook, "ask-2")
    expect(toast).to_contain_text("2 calls of a background run wait for your approval; first:")
    expect(toast).to_have_count(1)

    # The page has told it, so no line stands above the output.
    assert LINE[:40] not in notebook.run(5).locator(".jp-OutputArea").inner_text()
    notebook.run(6)
    expect(toast).to_contain_text("A background run waits for your approval:")
    expect(toast).to_have_count(1)

    notebook.run(7)
    expect(toast.filter(has_text="waits for your approval")).to_have_count(0)
    expect(notebook.cell(2).locator(".bc-state")).to_contain_text("completed")


def test_a_reader_who_sees_the_card_gets_no_message_over_it(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(asking("ask-3"), ASK, "print('next')")
    notebook.run(1)
    card = notebook.run(2)
    let_ask(notebook, "ask-3")
    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_visible()

    assert notebook.run(3).locator(".jp-OutputArea").inner_text().strip() == "next"
    expect(notebook.page.locator(TOAST)).to_have_count(0)


@pytest.mark.usefixtures("without_extension")
def test_without_the_extension_the_next_cell_says_it_once(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(asking("ask-4"), ASK, "print('next')", "print('later')")
    notebook.run(1)
    card = notebook.run(2)
    let_ask(notebook, "ask-4")
    expect(card.get_by_role("button", name="Approve", exact=True)).to_be_visible()

    said = notebook.run(3).locator(".jp-OutputArea")

    expect(said).to_contain_text(LINE)
    expect(said).to_contain_text("(%braincode approve)")
    expect(said).to_contain_text("next")
    assert notebook.run(4).locator(".jp-OutputArea").inner_text().strip() == "later"


def test_notebook_7_tells_it_too(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(asking("ask-5"), ASK, TALL, TALL, "1", in_notebook_7=True)
    notebook.run(1)
    notebook.run(2)
    notebook.cell(5).scroll_into_view_if_needed()
    let_ask(notebook, "ask-5")

    expect(notebook.page.locator(TOAST)).to_contain_text(ONE)
