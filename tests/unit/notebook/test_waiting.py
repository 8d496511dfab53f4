from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.news import News
from braincode_jupyter.notebook.waiting import WAITING_TARGET
from braincode_jupyter.views import RunView
from braincode_jupyter.views.approval_view import ApprovalView

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.views.run_view import RunState

SHOWN = {"content": {"data": {"kind": "shown"}}}
LINE = (
    "braincode: waits for your approval in the background: analyst wants to run code: "
    "run_python 1 (%braincode approve)"
)


class Page:
    """Takes what is sent to a page, and answers as one with our extension."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.listeners: list[Callable[[object], None]] = []
        self.opened = self.closed = 0

    def open(self, target: str, data: dict[str, object]) -> SimpleNamespace:
        assert target == WAITING_TARGET
        self.opened += 1
        self.sent.append(data)
        return SimpleNamespace(
            on_msg=self.listeners.append, send=self.sent.append, close=self.close
        )

    def close(self) -> None:
        self.closed += 1


def asking(*numbers: int, state: RunState = "running", session: str = "s") -> RunView:
    approvals = tuple(
        ApprovalView(
            approval_id=f"a{number}",
            context_id="w",
            role="analyst",
            tool="run_python",
            effect="execute",
            action=f"run_python {number}",
            shown="print(1)",
            deadline_ms=0,
        )
        for number in numbers
    )
    return RunView(session_id=session, run_id="r", state=state, approvals=approvals)


def test_a_call_that_waits_is_told_once_and_taken_away_when_answered() -> None:
    page, lines = Page(), list[str]()
    news = News(lines.append, open_comm=page.open)

    for view in (asking(), asking(1), asking(1), asking(1), asking(), asking()):
        news.waiting.see(view, cell_id="cell-7")

    assert [one["approvalIds"] for one in page.sent] == [["a1"]]
    assert page.sent[0] | {"approvalIds": 0} == {
        "approvalIds": 0,
        "role": "analyst",
        "action": "run_python 1",
        "cellId": "cell-7",
    }
    assert (page.opened, page.closed) == (1, 1)


def test_many_calls_of_a_run_share_one_line_to_the_page() -> None:
    page = Page()
    news = News(lambda _: None, open_comm=page.open)

    for view in (asking(1), asking(1, 2, 3), asking(3), asking()):
        news.waiting.see(view, cell_id=None)
    news.waiting.see(asking(4), cell_id=None)

    assert [one["approvalIds"] for one in page.sent] == [["a1"], ["a1", "a2", "a3"], ["a3"], ["a4"]]
    assert (page.opened, page.closed) == (2, 1)


def test_a_page_that_showed_it_leaves_nothing_to_print_until_more_is_asked() -> None:
    page, lines = Page(), list[str]()
    news = News(lines.append, open_comm=page.open)

    news.waiting.see(asking(1), cell_id=None)
    page.listeners[0](SHOWN)
    news.before_cell()
    assert lines == []
    news.waiting.see(asking(1, 2), cell_id=None)
    news.before_cell()

    assert lines == [LINE.replace(" (%", ", and 1 more call (%")]


def test_without_our_page_the_next_cell_says_it_once() -> None:
    def refuse(_target: str, _data: dict[str, object]) -> object:
        raise RuntimeError("no page")

    lines: list[str] = []
    news = News(lines.append, open_comm=refuse)

    news.waiting.see(asking(1), cell_id=None)
    news.before_cell(SimpleNamespace(store_history=False))
    assert lines == []
    news.before_cell(SimpleNamespace(store_history=True))
    news.before_cell()

    assert lines == [LINE]


def test_what_was_answered_before_the_next_cell_is_not_said() -> None:
    lines: list[str] = []
    news = News(lines.append, open_comm=Page().open)

    news.waiting.see(asking(1), cell_id=None)
    news.waiting.see(asking(), cell_id=None)
    news.waiting.see(asking(1, session="t"), cell_id=None)
    news.waiting.see(asking(1, session="t", state="cancelled"), cell_id=None)
    news.before_cell()

    assert lines == []
