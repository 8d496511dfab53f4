from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.views.session_context import read_context, summarise
from braincode_jupyter.views.snapshot import (
    MAX_SNAPSHOT_CHARS,
    compact_snapshot,
    session_reference_text,
)

if TYPE_CHECKING:
    from braincode_jupyter.views.session_context import SessionContext

_PLAN = {"brain": {"id": "brain"}, "role": "backend"}
_START = {"type": "run_start", "prompt": "Why  is\nit\tred?", "plan": _PLAN, "attempt": 2}
_END = {"type": "run_end", "summary": "Because."}


def _context(*lines: dict[str, object], max_entries: int = 24) -> SessionContext:
    facts = summarise(lines, session_id="abc", updated_ms=1767225600123)
    return read_context(facts, lines, max_entries=max_entries)


def _items(*lines: dict[str, object]) -> list[str]:
    return compact_snapshot(_context(*lines)).split("Relevant records:\n")[1].split("\n")


def test_the_head_names_session_status_and_time_and_says_what_is_left_out() -> None:
    lines = compact_snapshot(_context(_START, _END)).split("\n")

    assert lines[:3] == ["Session abc", "Status: completed", "Updated: 2026-01-01T00:00:00.123Z"]
    assert "compact session context only" in lines[3]
    assert lines[4:6] == ["Initial prompt:", "Why  is"]
    assert lines[lines.index("Latest summary:") + 1] == "Because."


def test_a_session_without_records_has_a_head_alone() -> None:
    assert len(compact_snapshot(_context()).split("\n")) == 4


def test_a_run_shows_attempt_state_role_and_a_prompt_on_one_line() -> None:
    assert _items(_START, _END) == [
        "- run attempt 2 (completed, backend)",
        "  prompt: Why is it red?",
        "  summary: Because.",
    ]
    assert _items({"type": "run_end"}) == ["- run (completed)"]


def test_workers_and_todos_show_phase_role_and_their_texts() -> None:
    worker = {
        "type": "worker_end",
        "phase": "support",
        "worker": "qa",
        "result": {"status": "failed", "summary": "partly"},
    }
    error = {"type": "worker_error", "worker": "qa", "error": "429"}
    todo = {"type": "todo_update", "todos": [{"title": "Do", "status": "blocked"}], "error": "no"}

    assert _items(worker, error, todo) == [
        "- worker/support qa (failed)",
        "  summary: partly",
        "- worker qa (failed)",
        "  error: 429",
        "- todo (blocked)",
        "  task: Do",
        "  error: no",
    ]


def test_checks_show_each_script_with_its_exit() -> None:
    results = [
        {"name": "lint", "status": "passed", "exitCode": 0},
        {"name": "test", "status": "failed", "exitCode": None},
        {"status": "odd"},
    ]
    check = {"type": "check_summary", "status": "failed", "attempt": 1, "reason": "1 failed"}

    assert _items(check | {"results": results}) == [
        "- checks attempt 1 (failed)",
        "  reason: 1 failed",
        "  scripts: lint:passed:0, test:failed:n/a, unknown:failed",
    ]


def test_reviews_handoffs_and_errors_show_what_they_hold() -> None:
    review = {
        "type": "review_decision",
        "decision": "blocked",
        "rationale": "Unsafe.",
        "requiredChanges": ["a", "b"],
        "blockingIssues": ["c"],
    }
    handoff = {"type": "handoff", "summary": "brief", "focus": "x", "trigger": "auto"}
    error = {"type": "run_error", "error": "down", "attempt": 0}

    assert _items(review, handoff, error, {"type": "handoff", "summary": "b"}) == [
        "- review (blocked)",
        "  rationale: Unsafe.",
        "  required: a; b",
        "  blocked: c",
        "- handoff (auto)",
        "  focus: x",
        "  summary: brief",
        "- error: down",
        "- handoff",
        "  summary: b",
    ]


def test_each_field_has_its_limit_and_is_untouched_within_it() -> None:
    long = "x" * 7000
    start = {"type": "run_start", "prompt": long}
    worker = {"type": "worker_end", "worker": "qa", "result": {"summary": long}}

    text = compact_snapshot(_context(start, worker, {"type": "run_end", "summary": "y" * 6144}))

    lines = text.split("\n")
    assert lines[5] == "x" * 6141 + "..."
    assert "  summary: " + "x" * 1997 + "..." in lines
    assert "  prompt: " + "x" * 597 + "..." in lines
    assert "  summary: " + "y" * 6144 in lines


def test_the_whole_has_a_limit_and_earlier_records_are_mentioned() -> None:
    ends = [{"type": "run_end", "summary": "z" * 6000} for _ in range(30)]

    text = compact_snapshot(_context(*ends))
    short = compact_snapshot(_context(*[_END] * 3, max_entries=2))

    assert len(text) == MAX_SNAPSHOT_CHARS
    assert text.endswith("...")
    assert short.endswith("- earlier records omitted")


def test_a_cut_never_leaves_half_a_character() -> None:
    start = {"type": "run_start", "prompt": "\U0001f600" * 7000}

    text = compact_snapshot(_context(start))

    assert text.encode()
    assert text.split("\n")[5] == "\U0001f600" * 6141 + "..."


def test_plans_packets_tools_and_usage_are_never_shown() -> None:
    secret = {"goal": "CANARY", "headers": {"x": "CANARY"}}
    lines = [
        {"type": "run_start", "prompt": "p", "plan": {"role": "qa", "context": secret}},
        {"type": "worker_start", "worker": "qa", "goal": "CANARY", "handoff": secret},
        {"type": "agent_message", "worker": "qa", "message": secret},
        {"type": "tool_execution_summary", "resultSummary": "CANARY"},
        {"type": "model_reply", "text": "CANARY"},
        {"type": "hook_stop", "records": [secret]},
        {"type": "run_end", "summary": "done", "finalReport": secret, "workerResults": [secret]},
    ]

    assert "CANARY" not in compact_snapshot(_context(*lines))


def test_a_reference_gives_the_fresh_brief_uncut_else_the_snapshot() -> None:
    brief = {"type": "handoff", "summary": "b" * 30_000}

    fresh = session_reference_text(_context(_START, _END, brief))
    stale = _context(_START, _END, brief, _START, _END)

    assert fresh == "Session abc (status: completed)\n\n" + "b" * 30_000
    assert session_reference_text(stale) == compact_snapshot(stale)


@settings(max_examples=100, deadline=None)
@given(
    prompts=st.lists(st.text(max_size=30), max_size=40),
    updated_ms=st.integers(-(10**18), 10**18),
)
def test_any_session_has_a_snapshot_within_the_limit(prompts: list[str], updated_ms: int) -> None:
    lines = [{"type": "run_start", "prompt": prompt} for prompt in prompts]

    facts = summarise(lines, session_id="s", updated_ms=updated_ms)
    text = compact_snapshot(read_context(facts, lines))

    assert len(text) <= MAX_SNAPSHOT_CHARS
