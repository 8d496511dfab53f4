"""Take pictures of all samples.

Usage: ``python tests/browser/gallery/take_pictures.py FOLDER [NAME …]``.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from card_harness import Card, open_page
from card_samples import SAMPLES, STREAMED, T0
from playwright.sync_api import Browser, sync_playwright

LOOKS = {"light": (False, 960), "dark": (True, 960), "narrow": (False, 420)}
OPENED = {"running": 1, "failed-worker": 2}
"""Worker that is opened on the picture."""


def take(browser: Browser, path: Path, *, name: str, look: str) -> None:
    """Write one picture."""
    is_dark, width = LOOKS[look]
    page = open_page(browser, is_dark=is_dark, width=width)
    page.on("pageerror", lambda error: sys.stderr.write(f"{name}: {error}\n"))
    page.clock.install(time=T0 / 1000 + 41)
    card = Card(page, SAMPLES[name]())
    if name == "answering":
        card.stream("p", 0, STREAMED)
    if name in OPENED:
        card.open("workers").locator(".bc-worker > summary").nth(OPENED[name]).click()
        card.open("matrix")
    page.mouse.move(0, 0)
    card.root.screenshot(path=path)
    page.close()


def main(folder: Path, names: list[str]) -> None:
    """Write a picture of each sample in each look."""
    folder.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in names or SAMPLES:
            for look in LOOKS:
                take(browser, folder / f"{name}-{look}.png", name=name, look=look)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
