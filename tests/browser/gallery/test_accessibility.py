"""B11: what a checker, a screen reader, a keyboard and a theme find on the card."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import card_samples as samples
import pytest
from accessibility import load_axe
from card_large import LARGE
from card_states import STATES, approval, every_state
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    OpenCard = Callable[..., Card]

SAMPLES = {**samples.SAMPLES, **STATES, **LARGE}
# The table of every call of a large run is left out: its 8,000 cells are like those of a small one,
# and the checker takes half a minute for them.
OPEN_ALL = """() => {
  const all = [...document.querySelectorAll('details:not(.bc-matrix .bc-group)')];
  all.forEach(d => { d.open = true; });
}"""
OPENED = (
    "document.querySelectorAll('.bc-worker').length === 0 || !!document.querySelector('.bc-inside')"
)
FOUND = """found => found.violations.map(v => [v.impact, v.id, v.nodes[0].html])"""
THEMES = Path(sys.prefix, "share", "jupyter", "lab", "themes", "@jupyterlab")
FOCUS = "document.activeElement.className"

TEXT_TOKENS = ("fg", "dim", "accent", "ok", "warn", "bad", *(f"p{n}" for n in range(7)))
MARK_TOKENS = ("accent", "idle", "edge", "bad", "warn", *(f"p{n}" for n in range(7)))
CONTRAST = """([over, under]) => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const probe = document.createElement('i');
  document.querySelector('.bc-run').append(probe);
  const paint = color => {
    probe.style.color = color;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = rgb => [0.2126, 0.7152, 0.0722]
    .reduce((sum, w, i) => sum + w * linear(rgb[i] / 255), 0);
  paint('var(--bc-bg)');
  const below = light(paint(under));
  const both = [below, light(paint(over))];
  probe.remove();
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}"""


def check(card: Card) -> list[list[str]]:
    """Return what axe-core complains about: impact, rule, element."""
    load_axe(card.page)
    return card.page.evaluate(f"async () => ({FOUND})(await axe.run('.bc-run'))")


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", SAMPLES)
def test_B11_a_checker_finds_nothing(open_card: OpenCard, name: str, *, is_dark: bool) -> None:
    card = open_card(SAMPLES[name](), is_dark=is_dark)
    card.page.evaluate(OPEN_ALL)
    card.page.wait_for_function(OPENED)

    assert check(card) == []


def test_the_checker_would_find_something(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.root.get_by_role("button", name="Stop").evaluate(
        "e => { e.textContent = ''; e.title = ''; }"
    )

    assert [rule for _, rule, _ in check(card)] == ["button-name"]


def variables(theme: str) -> dict[str, str]:
    """Return the variables that a theme of JupyterLab sets."""
    path = THEMES / theme / "index.css"
    if not path.is_file():
        pytest.skip("JupyterLab's themes are not installed here")
    style = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return dict(re.findall(r"(--(?:jp|md)-[\w-]+)\s*:\s*([^;}]+)", style))


@pytest.mark.parametrize(
    ("theme", "is_dark"),
    [
        ("theme-light-extension", False),
        ("theme-dark-extension", True),
        ("theme-dark-high-contrast-extension", True),
    ],
)
def test_B11_colours_of_themes_have_enough_contrast(
    open_card: OpenCard, theme: str, *, is_dark: bool
) -> None:
    card = open_card(samples.running(), is_dark=is_dark)
    card.page.evaluate(
        "all => all.forEach(([name, value]) => document.body.style.setProperty(name, value))",
        list(variables(theme).items()),
    )

    def contrast(over: str, under: str) -> float:
        return card.page.evaluate(CONTRAST, [over, under])

    tints = [f"color-mix(in srgb, var(--bc-p{n}) 22%, var(--bc-soft))" for n in range(7)]
    pairs: list[tuple[float, str, str]] = [
        *((4.5, f"var(--bc-{t})", f"var(--bc-{u})") for t in TEXT_TOKENS for u in ("bg", "soft")),
        *((3.0, f"var(--bc-{t})", f"var(--bc-{u})") for t in MARK_TOKENS for u in ("bg", "soft")),
        *((4.5, "var(--bc-fg)", tint) for tint in tints),
    ]
    weak = {
        f"{over} on {under}": round(ratio, 2)
        for least, over, under in pairs
        if (ratio := contrast(over, under)) < least
    }

    assert weak == {}


def test_B11_no_state_is_told_by_colour_alone(open_card: OpenCard) -> None:
    card = open_card(every_state())

    words = card.find(
        ".bc-workers .bc-entries:first-child .bc-end > span:first-child"
    ).all_inner_texts()
    rows = [row.get_attribute("aria-label") for row in card.find(".bc-row").all()]
    bars = card.find(".bc-row .bc-bar i:last-child:not([hidden])").evaluate_all(
        "bars => [...new Set(bars.flatMap(b => [...b.classList].slice(1)))]"
    )

    assert len(set(words)) == len(words) == 11
    assert all(row and ": " in row for row in rows)
    assert set(bars) - {"bc-critical"} == {"bc-runs", "bc-asks", "bc-broken", "bc-stopped"}


def test_B11_forced_colours_keep_bars_and_the_sign_of_the_state(open_card: OpenCard) -> None:
    card = open_card(every_state())
    card.page.emulate_media(forced_colors="active")

    for selector in (".bc-dot", ".bc-bar .bc-runs"):
        color = card.find(selector).first.evaluate("e => getComputedStyle(e).backgroundColor")
        assert color in {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}
        assert color != card.root.evaluate("e => getComputedStyle(e).backgroundColor")


def test_B11_only_one_thing_moves_and_not_for_those_who_mind(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    card.stream("p", 0, "some text")
    moving = "document.getAnimations().length"

    assert card.page.evaluate(moving) == 1
    card.page.emulate_media(reduced_motion="reduce")
    assert card.page.evaluate(moving) == 0


def test_B11_streamed_text_is_never_spoken(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    card.page.evaluate(
        """() => {
          window.spoken = [];
          const note = () => window.spoken.push(document.querySelector('.bc-spoken').textContent);
          new MutationObserver(note).observe(document.querySelector('.bc-spoken'),
            {childList: true, characterData: true, subtree: true});
        }"""
    )

    offset = 0
    for word in samples.STREAMED.split(" "):
        card.stream("p", offset, f"{word} ")
        offset += len(word) + 1
    card.set_view(samples.finished())

    assert card.page.evaluate("window.spoken") == ["Brain run: completed"]
    live = card.find("[aria-live], [role=status], [role=alert], [role=log]")
    expect(live).to_have_count(1)


def test_B11_stop_keeps_the_focus_and_hands_it_on_at_the_end(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    stop = card.root.get_by_role("button", name="Stop")
    stop.focus()

    card.page.keyboard.press("Enter")
    expect(card.find(".bc-state")).to_have_text("stopping")
    card.page.keyboard.press("Enter")
    assert card.page.evaluate(FOCUS) == "bc-button bc-stop"
    card.set_view(samples.cancelled())

    assert [said["kind"] for said in card.said()].count("stop") == 1
    assert card.page.evaluate(FOCUS) == "bc-request"


def test_B11_headings_are_in_order_and_each_part_has_a_name(open_card: OpenCard) -> None:
    card = open_card(approval())
    card.page.evaluate(OPEN_ALL)

    headings = card.root.get_by_role("heading").evaluate_all(
        "all => all.map(e => Number(e.getAttribute('aria-level') ?? e.localName.slice(1)))"
    )
    names = card.find(".bc-section:visible").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label'))"
    )

    assert headings[0] == 3
    assert all(after - before <= 1 for before, after in pairwise(headings))
    assert all(names)
    assert len(names) == len(set(names))


def test_a_screen_reader_says_no_sign_of_what_is_folded_or_written(open_card: OpenCard) -> None:
    card = open_card(samples.answering())

    assert not re.search("[▸▾▍]", card.root.aria_snapshot())
