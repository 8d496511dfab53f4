from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

# The code wants to be more than text, and to run.
CODE = 'ran = True\nprint("<img src=x onerror=alert(1)>")'
ANSWER = f"""
ANSWER = '''Try this:

```python
{CODE}
```

```sql
select 1
```
'''
slow = None
def answer(call):
    if call.call_kind == 'primary':
        return Reply(text=ANSWER)
    return Reply(text="late", delay_s=600) if call.call_kind == slow else None
use_models(ScriptedModel(answer))
ran = False
"""
RUN_MIME = "application/vnd.braincode.run+json"
ACTIVE = re.compile(r"\bjp-mod-active\b")
ASK = "%%braincode --roles librarian\nShow me code."


def test_code_of_a_live_card_becomes_a_cell_below_that_is_not_run(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        f"{ANSWER}slow = 'review'\n",
        ASK.replace("\n", " --review --background\n"),
        "print(ran)",
    )
    notebook.run(1)
    card = notebook.run(2)
    expect(card.get_by_role("button", name="Stop")).to_be_visible()

    card.get_by_role("button", name="Insert below").click()

    expect(notebook.cell(3).locator(".cm-line").first).to_have_text("ran = True")
    assert "False" in notebook.run(4).locator(".jp-OutputArea").inner_text()
    card.get_by_role("button", name="Stop").click()


def test_code_of_a_saved_card_becomes_a_cell_with_its_origin_and_nothing_else(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(ANSWER, ASK, "last = 1")
    notebook.run(1)
    card = notebook.run(2)
    session_id = notebook.saved()["cells"][2]["outputs"][0]["data"][RUN_MIME]["sessionId"]
    button = card.get_by_role("button", name="Insert below")
    expect(button).to_have_count(1)  # SQL is no cell of a Python kernel

    button.focus()
    notebook.page.keyboard.press("Enter")

    expect(notebook.cell(3)).to_have_class(ACTIVE)
    cell = notebook.saved()["cells"][3]
    assert "".join(cell["source"]) == CODE
    assert cell["metadata"] == {"braincode": {"from": f"@@{session_id}"}}
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert "".join(notebook.saved()["cells"][4]["source"]) == "last = 1"

    notebook.page.keyboard.press("z")
    expect(notebook.cell(3).locator(".cm-line").first).to_have_text("last = 1")


def test_a_card_without_a_kernel_inserts_too(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(ANSWER, ASK)
    notebook.run(1)
    notebook.run(2)
    notebook.saved()
    notebook.command("notebook:shutdown-kernel")
    notebook.open(has_kernel=False)

    notebook.cell(2).get_by_role("button", name="Insert below").click()

    expect(notebook.cell(3).locator(".cm-line").first).to_have_text("ran = True")


@pytest.mark.usefixtures("without_extension")
def test_without_the_extension_a_card_has_no_button_that_does_nothing(
    open_notebook: Callable[..., Any],
) -> None:
    hold = f"{ANSWER}slow = 'review'\n"
    notebook = open_notebook(hold, ASK.replace("\n", " --review --background\n"))
    notebook.run(1)

    card = notebook.run(2)

    answer = card.locator(".bc-answer .bc-text")
    expect(answer.locator(".bc-codeblock")).to_have_count(2)
    expect(answer.get_by_role("button", name="Copy", exact=True)).to_have_count(2)
    expect(card.get_by_role("button", name="Insert below")).to_have_count(0)
    card.get_by_role("button", name="Stop").click()


def test_notebook_7_inserts_below_too(open_notebook: Callable[..., Any]) -> None:
    notebook = open_notebook(ANSWER, ASK, "last = 1", in_notebook_7=True)
    notebook.run(1)

    notebook.run(2).get_by_role("button", name="Insert below").click()

    expect(notebook.cell(3).locator(".cm-line").first).to_have_text("ran = True")


def test_a_table_of_a_worker_becomes_a_cell_that_gives_it_as_a_frame(
    open_notebook: Callable[..., Any],
) -> None:
    sql = "select region, sum(n) as total from sales group by region order by region"
    call = f"('query_data', {{'sql': {sql!r}, 'name': 'by_region'}})"
    setup = (
        "import pandas as pd\n"
        "sales = pd.DataFrame({'region': ['007', '008', '007'], 'n': [1, 2, 4]})\n"
        f"reply = Reply(text='', tool_calls=({call},), then=lambda got: 'done')\n"
        "use_models(ScriptedModel(lambda call: reply if call.role == 'analyst' else None))"
    )
    ask = "%%braincode --roles librarian,analyst --no-review\nBy region, @var:sales"
    notebook = open_notebook(setup, ask, "print(by_region.to_dict('list'))")
    notebook.run(1)
    card = notebook.run(2)
    card.locator(".bc-workers > summary").click()
    analyst = card.locator(".bc-worker", has_text="analyst")
    analyst.locator("> summary").click()

    made = analyst.locator(".bc-made")
    expect(made).to_contain_text("by_region · 2 rows × 2 columns · ")
    made.get_by_role("button", name="Insert below: by_region").click()

    expect(notebook.cell(3).locator(".cm-line").first).to_have_text("import braincode_jupyter")
    notebook.run(3)
    assert "{'region': ['007', '008'], 'total': [5, 2]}" in notebook.run(4).inner_text()
