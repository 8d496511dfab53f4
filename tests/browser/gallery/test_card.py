from __future__ import annotations

import re
from typing import TYPE_CHECKING

import card_samples as samples
import pytest
from playwright.sync_api import expect

from braincode_jupyter.views import to_blocks
from braincode_jupyter.views.run_view import AnswerView, RunView

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    OpenCard = Callable[..., Card]

ALLOWED_TAGS = {
    *("article", "section", "div", "span", "p", "pre", "code", "hr", "a", "button", "details"),
    *("summary", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "strong", "em", "b"),
    *("i", "s", "table", "thead", "tbody", "tr", "th", "td"),
}
FOLDED = ("plan", "time", "workers", "matrix")

# Contrast of every visible text against the colour behind it, by the formula of WCAG 2.2.
CONTRASTS = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const parse = color => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const weights = [0.2126, 0.7152, 0.0722];
  const light = rgb => weights.reduce((sum, w, i) => sum + w * linear(rgb[i] / 255), 0);
  const over = (top, under) => weights
    .map((_, i) => (top[i] * top[3] + under[i] * (255 - top[3])) / 255);
  const behind = el => {
    for (let at = el; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const isSeen = el => el.getBoundingClientRect().width > 1 && !el.disabled
    && !el.closest('[hidden], .bc-spoken, .bc-hidden');
  return [...document.querySelectorAll('.bc-run *')]
    .filter(el => [...el.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && isSeen(el))
    .map(el => {
      const under = behind(el);
      const both = [light(over(parse(getComputedStyle(el).color), under)), light(under)];
      const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      return [`${el.className} ${el.textContent.slice(0, 20)}`, ratio];
    })
    .filter(([, ratio]) => ratio < 4.5);
}"""
FAILING = """() => {
  const append = Node.prototype.appendChild;
  Node.prototype.appendChild = function (node) {
    if (this.classList?.contains('bc-text')) throw new Error('planted');
    return append.call(this, node);
  };
}"""
CLEARED = """() => {
  const clear = window.clearInterval;
  window.clearInterval = id => { window.cleared = id; clear(id); };
}"""
CLIPBOARD = """() => Object.defineProperty(navigator, 'clipboard', {
  value: {writeText: async text => { window.copied = text; }}
})"""
ATTRIBUTES = (
    "[...new Set([...document.querySelectorAll('.bc-run *')].flatMap(e => e.getAttributeNames()))]"
)
TAGS = "[...new Set([...document.querySelectorAll('.bc-run *')].map(e => e.localName))]"
LINKS = "[...document.querySelectorAll('.bc-run a')].map(a => [a.protocol, a.rel])"
LATER = re.compile(r"0:4[2-9]|0:5\d|[1-9]:\d\d")
FOCUSED = "document.activeElement.innerText.split('\\n')[0].trim().toLowerCase()"


def open_all(card: Card) -> None:
    """Open every section and every worker."""
    for name in FOLDED:
        if card.find(f"details.bc-{name}:visible").count():
            card.open(name)
    card.page.evaluate("document.querySelectorAll('.bc-worker').forEach(d => { d.open = true })")
    # An entry is drawn a moment after it was opened.
    card.page.wait_for_function(
        "[...document.querySelectorAll('.bc-worker')].every(d => d.querySelector('.bc-inside'))"
    )


def test_running_card_shows_plan_time_and_workers(open_card: OpenCard) -> None:
    card = open_card(samples.running())

    for name in ("plan", "time", "workers"):
        expect(card.find(f"details.bc-{name}")).to_have_attribute("open", "")
    expect(card.find(".bc-state")).to_have_text("workers at work")
    expect(card.find(".bc-todos li")).to_have_count(6)
    expect(card.find(".bc-row")).to_have_count(6)
    expect(card.find(".bc-ref-missing")).to_contain_text("missing: file not found")


def test_finished_card_folds_all_but_answer_and_review(open_card: OpenCard) -> None:
    card = open_card(samples.finished())

    for name in FOLDED:
        assert card.find(f"details.bc-{name}").get_attribute("open") is None
    expect(card.find(".bc-answer")).to_contain_text("1,204 rows")
    expect(card.find(".bc-review")).to_contain_text("approved")
    expect(card.root.get_by_role("button", name="Stop")).to_have_count(0)


def test_section_that_the_reader_opened_stays_open_at_the_end(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.open("matrix")

    card.set_view(samples.finished())

    expect(card.find("details.bc-matrix")).to_have_attribute("open", "")
    expect(card.find("details.bc-plan:not([open])")).to_have_count(1)


def test_empty_sections_are_not_drawn(open_card: OpenCard) -> None:
    card = open_card(RunView(session_id="s", state="running", started_ms=samples.T0, title="Hi"))

    expect(card.find(".bc-section:visible")).to_have_count(0)


def test_open_worker_and_focus_survive_updates(open_card: OpenCard) -> None:
    view = samples.running()
    card = open_card(view)
    worker = card.find(".bc-worker").nth(1)
    worker.locator("summary").click()
    card.page.evaluate("window.kept = document.activeElement")

    agents = [agent.to_wire() for agent in view.agents]
    agents[2] = {**agents[2], "risks": ["a new risk"]}
    card.patch(agents=agents)

    expect(worker).to_contain_text("Risk: a new risk")
    expect(worker).to_have_attribute("open", "")
    assert card.page.evaluate("document.activeElement === window.kept")


def test_answer_streams_into_one_text_node(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    text = card.find(".bc-answer .bc-plain")
    card.stream("p", 0, "Most of ")
    card.page.evaluate("window.node = document.querySelector('.bc-answer .bc-plain').firstChild")

    card.stream("p", 8, "it 😀 is")
    card.stream("p", 15, " noise")

    expect(text).to_have_text("Most of it 😀 is noise")
    assert card.page.evaluate(
        "window.node === document.querySelector('.bc-answer .bc-plain').firstChild"
    )


def test_broken_attempt_takes_its_text_along(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    card.stream("p", 0, "first model")

    card.stream("p", 0, "second", attempt=1)

    expect(card.find(".bc-answer .bc-plain")).to_have_text("second")


def test_lost_message_is_asked_for_and_filled_in(open_card: OpenCard) -> None:
    view = samples.answering()
    card = open_card(view)
    card.stream("p", 0, "one ")
    card.seq += 1

    card.stream("p", 8, "three")

    last = card.said()[-1]
    have = {"p": {"attempt": 0, "offset": 4, "until": 0}}
    assert last == {"kind": "ready", "have": have, "language": "en"}
    item = {"contextId": "p", "attempt": 0, "offset": 4, "text": "two three"}
    card.say({"kind": "sync", "seq": card.seq, "view": view.to_wire(), "items": [item]})
    expect(card.find(".bc-answer .bc-plain")).to_have_text("one two three")


def test_second_view_of_a_model_shows_the_text_so_far(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    card.stream("p", 0, "so far")

    card.page.evaluate("void kernel.draw()")

    expect(card.page.locator(".bc-run").nth(1).locator(".bc-answer .bc-plain")).to_have_text(
        "so far"
    )


def test_five_megabytes_of_answer_show_their_end_and_their_size(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    piece = "x" * 99_999 + "\n"
    for number in range(50):
        card.stream("p", number * len(piece), piece)

    expect(card.find(".bc-answer")).to_contain_text("of 5.0M. The whole text is in run.answer")
    length = card.page.evaluate("document.querySelector('.bc-answer .bc-plain').textContent.length")
    assert length <= 80_000


def test_stop_is_sent_and_shown_at_once(open_card: OpenCard) -> None:
    card = open_card(samples.running())

    card.root.get_by_role("button", name="Stop").click()

    assert card.said()[-1] == {"kind": "stop"}
    expect(card.find(".bc-state")).to_have_text("stopping")
    expect(card.find(".bc-stop")).to_be_disabled()


def test_B06_silent_kernel_is_said_and_stop_names_the_interrupt(open_card: OpenCard) -> None:
    card = open_card(samples.running(), answers=False)

    expect(card.find(".bc-note")).to_contain_text("Stop with the interrupt button")
    card.root.get_by_role("button", name="Stop").click()

    assert card.said()[-1] == {"kind": "stop"}
    expect(card.find(".bc-state")).to_have_text("workers at work")


def test_a_stop_that_the_kernel_does_not_hear_of_names_the_interrupt(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.page.evaluate("kernel.answers = false")

    card.root.get_by_role("button", name="Stop").click()

    expect(card.find(".bc-state")).to_have_text("stopping")
    expect(card.find(".bc-note")).to_contain_text("Stop with the interrupt button")
    card.say({"kind": "pong", "now": 1})
    expect(card.find(".bc-note")).to_be_hidden()


def test_card_asks_for_what_it_missed_when_it_is_drawn(open_card: OpenCard) -> None:
    card = open_card(samples.running())

    assert [message["kind"] for message in card.said()] == ["ready", "ping"]


def test_finished_card_says_nothing_to_the_kernel(open_card: OpenCard) -> None:
    assert open_card(samples.finished()).said() == []


def test_clock_ticks_while_running_and_stands_at_the_end(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.say({"kind": "pong", "now": samples.T0 + 41_000})
    expect(card.find(".bc-facts .bc-num").first).to_have_text(LATER)

    card.set_view(samples.finished())

    expect(card.find(".bc-facts .bc-num").first).to_have_text("0:52")


@pytest.mark.parametrize("name", ["hostile", "failed-worker", "clarification"])
def test_B33_untrusted_text_becomes_text_only(open_card: OpenCard, name: str) -> None:
    card = open_card(samples.SAMPLES[name]())
    open_all(card)

    tags, names = card.page.evaluate(TAGS), card.page.evaluate(ATTRIBUTES)
    links = card.page.evaluate(LINKS)

    assert set(tags) <= ALLOWED_TAGS
    assert all(link == ["https:", "noopener noreferrer"] for link in links)
    assert [name for name in names if name.startswith("on") or name in {"id", "name"}] == []


def test_control_characters_are_taken_out(open_card: OpenCard) -> None:
    card = open_card(samples.hostile())

    text = card.root.inner_text()

    assert "\x1b" not in text
    assert "[31m" not in text
    assert "\u202e" not in text


def test_B33_streamed_markup_is_text_at_every_prefix(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    bad = "<img src=x onerror=alert(1)><svg><script>alert(1)</script></svg>"

    for offset, character in enumerate(bad):
        card.stream("p", offset, character)
        assert card.find(".bc-answer :is(img, svg, script)").count() == 0

    expect(card.find(".bc-answer .bc-plain")).to_have_text(bad)


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("name", ["running", "failed-worker", "clarification", "cut-off"])
def test_B11_text_has_enough_contrast(open_card: OpenCard, name: str, *, is_dark: bool) -> None:
    card = open_card(samples.SAMPLES[name](), is_dark=is_dark)
    open_all(card)

    assert card.page.evaluate(CONTRASTS) == []


def test_B11_everything_is_reached_by_keyboard_in_order(open_card: OpenCard) -> None:
    card = open_card(samples.running())

    reached: list[str] = []
    for _ in range(9):
        card.page.keyboard.press("Tab")
        reached.append(card.page.evaluate(FOCUSED))
    assert reached[:5] == ["stop", "plan", "time", "workers", "librarian"]

    card.find(".bc-worker summary").first.focus()
    card.page.keyboard.press("Enter")
    expect(card.find(".bc-worker").first).to_contain_text("What this worker saw")
    outline = card.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_B11_state_changes_are_spoken_and_streamed_text_is_not(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    spoken = card.find("[aria-live=polite]")
    card.stream("p", 0, "never spoken")
    expect(spoken).to_have_text("")

    card.set_view(samples.finished())

    expect(spoken).to_have_text("Brain run: completed")


@pytest.mark.parametrize("width", [320, 420])
def test_narrow_card_does_not_scroll_sideways(open_card: OpenCard, width: int) -> None:
    card = open_card(samples.failed_worker(), width=width)
    open_all(card)

    assert card.page.evaluate("document.documentElement.scrollWidth") <= width


def test_B11_reduced_motion_is_respected(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.page.emulate_media(reduced_motion="reduce")

    assert card.find(".bc-dot").evaluate("e => getComputedStyle(e).animationName") == "none"


def test_matrix_says_each_cell_in_words(open_card: OpenCard) -> None:
    card = open_card(samples.finished())

    table = card.open("matrix").locator("table")

    expect(table.locator("tr").nth(3).locator("td").nth(5)).to_have_attribute(
        "aria-label", "its own"
    )
    expect(table.locator("tr").nth(1).locator("td").nth(3)).to_have_attribute(
        "aria-label", "did not see it"
    )


def test_todos_show_the_numbers_that_others_need(open_card: OpenCard) -> None:
    card = open_card(samples.failed_worker())

    assert card.open("plan").locator("li").nth(3).inner_text().split() == [
        *("✕", "4.", "Is", "the", "drop", "more", "than", "noise?"),
        *("failed", "needs", "2", "statistician"),
    ]
    expect(card.find(".bc-plan .bc-line")).to_have_text(
        "5 of 6 · failed: Is the drop more than noise?"
    )


def test_narrow_card_shows_whole_names_of_workers(open_card: OpenCard) -> None:
    card = open_card(samples.failed_worker(), width=420)
    card.open("workers")

    for name in card.find(".bc-worker .bc-name").all():
        assert name.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_question_needs_no_word_on_review(open_card: OpenCard) -> None:
    card = open_card(samples.clarification())

    expect(card.find(".bc-review:visible")).to_have_count(0)


def test_review_is_told_in_words_and_takes_one_line_without_findings(open_card: OpenCard) -> None:
    card = open_card(samples.cut_off())
    expect(card.find(".bc-review.bc-oneline")).to_contain_text("not reviewed demo model")

    card.set_view(samples.finished())

    expect(card.find(".bc-decision")).to_have_text("✓approved by a model of another provider")
    expect(card.find(".bc-review.bc-oneline")).to_have_count(0)


def test_a_row_names_the_model_and_its_entry_the_whole_id(open_card: OpenCard) -> None:
    view = samples.finished()
    analyst = view.agents[2].model_copy(update={"model_id": "acme/eu/large-4"})
    agents = (*view.agents[:2], analyst, *view.agents[3:])
    card = open_card(view.model_copy(update={"agents": agents}))
    card.open("workers")
    worker = card.find(".bc-worker").nth(1)
    expect(worker.locator(".bc-model")).to_contain_text("large-4 · $")

    worker.locator("summary").click()

    expect(worker.locator(".bc-found")).to_contain_text("acme/eu/large-4 · 8.4k tokens")


def test_whole_session_reference_is_copied(open_card: OpenCard) -> None:
    card = open_card(samples.finished())
    card.page.evaluate(CLIPBOARD)

    card.find(".bc-session button").click()

    expect(card.find(".bc-session button")).to_have_text("copied")
    assert card.page.evaluate("window.copied") == f"@@{samples.finished().session_id}"


@pytest.mark.parametrize(
    "broken",
    [{}, {"sessionId": 7}, {"sessionId": "s", "agents": "x", "answer": None, "todos": [None]}],
)
def test_broken_view_never_leaves_a_blank(open_card: OpenCard, broken: dict[str, object]) -> None:
    card = open_card(samples.finished())

    card.page.evaluate("view => kernel.setView(view)", broken)

    assert card.root.inner_text().strip()


def test_drawing_that_fails_falls_back_to_text(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.page.evaluate(FAILING)

    view, blocks = samples.finished(), to_blocks("the answer")
    answer = AnswerView(state="completed", text="the answer", blocks=blocks)
    card.set_view(view.model_copy(update={"answer": answer}))

    expect(card.page.locator(".bc-fallback")).to_contain_text("the answer")


def test_removed_view_stops_its_clock(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.page.evaluate(CLEARED)

    card.page.evaluate("kernel.dispose()")

    assert card.page.evaluate("window.cleared") is not None
    assert card.page.locator(".bc-run").count() == 0
