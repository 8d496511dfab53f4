from __future__ import annotations

from typing import TYPE_CHECKING, Any

import card_samples as samples
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card
    from playwright.sync_api import Locator

    from braincode_jupyter.views.run_view import RunView

    OpenCard = Callable[..., Card]


def failed(**more: object) -> RunView:
    """Return a run that goes on, one of whose workers has failed and may be run again."""
    view = samples.running()
    index = next(i for i, agent in enumerate(view.agents) if agent.role == "statistician")
    agents = list(view.agents)
    agents[index] = agents[index].model_copy(
        update={
            "state": "failed",
            "reason": "The provider is overloaded.",
            "is_planned": True,
            "can_retry": True,
            **more,
        }
    )
    return view.model_copy(update={"agents": tuple(agents)})


def entry(card: Card) -> Locator:
    card.open("workers")
    found = card.find(".bc-worker", has_text="statistician").first
    if found.get_attribute("open") is None:
        found.locator("summary").first.click()
    return found


def asked(card: Card) -> list[dict[str, Any]]:
    return [said for said in card.said() if said["kind"] == "retry"]


def test_a_click_asks_once_for_the_worker_to_be_run_again(open_card: OpenCard) -> None:
    view = failed()
    card = open_card(view)
    button = entry(card).get_by_role("button", name="Run again: statistician")

    button.click()

    expect(button).to_be_disabled()
    expect(entry(card)).to_contain_text("asked to run again")
    context_id = next(a.context_id for a in view.agents if a.role == "statistician")
    assert asked(card) == [{"kind": "retry", "contextId": context_id}]


def test_a_worker_that_failed_again_can_be_asked_for_at_once(open_card: OpenCard) -> None:
    card = open_card(failed())
    button = entry(card).get_by_role("button", name="Run again: statistician")
    button.click()

    card.set_view(failed(retries=1))

    expect(button).to_be_enabled()
    expect(entry(card)).to_contain_text("failed, run again, try 2")


def test_a_worker_that_cannot_be_run_again_has_no_button(open_card: OpenCard) -> None:
    card = open_card(failed(can_retry=False))

    expect(entry(card)).to_contain_text("The provider is overloaded.")
    expect(entry(card).get_by_role("button", name="Run again")).to_have_count(0)


def test_after_the_run_the_card_tells_the_line_that_runs_it_again(open_card: OpenCard) -> None:
    ended = {"state": "completed", "phase": "done", "ended_ms": samples.T0 + 60_000}
    card = open_card(failed().model_copy(update=ended))

    expect(entry(card)).to_contain_text("To run it again: %braincode retry 3f2a91c4 statistician")
    expect(entry(card).get_by_role("button", name="Run again")).to_have_count(0)


def test_while_the_answer_is_written_the_card_says_when_it_can_be(open_card: OpenCard) -> None:
    card = open_card(failed(can_retry=False).model_copy(update={"phase": "answering"}))

    expect(entry(card)).to_contain_text("can be run again once this run has ended")


def test_a_result_that_was_kept_says_so(open_card: OpenCard) -> None:
    card = open_card(failed(state="completed", can_retry=False, is_kept=True))

    expect(entry(card)).to_contain_text("completed, kept from the run before")
