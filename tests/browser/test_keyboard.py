"""The mouse stays away: from typing a cell to taking the code of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from computing_model import COMPUTE, RESULT
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

ANSWER = "Swap the columns:\\n\\n```python\\nframe = frame.T\\n```\\n"
MODEL = f"""
slow = 'primary'
def answer(call):
    if call.call_kind != 'primary':
        return None
    return Reply(text={ANSWER!r}, delay_s=20 if slow else 0)
use_models(ScriptedModel(answer))
""".replace("\\\\n", "\\n")
TOOL_MODEL = f"""{MODEL}{COMPUTE}
slow = None
use_models(ScriptedModel(lambda call: compute(call) or answer(call)))
"""
FOCUS = """() => {
  const el = document.activeElement;
  return el?.closest('.bc-run') ? (el.getAttribute('aria-label') ?? el.innerText).trim() : '';
}"""
CLIPBOARD = """() => Object.defineProperty(navigator, 'clipboard', {
  value: {writeText: async text => { window.copied = text; }}
})"""
MOST_TABS = 60


def tab_to(page: Page, start: str, *, key: str = "Tab") -> str:
    """Press Tab until something of a card whose name starts so has the focus."""
    seen: list[str] = []
    for _ in range(MOST_TABS):
        page.keyboard.press(key)
        seen.append(page.evaluate(FOCUS))
        if seen[-1].lower().startswith(start):
            return seen[-1]
    raise AssertionError(seen)


def type_cell(page: Page, *lines: str) -> None:
    """Insert a cell below and type into it; the notebook is in command mode."""
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    for number, line in enumerate(lines):
        if number:
            page.keyboard.press("Enter")
        page.keyboard.type(line)


def take_offer(page: Page, text: str) -> None:
    """Wait for an offer, which has to be the first one, and take it."""
    offer = page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item").first
    expect(offer.locator(".jp-Completer-match")).to_have_text(text)
    page.keyboard.press("Enter")
    expect(offer).to_be_hidden()


def test_B11_a_run_is_typed_stopped_and_read_without_a_mouse(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(MODEL)
    notebook.run(1)
    page = notebook.page
    page.evaluate(CLIPBOARD)

    type_cell(page, "%%braincode --no-review --roles librarian,analyst", "Why?")
    page.keyboard.press("Control+Enter")
    cell = notebook.cell(2)
    expect(cell.locator(".bc-state")).to_have_text("writing the answer")
    tab_to(page, "stop")
    page.keyboard.press("Enter")
    expect(cell.locator(".bc-state")).to_have_text("cancelled")
    notebook.wait_idle()

    # The card is drawn anew at the end; whoever was in it still is.
    assert page.evaluate("!!document.activeElement.closest('.bc-run')")
    tab_to(page, "workers")
    page.keyboard.press("Enter")
    tab_to(page, "analyst")
    page.keyboard.press("Enter")
    saw = cell.locator(".bc-worker[open] .bc-saw")
    expect(saw).to_contain_text("What this worker saw")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(cell.locator(".bc-worker[open]")).to_have_count(0)

    page.keyboard.press("ArrowDown")
    assert page.evaluate(FOCUS).lower().startswith("analyst"), "Keys of the notebook took over."


@pytest.mark.parametrize("is_seven", [False, True], ids=["lab", "notebook 7"])
def test_B11_from_typing_with_completion_to_inserted_code_no_mouse_is_needed(
    open_notebook: Callable[..., Any], *, is_seven: bool
) -> None:
    notebook = open_notebook(TOOL_MODEL, in_notebook_7=is_seven)
    notebook.run(1)
    page, cell = notebook.page, notebook.cell(2)
    page.evaluate(CLIPBOARD)

    type_cell(page, "%%braincode --no-rev")
    take_offer(page, "--no-review")
    page.keyboard.type(" --roles librarian,analyst")
    page.keyboard.press("Enter")
    page.keyboard.type("Sum up @var:numb")
    take_offer(page, "@var:numbers")
    expect(cell.locator(".cm-line")).to_have_text(
        ["%%braincode --no-review --roles librarian,analyst", "Sum up @var:numbers"]
    )
    page.keyboard.press("Control+Enter")

    expect(cell.get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    tab_to(page, "approve")
    page.keyboard.press("Enter")
    expect(cell.locator(".bc-state")).to_have_text("completed")
    notebook.wait_idle()
    tab_to(page, "copy")
    page.keyboard.press("Enter")
    page.wait_for_function("window.copied !== undefined")
    assert page.evaluate("window.copied") == "frame = frame.T"
    tab_to(page, "workers")
    page.keyboard.press("Enter")
    tab_to(page, "analyst")
    page.keyboard.press("Enter")
    expect(cell.locator(".bc-worker[open]")).to_contain_text(RESULT)

    tab_to(page, "insert below", key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(notebook.cell(3).locator(".cm-content")).to_have_text("frame = frame.T")
