from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

ASK = "%%braincode --roles librarian,analyst --review {how}\nWhy did the sales fall?"


def test_a_run_is_recorded_beside_its_notebook_and_its_replay_says_so(
    open_notebook: Callable[..., Any],
) -> None:
    nobody = "from braincode_jupyter.notebook import use_models\nuse_models(None)"
    notebook = open_notebook(ASK.format(how="--record"), nobody, ASK.format(how="--replay=only"))
    recorded = notebook.run(1)
    expect(recorded.locator(".bc-facts")).not_to_contain_text("replayed")
    expect(recorded).to_contain_text("3 calls recorded in")
    notebook.run(2)

    replayed = notebook.run(3)

    facts = replayed.locator(".bc-facts")
    expect(facts).to_contain_text("completed")
    expect(facts).to_contain_text("replayed")
    expect(replayed.locator(".bc-answer")).to_contain_text("Scripted answer of librarian")
    assert notebook.path.with_suffix(".braincode.json").is_file()
