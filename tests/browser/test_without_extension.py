"""What a page without our extension still does: references to cells, and code of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_extension")]

CODE = 'ran = True\nprint("<img src=x onerror=alert(1)>")'
ANSWER = f"""
ANSWER = '''```python
{CODE}
```

Else:

```python
other = 2
```
'''
use_models(ScriptedModel(lambda call: Reply(text=ANSWER) if call.call_kind == 'primary' else None))
"""
ASK = "%%braincode --roles librarian --no-review\n"
SENT = "[one.text for call in _braincode.calls for one in call.prompt.sections]"
SEEN = f"sent = ' '.join({SENT})\nprint([n for n in range(1, 5) if f'marked_{{n}}' in sent])"


def printed(cell: Locator) -> str:
    return cell.locator(".jp-OutputArea").inner_text().strip()


def test_executed_cells_are_sent_by_number_place_and_label(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        "marked_1 = 1",
        "#| label: cleaning\nmarked_2 = 2",
        "marked_3 = 3",
        "marked_4 = 4",
        f"{ASK}Look at @cell:cleaning",
        SEEN,
        f"{ASK}Look at @cell:[2]",
        SEEN,
    )
    for index in (1, 2, 3, 4):
        notebook.run(index)

    notebook.run(5)
    assert printed(notebook.run(6)) == "[2]"

    # The setup of every test is [1].
    notebook.run(7)
    assert printed(notebook.run(8)) == "[1]"


def test_above_and_minus_one_are_the_cell_that_was_run_before(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        "marked_1 = 1",
        "marked_2 = 2",
        f"{ASK}Look at @cell:above",
        SEEN,
        "marked_3 = 3",
        f"{ASK}Look at @cell:-1",
        SEEN,
    )
    notebook.run(1)
    notebook.run(2)

    notebook.run(3)
    assert printed(notebook.run(4)) == "[2]"

    notebook.run(5)
    notebook.run(6)
    assert printed(notebook.run(7)) == "[3]"


def test_a_cell_that_was_not_run_is_sent_as_the_file_has_it(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        "marked_1 = 1", f"{ASK}Look at @cell:plotting", SEEN, "#| label: plotting\nmarked_2 = 2"
    )
    notebook.run(1)

    notebook.run(2)

    assert printed(notebook.run(3)) == "[2]"


def test_a_cell_that_was_neither_run_nor_saved_is_told_with_near_names_before_any_call(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        "#| label: cleaning\nmarked_1 = 1",
        "",
        f"{ASK}Look at @cell:cleaned",
        f"{ASK}Look at @cell:[77]",
    )
    notebook.run(1)
    notebook.cell(2).locator(".cm-content").click()
    notebook.page.keyboard.type("#| label: cleaned")

    unsaved, unknown = printed(notebook.run(3)), printed(notebook.run(4))

    assert "There is no cell @cell:cleaned in this notebook." in unsaved
    assert "Did you mean @cell:cleaning?" in unsaved
    assert "There is no cell @cell:[77] in this notebook." in unknown
    expect(
        notebook.page.locator(".jp-OutputArea-output").filter(has_text="Session @@")
    ).to_have_count(0)


def test_code_of_the_answer_becomes_the_next_cell_by_a_line(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ANSWER, f"{ASK}Show me code.", "%braincode insert", "ran = False")
    notebook.run(1)
    card = notebook.run(2)
    expect(card.get_by_role("button", name="Insert below")).to_have_count(0)

    said = printed(notebook.run(3))

    assert said == "Code block 1 of 2 is in the next cell. It was not run."
    expect(notebook.cell(4).locator(".cm-line").first).to_have_text("ran = True")
    cells = notebook.saved()["cells"]
    assert ["".join(cell["source"]) for cell in cells[4:]] == [CODE, "ran = False"]
    assert cells[4]["execution_count"] is None
