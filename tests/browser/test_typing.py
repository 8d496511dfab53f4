from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from braincode_jupyter.brain.grammar import parse_references

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

pytestmark = pytest.mark.slow

OFFER = ".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item"
SETTINGS = "braincode-jupyter-labextension:typing"
MARKED = """cell => [...cell.querySelectorAll('.cm-line')].flatMap(line => {
  const found = []; let open = null;
  const walk = (node, inside) => { for (const child of node.childNodes) {
    const isMark = inside || child.classList?.contains('bc-reference');
    if (child.nodeType === 3) { if (isMark) { open = (open ?? '') + child.data; }
      else if (open !== null) { found.push(open); open = null; } }
    else walk(child, isMark); } };
  walk(line, false); if (open !== null) found.push(open);
  return found; })"""
SEE_PROMPT = """
sent = []
def script(call):
    sent.extend(section.text for section in call.prompt.sections)
use_models(ScriptedModel(script))
"""
FRAME = """import pandas as pd
sales = pd.DataFrame({'quarter': ['Q2', 'Q3'] * 617, 'revenue': 2})"""
REQUEST = """%%braincode --review
# Why did *sales* fall?
Look at @var:sales, and at @cell:cleaning; not at `@var:code` or a@b.
```python
x = "@var:fenced"
```
(see @@last!) 数据 @out:[3]"""

fronts = pytest.mark.parametrize("front", ["lab", "notebook 7"])


def markdown(source: str, cell_id: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source}


def offers(notebook: Any) -> Locator:  # noqa: ANN401 - of the conftest
    return notebook.page.locator(OFFER)


def type_into(notebook: Any, index: int, text: str) -> None:  # noqa: ANN401 - of the conftest
    notebook.cell(index).locator(".cm-content").first.click()
    notebook.page.keyboard.press("Control+End")
    notebook.page.keyboard.type(text)


@fronts
def test_typing_a_reference_opens_a_list_with_what_each_offer_is(
    open_notebook: Callable[..., Any], front: str
) -> None:
    notebook = open_notebook(
        FRAME,
        "#| label: cleaning\nclean = sales.dropna()",
        markdown("## Assumptions\nNone.", "notes"),
        "%%braincode\nWhy? ",
        in_notebook_7=front != "lab",
    )
    notebook.run(1)

    type_into(notebook, 3, "@")

    expect(offers(notebook).filter(has_text="@var:sales").first).to_contain_text(
        "pandas DataFrame 1,234 × 2"
    )
    expect(offers(notebook).filter(has_text="@cell:cleaning")).to_contain_text(
        "clean = sales.dropna()"
    )
    expect(offers(notebook).filter(has_text="@cell:notes")).to_contain_text("## Assumptions")
    expect(offers(notebook).locator(".jp-Completer-icon").first).to_be_visible()
    texts = offers(notebook).locator(".jp-Completer-match").all_inner_texts()
    assert len(texts) == len(set(texts))
    assert texts[:3] == ["@cell:", "@out:", "@var:"]

    notebook.page.keyboard.type("cell:cl")
    expect(offers(notebook)).to_have_count(1)
    notebook.page.keyboard.press("Enter")
    expect(notebook.cell(3).locator(".cm-line").last).to_have_text("Why? @cell:cleaning")


def test_B19_names_are_inserted_in_a_form_that_resolves_and_are_never_markup(
    open_notebook: Callable[..., Any],
    lab: Any,  # noqa: ANN401 - of the conftest
) -> None:
    names = ["my data.csv", "a@b.txt", "naïve–ü.md", "数据.csv", "z<img src=x>.md"]
    for name in names:
        (lab.folder / name).write_text("x")
    notebook = open_notebook("%%braincode\nRead ")

    for name in names:
        type_into(notebook, 1, f"@{name[0]}")
        expect(offers(notebook).filter(has_text=name)).to_be_visible()
        assert notebook.page.locator(".jp-Completer img").count() == 0
        offers(notebook).filter(has_text=name).click()
        notebook.page.keyboard.type(" ")

    written = notebook.cell(1).locator(".cm-line").last.inner_text()
    assert [reference.target for reference in parse_references(written)] == names


@pytest.mark.usefixtures("without_subshells")
def test_a_busy_kernel_leaves_what_the_page_knows_and_its_late_answer_fits_what_is_typed_by_then(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        "sales, size = [1], [2]",
        "#| label: salt\nsalt = 1",
        "import pathlib, time\nwhile not pathlib.Path('free').exists(): time.sleep(0.05)",
        "%%braincode\nWhy? ",
        "while not pathlib.Path('free again').exists(): time.sleep(0.05)",
    )
    notebook.run(1)
    notebook.start(3)
    type_into(notebook, 4, "@")

    expect(offers(notebook)).to_have_count(1)
    expect(offers(notebook)).to_contain_text("@cell:salt")
    expect(offers(notebook)).to_contain_text("salt = 1")
    notebook.page.keyboard.press("Escape")
    notebook.page.keyboard.type("var:s")
    notebook.page.wait_for_timeout(1_000)  # the kernel was asked for these letters
    notebook.page.keyboard.type("al")
    (notebook.path.parent / "free").touch()

    expect(offers(notebook)).to_have_count(1)
    expect(offers(notebook)).to_contain_text("@var:sales")
    notebook.page.keyboard.press("Enter")
    expect(notebook.cell(4).locator(".cm-line").last).to_have_text("Why? @var:sales")

    notebook.start(5)
    type_into(notebook, 4, " @")
    expect(offers(notebook)).to_have_count(1)
    notebook.page.wait_for_timeout(1_000)  # the list stays open until the kernel answers
    (notebook.path.parent / "free again").touch()
    expect(offers(notebook).filter(has_text="@var:sales")).to_be_visible()
    expect(offers(notebook).filter(has_text="@cell:salt")).to_be_visible()


