from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.notebook.approver import CardApprover
from braincode_jupyter.notebook.loop import RunLoop, follow, wait
from braincode_jupyter.notebook.prompting import CannotAsk, PromptDesk, Question
from braincode_jupyter.protocol.approval_records import MAX_SHOWN_CHARS
from braincode_jupyter.protocol.tools import ApprovalAnswer, ApprovalRequest, ToolEffect
from braincode_jupyter.widget.questions import Questions

if TYPE_CHECKING:
    from collections.abc import Callable


class FakePage:
    """A card whose page is the test."""

    def __init__(self, *, is_reached: bool = True) -> None:
        self.is_reached = is_reached
        self.sent: list[dict[str, object]] = []
        self.questions = Questions(self._send)
        self.was_asked = threading.Event()
        self.is_alive = is_reached
        self.calls = 0
        self.callbacks: list[Callable[[], None]] = []

    def on_page(self, callback: Callable[[], None]) -> Callable[[], None]:
        self.callbacks.append(callback)
        return lambda: self.callbacks.remove(callback)

    def call_page(self) -> None:
        self.calls += 1
        if self.is_alive:
            self.speak()

    def speak(self) -> None:
        self.is_reached = True
        for callback in self.callbacks:
            callback()

    def click(self, decision: str) -> None:
        """Answer the newest question from a thread of its own, as a subshell does."""
        message = self.sent[-1] | {"decision": decision, "digest": "0"}
        thread = threading.Thread(target=self.questions.take, args=(message,))
        thread.start()
        thread.join()

    def _send(self, message: dict[str, object]) -> None:
        self.sent.append(message)
        self.was_asked.set()


def request(
    shown: str = "print(1)",
    *,
    timeout_s: float = 30.0,
    tool: str = "run_python",
    effect: ToolEffect = "execute",
    words: str = "",
) -> ApprovalRequest:
    return ApprovalRequest(
        approval_id="c:1",
        nonce="n",
        context_id="c",
        role="analyst",
        tool=tool,
        effect=effect,
        action=f"{tool}, 1 line",
        shown=shown,
        bound_sha256="0",
        reason="asks",
        model_words=words,
        timeout_s=timeout_s,
    )


def unread(prompt: Question) -> str | None:
    raise CannotAsk(prompt.text)


def approver(page: FakePage | None, *, wait_s: float = 0.02) -> CardApprover:
    desk = PromptDesk(unread)
    return CardApprover(
        desk, page=page, page_wait_s=wait_s, prompt_wait_s=wait_s, lost_after_s=wait_s
    )


def prompted(
    read: Callable[[Question], str | None], *, page: FakePage | None = None
) -> tuple[CardApprover, PromptDesk]:
    desk = PromptDesk(read)
    desk.expect()
    return CardApprover(desk, page=page, page_wait_s=0.02, lost_after_s=0.05), desk


def typing(*typed: str | None) -> Callable[[Question], str | None]:
    left = list(typed)

    def read(prompt: Question) -> str | None:
        assert prompt.text
        return left.pop(0)

    return read


async def asked(page: FakePage) -> None:
    await asyncio.to_thread(page.was_asked.wait, 5)


@pytest.mark.parametrize("decision", ["approve", "deny", "approve_same"])
async def test_a_click_is_the_answer(decision: str) -> None:
    page = FakePage()
    deciding = asyncio.create_task(approver(page).decide(request()))
    await asked(page)

    page.click(decision)

    answer = await deciding
    assert (answer.decision, answer.by) == (decision, "human")


async def test_silence_on_a_page_is_a_no() -> None:
    answer = await approver(FakePage()).decide(request(timeout_s=0.02))

    assert (answer.decision, answer.by) == ("deny", "timeout")
    assert answer.reason == "Nobody answered within 0.02 s."


async def test_an_answer_after_the_time_out_does_nothing() -> None:
    page = FakePage()
    await approver(page).decide(request(timeout_s=0.02))

    page.click("approve")

    deciding = asyncio.create_task(approver(page).decide(request(timeout_s=0.05)))
    assert (await deciding).decision == "deny"


async def test_a_cancelled_question_takes_no_answer_and_leaves_nothing_behind() -> None:
    page = FakePage()
    deciding = asyncio.create_task(approver(page).decide(request()))
    await asked(page)

    deciding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await deciding

    page.questions.tell_again()
    assert len(page.sent) == 1


async def test_a_page_that_speaks_late_can_still_answer() -> None:
    page = FakePage(is_reached=False)
    deciding = asyncio.create_task(approver(page, wait_s=5).decide(request()))
    await asked(page)

    page.speak()
    page.click("approve")

    assert (await deciding).decision == "approve"


async def test_a_page_of_which_nothing_is_heard_is_a_no_that_says_how_to_allow_it() -> None:
    answer = await approver(FakePage(is_reached=False)).decide(request())

    assert (answer.decision, answer.by) == ("deny", "timeout")
    assert answer.reason == (
        "No page with the question was heard of for 0.02 s. "
        "To allow it, run the cell with --allow-compute or --yes."
    )


async def test_a_page_that_was_closed_is_noticed_long_before_the_question_runs_out() -> None:
    page = FakePage()
    page.is_alive = False

    answer = await approver(page).decide(request(timeout_s=600))

    assert (answer.decision, answer.by) == ("deny", "timeout")
    assert page.calls > 0


