"""A run in a file: opened without its kernel, trusted or not, without our extension, as a page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from accessibility import complaints
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

# One worker fails, the answer has code.
MODEL = """
from braincode_jupyter.errors import ModelError
def answer(call):
    if call.role == 'security':
        return ModelError('The provider is down.', code='bad_request')
    if call.call_kind == 'primary':
        return 'Try **this**:\\n\\n```python\\nran = True\\n```\\n'
use_models(ScriptedModel(answer))
"""
ASK = "%%braincode --roles librarian,security,analyst --as run\nIs it safe?"
OF_KERNELS = ("Stop", "Approve", "Deny", "Run again")


def expect_whole_card(cell: Locator) -> None:
    """Look for everything but what needs a kernel, and use what can be used."""
    card = cell.locator(".bc-run")
    expect(card.locator(".bc-state")).to_have_text("completed")
    expect(card.locator(".bc-answer strong")).to_have_text("this")
    expect(card.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    card.locator("details.bc-workers > summary").click()
    worker = card.locator("details.bc-worker", has_text="security").first
    if worker.get_attribute("open") is None:
        worker.locator("summary").first.click()
    expect(worker).to_contain_text("What this worker saw")
    expect(worker).to_contain_text("%braincode retry")
    for name in OF_KERNELS:
        expect(card.get_by_role("button", name=name)).to_have_count(0)
    card.get_by_role("button", name="Insert below").click()
    expect(cell.page.locator(".jp-CodeCell .cm-line", has_text="ran = True").last).to_be_visible()


def expect_whole_text(output: Locator) -> None:
    """Look for the form that needs no script."""
    expect(output.locator(".bc-run")).to_have_count(0)
    expect(output).to_contain_text("ran = True")
    folded = output.locator("details", has_text="security").first
    summary = folded.locator("summary").first
    is_open = folded.get_attribute("open") is not None
    summary.click()
    assert (folded.get_attribute("open") is not None) is not is_open
    expect(output.locator("button, script, style")).to_have_count(0)


def test_a_saved_run_is_whole_without_its_kernel_trusted_or_not_with_our_extension_or_not(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(MODEL, ASK)
    notebook.run(1)
    expect(notebook.run(2).locator(".bc-state")).to_have_text("completed")
    document = notebook.saved()
    notebook.command("notebook:shutdown-kernel")
    trusted = json.dumps(document)
    document["cells"][0]["source"] += "\n# changed elsewhere, so its signature is not ours"
    foreign = json.dumps(document)

    for app in ("lab", "notebook 7"):
        for text in (trusted, foreign):
            notebook.path.write_text(text, encoding="utf-8")
            notebook.open(has_kernel=False, app=app)
            expect_whole_card(notebook.cell(2))
    notebook.page.route("**/braincode-jupyter-labextension/static/**", lambda route: route.abort())
    for app, text in (("notebook 7", trusted), ("lab", foreign)):
        notebook.path.write_text(text, encoding="utf-8")
        notebook.open(has_kernel=False, app=app)
        expect_whole_text(notebook.cell(2).locator(".jp-OutputArea-output").first)


def test_an_exported_page_asks_nobody_and_works_without_script_in_the_dark_and_on_paper(
    open_notebook: Callable[..., Any], page: Page
) -> None:
    notebook = open_notebook(MODEL, ASK, "%braincode export --html run.html")
    notebook.run(1)
    notebook.run(2)
    expect(notebook.run(3)).to_contain_text("run.html")
    made = notebook.path.with_name("run.html")

    context = page.context.browser.new_context(java_script_enabled=False)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    reader = context.new_page()
    reader.goto(made.as_uri())
    expect_whole_text(reader.locator("body"))
    assert asked == [made.as_uri()]
    last = reader.locator("details").last
    expect(last).not_to_have_attribute("open", "")
    reader.emulate_media(media="print")
    assert last.locator("> :not(summary)").first.is_visible()
    context.close()

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(made.as_uri())
        background = page.evaluate("getComputedStyle(document.documentElement).colorScheme")
        assert "dark" in background
        assert complaints(page, "body") == []
