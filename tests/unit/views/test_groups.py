from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.views import to_html, to_text
from braincode_jupyter.views.groups import LARGE, audiences
from braincode_jupyter.views.run_view import (
    AgentView,
    MatrixColumn,
    MatrixRow,
    MatrixView,
    RunView,
    TodoView,
)
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Sequence

CELLS = {"s": "seen", "o": "own", "w": "withheld", "n": "not_called"}


def matrix(columns: Sequence[str], **rows: str) -> MatrixView:
    return MatrixView(
        columns=tuple(MatrixColumn(key=label, label=label) for label in columns),
        rows=tuple(
            MatrixRow(context_id=name, label=name, cells=tuple(CELLS[cell] for cell in cells))  # pyright: ignore[reportArgumentType] - words of the sample
            for name, cells in rows.items()
        ),
    )


def large(workers: int = 64) -> RunView:
    """Give a run in which every second worker has failed, and each sees its own text alone."""
    states = ("completed", "failed")
    columns = ("request", *(f"w{n} private" for n in range(workers)))
    rows = {f"w{n}": "s" + "w" * n + "o" + "w" * (workers - n - 1) for n in range(workers)}
    return RunView(
        session_id="s",
        state="completed",
        agents=tuple(
            AgentView(
                context_id=f"w{n}", kind="worker", role=f"w{n}", goal="Look.", state=states[n % 2]
            )  # pyright: ignore[reportArgumentType] - words of the sample
            for n in range(workers)
        ),
        todos=tuple(
            TodoView(id=f"t{n}", title=f"Part {n}", role=f"w{n}", state=states[n % 2])  # pyright: ignore[reportArgumentType] - words of the sample
            for n in range(workers)
        ),
        matrix=matrix(columns, **rows),
    )


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"a": "s", "b": "s", "c": "s"}, "seen by all 3"),
        ({"a": "o", "b": "w", "c": "w"}, "seen by its own agent alone"),
        ({"a": "o", "b": "s", "c": "s"}, "seen by all 3"),
        ({"a": "o", "b": "w", "c": "s"}, "seen by its own agent and c"),
        ({"a": "s", "b": "w", "c": "w"}, "seen by a"),
        ({"a": "s", "b": "s", "c": "w"}, "seen by all but c"),
        ({"a": "w", "b": "w", "c": "w"}, "seen by nobody"),
    ],
)
def test_a_section_is_told_by_who_saw_it(cells: dict[str, str], said: str) -> None:
    assert audiences(speaker(), matrix(("x",), **cells)) == ((said, ("x",)),)


def test_sections_with_the_same_readers_stand_together_and_nobody_is_lost() -> None:
    told = audiences(
        speaker(), matrix(("request", "a private", "b private"), a="sow", b="swo", c="nnn")
    )

    assert told == (
        ("seen by all 2", ("request",)),
        ("seen by its own agent alone", ("a private", "b private")),
        ("not called", ("c",)),
    )


def test_a_table_that_is_wider_than_the_page_is_told_by_readers() -> None:
    text = to_text(large())

    assert "- seen by all 64: request\n  - seen by its own agent alone: w0 private" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "w63 private" in text


def test_html_of_a_large_run_folds_by_state_with_trouble_first() -> None:
    html = to_html(large())
    summaries = re.findall(r"<details( open)?><summary>([^<]*)</summary>", html)

    assert [(bool(is_open), unescape(title)) for is_open, title in summaries] == [
        (False, "Plan · 32 of 64 · 32 failed"),
        (True, "32 failed"),
        (False, "32 done"),
        (False, "Time"),
        (False, "Agents · 32 failed"),
        (False, "32 failed"),
        (False, "32 completed"),
        (False, "Who saw what"),
    ]
    assert "2. <bdi>Part 1</bdi> · w1 · failed" in html


def test_a_small_run_is_told_in_the_order_of_its_plan() -> None:
    html = to_html(large(LARGE))

    assert "<summary>Plan · 12 of 24</summary><ol>" in html
    assert "<summary>32" not in html
    assert html.index("<strong><bdi>w0<") < html.index("<strong><bdi>w1<")
