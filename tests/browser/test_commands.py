from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow


def test_a_command_inserts_a_brain_cell_below_and_the_cursor_is_in_its_body(
    open_notebook: Callable[..., Any],
) -> None:
    notebook = open_notebook("1 + 1")
    notebook.cell(0).locator(".cm-content").click()

    notebook.command("braincode:insert-run")
    notebook.page.keyboard.type("Why?")

    expect(notebook.cell(1).locator(".cm-line")).to_have_text(["%%braincode", "Why?"])
