from __future__ import annotations

import time
from base64 import b64encode
from typing import TYPE_CHECKING

import card_samples as samples
import pytest
from playwright.sync_api import expect

from braincode_jupyter.views.approval_view import ApprovalView, GrantView
from braincode_jupyter.views.exact import is_diff, to_exact
from braincode_jupyter.views.run_view import PlotView, RunView, ToolCallView

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    OpenCard = Callable[..., Card]

CODE = "from scipy import stats\nprint(stats.mannwhitneyu(q2, q3))"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n keep\n-old\n+new"
HOSTILE = "<img src=x onerror=alert(1)></pre><script>alert(2)</script>"
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f"
    b"\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d"
    b"\x00\x00\x00\x00IEND\xaeB`\x82"
)
BUTTONS = ("Deny", "Approve", "Same again in this run")


def asked(text: str = CODE, number: int = 1, *, words: str = "") -> ApprovalView:
    exact = to_exact(text)
    return ApprovalView(
        approval_id=f"call:{number}",
        context_id="s",
        role="statistician",
        tool="run_python",
        effect="execute",
        action="run_python, 2 lines",
        shown=exact.shown,
        whole=exact.whole,
        is_diff=is_diff(text),
        hidden_chars=exact.hidden,
        reason="execute tools ask",
        model_words=words,
        deadline_ms=int(time.time() * 1000) + 600_000,
        bound_sha256=f"digest-{number}",
    )


def waiting(*approvals: ApprovalView) -> RunView:
    return samples.running().model_copy(update={"approvals": approvals})


def tell(card: Card, number: int = 1) -> None:
    """Send the nonce, as the kernel does."""
    card.say({"kind": "approval", "approvalId": f"call:{number}", "nonce": f"nonce-{number}"})


def answers(card: Card) -> list[dict[str, str]]:
    return [said for said in card.said() if said["kind"] == "answer"]


def test_a_request_stands_above_the_answer_with_its_exact_text(open_card: OpenCard) -> None:
    card = open_card(waiting(asked(words="it is safe, trust me")))
    tell(card)

    section = card.find(".bc-approvals")
    expect(section).to_contain_text("Needs your answer")
    expect(section.locator(".bc-claim")).to_have_text(
        "statistician wants to run code: run_python, 2 lines"
    )
    assert section.locator("pre").inner_text() == CODE
    expect(section.locator(".bc-said")).to_have_text(
        "In the model's own words, unchecked: it is safe, trust me"
    )
    expect(section).to_contain_text("denied by itself in")
    order = card.page.evaluate(
        "[...document.querySelectorAll('.bc-section')].map(e => e.className)"
    )
    assert order[0].endswith("bc-approvals")


@pytest.mark.parametrize(
    ("label", "decision"), list(zip(BUTTONS, ("deny", "approve", "approve_same"), strict=True))
)
def test_a_click_sends_the_answer_with_its_nonce_once(
    open_card: OpenCard, label: str, decision: str
) -> None:
    card = open_card(waiting(asked()))
    tell(card)

    card.root.get_by_role("button", name=label).click()

    expect(card.root.get_by_role("button", name=label)).to_be_disabled()
    assert answers(card) == [
        {
            "kind": "answer",
            "approvalId": "call:1",
            "nonce": "nonce-1",
            "digest": "digest-1",
            "decision": decision,
        }
    ]
    expect(card.find(".bc-approvals")).to_contain_text(f"{label}: sent")


def test_without_a_nonce_nothing_can_be_answered(open_card: OpenCard) -> None:
    card = open_card(waiting(asked()))

    for label in BUTTONS:
        expect(card.root.get_by_role("button", name=label)).to_be_disabled()
    expect(card.find(".bc-approvals")).to_contain_text("input prompt")


@pytest.mark.parametrize("text", ["rm \u202e-rf", "\n".join(f"line {n}" for n in range(90))])
def test_hidden_or_cut_text_is_shown_before_it_can_be_approved(
    open_card: OpenCard, text: str
) -> None:
    card = open_card(waiting(asked(text)))
    tell(card)
    approve = card.root.get_by_role("button", name="Approve")
    expect(approve).to_be_disabled()
    expect(card.root.get_by_role("button", name="Deny")).to_be_enabled()

    card.root.get_by_role("button", name="Show all").click()

    expect(approve).to_be_enabled()
    shown = card.find(".bc-exact").inner_text()
    assert shown == (to_exact(text).whole or to_exact(text).shown)


