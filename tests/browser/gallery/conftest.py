"""The built bundle on an empty page; the kernel is a script."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.widget.assets import STATIC

sys.path.insert(0, str(Path(__file__).parent))
# Its records are folded here too.
sys.path.append(str(Path(__file__).parents[2] / "unit" / "views"))

from card_harness import Card, open_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page

    from braincode_jupyter.views.run_view import RunView


@pytest.fixture
def open_card(browser: Browser) -> Iterator[Callable[..., Card]]:
    """Give a function that draws a run on a page of its own; a page error fails the test."""
    if not (STATIC / "run-widget.js").is_file():
        pytest.skip("front end not built")
    pages: list[Page] = []
    errors: list[str] = []

    def open_(
        view: RunView,
        *,
        answers: bool = True,
        is_dark: bool = False,
        width: int = 960,
        language: str = "en",
    ) -> Card:
        page = open_page(browser, is_dark=is_dark, width=width, language=language)
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "request",
            lambda request: None if request.url.startswith("blob:") else errors.append(request.url),
        )
        pages.append(page)
        return Card(page, view, answers=answers)

    yield open_
    for page in pages:
        page.close()
    assert errors == []
