from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.views.run_view import AgentView, RunView
from braincode_jupyter.widget import Batcher

if TYPE_CHECKING:
    from collections.abc import Callable

_VIEW = RunView(session_id="s", state="running", started_ms=1)


class TurnedLoop:
    """A loop whose clock is turned by hand; holds what was put off."""

    def __init__(self) -> None:
        self.now = 0.0
        self.later: list[tuple[float, Any, asyncio.TimerHandle]] = []
        self._real = asyncio.new_event_loop()
        self._real.close()

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[..., object]) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(self.now + delay, callback, (), self._real)  # pyright: ignore[reportCallIssue]
        self.later.append((self.now + delay, callback, handle))
        return handle

    def turn(self, seconds: float) -> None:
        end = self.now + seconds
        while due := sorted((item for item in self.later if item[0] <= end), key=lambda i: i[0]):
            self.later.remove(due[0])
            self.now, callback, handle = max(self.now, due[0][0]), due[0][1], due[0][2]
            if not handle.cancelled():
                callback()
        self.now = end


@pytest.fixture
def loop() -> TurnedLoop:
    return TurnedLoop()


@pytest.fixture
def sent() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def batcher(loop: TurnedLoop, sent: list[dict[str, Any]]) -> Batcher:
    return Batcher(sent.append, loop, view=_VIEW)  # pyright: ignore[reportArgumentType]


def _said(sent: list[dict[str, Any]], context_id: str) -> str:
    items = [item for message in sent for item in message.get("items", [])]
    return "".join(item["text"] for item in items if item["contextId"] == context_id)


def test_first_change_is_sent_at_once(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    batcher.on_view(_VIEW.model_copy(update={"phase": "routing"}))
    loop.turn(0)

    assert sent == [{"kind": "delta", "seq": 1, "patch": {"set": {"phase": "routing"}}}]


def test_B10_at_most_ten_messages_a_second_whatever_happens(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    for number in range(1_000):
        batcher.on_view(_VIEW.model_copy(update={"title": f"title {number}"}))
        for agent in range(8):
            batcher.on_text(f"w{agent}", number, "x")
        loop.turn(0.001)
    loop.turn(0.2)

    assert len(sent) <= 12
    assert [message["seq"] for message in sent] == list(range(1, len(sent) + 1))
    assert sent[-1]["patch"] == {"set": {"title": "title 999"}}
    assert _said(sent, "w7") == "x" * 1_000


def test_nothing_is_sent_while_nothing_happens(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    batcher.on_view(_VIEW)
    loop.turn(60)

    assert sent == []
    assert loop.later == []


def test_B10_bytes_grow_with_content_and_not_with_its_square(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    agents = tuple(
        AgentView(context_id=f"w{n}", kind="worker", role="r", state="running") for n in range(16)
    )
    piece, pieces = "five ", 20_000

    def play(count: int) -> int:
        sent.clear()
        for number in range(count):
            batcher.on_text("w0", number * len(piece), piece)
            if number % 10 == 0:
                changed = agents[number % 16].model_copy(update={"waiting_for": str(number)})
                batcher.on_view(
                    _VIEW.model_copy(update={"agents": (*agents[:1], changed, *agents[2:])})
                )
            loop.turn(0.001)
        loop.turn(1)
        return len(json.dumps(sent))

    small, large = play(pieces // 4), play(pieces)

    assert large <= 4.5 * small


def test_B31_five_megabytes_stay_within_message_and_memory_limits(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    piece = "y" * 100
    for number in range(50_000):
        batcher.on_text("p", number * 100, piece)
        loop.turn(0.0001)
    loop.turn(1)

    sizes = [len(json.dumps(message)) for message in sent]
    assert max(sizes) <= 61_000
    assert sum(sizes) <= 5.2 * 1_000_000
    last = sent[-1]["items"][0]
    assert last["offset"] + len(last["text"]) == 5_000_000


def test_close_sends_the_last_view_and_tells_it(
    loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    told: list[RunView] = []
    batcher = Batcher(sent.append, loop, view=_VIEW, on_close=told.append)  # pyright: ignore[reportArgumentType]
    last = _VIEW.model_copy(update={"state": "completed"})
    batcher.on_view(_VIEW.model_copy(update={"phase": "routing"}))
    loop.turn(0)

    batcher.on_view(last)
    batcher.close()
    batcher.close()
    batcher.on_view(_VIEW)
    loop.turn(10)

    assert sent[-1]["patch"]["set"]["state"] == "completed"
    assert told == [last]
    assert len(sent) == 2


def test_browser_that_lost_a_message_gets_the_whole_and_the_missing_text(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    batcher.on_text("p", 0, "abcdef")
    batcher.on_text("w", 0, "known")
    loop.turn(0)

    batcher.resend({"p": {"attempt": 0, "offset": 2}, "w": {"attempt": 0, "offset": 5}})

    sync = sent[-1]
    assert sync["kind"] == "sync"
    assert sync["seq"] == 1
    assert sync["view"] == _VIEW.to_wire()
    assert sync["items"] == [{"contextId": "p", "attempt": 0, "offset": 2, "text": "cdef"}]


@pytest.mark.parametrize(
    "have", [{}, {"p": None}, {"p": "x"}, {"p": {"attempt": "0", "offset": []}}]
)
def test_nonsense_from_the_browser_counts_as_nothing(
    loop: TurnedLoop, sent: list[dict[str, Any]], have: dict[str, object]
) -> None:
    batcher = Batcher(sent.append, loop, view=_VIEW)  # pyright: ignore[reportArgumentType]
    batcher.on_text("p", 0, "abc")
    loop.turn(0)

    batcher.resend(have)

    assert sent[-1]["items"][0]["text"] == "abc"


def test_failing_send_does_not_break_the_run(
    loop: TurnedLoop, caplog: pytest.LogCaptureFixture
) -> None:
    def send(_message: dict[str, object]) -> None:
        raise OSError("socket closed")

    batcher = Batcher(send, loop, view=_VIEW)  # pyright: ignore[reportArgumentType]
    batcher.on_view(_VIEW.model_copy(update={"phase": "routing"}))
    loop.turn(1)
    batcher.close()

    assert "could not be updated" in caplog.text


def test_text_of_too_many_agents_is_left_out(
    batcher: Batcher, loop: TurnedLoop, sent: list[dict[str, Any]]
) -> None:
    for number in range(1_000):
        batcher.on_text(f"w{number}", 0, "x")
    loop.turn(1)

    assert sum(len(message["items"]) for message in sent) == 256
