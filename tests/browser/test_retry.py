from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

pytestmark = pytest.mark.slow

# The security worker fails on every model until it is run again; the QA worker outlasts the test.
FAILS_FIRST = """
from braincode_jupyter.errors import ModelError
def fails_first(call):
    if call.role == 'security' and not call.retry:
        return ModelError('The provider is down.', code='bad_request')
    if call.role == 'security':
        return '{"summary": "Found on the second try."}'
    return Reply(text='late', delay_s=600) if call.role == 'qa' else None
use_models(ScriptedModel(fails_first))
"""
ASK = "%%braincode --roles backend,security,qa --no-review\nIs it safe?"


def fail_and_open(cell: Locator) -> Locator:
    """Wait until the worker has failed, open its entry and return the button that asks again."""
    entry = cell.locator(".bc-worker", has_text="security").first
    expect(entry.locator("summary")).to_contain_text("failed")
    if entry.get_attribute("open") is None:
        entry.locator("summary").click()
    again = entry.get_by_role("button", name="Run again: security")
    expect(again).to_be_enabled()
    return again


def expect_found(cell: Locator) -> None:
    entry = cell.locator(".bc-worker", has_text="security").first
    expect(entry.locator("summary")).to_contain_text("completed")
    expect(entry).to_contain_text("Found on the second try.")


@pytest.mark.parametrize("is_seven", [False, True], ids=["lab", "notebook 7"])
def test_a_failed_worker_is_run_again_while_its_cell_runs(
    open_notebook: Callable[..., Any], *, is_seven: bool
) -> None:
    notebook = open_notebook(FAILS_FIRST, ASK, in_notebook_7=is_seven)
    notebook.run(1)
    cell = notebook.start(2)

    fail_and_open(cell).click()

    expect_found(cell)
    cell.get_by_role("button", name="Stop").click()
    notebook.wait_idle()


def test_a_failed_worker_is_run_again_while_another_cell_blocks_the_kernel(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook(
        FAILS_FIRST, ASK.replace("--no-review", "--no-review --background"), "block()"
    )
    notebook.run(1)
    cell = notebook.run(2)
    again = fail_and_open(cell)
    notebook.start(3)

    again.click()

    expect_found(cell)
    expect(notebook.cell(3).locator(".jp-InputPrompt").first).to_have_text("[*]:")


def test_a_line_runs_a_failed_worker_of_a_background_run_again(
    open_notebook: Callable[..., Any],
) -> None:
    background = ASK.replace("--no-review", "--no-review --background")
    notebook = open_notebook(FAILS_FIRST, background, "%braincode retry security")
    notebook.run(1)
    cell = notebook.run(2)
    fail_and_open(cell)

    notebook.run(3)

    expect_found(cell)
