from __future__ import annotations

import json
import os
from itertools import count
from typing import TYPE_CHECKING

from braincode_jupyter.journal import SessionShelf, open_session
from braincode_jupyter.journal.shelf import MAX_ROWS

if TYPE_CHECKING:
    from pathlib import Path


def keep(home: Path, session_id: str, *, second: int, prompt: str, **more: object) -> Path:
    """Write a finished session as the original does, with one measured call."""
    usage = {"modelId": "anthropic/claude", "usage": {"total": 900}, **more}
    lines = [
        {"type": "run_start", "prompt": prompt, "plan": {"brain": {"id": "notebook"}}},
        {"type": "token_usage", **usage},
        {"type": "run_end", "summary": "Because."},
    ]
    folder = home / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session_id}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    os.utime(path, ns=(0, second * 1_000_000_000))
    return path


def many(home: Path, number: int) -> None:
    for index in range(number):
        prompt = "Why did Sales fall?" if index % 10 == 0 else f"Explain step {index}"
        keep(home, f"s{index:04}", second=index, prompt=prompt)


def test_pages_hold_every_session_once_newest_first(tmp_path: Path) -> None:
    many(tmp_path, 25)
    shelf = SessionShelf(tmp_path)

    ids: list[str] = []
    start: int | None = 0
    while start is not None:
        page = shelf.page(start=start, limit=10)
        ids += [row.session_id for row in page.rows]
        start = page.next_start

    assert ids == [f"s{index:04}" for index in reversed(range(25))]
    assert page.total == page.looked_at == 25


def test_a_row_tells_state_time_models_and_cost(tmp_path: Path) -> None:
    keep(tmp_path, "priced", second=7, prompt="Why?\n\nReally\u202e?", costUsd=0.25)
    keep(tmp_path, "unpriced", second=5, prompt="How?")

    priced, unpriced = SessionShelf(tmp_path).page().rows

    assert priced.state == "completed"
    assert priced.updated_ms == 7000
    assert priced.prompt == "Why? Really⟨U+202E⟩?"
    assert (priced.models, priced.tokens, priced.cost_usd) == (("anthropic/claude",), 900, 0.25)
    assert unpriced.cost_usd is None


def test_a_search_finds_all_its_words_in_request_model_state_and_at_the_head_of_the_id(
    tmp_path: Path,
) -> None:
    many(tmp_path, 30)
    shelf = SessionShelf(tmp_path)

    found = [row.session_id for row in shelf.page("sales FALL").rows]

    assert found == ["s0020", "s0010", "s0000"]
    assert [row.session_id for row in shelf.page("s0007 claude completed").rows] == ["s0007"]
    assert [row.session_id for row in shelf.page("@@S0007").rows] == ["s0007"]
    assert shelf.page("sales nowhere").rows == ()
    assert shelf.page("sales 0020").rows == shelf.page("sales s00").rows == ()


def test_an_answer_that_takes_too_long_says_where_to_go_on(tmp_path: Path) -> None:
    many(tmp_path, 30)
    seconds = count()
    shelf = SessionShelf(tmp_path, answer_s=10, clock=lambda: float(next(seconds)))

    first = shelf.page("sales")
    assert first.next_start is not None
    rest = shelf.page("sales", start=first.next_start)
    ids = [row.session_id for row in (*first.rows, *rest.rows)]

    assert 0 < first.looked_at < 30
    assert ids == sorted(ids, reverse=True)


def test_a_changed_session_is_read_again_and_a_page_is_bounded(tmp_path: Path) -> None:
    many(tmp_path, MAX_ROWS + 5)
    shelf = SessionShelf(tmp_path)
    assert len(shelf.page(limit=10_000).rows) == MAX_ROWS

    keep(tmp_path, "s0003", second=9_999, prompt="Something else")

    assert shelf.page(limit=1).rows[0].prompt == "Something else"


def test_a_session_that_is_being_written_is_running(tmp_path: Path) -> None:
    path = keep(tmp_path, "going", second=1, prompt="Why?")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.splitlines(keepends=True)[0], encoding="utf-8")
    shelf = SessionShelf(tmp_path)

    writer = open_session(tmp_path, "going")
    running = shelf.page().rows[0].state
    writer.close()

    assert running == "running"
    assert shelf.page().rows[0].state == "interrupted"


def test_an_empty_home_has_an_empty_page(tmp_path: Path) -> None:
    page = SessionShelf(tmp_path / "none").page("x", start=5)

    assert (page.rows, page.next_start, page.total) == ((), None, 0)