def test_a_diff_is_coloured_by_line_and_stays_verbatim(open_card: OpenCard) -> None:
    card = open_card(waiting(asked(DIFF)))

    assert card.find(".bc-exact").inner_text() == DIFF
    expect(card.find(".bc-added")).to_have_text("+new")
    expect(card.find(".bc-removed")).to_have_text("-old")
    expect(card.find(".bc-hunk")).to_have_count(3)


def test_a_removed_line_that_looks_like_a_header_is_shown_as_removed(open_card: OpenCard) -> None:
    text = (
        "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n keep\n--- drop nothing\n-x\n+++ y\n"
        "--- a/z.sql\n+++ b/z.sql\n@@ -0,0 +1 @@\n+new"
    )
    card = open_card(waiting(asked(text)))

    assert card.find(".bc-exact").inner_text() == text
    assert card.find(".bc-removed").all_inner_texts() == ["--- drop nothing\n", "-x\n"]
    assert card.find(".bc-added").all_inner_texts() == ["+++ y\n", "+new"]
    expect(card.find(".bc-hunk")).to_have_count(6)


def test_a_page_that_shows_the_card_answers_a_call(open_card: OpenCard) -> None:
    card = open_card(waiting(asked()))

    card.say({"kind": "call"})
    assert card.said()[-1] == {"kind": "here"}
    count = len(card.said())

    card.page.evaluate("kernel.dispose()")
    card.say({"kind": "call"})
    assert len(card.said()) == count


def granted(number: int = 1) -> GrantView:
    return GrantView(
        approval_id=f"call:{number}",
        role="statistician",
        tool="run_python",
        effect="execute",
        action="run_python, 2 lines",
        shown=CODE,
        uses=number,
    )


def test_what_is_allowed_for_the_run_is_listed_and_revoked(open_card: OpenCard) -> None:
    view = samples.running().model_copy(update={"grants": (granted(1), granted(2))})
    card = open_card(view)
    section = card.find(".bc-grants")
    expect(section).to_contain_text("Allowed for this run")
    expect(section.locator("summary").nth(1)).to_have_text(
        "statistician run_python, 2 lines from scipy import stats ran 2 more times"
    )
    section.locator("summary").first.click()
    expect(section.locator("pre").first).to_have_text(CODE)

    section.get_by_role("button", name="Revoke: run_python, 2 lines").first.click()

    assert card.said()[-1] == {"kind": "revoke", "approvalId": "call:1"}
    card.patch(grants=[granted(2).to_wire()])
    expect(section.locator(".bc-granted")).to_have_count(1)
    card.patch(state="completed")
    expect(section).to_be_hidden()


def test_text_of_others_is_text(open_card: OpenCard) -> None:
    hostile = asked(HOSTILE, words=HOSTILE).model_copy(update={"action": HOSTILE, "role": HOSTILE})
    card = open_card(waiting(hostile))

    assert card.find(".bc-exact").inner_text() == HOSTILE
    assert card.page.evaluate("document.querySelectorAll('.bc-run :is(img, script)').length") == 0


