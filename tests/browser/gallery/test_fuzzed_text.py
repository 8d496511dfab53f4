from __future__ import annotations

from typing import TYPE_CHECKING

import fuzzed_text
import pytest
from card_harness import open_page

from braincode_jupyter.widget.assets import STATIC

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# What a fault of the card could do while a text streams.
FAULTS = {
    "an element": """const make = document.createElement.bind(document);
      document.createElement = name => make(name === 'p' ? 'object' : name);""",
    "an attribute": """const add = CharacterData.prototype.appendData;
      CharacterData.prototype.appendData = function (text) {
        this.parentElement?.setAttribute('onclick', text);
        add.call(this, text);
      };""",
    "an element that is gone again": """const add = CharacterData.prototype.appendData;
      CharacterData.prototype.appendData = function (text) {
        const image = document.createElement('img');
        document.body.append(image);
        image.remove();
        add.call(this, text);
      };""",
    "text that is lost": """const add = CharacterData.prototype.appendData;
      CharacterData.prototype.appendData = function (text) {
        add.call(this, text.replace('r', ''));
      };""",
}


@pytest.fixture(autouse=True)
def _built() -> None:
    if not (STATIC / "run-widget.js").is_file():
        pytest.skip("front end not built")


@pytest.mark.timeout(300)
def test_B33_made_up_text_is_text_at_every_prefix(browser: Browser) -> None:
    page = open_page(browser)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    outcome = fuzzed_text.run(page, seed=1, count=1_000)

    page.close()
    assert outcome.wrong == []
    assert outcome.requests == []
    assert errors == []
    assert outcome.texts == 1_000
    assert outcome.prefixes > 15_000


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_card_would_be_seen(browser: Browser, fault: str) -> None:
    page = open_page(browser)
    page.evaluate(f"() => {{ {FAULTS[fault]} }}")

    outcome = fuzzed_text.run(page, seed=1, count=40)

    page.close()
    assert outcome.wrong
