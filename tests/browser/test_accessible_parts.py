"""What we draw beside the card, looked at by axe-core in both applications, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from accessibility import complaints
from held_model import held
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

APPS = pytest.mark.parametrize("is_seven", [False, True], ids=["lab", "notebook 7"])
ASK = "%%braincode --roles librarian\nWhy did the sales fall?"
BACKGROUND = ASK.replace("\n", " --background\n")
TALL = "#\n" * 60
EXECUTE = "([name, args]) => void window.jupyterapp.commands.execute(name, args)"


def look(page: Page, *parts: str) -> None:
    """Let axe-core look at these parts in a dark and in a light theme."""
    for theme, is_light in (("JupyterLab Dark", "false"), ("JupyterLab Light", "true")):
        page.evaluate(EXECUTE, ["apputils:change-theme", {"theme": theme}])
        page.wait_for_selector(f"body[data-jp-theme-light={is_light}]", state="attached")
        assert complaints(page, *parts) == [], theme


@APPS
def test_B11_a_checker_finds_nothing_on_the_sessions_panel(
    open_notebook: Callable[..., Any], *, is_seven: bool
) -> None:
    notebook = open_notebook(ASK, "%unload_ext braincode_jupyter", in_notebook_7=is_seven)
    page = notebook.page
    notebook.run(1)
    page.evaluate(EXECUTE, ["braincode:show-sessions", {}])
    panel = page.locator(".bc-panel")
    search = panel.get_by_role("searchbox")
    expect(panel.get_by_role("option").first).to_be_visible()
    look(page, ".bc-panel")

    search.fill("sales completed")
    expect(panel.get_by_role("status").first).to_contain_text("found")
    search.press("ArrowDown")
    expect(panel.get_by_role("button", name="Open")).to_be_enabled()
    look(page, ".bc-panel")
    panel.get_by_role("listbox").press("Enter")
    expect(page.locator(".bc-card-tab .bc-state")).to_contain_text("completed")
    page.evaluate("document.querySelectorAll('.bc-run details').forEach(d => { d.open = true; })")
    look(page, ".jp-Dialog-content" if is_seven else ".bc-card-tab")
    if is_seven:
        page.keyboard.press("Escape")
    else:
        notebook.command("application:close")

    search.fill("nobody asked this")
    expect(panel).to_contain_text("No session has all these words.")
    look(page, ".bc-panel")
    notebook.run(2)
    panel.get_by_role("button", name="Read the list again").click()
    expect(panel.get_by_role("button", name="Insert this line")).to_be_visible()
    look(page, ".bc-panel")


@APPS
def test_B11_a_checker_finds_nothing_on_offers_dialogs_and_messages(
    open_notebook: Callable[..., Any], choose: Callable[..., None], *, is_seven: bool
) -> None:
    choose("@jupyterlab/completer-extension:manager", showDocumentationPanel=True)
    gate = f"gate-parts-{is_seven}"
    notebook = open_notebook(
        held(gate) + "gone = {'one': 1}",
        "%%braincode\nWhy? ",
        BACKGROUND,
        TALL,
        TALL,
        in_notebook_7=is_seven,
    )
    page = notebook.page
    notebook.run(1)
    notebook.cell(2).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("@var:go")
    expect(page.locator(".jp-Completer .bc-offer").first).to_be_visible()
    expect(page.locator(".bc-offer-preview")).to_contain_text("one")
    look(page, ".jp-Completer")
    page.keyboard.press("Enter")

    page.evaluate(EXECUTE, ["braincode:label-cell", {}])
    expect(page.locator(".jp-Dialog input")).to_be_focused()
    look(page, ".jp-Dialog-content")
    page.keyboard.press("Escape")

    card = notebook.run(3)
    notebook.cell(5).scroll_into_view_if_needed()
    expect(card).not_to_be_in_viewport()
    (notebook.path.parent / gate).touch()
    expect(page.locator(".Toastify__toast")).to_contain_text("Background run completed")
    look(page, ".Toastify__toast")
