"""A run with tools, hooks, checks and mending is cut after every record, and goes on from each cut.

Files of the project are put where they stood then. A call that was begun and has no outcome may
have been carried out or not, so both are tried.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from original_reader import problems

from braincode_jupyter.home.checks_file import check_subjects
from braincode_jupyter.home.trust import approve
from braincode_jupyter.journal import session_path
from braincode_jupyter.protocol.outside_records import DispatchRequested, HookReport, ToolExecuted
from braincode_jupyter.protocol.records import (
    ChecksRan,
    FixStarted,
    ModelReplied,
    RunEnded,
    RunFailed,
)
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.runtime import (
    RunArguments,
    Sources,
    prepare_resume,
    prepare_run,
    read_run,
)
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import PreparedRun, Run

Asked = tuple[str, str, int, int]
TIMES = {"startedMs", "endedMs", "updatedMs", "queuedMs", "durationMs", "deadlineMs"}

PLAN = {
    "role": "backend",
    "workers": [{"role": "backend", "goal": "edit", "reason": "r"}],
    "todos": [{"id": "edit", "title": "edit", "role": "backend"}],
}
BEGINNING = "def double(x):\n    return x * 3\n"
COVERAGE = [{"file": "double.py", "status": "inspected"}]
APPROVES = {"decision": "approved", "summary": "Sound.", "rationale": "r", "coverage": COVERAGE}
READ = ("read_file", {"path": "double.py"})
ASK = ("dispatch_specialist", {"role": "qa", "goal": "name a test", "reason": "r"})


def mark(name: str) -> tuple[str, dict[str, str]]:
    return "exec_command", {"cmd": f"sh mark.sh marks {name}"}


def edit(old: str, new: str) -> tuple[str, dict[str, str]]:
    return "edit_file", {"path": "double.py", "oldString": old, "newString": new}


CONVERSATIONS = (
    (READ, mark("one"), ASK, edit("x * 3", "x + 2")),
    (edit("x + 2", "x * 2"), READ, mark("two")),
)
"""Of the first answer, whose check fails, and of the round that mends it."""
CHANGING = {"exec_command", "edit_file"}
CHANGES = [call for one in CONVERSATIONS for call in one if call[0] in CHANGING]
EVENTS = ("SessionStart", "UserPromptSubmit", "SubagentStart", "Stop")


class Team(ScriptedModel):
    def __init__(self) -> None:
        super().__init__(self.line)
        self.asked: list[Asked] = []

    def line(self, call: ModelCall) -> object:
        self.asked.append((call.role, call.call_kind, call.attempt, call.iteration))
        match call.call_kind:
            case "router":
                return json.dumps(PLAN)
            case "review":
                return json.dumps(APPROVES)
            case "primary":
                calls = CONVERSATIONS[call.iteration]
                return Reply(text=f"Answer {call.iteration + 1}.", tool_calls=calls)
            case _:
                return None


@dataclass(frozen=True)
class Project:
    """A project with a check, and a home with hooks; all of them leave a mark in a file."""

    root: Path
    home: Path

    @classmethod
    def make(cls, tmp_path: Path) -> Project:
        made = cls(tmp_path / "project", tmp_path / "home")
        (made.root / ".braincode").mkdir(parents=True)
        made.home.mkdir()
        (made.root / "mark.sh").write_text('echo "$2" >> "$1"\n')
        (made.root / "check.sh").write_text('sh mark.sh checked x; grep -q "x [*] 2" double.py\n')
        checks = {"trusted": True, "commands": {"factor": ["sh", "check.sh"]}}
        (made.root / ".braincode" / "checks.json").write_text(json.dumps(checks))
        (subject,) = check_subjects(made.root)
        approve(made.home, subject, now_ms=0)
        hooks = {
            event: [{"hooks": [{"type": "command", "command": command, "trusted": True}]}]
            for event in EVENTS
            if (command := f"sh mark.sh hooks {event}; echo said by {event}")
        }
        (made.home / "hooks.json").write_text(json.dumps({"hooks": hooks}))
        return made

    def arguments(self, model: ScriptedModel) -> RunArguments:
        return RunArguments(
            home=self.home, project_root=self.root, models=model, yes=True, review=True
        )

    def put(self, changes: Iterable[tuple[str, dict[str, str]]]) -> None:
        """Put the files where they stand after some changes."""
        text, marks = BEGINNING, ""
        for name, given in changes:
            if name == "edit_file":
                text = text.replace(given["oldString"], given["newString"])
            else:
                marks += f"{given['cmd'].split()[-1]}\n"
        (self.root / "double.py").write_text(text)
        (self.root / "marks").write_text(marks)
        for log in ("hooks", "checked"):
            (self.root / log).write_text("")

    def leave(self, path: Path, lines: Iterable[bytes], *, stand: int) -> None:
        """Leave a session and the files as a killed kernel does."""
        path.write_bytes(b"".join(lines))
        self.put(CHANGES[:stand])

    def lines(self, name: str) -> list[str]:
        return (self.root / name).read_text().split()


async def played(prepared: PreparedRun) -> Run:
    return await asyncio.wait_for(prepared.execute(), 60)


def asked_of(records: Sequence[AnyRecord], *kinds: type) -> set[Asked]:
    """Return whose calls have such a record, each with the round of mending that it belongs to."""
    found: set[Asked] = set()
    rounds = 0
    for record in records:
        if isinstance(record, FixStarted):
            rounds = record.iteration
        if isinstance(record, kinds):
            found.add((record.role, record.call_kind, record.attempt, rounds))
    return found


def ends(records: Sequence[AnyRecord]) -> int:
    failed = [one for one in records if isinstance(one, RunFailed) and not one.will_fallback]
    return len(failed) + sum(isinstance(one, RunEnded) for one in records)


def drawn(run: Run) -> object:
    """Return what must be the same: all but times, sizes, and what is read or said once more.

    A call that was approved and not begun counts as one whose outcome is not known.
    """
    apart = {"timeline", "withheld", "models", "isCritical", "usage", "chars", "tokens", "share"}

    def kept(value: object) -> object:
        if isinstance(value, dict):
            if "toolCalls" in value:
                calls = [one for one in value["toolCalls"] if one["name"] in CHANGING]
                known = [one for one in calls if one["state"] != "outcome_unknown"]
                assert len(calls) - len(known) <= 1
                value = {**value, "toolCalls": [(one["name"], one["state"]) for one in known]}
            return {key: kept(one) for key, one in value.items() if key not in apart | TIMES}
        return [kept(one) for one in value] if isinstance(value, list) else value

    said = sentence("said.beginsAnew", role="backend")
    told = [one for one in run.view.warnings if one != said and not str(one).startswith("What com")]
    return kept({**run.view.to_wire(), "warnings": told})


def fired(records: Sequence[AnyRecord]) -> list[str]:
    """Return the events of the hooks that ran; one without reply is called again."""
    called = {one.context_id for one in records if isinstance(one, DispatchRequested)}
    answered = {one.context_id for one in records if isinstance(one, ModelReplied)}
    reports = [one for one in records if isinstance(one, HookReport)]
    return [one.event_name for one in reports if one.context_id not in called - answered]


def begun_and_done(records: Sequence[AnyRecord]) -> tuple[int, int]:
    """Return how many changes were begun and how many have an outcome, in the script's order."""
    used = [one for one in records if isinstance(one, ToolExecuted) and not one.is_recalled]
    found = [one for one in used if one.tool_name in CHANGING]
    begun = sum(one.event == "start" for one in found)
    return begun, len(found) - begun