def test_options_are_offered_with_their_help_and_plain_cells_get_no_list(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("%%braincode ", "x = 1")

    type_into(notebook, 1, "--rev")
    expect(offers(notebook).filter(has_text="--review")).to_contain_text("eview")
    notebook.page.keyboard.press("Escape")

    type_into(notebook, 2, "\n@")
    notebook.page.wait_for_timeout(500)
    expect(offers(notebook)).to_have_count(0)


@fronts
def test_a_reference_sees_what_the_page_shows_and_not_what_was_run_or_saved(
    open_notebook: Callable[..., Any], front: str
) -> None:
    notebook = open_notebook(
        SEE_PROMPT,
        markdown("Saved words.", "notes"),
        "#| label: edited\nversion = 'run'",
        "#| label: never\nversion = 'never run'",
        "%%braincode\nCompare @cell:notes @cell:edited @cell:never",
        "print(*sent, sep='\\n')",
        in_notebook_7=front != "lab",
    )
    notebook.run(1)
    notebook.run(2)
    type_into(notebook, 2, "\nversion = 'edited'")
    notebook.page.evaluate(
        """() => { const notebook = window.jupyterapp.shell.currentWidget.content;
        notebook.model.cells.get(2).sharedModel.setSource('Unsaved words.'); }"""
    )

    notebook.run(4)
    shown = notebook.run(5).locator(".jp-OutputArea-output").first

    expect(shown).to_contain_text("Unsaved words.")
    expect(shown).to_contain_text("version = 'edited'")
    expect(shown).to_contain_text("version = 'never run'")


def test_nothing_is_sent_while_nothing_of_ours_runs_and_each_run_sends_one_snapshot(
    open_notebook: Callable[..., Any],
) -> None:
    sent: list[str] = []

    def see(socket: Any) -> None:  # noqa: ANN401 - of Playwright
        socket.on("framesent", lambda frame: sent.append(str(frame)))

    notebook = open_notebook("x = 1", "%%braincode\nWhy?", "%%braincode\nHow?")
    notebook.page.on("websocket", see)
    notebook.open()
    notebook.run(0)
    notebook.run(1)
    assert not [frame for frame in sent if "braincode.snapshot" in frame]

    notebook.command("notebook:run-all-cells")
    expect(notebook.cell(3).locator(".bc-state")).to_contain_text("completed")
    notebook.wait_idle()

    snapshots = [frame for frame in sent if "braincode.snapshot" in frame]
    assert len(snapshots) == 2
    assert sum("cell_type" in frame for frame in snapshots) == 1


@fronts
def test_the_body_is_markdown_with_its_references_marked(
    open_notebook: Callable[..., Any], front: str
) -> None:
    plain = "def f(x):\n    # @var:x\n    return '@var:y'"
    notebook = open_notebook(plain, REQUEST, in_notebook_7=front != "lab")

    cell = notebook.cell(2)
    expect(cell.locator(".bc-reference").first).to_be_visible()
    expect(cell.locator(".cm-line").first).to_have_class(re.compile("bc-magic"))
    body = REQUEST.partition("\n")[2]
    expected = [reference.token for reference in parse_references(body)]
    assert cell.evaluate(MARKED) == expected
    wrapped = [notebook.cell(n).locator(".cm-lineWrapping").count() for n in (1, 2)]
    assert wrapped == [0, 1]
    heading = cell.locator(".cm-line", has_text="Why did").locator("span").first
    assert heading.evaluate("span => getComputedStyle(span).fontWeight") in {"700", "bold"}
    expect(notebook.cell(1).locator(".bc-reference, .bc-magic")).to_have_count(0)
    assert notebook.cell(1).locator(".cm-line span").count() >= 4

    type_into(notebook, 1, "\n")
    notebook.page.keyboard.press("Control+Home")
    notebook.page.keyboard.type("%%braincode\n")
    expect(notebook.cell(1).locator(".bc-reference")).not_to_have_count(0)


def test_each_choice_of_the_settings_holds(
    open_notebook: Callable[..., Any], choose: Callable[..., None]
) -> None:
    choose(SETTINGS, completion=False, highlighting=False, snapshots=False)
    notebook = open_notebook(
        SEE_PROMPT, markdown("Saved.", "notes"), "%%braincode\nSee @cell:notes ", "print(*sent)"
    )
    notebook.run(1)

    expect(notebook.cell(2).locator(".cm-line span").first).to_be_visible()
    expect(notebook.cell(2).locator(".bc-reference, .bc-magic")).to_have_count(0)
    notebook.page.evaluate(
        """() => { const notebook = window.jupyterapp.shell.currentWidget.content;
        notebook.model.cells.get(2).sharedModel.setSource('Unsaved.'); }"""
    )
    notebook.run(2)
    expect(notebook.run(3).locator(".jp-OutputArea-output").first).to_contain_text("Saved.")
    type_into(notebook, 2, "@")
    notebook.page.wait_for_timeout(500)
    expect(offers(notebook)).to_have_count(0)
