"""What a person allows for the rest of a run, takes back, and answers too late."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from person import Person

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.approvals_text import approvals_text, revoke_text
from braincode_jupyter.protocol.approval_records import (
    AnswerIgnored,
    ApprovalGranted,
    ApprovalRequested,
    ApprovalRevoked,
)
from braincode_jupyter.protocol.outside_records import ToolApprovalDecided
from braincode_jupyter.runtime import PreparedRun, RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel
from tests.original_reader import problems, read_original

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run

ECHO = ("exec_command", {"cmd": "echo one"})
OTHER = ("exec_command", {"cmd": "echo two"})
EDIT = ("edit_file", {"path": "a.txt", "oldString": "old", "newString": "new"})


@pytest.fixture
def prepare(tmp_path: Path) -> Callable[..., PreparedRun]:
    (tmp_path / "project").mkdir()

    def prepare_(person: Person, *calls: tuple[str, dict[str, str]], said: str = "") -> PreparedRun:
        def told(returns: Sequence[ToolReturn]) -> str:
            return " ## ".join(r.text for r in returns)

        models = ScriptedModel({"primary": Reply(text=said, tool_calls=calls, then=told)})
        arguments = RunArguments(
            home=tmp_path / "home",
            project_root=tmp_path / "project",
            models=models,
            review=False,
            approver=person,
        )
        return prepare_run("say one and two", arguments, Sources())

    return prepare_


def decisions(run: Run) -> list[tuple[str, bool]]:
    records = [r for r in run.records if isinstance(r, ToolApprovalDecided)]
    return [(r.decision, r.grant_id is not None) for r in records]


async def test_r49_same_again_is_listed_with_its_uses_and_journalled(
    prepare: Callable[..., PreparedRun], tmp_path: Path
) -> None:
    person = Person("approve_same", "deny")
    prepared = prepare(person, ECHO, ECHO, ECHO, OTHER)
    listed: list[str] = []

    def look(number: int) -> None:
        if number == 2:
            listed.append(approvals_text({prepared.session_id: prepared}))

    person.before = look
    run = await prepared.execute()

    assert decisions(run) == [
        ("approved", False),
        ("approved", True),
        ("approved", True),
        ("denied", False),
    ]
    assert "exec_command in . (used 2 more times)" in listed[0]
    assert "Waiting for your answer" in listed[0]
    (granted,) = [
        r for r in read_run("last", tmp_path / "home").records if r.type == "approval_granted"
    ]
    assert isinstance(granted, ApprovalGranted)
    assert granted.shown.startswith("echo one\n")
    assert run.view.grants == ()


async def test_r49_a_revoked_grant_asks_again(prepare: Callable[..., PreparedRun]) -> None:
    person = Person("approve_same", "approve", "deny")
    prepared = prepare(person, ECHO, OTHER, ECHO)

    def revoke(number: int) -> None:
        if number == 2:
            said = revoke_text({prepared.session_id: prepared}, "1")
            assert said.startswith("Revoked: ")

    person.before = revoke
    run = await prepared.execute()

    assert [one.shown.split("\n")[0] for one in person.asked] == [
        "echo one",
        "echo two",
        "echo one",
    ]
    (revoked,) = [r for r in run.records if isinstance(r, ApprovalRevoked)]
    assert (revoked.approval_id, revoked.by) == (person.asked[0].approval_id, "magic")


async def test_a_grant_of_another_number_is_not_revoked(
    prepare: Callable[..., PreparedRun],
) -> None:
    person = Person("approve_same", "deny")
    prepared = prepare(person, ECHO, OTHER)
    running = {prepared.session_id: prepared}
    with pytest.raises(UsageError, match="Nothing is allowed"):
        revoke_text(running, "all")

    def revoke(number: int) -> None:
        if number == 2:
            with pytest.raises(UnknownNameError, match="number"):
                revoke_text(running, "2")

    person.before = revoke
    await prepared.execute()


async def test_r50_ignored_answers_are_journalled_and_the_original_reads_past_them(
    prepare: Callable[..., PreparedRun], tmp_path: Path
) -> None:
    person = Person("approve_same")
    prepared = prepare(person, ECHO)

    def ignore(number: int) -> None:
        assert number == 1
        prepared.note_ignored("a:1", "late")
        prepared.note_ignored("x" * 900, "wrong_digest")

    person.before = ignore
    run = await prepared.execute()

    ignored = [r for r in run.records if isinstance(r, AnswerIgnored)]
    assert [(len(r.approval_id), r.why) for r in ignored] == [(3, "late"), (200, "wrong_digest")]
    (path,) = (tmp_path / "home" / "sessions").rglob(f"{run.session_id}.jsonl")
    assert problems(path) == []
    assert "approval_answer_ignored" in {line["type"] for line in read_original(path)}
    prepared.note_ignored("a:1", "late")


async def test_r48_a_file_that_changes_while_a_person_decides_refuses_the_edit(
    prepare: Callable[..., PreparedRun], tmp_path: Path
) -> None:
    path = tmp_path / "project" / "a.txt"
    path.write_text("old\n")
    other = tmp_path / "other.txt"
    other.write_text("old, and more\n")
    person = Person("approve")
    person.before = lambda _: shutil.copyfile(other, path)

    run = await prepare(person, EDIT).execute()

    assert path.read_text() == "old, and more\n"
    assert "has changed meanwhile" in run.answer


async def test_r46_words_of_the_model_are_kept_short_masked_and_beside_the_action(
    prepare: Callable[..., PreparedRun],
) -> None:
    key = "sk-" + "ant-api03-" + "A1b2" * 24
    person = Person("deny")

    run = await prepare(person, ECHO, said=f"I only look,\n {key} " + "x" * 400).execute()

    (request,) = [r for r in run.records if isinstance(r, ApprovalRequested)]
    assert request.model_words.startswith("I only look, ")
    assert len(request.model_words) == 300
    assert key not in json.dumps(request.to_wire())
    assert "look" not in request.action
