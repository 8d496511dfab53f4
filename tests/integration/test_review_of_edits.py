"""Edits that are checked, reviewed and mended: the script edits, the checks are real."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from original_reader import list_original, problems
from person import Person

from braincode_jupyter.brain.effects import CallModel, WriteRecord
from braincode_jupyter.brain.step import initial, step
from braincode_jupyter.errors import ModelError
from braincode_jupyter.home.checks_file import check_subjects
from braincode_jupyter.home.trust import approve
from braincode_jupyter.protocol.records import (
    ChangesCollected,
    ChecksRan,
    FixStarted,
    PatchSummed,
    PlanReviewed,
    PromptManifest,
    ReviewArtifactsSummed,
    ReviewDecided,
    RunEnded,
    ToolCallsCounted,
    parse_record,
)
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run
    from braincode_jupyter.runtime.launch import PreparedRun
    from braincode_jupyter.views.run_view import RunView

ToolCall = tuple[str, dict[str, Any]]

PLAN = json.dumps(
    {
        "role": "backend",
        "workers": [{"role": "backend", "goal": "edit", "reason": "r"}],
        "todos": [{"id": "edit", "title": "edit", "role": "backend"}],
    }
)
TEST = "from double import double\n\n\ndef test_double():\n    assert double(4) == 8\n"
WRONG: ToolCall = ("edit_file", {"path": "double.py", "oldString": "x * 3", "newString": "x + 2"})
RIGHT: ToolCall = ("edit_file", {"path": "double.py", "oldString": "x + 2", "newString": "x * 2"})
COVERAGE = [{"file": "double.py", "status": "inspected"}]
APPROVES = json.dumps(
    {"decision": "approved", "summary": "Sound.", "rationale": "Sound.", "coverage": COVERAGE}
)
ASKS = json.dumps(
    {
        "decision": "changes_requested",
        "summary": "Not yet.",
        "requiredChanges": ["Multiply, do not add."],
        "findings": [{"severity": "high", "issue": "adds", "file": "double.py", "line": 2}],
        "coverage": COVERAGE,
    }
)
PYTEST = {"commands": {"pytest": [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]}}
DOUBLES = {
    "commands": {"doubles": [sys.executable, "-c", "import double; assert double.double(4) == 8"]}
}
GREEN = {"commands": {"smoke": [sys.executable, "-c", "print('smoke is green')"]}}
RED = {"commands": {"smoke": [sys.executable, "-c", "print('smoke'); raise SystemExit(3)"]}}


def edits(*calls: ToolCall, answer: str = "Done.") -> Reply:
    return Reply(text=answer, tool_calls=calls, then=lambda _: answer)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "double.py").write_text("def double(x):\n    return x * 3\n", encoding="utf-8")
    (root / "test_double.py").write_text(TEST, encoding="utf-8")
    return root


def trusted_checks(project: Path, document: Mapping[str, Any]) -> None:
    folder = project / ".braincode"
    folder.mkdir(exist_ok=True)
    text = json.dumps({"trusted": True, **document})
    (folder / "checks.json").write_text(text, encoding="utf-8")
    (subject,) = check_subjects(project)
    approve(project.parent / "home", subject, now_ms=0)


def prepared(project: Path, script: Mapping[str, Any], more: Mapping[str, Any]) -> PreparedRun:
    arguments = RunArguments(
        home=project.parent / "home",
        project_root=project,
        models=ScriptedModel({"router": PLAN, **script}),
        **{"yes": True, "review": True, **more},
    )
    return prepare_run("fix the function in double.py", arguments, Sources())


async def run(project: Path, script: Mapping[str, Any], **more: object) -> Run:
    return await prepared(project, script, more).execute()


def of(result: Run, kind: type) -> list[Any]:
    return [record for record in result.records if isinstance(record, kind)]


async def test_a_failing_check_is_mended_and_then_reviewed(project: Path) -> None:
    trusted_checks(project, PYTEST)
    home = project.parent / "home"
    primary = [edits(WRONG, answer="Added."), edits(RIGHT, answer="Multiplied.")]

    result = await run(project, {"backend": primary, "review": APPROVES})

    assert result.status == "completed"
    assert result.answer == "Multiplied."
    first, second = of(result, ChecksRan)
    assert (first.status, second.status) == ("failed", "passed")
    assert "1 failed" in first.results[0].stdout
    assert first.results[0].args[:2] == ("-m", "pytest")
    (fix,) = of(result, FixStarted)
    assert (fix.iteration, fix.trigger) == (1, "checks_failed")
    decisions = of(result, ReviewDecided)
    assert [d.decision for d in decisions] == ["changes_requested", "approved"]
    assert [d.fix_iteration for d in decisions] == [0, 1]
    (end,) = of(result, RunEnded)
    assert (end.fix_iterations, end.review_decision.decision) == (1, "approved")
    assert end.final_report["status"] == "approved"
    assert end.final_report["fixIterations"] == 1
    (patch,) = of(result, PatchSummed)
    assert [(f.path, f.status) for f in patch.changed_files] == [("double.py", "M")]
    assert (patch.diff_stats.insertions, patch.diff_stats.deletions) == (1, 1)
    (path,) = (home / "sessions").glob("*.jsonl")
    assert problems(path) == []
    assert list_original(path)["status"] == "completed"
    assert read_run(result.session_id, home).view == result.view


async def test_the_round_of_mending_sees_what_is_wrong_and_nobody_else_does(project: Path) -> None:
    trusted_checks(project, DOUBLES)

    result = await run(
        project,
        {"backend": [edits(WRONG, answer="Added."), edits(RIGHT)], "review": [ASKS, APPROVES]},
    )

    first, fix = (call for call in result.calls if call.call_kind == "primary")
    assert first.call_id != fix.call_id
    kinds = {section.kind for section in fix.prompt.sections}
    assert {"request", "answer", "patch", "review"} <= kinds
    assert "AssertionError" in fix.prompt.user
    assert "Multiply, do not add." in fix.prompt.user
    assert "+    return x + 2" in fix.prompt.user
    assert "patch" not in {section.kind for section in first.prompt.sections}
    one, two = (call for call in result.calls if call.call_kind == "review")
    assert "AssertionError" in one.prompt.user
    assert '"checkFailures": [\n      "doubles"' in one.prompt.user
    assert "Multiply, do not add." not in two.prompt.user
    assert "AssertionError" not in two.prompt.user
    assert len({call.call_id for call in result.calls}) == len(result.calls)


async def test_replaying_a_mended_run_decides_the_same_again(project: Path) -> None:
    trusted_checks(project, DOUBLES)
    ready = prepared(
        project, {"backend": [edits(WRONG), edits(RIGHT)], "review": [ASKS, APPROVES]}, {}
    )

    result = await ready.execute()

    state = initial(ready._preparation.request)
    decided: list[object] = []
    calls: list[str] = []
    for record in result.records:
        state, effects = step(state, parse_record(json.loads(json.dumps(record.to_wire()))))
        decided += [e.record for e in effects if isinstance(e, WriteRecord)]
        calls += [e.call.call_id for e in effects if isinstance(e, CallModel)]
    assert state == ready._orchestrator.state
    assert calls == [call.call_id for call in result.calls]
    # The tools of a call are added when it is made: the core does not know them.
    written = [
        record.model_copy(update={"tools": ()}) if isinstance(record, PromptManifest) else record
        for record in result.records
    ]
    assert all(record in written for record in decided)


@pytest.mark.parametrize(
    ("checks", "reply", "reason"),
    [
        (GREEN, "looks good to me", "no readable decision"),
        (GREEN, json.dumps({"summary": "fine"}), "no readable decision"),
        (RED, APPROVES, "Checks failed: smoke"),
        (GREEN, json.dumps({"decision": "approved", "summary": "ok"}), "no changed file"),
        (GREEN, ModelError("down", code="network"), "not_reviewed"),
        (GREEN, Reply(text=""), "not_reviewed"),
    ],
)
async def test_B16_no_word_of_a_reviewer_approves_what_it_should_not(
    project: Path, *, checks: Mapping[str, Any], reply: object, reason: str
) -> None:
    trusted_checks(project, checks)

    result = await run(project, {"backend": edits(WRONG), "review": reply})

    assert result.status == "completed"
    assert result.view.review.state != "approved"
    (end,) = of(result, RunEnded)
    assert end.final_report["status"] != "approved"
    shown = result.view.model_dump_json().casefold()
    assert reason.casefold() in shown


async def test_B16_an_older_verdict_is_dropped_with_the_version_that_it_judged(
    project: Path,
) -> None:
    trusted_checks(project, GREEN)
    down = ModelError("down", code="network")
    replies = [ASKS, *[down] * 9]

    result = await run(project, {"backend": [edits(WRONG), edits(RIGHT)], "review": replies})

    (end,) = of(result, RunEnded)
    assert end.review_decision is None
    assert result.view.review.state == "not_reviewed"


async def test_without_edits_the_answer_alone_is_reviewed(project: Path) -> None:
    trusted_checks(project, RED)

    result = await run(project, {"backend": "Nothing to do.", "review": APPROVES})

    assert of(result, ChangesCollected) == of(result, ChecksRan) == of(result, FixStarted) == []
    assert result.view.review.state == "approved"


async def test_a_change_that_was_taken_back_is_none(project: Path) -> None:
    trusted_checks(project, RED)
    back = ("edit_file", {"path": "double.py", "oldString": "x + 2", "newString": "x * 3"})

    result = await run(project, {"backend": edits(WRONG, back), "review": ASKS})

    (changes,) = of(result, ChangesCollected)
    assert changes.changed_files == ()
    assert of(result, ChecksRan) == of(result, FixStarted) == []
    assert result.view.review.state == "changes_requested"


async def test_rounds_of_mending_are_few_and_what_is_left_is_said(project: Path) -> None:
    trusted_checks(project, RED)

    result = await run(
        project, {"backend": [edits(WRONG), edits(RIGHT), "same"], "review": APPROVES}
    )

    assert [fix.iteration for fix in of(result, FixStarted)] == [1]
    assert any("no round of mending is left" in str(one) for one in result.view.warnings)
    assert result.view.review.state == "changes_requested"


async def test_radical_mode_mends_twice(project: Path) -> None:
    trusted_checks(project, RED)

    result = await run(
        project, {"backend": [edits(WRONG), "a", "b", "c"], "review": APPROVES}, mode="radical"
    )

    assert [fix.iteration for fix in of(result, FixStarted)] == [1, 2]


@pytest.mark.parametrize("more", [{"roles": ("backend", "review")}, {"max_tokens": 30_000}])
async def test_named_roles_and_a_small_budget_are_not_mended(
    project: Path, more: Mapping[str, Any]
) -> None:
    trusted_checks(project, RED)

    result = await run(project, {"backend": edits(WRONG), "review": APPROVES}, **more)

    if "roles" in more:
        assert of(result, FixStarted) == []
    assert result.view.review.state != "approved"


async def test_a_block_is_not_mended(project: Path) -> None:
    trusted_checks(project, GREEN)
    blocks = json.dumps({"decision": "blocked", "summary": "No.", "coverage": COVERAGE})

    result = await run(project, {"backend": edits(WRONG), "review": blocks})

    assert of(result, FixStarted) == []
    assert result.view.review.state == "blocked"


async def test_a_round_that_breaks_off_leaves_the_change_unapproved(project: Path) -> None:
    trusted_checks(project, DOUBLES)
    down = ModelError("down", code="network")

    result = await run(project, {"backend": [edits(WRONG), down], "review": ASKS})

    assert result.status == "completed"
    assert result.answer == "Done."
    assert result.view.review.state == "changes_requested"
    assert [c.fix_iteration for c in of(result, ChangesCollected)] == [0, 1]
    assert len(of(result, PatchSummed)) == 1


async def test_checks_of_a_project_are_inert_until_their_content_is_trusted(project: Path) -> None:
    folder = project / ".braincode"
    folder.mkdir()
    proof = project / "ran.txt"
    command = [sys.executable, "-c", f"open({str(proof)!r}, 'w').close()"]
    document = {"trusted": True, "commands": {"evil": command}}
    (folder / "checks.json").write_text(json.dumps(document), encoding="utf-8")

    result = await run(project, {"backend": edits(WRONG), "review": APPROVES})

    assert not proof.exists()
    assert [c.status for c in of(result, ChecksRan)] == ["skipped"]
    assert any("inert" in str(warning) for warning in result.view.warnings)

    trusted_checks(project, {"commands": {"evil": command}})
    await run(project, {"backend": edits(RIGHT), "review": APPROVES})
    assert proof.exists()
    proof.unlink()

    document["commands"]["evil"].append("changed")
    (folder / "checks.json").write_text(json.dumps(document), encoding="utf-8")
    await run(project, {"backend": edits(WRONG), "review": APPROVES})
    assert not proof.exists()


async def test_a_person_sees_the_exact_words_of_the_checks_and_may_say_no(project: Path) -> None:
    trusted_checks(project, GREEN)
    person = Person("approve", "deny")

    result = await run(
        project, {"backend": edits(WRONG), "review": APPROVES}, yes=False, approver=person
    )

    edit, check = person.asked
    assert edit.tool == "edit_file"
    assert (check.tool, check.effect) == ("run_script", "execute")
    assert "print(" in check.shown
    assert "smoke is green" in check.shown
    (checks,) = of(result, ChecksRan)
    assert (checks.status, checks.reason) == ("skipped", "They were not allowed to run.")


async def test_edits_alone_being_allowed_no_check_runs_unasked(project: Path) -> None:
    trusted_checks(project, GREEN)

    result = await run(
        project, {"backend": edits(WRONG), "review": APPROVES}, yes=False, allow_edits=True
    )

    (checks,) = of(result, ChecksRan)
    assert checks.status == "skipped"
    assert "--yes" in checks.reason


async def test_a_reviewer_looks_into_files_and_writes_none(project: Path) -> None:
    trusted_checks(project, GREEN)

    def told(returns: Sequence[ToolReturn]) -> str:
        return json.dumps({"summary": " ## ".join(one.text for one in returns)})

    looks = Reply(
        text="unused",
        tool_calls=(("read_file", {"path": "double.py"}), RIGHT, ("exec_command", {"cmd": "ls"})),
        then=told,
    )

    result = await run(project, {"backend": edits(WRONG), "review": looks})

    summary = next(a.summary for a in result.view.agents if a.kind == "review")
    assert "x + 2" in summary
    assert summary.count("There is no tool") == 2
    assert "x + 2" in (project / "double.py").read_text(encoding="utf-8")


async def test_a_risky_change_gets_a_reviewer_unless_the_user_said_no(project: Path) -> None:
    make = ("edit_file", {"path": "auth/login.py", "content": "ok = True\n"})
    covered = json.loads(APPROVES) | {
        "coverage": [{"file": "auth/login.py", "status": "inspected"}]
    }
    script = {"backend": edits(make), "review": json.dumps(covered)}
    trusted_checks(project, GREEN)

    added = await run(project, script, review=None, roles=("backend",))
    (project / "auth" / "login.py").unlink()
    refused = await run(project, script, review=False)

    assert added.view.review.state in {"approved", "changes_requested"}
    (artifacts,) = of(added, ReviewArtifactsSummed)
    assert (artifacts.risk_tier, artifacts.review_mode) == ("high", "strict")
    review = next(call for call in added.calls if call.call_kind == "review")
    assert "ok = True" in review.prompt.user
    assert of(refused, ReviewDecided) == []


async def test_tool_calls_are_counted_by_phase(project: Path) -> None:
    trusted_checks(project, GREEN)
    odd: ToolCall = ("edit_file", {"path": "double.py", "oldString": "gone", "newString": "x"})

    result = await run(project, {"backend": edits(odd, WRONG), "review": APPROVES})

    (count,) = of(result, ToolCallsCounted)
    assert [(p.phase, p.calls, p.failed) for p in count.by_phase] == [("primary", 3, 1)]


async def test_what_a_plan_could_do_is_on_record_before_the_first_worker(project: Path) -> None:
    trusted_checks(project, GREEN)

    result = await run(project, {"backend": edits(WRONG), "review": APPROVES})
    looks = await run(project, {"backend": "Nothing."}, yes=False, review=False)

    (review,) = of(result, PlanReviewed)
    assert (review.status, review.approver) == ("approved", "runtime_policy")
    assert [one.kind for one in review.proposed_side_effects] == [
        "file_edit",
        "patch",
        "command",
        "script",
    ]
    assert review.validation_plan.checks == ("smoke",)
    kinds = [record.type for record in result.records]
    assert kinds.index("todo_plan") < kinds.index("execution_plan_review")
    assert kinds.index("execution_plan_review") < kinds.index("prompt_manifest", 3)
    (end,) = of(result, RunEnded)
    assert end.final_report["planReview"]["requiredReview"] is True
    assert of(looks, PlanReviewed) == []


async def test_checks_that_were_denied_are_not_asked_for_again(project: Path) -> None:
    trusted_checks(project, GREEN)
    person = Person("approve", "deny", "approve")

    result = await run(
        project,
        {"backend": [edits(WRONG), edits(RIGHT)], "review": [ASKS, APPROVES]},
        yes=False,
        approver=person,
    )

    assert [one.tool for one in person.asked] == ["edit_file", "run_script", "edit_file"]
    assert [c.status for c in of(result, ChecksRan)] == ["skipped", "skipped"]


async def test_the_matrix_shows_who_was_given_the_change(project: Path) -> None:
    trusted_checks(project, DOUBLES)

    result = await run(
        project, {"backend": [edits(WRONG), edits(RIGHT)], "review": [ASKS, APPROVES]}
    )

    matrix = result.view.matrix
    place = [column.key for column in matrix.columns].index("patch")
    kinds = {agent.context_id: agent.kind for agent in result.view.agents}
    cells = {kinds[row.context_id]: row.cells[place] for row in matrix.rows}
    assert cells == {"router": "withheld", "primary": "seen", "review": "seen"}


async def test_a_stop_while_checks_run_ends_them_and_the_run(project: Path) -> None:
    proof = project / "ended.txt"
    code = f"import time; time.sleep(600); open({str(proof)!r}, 'w').close()"
    trusted_checks(project, {"commands": {"slow": [sys.executable, "-c", code]}})
    ready = prepared(project, {"backend": edits(WRONG), "review": APPROVES}, {})

    class Stopper:
        def on_view(self, view: RunView) -> None:
            if view.changes.checks_state == "running":
                ready.stop()

        def on_text(self, context_id: str, offset: int, text: str) -> None:
            pass

    result = await ready.execute(Stopper())

    assert result.status == "cancelled"
    assert result.view.changes.checks_state == "skipped"
    assert not proof.exists()
