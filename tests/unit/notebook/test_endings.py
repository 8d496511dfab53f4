from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.endings import MAX_TOLD
from braincode_jupyter.notebook.news import News
from braincode_jupyter.views import RunView

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from braincode_jupyter.views.run_view import RunState


class Page:
    """Takes what is sent to a page, and answers as one with our extension."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.listeners: list[Callable[[object], None]] = []
        self.closed = 0

    def open(self, _target: str, data: dict[str, object]) -> SimpleNamespace:
        self.sent.append(data)
        return SimpleNamespace(on_msg=self.listeners.append, close=self.close)

    def close(self) -> None:
        self.closed += 1


def ended(state: RunState = "completed", *, number: int = 1) -> RunView:
    return RunView(
        session_id=f"3f2a91c4-{number}", run_id="r1", state=state, title="Why did\u202e it fall?"
    )


def test_a_page_without_our_extension_lets_the_next_cell_say_it_once() -> None:
    lines: list[str] = []
    page = Page()
    news = News(lines.append, open_comm=page.open)

    news.ended(ended(), cell_id="cell-7")
    news.before_cell()
    news.before_cell()

    assert lines == [
        "braincode: completed in the background: Why did⟨U+202E⟩ it fall? "
        "(%braincode show 3f2a91c4)"
    ]
    assert page.closed == 1


def test_the_next_cell_says_it_in_the_language_that_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BRAINCODE_LANGUAGE", "fr")
    lines: list[str] = []
    news = News(lines.append, open_comm=Page().open)

    news.ended(ended(), cell_id=None)
    news.before_cell()

    assert lines[0].startswith("braincode\u00a0: terminée en arrière-plan")


def test_a_page_that_showed_it_leaves_nothing_to_print() -> None:
    lines: list[str] = []
    page = Page()
    news = News(lines.append, open_comm=page.open)

    news.ended(ended("failed"), cell_id="cell-7")
    page.listeners[0]({"content": {"data": {"kind": "shown"}}})
    news.before_cell()

    assert lines == []
    assert page.sent[0]["state"] == "failed"
    assert page.sent[0]["cellId"] == "cell-7"


def test_a_run_that_was_stopped_by_its_reader_is_not_told() -> None:
    lines: list[str] = []
    page = Page()
    news = News(lines.append, open_comm=page.open)

    news.ended(ended("cancelled"), cell_id=None)
    news.before_cell()

    assert (lines, page.sent) == ([], [])


def test_where_no_comm_can_be_opened_the_line_stays() -> None:
    def refuse(_target: str, _data: dict[str, object]) -> object:
        raise RuntimeError("no kernel")

    lines: list[str] = []
    news = News(lines.append, open_comm=refuse)

    news.ended(ended(), cell_id=None)
    news.before_cell(SimpleNamespace(store_history=False))
    assert lines == []
    news.before_cell(SimpleNamespace(store_history=True))

    assert len(lines) == 1


def test_many_endings_are_bounded() -> None:
    lines: list[str] = []
    news = News(lines.append, open_comm=Page().open)

    for number in range(MAX_TOLD + 5):
        news.ended(ended(number=number), cell_id=None)
    news.before_cell()

    assert len(lines) == MAX_TOLD