async def gone_on(
    project: Project, path: Path, lines: Sequence[bytes], *, stand: int
) -> tuple[Team, Run]:
    """Resume a session that a killed kernel left."""
    project.leave(path, lines, stand=stand)
    model = Team()
    return model, await played(prepare_resume(path.stem, project.arguments(model), Sources()))


async def test_a_run_that_is_cut_anywhere_changes_and_pays_for_nothing_twice(
    tmp_path: Path,
) -> None:
    project = Project.make(tmp_path)
    project.put(())
    first = Team()
    whole = await played(prepare_run("fix double.py", project.arguments(first), Sources()))
    path = session_path(project.home, whole.session_id)
    lines = path.read_bytes().splitlines(keepends=True)
    assert (whole.status, whole.answer, len(whole.records)) == (
        "completed",
        "Answer 2.",
        len(lines),
    )
    assert project.lines("marks") == ["one", "two"]
    assert asked_of(whole.records, ModelReplied) == set(first.asked)
    hooks = sorted(project.lines("hooks"))
    assert (set(hooks), project.lines("checked")) == (set(EVENTS), ["x", "x"])

    for cut in range(1, len(lines)):
        before = whole.records[:cut]
        begun, done = begun_and_done(before)
        for stand in range(done, begun + 1):
            model, run = await gone_on(project, path, lines[:cut], stand=stand)
            where = f"cut {cut}, {stand} changes, after {lines[cut - 1][:90]!r}"
            answered = asked_of(before, ModelReplied)
            assert not set(model.asked) & answered, where
            assert len(model.asked) == len(set(model.asked)), where
            assert (run.status, ends(run.records)) == ("completed", 1), where
            assert problems(path) == [], where
            assert read_run(whole.session_id, project.home).view == run.view, where
            marks = project.lines("marks")
            assert max(marks.count("one"), marks.count("two")) <= 1, where
            if begun > done:
                continue
            assert set(model.asked) | answered == set(first.asked), where
            assert marks == ["one", "two"], where
            assert "x * 2" in (project.root / "double.py").read_text(), where
            assert drawn(run) == drawn(whole), where
            assert sorted([*fired(before), *project.lines("hooks")]) == hooks, where
            checked = sum(isinstance(one, ChecksRan) for one in before)
            assert checked + len(project.lines("checked")) == 2, where


