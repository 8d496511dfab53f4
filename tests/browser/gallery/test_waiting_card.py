from __future__ import annotations

from typing import TYPE_CHECKING

import card_samples as samples
import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    OpenCard = Callable[..., Card]


@pytest.mark.parametrize("state", ["running", "waiting"])
def test_B18_the_card_names_what_a_silent_worker_waits_for(open_card: OpenCard, state: str) -> None:
    view = samples.running()
    agents = tuple(
        agent.model_copy(update={"state": state, "waiting_for": "a reply from sonnet"})
        if agent.role == "statistician"
        else agent
        for agent in view.agents
    )
    card = open_card(view.model_copy(update={"agents": agents}))
    card.open("workers")
    entry = card.find(".bc-worker", has_text="statistician").first
    if entry.get_attribute("open") is None:
        entry.locator("summary").first.click()

    expect(entry).to_contain_text("waiting for a reply from sonnet")
