from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

ASK = "%%braincode --roles librarian --as run\nWhy did the {} sales fall?"
TRICK = "<img src=x onerror=alert(1)> **Red** \u202e"
SHOW = "() => window.jupyterapp.commands.execute('braincode:show-sessions')"
MANY = 10_000


def show(page: Page) -> Locator:
    page.evaluate(SHOW)
    panel = page.locator(".bc-panel")
    expect(panel.get_by_role("searchbox")).to_be_focused()
    return panel


def rows(panel: Locator) -> Locator:
    return panel.get_by_role("option")


def find(panel: Locator, text: str) -> Locator:
    panel.get_by_role("searchbox").fill(text)
    return rows(panel)


@pytest.fixture
def home(lab: Any) -> Iterator[Path]:  # noqa: ANN401 - the fixture of conftest
    folder = lab.folder.parent / ".braincode" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    yield folder
    for path in set(folder.iterdir()) - before:
        path.unlink()


def test_sessions_are_listed_found_and_opened_with_the_keyboard_alone(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ASK.format("spring"), ASK.format(TRICK), "run.session_id")
    notebook.run(1)
    notebook.run(2)
    session_id = notebook.run(3).locator(".jp-OutputArea-output").inner_text().strip("'\n")
    panel = show(notebook.page)
    expect(find(panel, "sales Red completed")).to_have_count(1)
    found = rows(panel).first
    expect(found).to_contain_text("<img src=x onerror=alert(1)> **Red** ⟨U+202E⟩")
    expect(found).to_contain_text("claude")
    expect(found).to_have_attribute("title", re.compile(re.escape(f"@@{session_id}")))

    notebook.page.keyboard.press("ArrowDown")
    expect(found).to_have_attribute("aria-selected", "true")
    notebook.page.keyboard.press("Enter")

    card = notebook.page.locator(".bc-card-tab .bc-run")
    expect(card.locator(".bc-state")).to_contain_text("completed")
    expect(card.locator(".bc-answer")).to_contain_text("Scripted answer of librarian")
    expect(card).to_be_in_viewport()
    expect(card.locator("img")).to_have_count(0)


def test_the_chosen_session_is_copied_and_continued_in_a_new_cell_that_is_not_run(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ASK.format("summer"), "run.session_id", "last = 1")
    page = notebook.page
    notebook.run(1)
    session_id = notebook.run(2).locator(".jp-OutputArea-output").inner_text().strip("'\n")
    panel = show(page)
    find(panel, "summer").first.click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    panel.get_by_role("button", name="Copy @@id").click()
    assert page.evaluate("() => navigator.clipboard.readText()") == f"@@{session_id}"
    panel.get_by_role("button", name="Continue").click()
    page.keyboard.type("And in autumn?")

    lines = notebook.cell(3).locator(".cm-line")
    expect(lines).to_have_text([f"%%braincode --continue {session_id}", "And in autumn?"])
    expect(notebook.cell(3).locator(".jp-InputPrompt").first).to_have_text("[ ]:")
    page.keyboard.press("Control+Enter")
    expect(notebook.cell(3).locator(".bc-state")).to_contain_text("completed")
    expect(find(panel, "summer")).to_have_count(1)


def test_a_kernel_without_the_extension_is_said_with_the_line_that_helps(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("%unload_ext braincode_jupyter", "1")
    notebook.run(1)
    panel = show(notebook.page)
    expect(panel).to_contain_text("braincode_jupyter is not loaded in this kernel.")
    expect(panel.locator("pre")).to_have_text("%load_ext braincode_jupyter")

    panel.get_by_role("button", name="Insert this line").click()
    expect(notebook.cell(2).locator(".cm-line")).to_have_text("%load_ext braincode_jupyter")
    notebook.page.keyboard.press("Control+Enter")

    expect(panel).not_to_contain_text("is not loaded")
    notebook.command("notebook:shutdown-kernel")
    expect(panel).to_contain_text("no running kernel")


def test_the_panel_answers_while_another_cell_blocks_the_kernel(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ASK.format("winter"), "block()")
    notebook.run(1)
    notebook.start(2)

    panel = show(notebook.page)

    expect(find(panel, "winter")).to_have_count(1)
    expect(notebook.cell(2).locator(".jp-InputPrompt").first).to_have_text("[*]:")
    notebook.command("notebook:interrupt-kernel")


def test_ten_thousand_sessions_are_drawn_in_part_and_searched_whole(
    open_notebook: Callable[..., Any], home: Path
) -> None:
    for index in range(MANY):
        prompt = "the needle" if index == 0 else f"Explain step {index}"
        path = home / f"many-{index:05}.jsonl"
        lines = [{"type": "run_start", "prompt": prompt}, {"type": "run_end", "summary": "x"}]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        os.utime(path, ns=(0, (index + 1) * 1_000_000_000))
    notebook = open_notebook("1")
    panel = show(notebook.page)
    expect(panel).to_contain_text(re.compile(r"10,\d\d\d sessions"))

    panel.get_by_role("listbox").press("End")
    assert rows(panel).count() < 60

    expect(find(panel, "needle")).to_have_count(1)
    expect(panel).to_contain_text("1 found")


def test_notebook_7_has_the_panel_and_shows_a_card_over_it(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ASK.format("seventh"), in_notebook_7=True)
    notebook.run(1)
    panel = show(notebook.page)

    find(panel, "seventh").first.dblclick()

    card = notebook.page.locator(".jp-Dialog .bc-card-tab .bc-run")
    expect(card.locator(".bc-answer")).to_contain_text("Scripted answer of librarian")
    expect(card).to_be_in_viewport()
    notebook.page.keyboard.press("Escape")
    expect(card).to_have_count(0)
