"""Take pictures of all samples.

Usage: ``python tests/browser/gallery/take_pictures.py FOLDER [NAME …]``.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from card_harness import Card, open_page
from card_large import LARGE
from card_samples import SAMPLES, STREAMED, T0
from card_states import STATES
from playwright.sync_api import Browser, Page, sync_playwright

from braincode_jupyter.views.html import to_page
from braincode_jupyter.views.text import to_text

ALL = {**SAMPLES, **STATES, **LARGE}
OPENED = {"running": 1, "failed-worker": 2}
"""Worker that is opened on the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a card is looked at."""

    is_dark: bool = False
    width: int = 960
    language: str = "en"
    has_forced_colors: bool = False


LOOKS = {
    "light": Look(),
    "dark": Look(is_dark=True),
    "narrow": Look(width=420),
    # A page of 960 and of 1280 pixels at 200 % and 400 %: what is left of its width.
    "zoom-200": Look(width=480),
    "zoom-400": Look(width=320),
    "chinese": Look(language="zh-CN"),
    "chinese-narrow": Look(language="zh-CN", width=420),
    "french": Look(language="fr"),
    "french-narrow": Look(language="fr", width=420),
    "forced": Look(is_dark=True, has_forced_colors=True),
}


def take(browser: Browser, path: Path, *, name: str, look: Look) -> None:
    """Write one picture of a live card."""
    page = open_page(browser, is_dark=look.is_dark, width=look.width, language=look.language)
    page.on("pageerror", lambda error: sys.stderr.write(f"{name}: {error}\n"))
    page.emulate_media(forced_colors="active" if look.has_forced_colors else None)
    page.clock.install(time=T0 / 1000 + 41)
    card = Card(page, ALL[name]())
    card.say({"kind": "approval", "approvalId": "call:1", "nonce": "n"})
    if name == "answering":
        card.stream("p", 0, STREAMED)
    if name in OPENED:
        card.open("workers").locator(".bc-worker > summary").nth(OPENED[name]).click()
        card.open("matrix")
    page.mouse.move(0, 0)
    card.root.screenshot(path=path)
    page.close()


def take_forms(browser: Browser, folder: Path, *, name: str) -> None:
    """Write pictures of the page that is exported, and of the text that a terminal shows."""
    view = ALL[name]()
    page = browser.new_page(viewport={"width": 960, "height": 700})
    page.set_content(to_page(view))
    page.screenshot(path=folder / f"{name}-html.png", full_page=True)
    _show_text(page, to_text(view))
    page.screenshot(path=folder / f"{name}-text.png", full_page=True)
    page.close()


def _show_text(page: Page, text: str) -> None:
    page.set_content("<pre style='font: 13px/1.3 monospace'></pre>")
    page.locator("pre").evaluate("(e, text) => { e.textContent = text; }", text)


def main(folder: Path, names: list[str]) -> None:
    """Write a picture of each sample in each look and each form."""
    folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in names or ALL:
            for title, look in LOOKS.items():
                take(browser, folder / f"{name}-{title}.png", name=name, look=look)
            take_forms(browser, folder, name=name)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