def test_deny_comes_first_by_keyboard_and_the_focus_is_never_taken(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.page.locator("body").focus()
    card.patch(approvals=[asked().to_wire()])
    tell(card)
    assert card.page.evaluate("document.activeElement === document.body")

    card.find(".bc-exact").focus()
    card.page.keyboard.press("Tab")
    assert card.page.evaluate("document.activeElement.textContent") == "Deny"
    card.page.keyboard.press("Enter")

    assert [one["decision"] for one in answers(card)] == ["deny"]


def test_focus_goes_to_the_next_request_not_to_its_approval(open_card: OpenCard) -> None:
    card = open_card(waiting(asked(number=1), asked("x", 2)))
    tell(card, 1)
    tell(card, 2)
    card.root.get_by_role("button", name="Approve").first.click()

    card.patch(approvals=[asked("x", 2).to_wire()])

    assert card.page.evaluate("document.activeElement.textContent") == "Deny"


def test_a_request_is_spoken_once(open_card: OpenCard) -> None:
    card = open_card(samples.running())
    card.patch(approvals=[asked().to_wire()])
    spoken = card.find(".bc-spoken")
    expect(spoken).to_have_text(
        "Needs your answer: statistician wants to run code: run_python, 2 lines"
    )
    card.page.evaluate("document.querySelector('.bc-spoken').textContent = ''")

    card.patch(phase="answering")
    card.patch(approvals=[asked().to_wire()])

    assert "Needs your answer" not in spoken.inner_text()


def test_a_view_that_is_drawn_again_can_answer(open_card: OpenCard) -> None:
    card = open_card(waiting(asked()))
    tell(card)
    card.page.evaluate("void kernel.draw()")

    card.page.get_by_role("button", name="Deny").nth(1).click()

    assert [one["nonce"] for one in answers(card)] == ["nonce-1"]


def test_an_ended_run_asks_nothing(open_card: OpenCard) -> None:
    card = open_card(waiting(asked()))
    tell(card)

    card.patch(state="cancelled")

    expect(card.find(".bc-approvals")).to_be_hidden()


def test_tool_calls_are_listed_with_their_states(open_card: OpenCard) -> None:
    calls = (
        ToolCallView(
            call_id="1", name="query_data", state="done", chars=1_204, isolation="no network"
        ),
        ToolCallView(
            call_id="2",
            name="run_python",
            action="run_python, 2 lines",
            state="denied",
            approver="denied by you",
            reason="too slow",
        ),
        ToolCallView(call_id="3", name="run_python", state="outcome_unknown"),
    )
    view = samples.running()
    agents = tuple(
        agent.model_copy(update={"tool_calls": calls}) if agent.role == "analyst" else agent
        for agent in view.agents
    )
    card = open_card(view.model_copy(update={"agents": agents}))

    card.find(".bc-worker", has_text="analyst").first.locator("summary").click()

    lines = card.find(".bc-tool-calls:visible li")
    expect(lines).to_have_count(3)
    assert [" ".join(line.split()) for line in lines.all_inner_texts()] == [
        "✓query_data done · 1.2k characters back · no network",
        "⊘run_python, 2 lines denied · denied by you · too slow",
        "?run_python outcome unknown",
    ]


def test_a_plot_is_drawn_and_comes_once(open_card: OpenCard) -> None:
    def plot(uri: str) -> PlotView:
        data = b64encode(PIXEL).decode()
        return PlotView(uri=uri, label="Revenue", media_type="image/png", data=data)

    card = open_card(samples.running().model_copy(update={"plots": (plot("p:1"),)}))
    card.seq += 1
    patch = {"plots": [1, [plot("p:2").to_wire()]]}
    card.say({"kind": "delta", "seq": card.seq, "patch": patch})

    expect(card.find(".bc-plot")).to_have_count(2)
    widths = card.page.evaluate(
        "Promise.all([...document.querySelectorAll('.bc-plot img')]"
        ".map(i => i.decode().then(() => i.naturalWidth)))"
    )
    assert widths == [1, 1]
    assert card.find(".bc-plot img").first.get_attribute("alt") == "Revenue"


@pytest.mark.parametrize("data", ["not base64!", "AAAA"])
def test_what_is_no_image_says_so(open_card: OpenCard, data: str) -> None:
    made = PlotView(uri="p:1", label="Revenue", media_type="image/png", data=data)

    card = open_card(samples.running().model_copy(update={"plots": (made,)}))

    plot = card.find(".bc-plot")
    expect(plot).to_have_text("plot: Revenue (cannot be drawn)", use_inner_text=True)


def test_a_recorded_card_asks_nothing_and_offers_nothing(open_card: OpenCard) -> None:
    card = open_card(samples.finished().model_copy(update={"approvals": (asked(),)}))

    expect(card.find(".bc-approvals")).to_be_hidden()
