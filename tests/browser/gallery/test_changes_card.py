from __future__ import annotations

from typing import TYPE_CHECKING

import card_states as states
import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    OpenCard = Callable[..., Card]


def test_changes_whose_checks_pass_are_one_folded_line(open_card: OpenCard) -> None:
    card = open_card(states.edited())
    part = card.find(".bc-changes").first

    expect(part.locator("summary").first).to_contain_text(
        "Changes3 files, +18 \u221243 · checks passed"
    )
    assert part.get_attribute("open") is None

    part.locator("summary").first.click()

    expect(part).to_contain_text("backend · medium risk · mended once, because checks failed")
    expect(part).to_contain_text("src/clean.py changed · +6 \u22123")
    expect(part).to_contain_text("old.py removed · +0 \u221240 · by a command")
    expect(part).to_contain_text("pytest passed")
    expect(part.locator("pre")).to_have_count(2)
    expect(part.locator("pre:visible")).to_have_count(0)


def test_failing_checks_are_open_with_the_end_of_their_output(open_card: OpenCard) -> None:
    card = open_card(states.edited("failed"))
    part = card.find(".bc-changes").first

    expect(part).to_have_attribute("open", "")
    expect(part.locator("summary .bc-is-warn")).to_contain_text("checks failed")
    expect(part.locator("pre:visible")).to_have_text(states.PYTEST)
    expect(part.get_by_role("group", name="Output of pytest")).to_be_visible()


def test_a_run_without_changes_says_nothing_of_them(open_card: OpenCard) -> None:
    card = open_card(states.finished())

    expect(card.find(".bc-changes").first).to_be_hidden()


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "</pre><script>1</script>"])
def test_paths_names_and_outputs_are_text(open_card: OpenCard, text: str) -> None:
    view = states.edited("failed")
    check = view.changes.checks[1].model_copy(update={"name": text, "output": text})
    file = view.changes.files[0].model_copy(update={"path": text})
    changes = view.changes.model_copy(update={"checks": (check,), "files": (file,)})

    card = open_card(view.model_copy(update={"changes": changes}))
    part = card.find(".bc-changes").first

    expect(part.locator("pre:visible")).to_have_text(text)
    expect(part.locator("code").first).to_have_text(text)
    expect(part.locator("img, script")).to_have_count(0)
