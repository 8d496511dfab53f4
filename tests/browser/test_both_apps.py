"""The same card in JupyterLab and in Notebook 7: live, stopped, saved, and without fault."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from accessibility import complaints
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

CELL = "%%braincode --no-review --roles librarian,analyst\nWhy?"
APPS = pytest.mark.parametrize("is_seven", [False, True], ids=["lab", "notebook 7"])


def complaints_about_cards(page: Page) -> list[Any]:
    """Return what axe-core finds on the cards of the page, all of them opened."""
    page.evaluate("document.querySelectorAll('.bc-run details').forEach(d => { d.open = true; })")
    return complaints(page, ".bc-run")


@APPS
def test_B11_a_run_is_shown_live_stopped_and_saved(
    open_notebook: Callable[..., Any], *, is_seven: bool
) -> None:
    notebook = open_notebook("slow = 'primary'", CELL, in_notebook_7=is_seven)
    notebook.run(1)
    cell = notebook.start(2)
    expect(cell.locator(".bc-state")).to_have_text("writing the answer")
    expect(cell.locator(".bc-workers .bc-line")).to_have_text("1 completed")
    assert complaints_about_cards(notebook.page) == []

    cell.get_by_role("button", name="Stop").click()
    expect(cell.locator(".bc-state")).to_have_text("cancelled")
    notebook.wait_idle()
    assert complaints_about_cards(notebook.page) == []

    document = notebook.saved()
    notebook.command("notebook:shutdown-kernel")
    assert "widgets" not in document["metadata"]
    bundle = document["cells"][2]["outputs"][0]["data"]
    assert bundle["application/vnd.braincode.run+json"]["state"] == "cancelled"
    notebook.path.write_text(json.dumps(document), encoding="utf-8")
    notebook.open(has_kernel=False)
    expect(notebook.cell(2).locator(".bc-state")).to_have_text("cancelled")
    expect(notebook.cell(2).get_by_role("button", name="Stop")).to_have_count(0)


@APPS
def test_B11_a_dark_theme_leaves_nothing_to_complain_about(
    open_notebook: Callable[..., Any], *, is_seven: bool
) -> None:
    notebook = open_notebook(CELL, in_notebook_7=is_seven)
    notebook.page.evaluate(
        "window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})"
    )
    notebook.page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
    notebook.run(1)

    expect(notebook.cell(1).locator(".bc-state")).to_have_text("completed")
    assert complaints_about_cards(notebook.page) == []
