from __future__ import annotations

from typing import TYPE_CHECKING

import fuzzed_text
import pytest
from card_harness import open_page

from braincode_jupyter.widget.assets import STATIC

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.timeout(300)
def test_B33_made_up_text_is_text_at_every_prefix(browser: Browser) -> None:
    if not (STATIC / "run-widget.js").is_file():
        pytest.skip("front end not built")
    page = open_page(browser)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    outcome = fuzzed_text.run(page, seed=1, count=1_000)

    page.close()
    assert outcome.wrong == []
    assert outcome.requests == []
    assert errors == []
    assert outcome.texts == 1_000
    assert outcome.prefixes > 3_000
