from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from braincode_jupyter.brain.grammar import parse_references

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

NAMES = ["plain_name-2.csv", "my data.csv", 'say "no".txt', "数据.csv", "a@b.txt", "image"]


def copied(page: Page, command: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("name => window.jupyterapp.commands.execute(name)", f"braincode:{command}")
    return page.evaluate("() => navigator.clipboard.readText()")


def choose(cell: Locator) -> None:
    cell.locator(".cm-content").first.click()


def label(page: Page, name: str) -> Locator:
    """Type a name into the dialog, and return the dialog."""
    page.evaluate("void window.jupyterapp.commands.execute('braincode:label-cell')")
    dialog = page.locator(".jp-Dialog")
    dialog.locator("input").fill(name)
    page.keyboard.press("Enter")
    return dialog


@pytest.mark.parametrize("is_seven", [False, True], ids=["lab", "notebook 7"])
def test_a_cell_is_copied_by_its_id_and_by_its_label_once_it_has_one(
    open_notebook: Callable[..., Any], *, is_seven: bool
) -> None:
    notebook = open_notebook("%%time\nx = 1", "6 * 7", in_notebook_7=is_seven)
    choose(notebook.cell(1))
    assert copied(notebook.page, "copy-cell-reference") == "@cell:cell-1"

    expect(label(notebook.page, "cleaning")).to_have_count(0)

    assert copied(notebook.page, "copy-cell-reference") == "@cell:cleaning"
    source = "".join(notebook.saved()["cells"][1]["source"])
    assert source == "%%time\n#| label: cleaning\nx = 1"
    sent = notebook.run(2)
    choose(notebook.cell(2))
    assert copied(notebook.page, "copy-output-reference") == "@out:[2]"
    expect(sent).to_contain_text("42")


def test_a_label_is_written_where_it_is_no_part_of_what_the_cell_says(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("%%braincode\nWhy?", "#| label: old\ny = 2")
    notebook.command("notebook:insert-cell-below")
    notebook.command("notebook:change-cell-to-markdown")
    label(notebook.page, "story")
    choose(notebook.cell(1))
    label(notebook.page, "question")
    choose(notebook.cell(2))

    label(notebook.page, "")
    expect(notebook.page.locator(".jp-Dialog")).to_have_count(0)

    markdown, run, code = (notebook.saved()["cells"][index] for index in (1, 2, 3))
    assert markdown["metadata"] == {"tags": ["braincode:story"]}
    assert run["metadata"] == {"tags": ["braincode:question"]}
    assert "".join(run["source"]) == "%%braincode\nWhy?"
    assert ("".join(code["source"]), code["metadata"]) == ("y = 2", {})


def test_a_label_that_is_taken_or_cannot_be_named_is_asked_for_again(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("#| label: sales\nx = 1", "y = 2")
    choose(notebook.cell(2))

    dialog = label(notebook.page, "sales")
    expect(dialog).to_contain_text("Another cell is called sales")
    dialog.locator("input").fill("two words")
    notebook.page.keyboard.press("Enter")
    expect(dialog).to_contain_text("begins with a letter")
    dialog.locator("input").fill("more")
    notebook.page.keyboard.press("Enter")

    expect(dialog).to_have_count(0)
    expect(notebook.cell(2).locator(".cm-line").first).to_have_text("#| label: more")
    choose(notebook.cell(2))
    notebook.page.keyboard.press("Control+z")
    expect(notebook.cell(2).locator(".cm-line").first).to_have_text("y = 2")


def test_B19_a_file_is_copied_in_a_form_that_means_exactly_it(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("1")
    page = notebook.page
    for name in NAMES:
        (notebook.path.parent / name).write_text("x", encoding="utf-8")
    notebook.command("filebrowser:refresh")
    notebook.command("filebrowser:activate")

    for name in NAMES:
        page.locator(".jp-DirListing-item", has_text=name).first.click()
        token = copied(notebook.page, "copy-file-reference")
        (reference,) = parse_references(f"Look at {token} please")
        assert (reference.kind, reference.target) == ("file", name), json.dumps(token)


def test_the_menus_of_cells_outputs_and_files_offer_it(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook("6 * 7", in_notebook_7=True)
    ran = notebook.run(1)

    ran.locator(".jp-OutputArea-output").first.click(button="right")

    menu = notebook.page.locator(".lm-Menu")
    expect(menu.get_by_text("Copy as @ Reference")).to_be_visible()
    expect(menu.get_by_text("Copy Output as @ Reference")).to_be_visible()
    expect(menu.get_by_text("Label This Cell…")).to_be_visible()