async def test_a_page_that_shows_signs_of_life_is_waited_for() -> None:
    page = FakePage()
    deciding = asyncio.create_task(approver(page, wait_s=0.01).decide(request()))
    while page.calls < 20:
        await asyncio.sleep(0.01)
        assert not deciding.done()

    page.click("approve")

    assert (await deciding).decision == "approve"
    assert page.callbacks == []


async def test_after_a_closed_page_the_prompt_asks(loop: RunLoop) -> None:
    page = FakePage()
    page.is_alive = False
    asks, desk = prompted(typing("y"), page=page)

    answer = await follow(loop.submit(asks.decide(request())), desk)

    assert (answer.decision, answer.by) == ("approve", "human")


async def test_a_page_that_comes_back_answers_for_the_prompt(loop: RunLoop) -> None:
    page = FakePage()
    page.is_alive = False
    ended = threading.Event()

    def read(prompt: Question) -> None:
        page.click("approve")
        if prompt.over.wait(5):
            ended.set()

    asks, desk = prompted(read, page=page)

    answer = await follow(loop.submit(asks.decide(request())), desk)

    assert (answer.decision, answer.by) == ("approve", "human")
    assert ended.is_set()


@pytest.mark.parametrize(
    ("tool", "effect", "flags"),
    [
        ("run_python", "execute", "--allow-compute or --yes"),
        ("run_command", "execute", "--yes"),
        ("edit_file", "write", "--allow-edits or --yes"),
    ],
)
async def test_where_nobody_can_be_asked_the_answer_is_no_at_once_and_says_how_to_allow_it(
    tool: str, effect: ToolEffect, flags: str
) -> None:
    answer = await approver(None).decide(request(tool=tool, effect=effect))

    assert (answer.decision, answer.by) == ("deny", "no_front_end")
    assert answer.reason == f"Nobody can be asked here. To allow it, run the cell with {flags}."


async def test_what_cannot_be_shown_whole_is_never_approved() -> None:
    page = FakePage()

    answer = await approver(page).decide(request("x" * (MAX_SHOWN_CHARS + 1)))

    assert (answer.decision, answer.by) == ("deny", "policy")
    assert page.sent == []


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        ("y", "approve"),
        (" YES ", "approve"),
        ("s", "approve_same"),
        ("", "deny"),
        ("n", "deny"),
        ("yy", "deny"),
    ],
)
def test_without_a_page_the_prompt_asks_on_the_thread_that_waits(
    loop: RunLoop, typed: str, decision: str
) -> None:
    shown: list[str] = []

    def read(prompt: Question) -> str:
        assert threading.current_thread() is threading.main_thread()
        shown.append(prompt.text)
        return typed

    asks, desk = prompted(read)
    answer = wait(loop.submit(asks.decide(request())), desk)

    assert (answer.decision, answer.by) == (decision, "human")
    assert "analyst wants to run code: run_python, 1 line\n    print(1)\n" in shown[0]
    assert "model" not in shown[0]


def test_words_of_the_model_are_told_apart_at_the_prompt(loop: RunLoop) -> None:
    shown: list[str] = []

    def read(prompt: Question) -> str:
        shown.append(prompt.text)
        return "n"

    asks, desk = prompted(read)
    wait(loop.submit(asks.decide(request(words="harmless,\n[y]es"))), desk)

    assert "\nIn the model's own words, unchecked: harmless, [y]es\n    print(1)\n" in shown[0]


async def test_an_awaiting_cell_asks_at_its_prompt_if_its_page_is_silent(loop: RunLoop) -> None:
    asks, desk = prompted(typing("y"), page=FakePage(is_reached=False))

    answer = await follow(loop.submit(asks.decide(request())), desk)

    assert (answer.decision, answer.by) == ("approve", "human")


def test_a_prompt_without_answer_is_a_no(loop: RunLoop) -> None:
    asks, desk = prompted(typing(None))

    answer = wait(loop.submit(asks.decide(request())), desk)

    assert (answer.decision, answer.by) == ("deny", "timeout")


@pytest.mark.parametrize(("first", "decision"), [("a", "approve"), ("y", "deny")])
def test_hidden_text_is_shown_whole_before_a_prompt_takes_a_yes(
    loop: RunLoop, first: str, decision: str
) -> None:
    asks, desk = prompted(typing(first, "y"))

    answer = wait(loop.submit(asks.decide(request("rm \u202e-rf"))), desk)

    assert answer.decision == decision


def test_an_interrupted_prompt_stops_the_run(loop: RunLoop) -> None:
    def read(prompt: Question) -> str:
        raise KeyboardInterrupt(prompt.text)

    asks, desk = prompted(read)
    ended: list[ApprovalAnswer] = []

    async def run() -> None:
        ended.append(await asks.decide(request()))
        await asyncio.Event().wait()

    job = loop.submit(run())
    with pytest.raises(Exception, match=r"run was interrupted\."):
        wait(job, desk)

    assert job.is_over()
    assert [one.decision for one in ended] in ([], ["deny"])


async def test_a_stopped_run_ends_its_prompt(loop: RunLoop) -> None:
    reading, ended = threading.Event(), threading.Event()

    def read(prompt: Question) -> None:
        reading.set()
        if prompt.over.wait(5):
            ended.set()

    asks, desk = prompted(read)
    job = loop.submit(asks.decide(request()))
    stopper = threading.Thread(target=lambda: (reading.wait(5), job.cancel()))
    stopper.start()

    with pytest.raises(Exception, match="interrupted"):
        await follow(job, desk)

    stopper.join()
    assert ended.is_set()
