"""A run of 64 workers and 200 todos: what is shown, what stays, and what one update touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from card_large import WORKERS, large_done, large_failing, large_running
from card_states import six_workers
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card
    from playwright.sync_api import Locator

    from braincode_jupyter.views.run_view import RunView

    OpenCard = Callable[..., Card]

NODES = "document.querySelectorAll('.bc-run *').length"
# Elements and texts that an update touched, by the section in which they stand.
WATCH = """() => {
  window.touched = new Set();
  const note = ({target, addedNodes}) => [target, ...addedNodes].forEach(n => touched.add(n));
  window.observer = new MutationObserver(records => records.forEach(note));
  observer.observe(document.querySelector('.bc-run'),
    {subtree: true, childList: true, characterData: true, attributes: true});
}"""
TOUCHED = """() => {
  const seen = [...touched].map(n => (n instanceof Element ? n : n.parentElement));
  touched.clear();
  return seen.map(e => e?.closest('.bc-section, .bc-head, .bc-spoken')?.className ?? '');
}"""


OPEN_GROUPS = "document.querySelectorAll('.bc-group:not([open]) > summary').forEach(s => s.click())"


def heads(card: Card, section: str) -> list[str]:
    """Return the heads of the groups that are shown, an open one with a bar before it."""
    return card.find(f".bc-{section} .bc-group:visible").evaluate_all(
        "all => all.map(e => (e.open ? '| ' : '') +"
        " [...e.querySelectorAll('.bc-count > span:not(.bc-mark)')]"
        ".map(one => one.textContent).join(' · '))"
    )


def entry(card: Card, role: str) -> Locator:
    name = card.page.locator(".bc-name").get_by_text(role, exact=True)
    return card.find(".bc-worker").filter(has=name)


def finish(card: Card, view: RunView, *roles: str) -> RunView:
    """Tell, as the kernel does, that these workers and their todos are done."""
    done = {"state": "completed", "ended_ms": view.started_ms + 40_000}
    agents = tuple(a.model_copy(update=done) if a.role in roles else a for a in view.agents)
    todos = tuple(
        t.model_copy(update={"state": "completed"}) if t.role in roles else t for t in view.todos
    )
    card.seq += 1
    changed = [[n, a.to_wire()] for n, a in enumerate(agents) if a.role in roles]
    patch = {"agents": changed, "set": {"todos": [t.to_wire() for t in todos]}}
    card.say({"kind": "delta", "seq": card.seq, "patch": patch})
    return view.model_copy(update={"agents": agents, "todos": todos})


def running(view: RunView) -> list[str]:
    return [agent.role for agent in view.agents if agent.state == "running"]


def test_a_large_plan_says_what_needs_the_reader_first(open_card: OpenCard) -> None:
    card = open_card(large_failing())

    assert heads(card, "plan") == [
        "| 21 failed · 13 blocked",
        "44 running",
        "19 pending",
        "103 done",
    ]
    shares = card.find(".bc-shares i:visible").evaluate_all("all => all.map(e => e.style.flexGrow)")
    assert shares == ["103", "44", "21", "13", "19"]
    expect(card.find(".bc-plan li")).to_have_count(10)
    expect(card.find(".bc-plan")).to_contain_text("needs 8, 9")


def test_workers_are_grouped_and_a_group_tells_what_it_cost(open_card: OpenCard) -> None:
    card = open_card(large_failing())

    assert heads(card, "workers") == [
        "| 6 failed · 4 blocked · 3 unstructured · 1 cut off",
        "| 14 running",
        "6 waiting",
        "30 completed",
    ]
    completed = card.find(".bc-group", has_text="30 completed").locator("summary").first
    expect(completed).to_contain_text("tokens · $0.060")


def test_a_small_run_has_no_groups(open_card: OpenCard) -> None:
    card = open_card(six_workers())

    expect(card.find(".bc-group:visible, .bc-shares:visible, .bc-dense:visible")).to_have_count(0)
    expect(card.find(".bc-worker:visible")).to_have_count(7)


def test_entries_of_a_folded_group_are_drawn_when_it_is_opened(open_card: OpenCard) -> None:
    card = open_card(large_done())
    card.open("workers")
    group = card.find(".bc-workers .bc-group:visible")
    expect(group.locator(".bc-worker")).to_have_count(0)

    group.locator("summary").click()

    expect(group.locator(".bc-worker")).to_have_count(WORKERS)


def test_the_rest_of_a_long_group_comes_when_it_is_asked_for(open_card: OpenCard) -> None:
    card = open_card(large_running())
    group = card.find(".bc-workers .bc-group[open]:visible")
    expect(group.locator(".bc-worker")).to_have_count(10)

    group.get_by_role("button", name="… 16 more").press("Enter")

    expect(group.locator(".bc-worker")).to_have_count(26)
    expect(group.get_by_role("button")).to_have_count(0)
    expect(group.locator(".bc-worker > summary").nth(10)).to_be_focused()


def test_an_entry_that_the_reader_opened_stays_where_it_is(open_card: OpenCard) -> None:
    view = large_running()
    card = open_card(view)
    first, second, third = running(view)[:3]
    entry(card, second).locator("summary").first.click()
    card.page.evaluate("window.kept = document.activeElement")

    view = finish(card, view, first, second)

    assert card.page.evaluate("document.activeElement === window.kept")
    expect(entry(card, second)).to_have_attribute("open", "")
    expect(entry(card, second)).to_contain_text("completed")
    expect(entry(card, first)).to_have_count(0)
    assert "| 24 running · 1 completed" in heads(card, "workers")

    entry(card, second).locator("summary").first.click()
    card.page.evaluate("document.activeElement.blur()")
    finish(card, view, third)

    expect(entry(card, second)).to_have_count(0)
    assert heads(card, "workers")[0] == "| 23 running"


def test_a_group_that_the_reader_chose_stays_so(open_card: OpenCard) -> None:
    view = large_running()
    card = open_card(view)
    card.find(".bc-workers .bc-group:visible summary").first.click()
    card.find(".bc-plan .bc-group", has_text="69 done").locator("summary").click()

    finish(card, view, *running(view)[:2])

    assert heads(card, "workers")[0] == "24 running"
    assert [head for head in heads(card, "plan") if "done" in head] == ["| 75 done"]


def test_a_run_that_grows_large_keeps_what_is_open(open_card: OpenCard) -> None:
    view = large_running()
    few = view.model_copy(update={"agents": view.agents[:21], "todos": view.todos[:20]})
    card = open_card(few)
    role = running(few)[0]
    entry(card, role).locator("summary").first.click()

    card.set_view(view)

    expect(entry(card, role)).to_have_attribute("open", "")
    assert heads(card, "workers")[0] == "| 25 running"


@pytest.mark.parametrize("opened", [False, True], ids=["folded", "opened"])
def test_one_update_touches_only_what_changed(open_card: OpenCard, *, opened: bool) -> None:
    view = large_running()
    card = open_card(view)
    if opened:
        card.page.evaluate(OPEN_GROUPS)
    # What a second does to bars that go on is no part of it.
    card.page.clock.install()
    card.page.clock.pause_at(2_000_000_000)
    card.set_view(view)
    card.page.evaluate(WATCH)

    finish(card, view, running(view)[-1])
    sections = card.page.evaluate(TOUCHED)
    finish(card, view, running(view)[-1])
    again = card.page.evaluate(TOUCHED)

    assert {name.split()[-1] for name in sections} <= {"bc-plan", "bc-time", "bc-workers"}
    assert len(sections) < (120 if opened else 40)
    assert again == []


def test_a_large_card_has_few_nodes(open_card: OpenCard) -> None:
    card = open_card(large_running())
    assert card.page.evaluate(NODES) < 1_000

    card.open("matrix")

    expect(card.find(".bc-matrixtable")).to_have_count(1)
    assert card.page.evaluate(NODES) < 1_200


def test_many_rows_show_their_name_at_the_pointer_and_by_keyboard(open_card: OpenCard) -> None:
    view = large_failing()
    card = open_card(view)
    dense, note = card.find(".bc-dense"), card.find(".bc-at")
    named = card.find(".bc-row .bc-name").all_inner_texts()
    expect(note).to_be_hidden()

    dense.locator("> div").nth(2).hover()
    expect(note).to_contain_text("analyst 4 · ")
    dense.locator("> div").first.focus()
    card.page.keyboard.press("ArrowDown")

    expect(note).to_contain_text("analyst 2 · ")
    expect(dense.locator(":focus")).to_have_attribute("aria-label", "analyst 2: completed, 10 s")
    assert dense.locator("[tabindex='0']").count() == 1
    troubled = [a.role for a in view.agents if a.state in {"failed", "blocked", "cut_off"}]
    assert {*troubled, "router", "analyst 45", "primary"} <= set(named)
    assert dense.locator("> div").count() + len(named) == len(view.agents)


def test_bars_of_what_has_ended_stand_still_while_time_goes_on(open_card: OpenCard) -> None:
    view = large_running()
    card = open_card(view)
    widths: dict[str, list[str]] = {"ended": [], "going": []}

    for after_s in (41, 43):
        card.page.clock.set_fixed_time(view.started_ms / 1000 + after_s)
        card.set_view(view)
        bars = card.find(".bc-dense .bc-bar i:not(.bc-queued, [hidden])")
        for name, bar in (("ended", ":not(.bc-runs)"), ("going", ".bc-runs")):
            found = bars.and_(card.find(bar)).first
            widths[name].append(found.evaluate("e => e.style.width"))

    assert widths["ended"][0] == widths["ended"][1]
    assert widths["going"][0] != widths["going"][1]


def test_a_large_matrix_tells_calls_that_are_alike_as_one(open_card: OpenCard) -> None:
    card = open_card(large_done())
    section = card.open("matrix")
    table = section.locator("table").first

    expect(table.locator("thead th")).to_have_text(
        ["request", "@var:sales", "AGENTS.md", "64 × private", "64 × result"]
    )
    rows = table.locator("tbody tr").evaluate_all(
        "all => all.map(r => [...r.cells].map(c => c.firstChild?.data ?? '').join('|'))"
    )
    assert rows == [
        "router|●|●|●|·|·",
        "57 calls|●|●|●|own|own",
        "7 calls|●|●|●|own|own + 1 of 63",
        "2 calls|●|●|●|·|●",
    ]
    expect(table.locator("tbody tr").nth(1).locator("th")).to_have_attribute(
        "title", "analyst 1, analyst 2, " + ", ".join(f"analyst {n}" for n in _plain())
    )


def _plain() -> list[int]:
    return [n for n in range(3, 65) if n % 9]


def test_every_call_and_section_can_be_seen_with_their_names(open_card: OpenCard) -> None:
    card = open_card(large_done())
    whole = card.open("matrix").locator(".bc-group")
    whole.locator("summary").click()
    region = whole.get_by_role("region")
    expect(region.locator("tbody tr")).to_have_count(67)

    region.evaluate("e => { e.scrollTop = 600; e.scrollLeft = 900; }")

    box = region.bounding_box()
    column = region.locator("thead th").nth(60).bounding_box()
    row = region.locator("tbody th").nth(40).bounding_box()
    assert box
    assert column
    assert row
    assert abs(column["y"] - box["y"]) < 1
    assert abs(row["x"] - box["x"]) < 1


@pytest.mark.parametrize("width", [320, 420])
def test_a_large_card_does_not_scroll_sideways(open_card: OpenCard, width: int) -> None:
    card = open_card(large_failing(), width=width)
    card.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")

    assert card.root.evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("language", ["zh-CN", "fr"])
def test_groups_speak_the_language_of_the_page(open_card: OpenCard, language: str) -> None:
    card = open_card(large_done(), language=language)
    card.open("plan")

    said = {"zh-CN": "已完成 200", "fr": "terminé\u00a0: 200"}[language]
    assert heads(card, "plan") == [said]
