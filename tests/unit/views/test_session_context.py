from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.views.session_context import SessionFacts, read_context, summarise

if TYPE_CHECKING:
    from braincode_jupyter.views.session_context import SessionContext

_PLAN = {"brain": {"id": "brain"}, "role": "backend"}
_START = {"type": "run_start", "prompt": " Why? ", "plan": _PLAN, "timestamp": 5, "attempt": 1}
_END = {"type": "run_end", "summary": "Because."}


def _facts(*lines: dict[str, object]) -> SessionFacts:
    return summarise(lines, session_id="s", updated_ms=0)


def _context(*lines: dict[str, object], max_entries: int = 24) -> SessionContext:
    return read_context(_facts(*lines), lines, max_entries=max_entries)


def test_facts_are_the_first_prompt_and_plan_and_the_last_summary() -> None:
    second = _START | {"prompt": "And now?", "plan": {"brain": {"id": "x"}, "role": "qa"}}

    facts = _facts(_START, _END, second, {"type": "run_end", "summary": "Later."})

    assert (facts.prompt, facts.brain_id, facts.role) == ("Why?", "brain", "backend")
    assert (facts.summary, facts.status) == ("Later.", "completed")


def test_an_error_after_an_answer_changes_the_detail_alone() -> None:
    facts = _facts(_END, _START, {"type": "run_error", "error": "no", "willFallback": False})

    assert (facts.status, facts.summary, facts.detail) == ("completed", "Because.", "failed")


def test_a_run_that_asked_back_is_told_from_one_that_answered() -> None:
    asked = _facts(_START, {"type": "clarification_request"}, _END)

    assert (asked.status, asked.detail) == ("completed", "asks back")
    again = _facts(_START, {"type": "clarification_request"}, _END, _START, _END)
    assert again.detail == "completed"


def test_a_run_stands_where_it_ended_and_an_open_one_comes_last() -> None:
    worker = {"type": "worker_end", "worker": "qa", "result": {"summary": "ok"}}

    context = _context(_START, worker, _END, _START, worker)

    kinds = [(entry.kind, entry.status) for entry in context.entries]
    assert kinds == [
        ("worker", "completed"),
        ("run", "completed"),
        ("worker", "completed"),
        ("run", "incomplete"),
    ]
    assert context.entries[1].prompt == "Why?"


def test_a_start_over_an_open_run_ends_that_one_as_incomplete() -> None:
    context = _context(_START, _START | {"prompt": "Again?"}, _END)

    runs = [(entry.status, entry.prompt) for entry in context.entries]
    assert runs == [("incomplete", "Why?"), ("completed", "Again?")]


def test_our_two_starts_of_one_run_are_one_entry() -> None:
    early = {"type": "run_start", "prompt": "Why?", "runId": "r1"}

    context = _context(early, _START | {"runId": "r1"}, _END)

    (entry,) = context.entries
    assert (entry.status, entry.role) == ("completed", "backend")


def test_an_error_ends_the_open_run_or_stands_alone() -> None:
    error = {"type": "run_error", "error": " down ", "willFallback": True, "attempt": 2}

    context = _context(_START, error, error, {"type": "run_error"})

    assert [(entry.kind, entry.status) for entry in context.entries] == [
        ("run", "failed"),
        ("error", ""),
        ("error", ""),
    ]
    assert context.entries[0].summary == "down"
    assert (context.entries[1].error, context.entries[1].will_fallback) == ("down", True)
    assert context.entries[2].error == "unknown error"


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"status": "failed", "progress": {"status": "completed"}}, "failed"),
        ({"progress": {"status": "blocked"}}, "blocked"),
        ({"status": "running"}, "completed"),
        ("nothing", "completed"),
    ],
)
def test_a_worker_is_failed_blocked_or_else_completed(result: object, status: str) -> None:
    (entry,) = _context({"type": "worker_end", "worker": "qa", "result": result}).entries

    assert entry.status == status


def test_a_todo_update_gives_one_entry_a_todo_with_fallbacks() -> None:
    todos = [{"title": "A", "role": "qa", "status": "failed", "summary": "own"}, "x", {}]
    update = {"type": "todo_update", "phase": "support", "status": "running", "todos": todos}

    first, second = _context(update).entries
    (bare,) = _context({"type": "todo_update", "todos": []}).entries

    assert (first.title, first.role, first.status, first.summary) == ("A", "qa", "failed", "own")
    assert (second.title, second.status) == (None, "running")
    assert (bare.title, bare.status) == (None, "pending")


def test_only_the_newest_entries_are_kept() -> None:
    lines = [_START | {"prompt": str(number)} for number in range(10)]

    context = _context(*lines, max_entries=3)

    assert [entry.prompt for entry in context.entries] == ["7", "8", "9"]
    assert context.is_truncated
    assert len(_context(*lines, max_entries=0).entries) == 1
    assert not _context(*lines).is_truncated


def test_a_brief_is_fresh_until_the_next_run_begins() -> None:
    brief = {"type": "handoff", "summary": " - goal ", "focus": "x", "trigger": "manual"}
    blank = {"type": "handoff", "summary": "  "}

    fresh = _context(_START, _END, brief, blank).latest_handoff
    stale = _context(_START, _END, brief, _START, _END).latest_handoff
    during = _context(_START, brief).latest_handoff

    assert fresh is not None
    assert (fresh.summary, fresh.focus, fresh.is_fresh) == ("- goal", "x", True)
    assert stale is not None
    assert not stale.is_fresh
    assert during is not None
    assert not during.is_fresh


def test_facts_that_the_listing_lacks_come_from_the_entries() -> None:
    lines = (_START, _END, _START | {"prompt": "And now?"})

    context = read_context(SessionFacts(session_id="s", updated_ms=7), lines)

    facts = context.facts
    assert (facts.prompt, facts.role, facts.status) == ("Why?", "backend", "incomplete")
    failed = read_context(SessionFacts(session_id="s", updated_ms=7), [{"type": "run_error"}])
    assert failed.facts.summary == "unknown error"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["status", "id", "role", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
_FIELDS = st.sampled_from(
    ["prompt", "plan", "result", "todos", "results", "summary", "error", "status", "attempt"]
)
_TYPES = st.sampled_from(
    ["run_start", "run_end", "run_error", "worker_end", "todo_update", "check_summary", "handoff"]
)


@settings(max_examples=200, deadline=None)
@given(
    lines=st.lists(
        st.dictionaries(_FIELDS, _VALUES, max_size=5).flatmap(
            lambda line: _TYPES.map(lambda kind: line | {"type": kind})
        ),
        max_size=8,
    )
)
def test_no_field_of_any_type_breaks_the_reading(lines: list[dict[str, object]]) -> None:
    context = _context(*lines, max_entries=5)

    assert len(context.entries) <= 5
    assert context.facts.status in {"completed", "failed", "incomplete"}