async def test_a_conversation_that_is_cut_twice_changes_nothing_again(tmp_path: Path) -> None:
    project = Project.make(tmp_path)
    project.put(())
    whole = await played(prepare_run("fix double.py", project.arguments(Team()), Sources()))
    path = session_path(project.home, whole.session_id)
    lines = path.read_bytes().splitlines(keepends=True)
    cuts = [n for n, line in enumerate(lines, start=1) if b'"event":"end"' in line]
    first = next(n for n in cuts if begun_and_done(whole.records[:n]) == (1, 1))
    _, once = await gone_on(project, path, lines[:first], stand=1)
    lines = path.read_bytes().splitlines(keepends=True)

    for cut in [
        n for n, line in enumerate(lines, start=1) if b'"event":"end"' in line and n > first
    ]:
        stand = begun_and_done(once.records[:cut])[1]
        _, run = await gone_on(project, path, lines[:cut], stand=stand)

        assert project.lines("marks") == ["one", "two"], cut
        assert "x * 2" in (project.root / "double.py").read_text(), cut
        assert drawn(run) == drawn(whole), cut


async def test_the_next_model_makes_no_change_of_the_one_that_broke_off_again(
    tmp_path: Path,
) -> None:
    project = Project.make(tmp_path)
    project.put(())
    given: list[str] = []

    def line(call: ModelCall) -> object:
        if call.call_kind != "primary":
            return json.dumps(PLAN) if call.call_kind == "router" else json.dumps(APPROVES)
        breaks = 0 if call.attempt == 1 else None
        calls = (mark("one"), edit("x * 3", "x * 2"))
        return Reply(text="Done.", tool_calls=calls, then=keep, break_after=breaks)

    def keep(returns: Sequence[ToolReturn]) -> str:
        given.append(" ## ".join(one.text for one in returns))
        return "Done."

    asked = project.arguments(ScriptedModel(line))
    run = await played(prepare_run("fix double.py", asked, Sources()))

    assert (run.status, run.answer) == ("completed", "Done.")
    assert given[0] == given[1]
    assert project.lines("marks") == ["one"]
    calls = next(one.tool_calls for one in run.view.agents if one.kind == "primary")
    assert [one.name for one in calls] == ["exec_command", "edit_file", "run_script"]
