"""What axe-core complains about on a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page


def load_axe(page: Page) -> None:
    """Make axe-core known to the page; where it is not installed, the test is skipped."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-core is in the extra `test`")
    source = Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    page.evaluate(f"{source}; 0")


def complaints(page: Page, *parts: str) -> list[Any]:
    """Return what is serious or worse in these parts of the page, each of which has to be there.

    What is below serious, such as the order of headings, hangs on the page around our parts.
    """
    load_axe(page)
    for part in parts:
        assert page.locator(part).count(), part
    look = "async parts => (await axe.run({include: parts.map(one => [one])})).violations"
    found = page.evaluate(look, list(parts))
    grave = [one for one in found if one["impact"] in {"serious", "critical"}]
    return [(one["id"], one["nodes"][0]["html"]) for one in grave]
