"""An answer that streams: formatted as it comes, in every view, whoever looks, comes or goes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from fed_model import BACKGROUND, WHOLE, fed, let_go
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator

pytestmark = pytest.mark.slow

FIRST = "Why the sales fell\nIt rained:\nApril\nMay\nrain = 12"
SECOND = "Why the sales fell\nIt rained:\nApril\nMay\nrain = 12\nsales = 3\nThe"
# Blocks, one a line, without the title of the section, its buttons and the names of languages.
TEXT = """area => [...area.querySelectorAll('h5, h6, p, li, pre, .bc-plain')]
  .filter(one => one.checkVisibility() && !one.querySelector('p, li, pre'))
  .map(one => one.textContent.trim()).filter(Boolean).join('\\n')"""
# The only thread of the page does nothing else until the test lets it go.
STAND_STILL = """url => void setTimeout(() => {
  for (;;) {
    const asking = new XMLHttpRequest();
    asking.open('GET', `${url}&${Math.random()}`, false);
    asking.send();
    if (asking.status === 200) { return; }
  }
}, 0)"""
TRIES = 600


def has_answer(card: Locator, text: str) -> None:
    """Wait until the answer is exactly this text."""
    area = card.locator(".bc-answer")
    shown = ""
    for _ in range(TRIES):
        shown = area.evaluate(TEXT)
        if shown == text:
            return
        time.sleep(0.1)
    raise AssertionError(shown)


def is_formatted(card: Locator) -> None:
    """Look for what the first piece holds, in the form that Markdown gives it."""
    answer = card.locator(".bc-answer")
    expect(answer.get_by_role("heading", name="Why the sales fell")).to_be_visible()
    expect(answer.get_by_role("listitem")).to_have_text(["April", "May"])
    expect(answer.locator("strong")).to_have_text("rained")
    expect(answer.locator("pre")).to_contain_text("rain = 12")


def sessions(lab: Any) -> dict[Path, bool]:  # noqa: ANN401 - the fixture of conftest
    """Return each session file, and whether its run has ended."""
    folder: Path = lab.folder.parent / ".braincode" / "sessions"
    return {path: '"run_end"' in path.read_text("utf-8") for path in folder.glob("*.jsonl")}


def wait_for_end(lab: Any, before: dict[Path, bool]) -> None:  # noqa: ANN401 - the same
    """Wait until a run that began since `before` has ended, whatever the page does."""
    for _ in range(TRIES):
        if any(has_ended for path, has_ended in sessions(lab).items() if path not in before):
            return
        time.sleep(0.1)
    raise AssertionError(sessions(lab))


def test_an_answer_is_formatted_as_it_streams_in_every_view_and_after_a_reload(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(fed("views"), BACKGROUND)
    notebook.run(1)
    card = notebook.run(2)
    let_go(notebook, "views", 0)
    is_formatted(card)
    card.locator(".bc-request").click()

    notebook.command("notebook:create-output-view")
    view = notebook.page.locator(".jp-LinkedOutputView .bc-run")
    is_formatted(view)
    has_answer(view, FIRST)
    notebook.saved()
    notebook.open()
    card = notebook.cell(2)
    is_formatted(card)
    has_answer(card, FIRST)
    let_go(notebook, "views", 1)
    has_answer(card, SECOND)

    other = notebook.in_new_tab()
    has_answer(other.cell(2), SECOND)
    let_go(notebook, "views", 2)
    for each in (card, other.cell(2)):
        expect(each.locator(".bc-state")).to_contain_text("completed")
        has_answer(each, WHOLE)


def test_a_page_that_stands_still_holds_nothing_up(
    open_notebook: Callable[..., Any],
    lab: Any,  # noqa: ANN401 - the fixture of conftest
) -> None:
    notebook = open_notebook(fed("still"), BACKGROUND)
    notebook.run(1)
    before = sessions(lab)
    card = notebook.run(2)
    let_go(notebook, "still", 0)
    is_formatted(card)

    url = f"{lab.base}/files/goes-on?token={lab.token}"
    notebook.page.evaluate(STAND_STILL, url)
    let_go(notebook, "still", 1, 2)
    wait_for_end(lab, before)
    (lab.folder / "goes-on").touch()

    expect(card.locator(".bc-state")).to_contain_text("completed")
    has_answer(card, WHOLE)


def test_notebook_7_shows_what_came_while_nobody_looked(
    open_notebook: Callable[..., Any],
    lab: Any,  # noqa: ANN401 - the fixture of conftest
) -> None:
    notebook = open_notebook(fed("away"), BACKGROUND, in_notebook_7=True)
    notebook.run(1)
    before = sessions(lab)
    card = notebook.run(2)
    let_go(notebook, "away", 0)
    is_formatted(card)
    notebook.saved()

    notebook.page.goto("about:blank")
    let_go(notebook, "away", 1)
    notebook.open()
    has_answer(notebook.cell(2), SECOND)
    notebook.page.goto("about:blank")
    let_go(notebook, "away", 2)
    wait_for_end(lab, before)
    notebook.open()

    expect(notebook.cell(2).locator(".bc-state")).to_contain_text("completed")
    has_answer(notebook.cell(2), WHOLE)
