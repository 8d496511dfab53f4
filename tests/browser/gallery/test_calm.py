"""Nothing on a running card moves without reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from card_parts import T0, todos_of, usage
from card_states import six_workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    from braincode_jupyter.views.run_view import AgentState

    OpenCard = Callable[..., Card]

# Layout shifts as the browser itself counts them, and what moved up or down. A figure at the right
# edge that grows moves its own beginning, which is a shift too, of some pixels to the left.
WATCH = """() => {
  window.total = 0;
  window.jumps = [];
  const isJump = ({previousRect: before, currentRect: after}) =>
    before.height && after.height && Math.abs(before.y - after.y) > 1;
  new PerformanceObserver(list => list.getEntries().forEach(entry => {
    window.total += entry.value;
    const jumped = entry.sources.filter(isJump);
    window.jumps.push(...jumped.map(s => s.node?.className ?? s.node?.data ?? ''));
  })).observe({type: 'layout-shift'});
}"""
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
COURSE: tuple[tuple[AgentState, ...], ...] = (
    ("running", "queued", "queued", "queued", "waiting", "waiting"),
    ("completed", "running", "running", "queued", "waiting", "waiting"),
    ("completed", "waiting_for_approval", "running", "failed", "waiting", "waiting"),
    ("completed", "running", "cut_off", "failed", "running", "waiting"),
    ("completed", "completed", "cut_off", "failed", "unstructured", "cancelled"),
)


@pytest.mark.parametrize("language", ["en", "zh-CN", "fr"])
@pytest.mark.parametrize("width", [960, 420])
def test_a_change_of_state_shifts_nothing(open_card: OpenCard, width: int, language: str) -> None:
    view = six_workers()
    card = open_card(view, width=width, language=language)
    card.page.evaluate(WATCH)

    for step, states in enumerate(COURSE):
        workers = [
            agent.model_copy(
                update={
                    "state": state,
                    "started_ms": None if state in {"queued", "waiting"} else T0 + 3_000,
                    "usage": usage(900 + 400 * step, 0.001 * step),
                }
            )
            for agent, state in zip(view.agents[1:], states, strict=True)
        ]
        todos = todos_of(*["completed"] * step, *["running"], *["pending"] * (5 - step))
        card.patch(
            agents=[agent.to_wire() for agent in (view.agents[0], *workers)],
            todos=[todo.to_wire() for todo in todos],
            usage=usage(18_200 + 1_000 * step, 0.031 + 0.001 * step, 4 + step).to_wire(),
        )
        card.page.evaluate(PAINTED)

    assert card.page.evaluate("window.jumps") == []
    # Of what counts as good on the web, a fifth.
    assert card.page.evaluate("window.total") < 0.02


def test_the_watch_would_see_a_shift(open_card: OpenCard) -> None:
    card = open_card(six_workers())
    card.page.evaluate(WATCH)

    card.page.evaluate("document.querySelector('.bc-refs').style.paddingBottom = '60px'")
    card.page.evaluate(PAINTED)

    card.page.wait_for_function("window.jumps.length > 0 && window.total > 0.02")


def test_figures_that_count_have_digits_of_one_width(open_card: OpenCard) -> None:
    card = open_card(six_workers())

    digits = card.find(".bc-num:visible").evaluate_all(
        "all => [...new Set(all.map(e => getComputedStyle(e).fontVariantNumeric))]"
    )

    assert digits == ["tabular-nums"]
