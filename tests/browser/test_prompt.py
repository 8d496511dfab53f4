"""Where no click arrives while a cell runs: the prompt asks, interrupts stop, clicks are late.

References
----------
Only JupyterLab can send all comms to the main thread: Notebook 7.6 leaves out the plugin that reads
the setting (``@jupyterlab/apputils-extension:subshell-settings``), so its pages use subshells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from computing_model import ASK, CODE, COMPUTE, RESULT
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

OPTIONS, REQUEST = ASK.removeprefix("%%braincode ").split("\n")
# A statement that is no cell magic by itself blocks the main thread, as older kernels always do.
BLOCKING = f"if True:\n    get_ipython().run_cell_magic('braincode', {OPTIONS!r}, {REQUEST!r})"
NO_ANSWER = "The kernel does not answer while a cell runs. Stop with the interrupt button (■)."


@pytest.mark.usefixtures("without_subshells")
def test_a_page_that_is_not_heard_sends_its_reader_to_the_prompt(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(COMPUTE, BLOCKING, BLOCKING)
    notebook.run(1)
    cell = notebook.start(2)
    card, prompt = cell.locator(".bc-run"), cell.get_by_role("textbox").last

    expect(card.get_by_role("note").first).to_have_text(NO_ANSWER)
    expect(cell.locator(".jp-Stdin")).to_contain_text(CODE)
    for name in ("Deny", "Approve"):
        expect(card.get_by_role("button", name=name, exact=True)).to_be_disabled()
    expect(card).to_contain_text("Answer at the input prompt below the cell")
    prompt.fill("y")
    prompt.press("Enter")

    notebook.wait_idle()
    expect(card.locator(".bc-state")).to_have_text("completed")
    card.locator("details.bc-workers > summary").click()
    card.locator("details.bc-worker > summary").first.click()
    expect(card.locator("details.bc-worker").first).to_contain_text(RESULT)

    cell = notebook.start(3)
    expect(cell.locator(".jp-Stdin")).to_be_visible()
    cell.get_by_role("button", name="Stop").click()
    expect(cell.get_by_role("note").first).to_have_text(NO_ANSWER)
    notebook.command("notebook:interrupt-kernel")
    notebook.wait_idle()
    expect(cell.locator(".bc-state")).to_have_text("cancelled")


@pytest.mark.usefixtures("without_subshells")
def test_clicks_arrive_in_an_awaiting_cell_and_after_one_that_blocks(
    open_notebook: Callable[..., Any],
) -> None:
    background = f"%%braincode {OPTIONS} --background\n{REQUEST}"
    notebook = open_notebook(
        COMPUTE, background.replace(" --background", ""), background, "block()", background
    )
    notebook.run(1)
    cell = notebook.start(2)
    cell.get_by_role("button", name="Approve", exact=True).click()
    notebook.wait_idle()
    expect(cell.locator(".bc-state")).to_have_text("completed")

    approved, stopped = notebook.run(3), notebook.run(5)
    approve = approved.get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_enabled()
    stop = stopped.get_by_role("button", name="Stop")
    expect(stopped.locator(".bc-state")).to_have_text("waiting for approval")
    notebook.start(4)
    approve.click()
    stop.click()
    expect(notebook.cell(4).locator(".jp-InputPrompt").first).to_have_text("[*]:")
    notebook.command("notebook:interrupt-kernel")

    expect(approved.locator(".bc-state")).to_have_text("completed")
    expect(stopped.locator(".bc-state")).to_have_text("cancelled")
