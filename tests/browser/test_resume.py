from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ASK = "%%braincode --roles analyst,librarian,security --no-review --background\nWhy did it fall?"
RESTART = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
READY = """() => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel;
  return !!kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}"""
SHOW = "() => window.jupyterapp.commands.execute('braincode:show-sessions')"


def test_a_run_that_a_restart_cut_off_is_resumed_from_the_panel_and_completes(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("slow = 'primary'", ASK, "1")
    page = notebook.page
    notebook.run(1)
    card = notebook.run(2)
    for role in ("librarian", "security"):
        entry = card.locator(".bc-worker", has_text=role).first
        expect(entry.locator("summary")).to_contain_text("completed")

    page.evaluate(RESTART)
    page.wait_for_function(READY)

    expect(card.locator(".bc-state")).to_contain_text("interrupted")
    line = card.locator(".bc-resume .bc-command")
    expect(line).to_have_text(re.compile(r"%braincode resume [0-9a-f]{8}"))
    command = line.inner_text()
    notebook.run(0)
    page.evaluate(SHOW)
    panel = page.locator(".bc-panel")
    panel.get_by_role("option").first.click()
    panel.get_by_role("button", name="Resume").click()
    # It stands below the cell that was run last.
    resumed = notebook.cell(1)
    expect(resumed.locator(".cm-line")).to_have_text([command])
    expect(resumed.locator(".jp-InputPrompt").first).to_have_text("[ ]:")
    page.keyboard.press("Control+Enter")

    expect(resumed.locator(".bc-state").first).to_contain_text("completed")
    expect(resumed.locator(".bc-answer").first).to_contain_text("Scripted answer of analyst")
    expect(resumed.locator(".bc-resume").first).to_be_hidden()


def test_a_session_that_completed_has_no_resume_in_the_panel_and_is_replayed(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ASK.replace(" --background", ""), "%braincode replay --speed 0.001")
    page = notebook.page
    notebook.run(1)
    page.evaluate(SHOW)
    panel = page.locator(".bc-panel")
    panel.get_by_role("option").first.click()
    expect(panel.get_by_role("button", name="Continue")).to_be_enabled()
    expect(panel.get_by_role("button", name="Resume")).to_be_hidden()

    card = notebook.start(2)

    expect(card.locator(".bc-state").first).to_contain_text(re.compile("work|plan|start|answer"))
    card.get_by_role("button", name="Stop").click()
    expect(card.locator(".bc-state").first).to_contain_text("completed")
    expect(card.locator(".bc-answer").first).to_contain_text("Scripted answer of analyst")
