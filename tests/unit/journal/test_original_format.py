"""Session files of the original program, read by us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from original_reader import list_original, read_original

from braincode_jupyter.journal import list_sessions, read_lines, read_records
from braincode_jupyter.protocol.audit_records import PlanReviewed, ToolCallsCounted
from braincode_jupyter.protocol.change_records import (
    ChecksRan,
    FixStarted,
    PatchSummed,
    ReviewArtifactsSummed,
)
from braincode_jupyter.protocol.outside_records import ToolExecuted
from braincode_jupyter.protocol.records import (
    OpaqueRecord,
    RunEnded,
    RunStart,
    WorkerEnded,
    WorkerStarted,
)
from braincode_jupyter.views.session_context import read_context, summarise

if TYPE_CHECKING:
    from pathlib import Path

_TYPES = {
    "run_start",
    "run_end",
    "run_error",
    "context_plan",
    "todo_plan",
    "todo_update",
    "clarification_request",
    "agent_message",
    "worker_start",
    "worker_end",
    "worker_error",
    "dynamic_dispatch",
    "execution_plan_review",
    "tool_approval_decision",
    "tool_execution_summary",
    "check_summary",
    "review_artifacts_summary",
    "review_decision",
    "fix_iteration",
    "patch_summary",
    "tool_call_count",
    "final_report",
    "mcp_connect",
    "handoff",
    "token_usage",
    "hook_session_start",
    "hook_user_prompt_submit",
    "hook_subagent_start",
    "hook_subagent_stop",
    "hook_stop",
}
_KNOWN_BY_TYPE = {
    "run_start": RunStart,
    "worker_start": WorkerStarted,
    "worker_end": WorkerEnded,
    "check_summary": ChecksRan,
    "patch_summary": PatchSummed,
    "review_artifacts_summary": ReviewArtifactsSummed,
    "fix_iteration": FixStarted,
    "tool_call_count": ToolCallsCounted,
    "execution_plan_review": PlanReviewed,
}


def test_every_record_type_of_the_original_is_kept(sessions: Path) -> None:
    read = read_lines(sessions / "every_type.jsonl")

    assert read.bad == ()
    assert {line["type"] for line in read.lines} == _TYPES
    assert [dict(line) for line in read.lines] == read_original(sessions / "every_type.jsonl")


def test_records_that_we_share_are_typed_and_the_rest_is_opaque(sessions: Path) -> None:
    records = read_records(sessions / "every_type.jsonl")

    by_type = {record.type: record for record in records}
    for name, cls in _KNOWN_BY_TYPE.items():
        assert isinstance(by_type[name], cls)
    assert isinstance(by_type["run_end"], RunEnded)
    assert isinstance(by_type["tool_execution_summary"], ToolExecuted)
    assert isinstance(by_type["handoff"], OpaqueRecord)
    assert by_type["hook_stop"].timestamp > 0


def test_a_listing_agrees_with_the_original_on_every_fixture(sessions: Path) -> None:
    for path in sorted(sessions.glob("*.jsonl")):
        expected = list_original(path)

        facts = summarise(read_lines(path).lines, session_id=path.stem, updated_ms=0)

        assert facts.status == expected["status"]
        assert facts.prompt == expected.get("prompt")
        assert facts.brain_id == expected.get("brainId")
        assert facts.role == expected.get("role")
        assert facts.project_root == expected.get("projectRoot")
        assert facts.summary == expected.get("summary")


def test_each_corruption_costs_one_line_and_is_reported_with_its_place(sessions: Path) -> None:
    path = sessions / "corrupt.jsonl"
    content = path.read_bytes()

    read = read_lines(path)

    pieces = [content[piece.at_byte :][: piece.size_bytes] for piece in read.bad]
    assert [piece[:24] for piece in pieces] == [
        b'{"timestamp":1,"type":"r',
        b"[1,2,3]",
        b'"run_end"',
        b"null",
        b'{"timestamp":NaN,"type":',
        b'{"timestamp":8,"type":"r',
        b"[" * 24,
        b'{"timestamp":10,"type":"',
        b'{"timestamp":11,"type":"',
    ]
    assert content.endswith(pieces[-1])
    assert all(b"\n" not in piece for piece in pieces)
    assert len(read.lines) == 13
    assert path.read_bytes() == content


def test_wrong_field_types_count_as_absent(sessions: Path) -> None:
    lines = read_lines(sessions / "corrupt.jsonl").lines
    facts = summarise(lines, session_id="corrupt", updated_ms=0)

    entries = read_context(facts, lines).entries

    kinds = [(entry.kind, entry.status) for entry in entries]
    assert kinds[:4] == [
        ("worker", "completed"),
        ("todo", "pending"),
        ("check", "skipped"),
        ("review", "blocked"),
    ]
    assert (entries[0].phase, entries[0].role, entries[0].summary) == (None, None, None)
    assert [(check.name, check.status) for check in entries[2].checks] == [
        ("unknown", "failed"),
        ("lint", "passed"),
    ]
    assert entries[3].required_changes == ("one",)
    assert kinds[-1] == ("run", "completed")


def test_odd_characters_are_read_as_characters_or_marks(sessions: Path) -> None:
    lines = read_lines(sessions / "corrupt.jsonl").lines

    errors = {line["worker"]: line["error"] for line in lines if line.get("error")}

    assert errors == {
        "qa": "line one\u2028line two\u2029line three\u0085line four",
        "oracle": "half \ufffd and whole \U0001f600",
        "rush": "bad \ufffd byte",
    }


def test_whole_lines_of_two_writers_are_all_read(sessions: Path) -> None:
    read = read_lines(sessions / "interleaved.jsonl")

    assert read.bad == ()
    assert [line["type"] for line in read.lines].count("run_end") == 2


def test_a_run_without_an_end_is_shown_as_interrupted(tmp_path: Path, sessions: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "cut.jsonl").write_bytes((sessions / "interrupted.jsonl").read_bytes())

    (entry,) = list_sessions(tmp_path)

    assert (entry.facts.status, entry.facts.detail) == ("failed", "interrupted")
