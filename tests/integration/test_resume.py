"""A run that was cut off, stopped, or failed goes on, and nothing is paid twice."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from original_reader import problems
from person import Person
from router_plan import router_plan

from braincode_jupyter.errors import ModelError, SessionInUseError, UsageError
from braincode_jupyter.journal import open_session, session_path
from braincode_jupyter.protocol.records import (
    ModelFailed,
    ModelReplied,
    ReferenceUsed,
    RunEnded,
    RunFailed,
    RunStart,
)
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.protocol.usage import TokenUsage
from braincode_jupyter.runtime import (
    Run,
    RunArguments,
    Sources,
    prepare_resume,
    prepare_retry,
    prepare_run,
    read_run,
)
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import PreparedRun
    from braincode_jupyter.views.run_view import RunView

ROLES = ("librarian", "security", "statistician", "analyst")
PLAN = router_plan(*ROLES, edges=[("librarian", "statistician")])
DOWN = ModelError("the network is down", code="network")
REQUEST = "why did sales fall in the north"
Call = tuple[str, str, int]


class Team(ScriptedModel):
    """Answers by role, remembers who was asked, and fails or hangs where it is told to."""

    def __init__(self, failing: Mapping[str, int] | None = None, *, hangs: str = "") -> None:
        super().__init__(self.line)
        self.failing = failing or {}
        self.asked: list[Call] = []
        self.hangs = hangs
        self.hung = asyncio.Event()

    def line(self, call: ModelCall) -> object:
        self.asked.append((call.role, call.call_kind, call.attempt))
        if call.attempt <= self.failing.get(call.role, 0):
            return DOWN
        if call.role == "review":
            return None
        texts = {"routeBrain": PLAN, "analyst": "The **answer**."}
        text = texts.get(call.role, json.dumps({"summary": f"result of {call.role}"}))
        return Reply(text=text, usage=TokenUsage(input=100, output=10, total=110))

    async def complete(self, call: ModelCall, *rest: object) -> object:
        if call.role == self.hangs:
            self.asked.append((call.role, call.call_kind, call.attempt))
            self.hung.set()
            await asyncio.Event().wait()
        return await super().complete(call, *rest)


def arguments(tmp_path: Path, model: ScriptedModel, **more: object) -> RunArguments:
    (tmp_path / "project").mkdir(exist_ok=True)
    return RunArguments(
        home=tmp_path / "home", project_root=tmp_path / "project", models=model, **more
    )


async def play(tmp_path: Path, model: Team, request: str = REQUEST, **more: object) -> Run:
    asked = arguments(tmp_path, model, **{"review": True, **more})
    return await execute(prepare_run(request, asked, Sources()))


async def resume(tmp_path: Path, session_id: str | None, model: Team, **more: object) -> Run:
    return await execute(prepare_resume(session_id, arguments(tmp_path, model, **more), Sources()))


async def execute(prepared: PreparedRun) -> Run:
    return await asyncio.wait_for(prepared.execute(), 60)


async def stopped_while(tmp_path: Path, model: Team, **more: object) -> Run:
    prepared = prepare_run(REQUEST, arguments(tmp_path, model, review=True, **more), Sources())
    running = asyncio.ensure_future(prepared.execute())
    await asyncio.wait_for(model.hung.wait(), 30)
    prepared.stop()
    return await asyncio.wait_for(running, 30)


class Journal:
    """The file of a session, to be cut as a killed kernel would leave it."""

    def __init__(self, tmp_path: Path, session_id: str) -> None:
        self.path = session_path(tmp_path / "home", session_id)
        self.lines = self.path.read_bytes().splitlines(keepends=True)

    def cut(self, count: int, tail: bytes = b"") -> None:
        self.path.write_bytes(b"".join(self.lines[:count]) + tail)

    def after(self, kind: str, nth: int = 1) -> int:
        """Return the number of lines up to the nth one of a type."""
        kinds = [json.loads(line)["type"] for line in self.lines]
        return [index for index, one in enumerate(kinds) if one == kind][nth - 1] + 1


def answered(records: Sequence[AnyRecord]) -> set[Call]:
    return {(r.role, r.call_kind, r.attempt) for r in records if isinstance(r, ModelReplied)}


def outcomes(records: Sequence[AnyRecord]) -> set[Call]:
    failed = {(r.role, r.call_kind, r.attempt) for r in records if isinstance(r, ModelFailed)}
    return answered(records) | failed


def ends(records: Sequence[AnyRecord]) -> dict[str, int]:
    found: dict[str, int] = {}
    run_id = ""
    for record in records:
        if isinstance(record, RunStart):
            run_id = record.run_id or run_id
            found.setdefault(run_id, 0)
        is_end = isinstance(record, RunFailed) and not record.will_fallback
        found[run_id] += is_end or isinstance(record, RunEnded)
    return found


def drawn(view: RunView) -> object:
    """Return what must be the same after a resume.

    Times differ, and with them the order in which models answered and what held the run up. A call
    that is made later is kept from more, since there is more.
    """
    apart = {"timeline", "withheld", "models", "isCritical"}

    def without_times(value: object) -> object:
        if isinstance(value, dict):
            kept = {key: one for key, one in value.items() if key not in apart}
            return {key: without_times(one) for key, one in kept.items() if key[-2:] != "Ms"}
        return [without_times(one) for one in value] if isinstance(value, list) else value

    return without_times(view.to_wire())


@pytest.mark.parametrize(
    "failing",
    [{}, {"security": 1, "analyst": 1, "routeBrain": 1}, {"librarian": 9}],
    ids=["all answer", "some fall back", "one is lost"],
)
async def test_a_run_cut_after_any_record_comes_to_the_same_end(
    failing: dict[str, int], tmp_path: Path
) -> None:
    first = Team(failing)
    whole = await play(tmp_path, first)
    journal = Journal(tmp_path, whole.session_id)
    assert whole.status == "completed"

    for cut in range(1, len(journal.lines)):
        journal.cut(cut)
        before = read_run(whole.session_id, tmp_path / "home")
        model = Team(failing)
        run = await resume(tmp_path, whole.session_id, model)

        where = f"cut {cut}, after {journal.lines[cut - 1][:60]!r}"
        assert not set(model.asked) & answered(before.records), where
        assert set(model.asked) | outcomes(before.records) == set(first.asked), where
        assert drawn(run.view) == drawn(whole.view), where
        read = read_run(whole.session_id, tmp_path / "home")
        assert read.view == run.view, where
        assert ends(read.records) == {whole.run_id: 1}, where
        assert problems(journal.path) == []


async def test_a_run_cut_twice_goes_on_from_the_second_cut(tmp_path: Path) -> None:
    whole = await play(tmp_path, Team())
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(journal.after("model_reply", 2))
    await resume(tmp_path, whole.session_id, Team())
    again = Journal(tmp_path, whole.session_id)

    for cut in range(journal.after("model_reply", 2) + 1, len(again.lines)):
        again.cut(cut)
        before = read_run(whole.session_id, tmp_path / "home")
        model = Team()
        run = await resume(tmp_path, whole.session_id, model)

        assert not set(model.asked) & answered(before.records), cut
        assert drawn(run.view) == drawn(whole.view), cut
        assert ends(run.records) == {whole.run_id: 1}


@pytest.mark.parametrize("role", ["routeBrain", "librarian", "security", "analyst", "review"])
async def test_a_stopped_run_goes_on_where_it_was_stopped(role: str, tmp_path: Path) -> None:
    whole = await play(tmp_path, Team())
    stopped = await stopped_while(tmp_path, Team(hangs=role))
    model = Team()

    run = await resume(tmp_path, stopped.session_id, model)

    assert (stopped.status, run.status) == ("cancelled", "completed")
    assert not set(model.asked) & answered(stopped.records)
    assert ends(run.records) == {stopped.run_id: 1, run.run_id: 1}
    assert run.answer == whole.answer
    assert [(one.role, one.state) for one in run.view.agents] == [
        (one.role, one.state) for one in whole.view.agents
    ]
    assert {one.state for one in run.view.todos} == {"completed"}
    assert run.view.usage.calls == whole.view.usage.calls
    assert run.view.review.state == "approved"
    assert read_run(run.session_id, tmp_path / "home").view == run.view


async def test_a_run_that_failed_for_want_of_a_network_asks_all_who_failed(tmp_path: Path) -> None:
    failed = await play(tmp_path, Team({"security": 9, "analyst": 9}))
    model = Team()

    run = await resume(tmp_path, failed.session_id, model)

    assert (failed.status, run.status) == ("failed", "completed")
    assert model.asked == [
        ("security", "worker", 1),
        ("analyst", "primary", 1),
        ("review", "review", 1),
    ]
    assert run.workers["security"].summary == "result of security"
    assert ends(run.records) == {failed.run_id: 1, run.run_id: 1}
    assert read_run(run.session_id, tmp_path / "home").view == run.view
    assert run.view.error is None


async def test_a_run_can_fail_and_be_resumed_more_than_once(tmp_path: Path) -> None:
    failed = await play(tmp_path, Team({"security": 9, "analyst": 9}))
    again = await resume(tmp_path, failed.session_id, Team({"analyst": 9}))
    journal = Journal(tmp_path, failed.session_id)
    model = Team()

    run = await resume(tmp_path, failed.session_id, model)

    assert (again.status, run.status) == ("failed", "completed")
    assert model.asked == [("analyst", "primary", 1), ("review", "review", 1)]
    assert len(ends(run.records)) == 3
    assert problems(journal.path) == []


async def test_the_newest_session_that_can_be_resumed_is_taken(tmp_path: Path) -> None:
    stopped = await stopped_while(tmp_path, Team(hangs="analyst"))
    await play(tmp_path, Team())

    run = await resume(tmp_path, None, Team())

    assert run.session_id == stopped.session_id
    with pytest.raises(UsageError, match="No session can be resumed"):
        await resume(tmp_path, None, Team())


async def test_a_run_that_completed_has_nothing_to_resume(tmp_path: Path) -> None:
    whole = await play(tmp_path, Team())
    size = Journal(tmp_path, whole.session_id).path.stat().st_size

    with pytest.raises(UsageError, match="nothing to resume"):
        await resume(tmp_path, whole.session_id, Team())
    assert await whole.resume() is whole
    assert Journal(tmp_path, whole.session_id).path.stat().st_size == size


async def test_a_session_that_is_being_written_is_refused(tmp_path: Path) -> None:
    whole = await play(tmp_path, Team())
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(journal.after("model_reply"))
    other = open_session(tmp_path / "home", whole.session_id)

    with pytest.raises(UsageError, match="is going on"):
        await resume(tmp_path, whole.session_id, Team())

    other.close()
    prepared = prepare_resume(whole.session_id, arguments(tmp_path, Team()), Sources())
    other = open_session(tmp_path / "home", whole.session_id)
    with pytest.raises(SessionInUseError):
        await execute(prepared)
    other.close()


async def test_a_torn_line_is_closed_and_told(tmp_path: Path) -> None:
    whole = await play(tmp_path, Team())
    journal = Journal(tmp_path, whole.session_id)
    cut = journal.after("model_reply", 2)
    journal.cut(cut, tail=journal.lines[cut][:40])

    run = await resume(tmp_path, whole.session_id, Team())

    assert run.status == "completed"
    read = read_run(whole.session_id, tmp_path / "home")
    assert [one.type for one in read.records].count("recovered") == 1
    assert ends(read.records) == {whole.run_id: 1}


async def test_a_run_in_hand_is_resumed_with_await(tmp_path: Path) -> None:
    model = Team(hangs="analyst")
    stopped = await stopped_while(tmp_path, model)
    model.hangs = ""

    run = await stopped.resume()

    assert run.status == "completed"
    assert model.asked.count(("librarian", "worker", 1)) == 1
    with pytest.raises(UsageError, match=r"%braincode resume"):
        await Run(stopped.view, stopped.records).resume()


async def test_a_retry_that_was_cut_off_is_resumed(tmp_path: Path) -> None:
    first = await play(tmp_path, Team({"security": 9}))
    whole = await execute(
        prepare_retry(
            first.session_id,
            "security",
            arguments=arguments(tmp_path, Team()),
            sources=Sources(),
        )
    )
    journal = Journal(tmp_path, first.session_id)
    start = next(n for n, line in enumerate(journal.lines) if b'"goesOn"' in line)

    for cut in range(start + 1, len(journal.lines)):
        journal.cut(cut)
        model = Team()
        run = await resume(tmp_path, first.session_id, model)

        assert run.status == "completed", cut
        assert ("librarian", "worker", 1) not in model.asked
        assert run.answer == whole.answer
        assert ends(run.records) == {whole.run_id: 1}, cut


async def test_what_was_spent_before_counts_for_the_budget(tmp_path: Path) -> None:
    stopped = await stopped_while(tmp_path, Team(hangs="analyst"), max_tokens=60_000)
    spent = stopped.view.usage.total_tokens

    with pytest.raises(UsageError, match="budget") as caught:
        await resume(tmp_path, stopped.session_id, Team(), max_tokens=spent + 1_000)
    assert "--max-tokens" in caught.value.hint
    run = await resume(tmp_path, stopped.session_id, Team(), max_tokens=70_000)

    origin = next(r.goes_on for r in run.records if isinstance(r, RunStart) and r.resumes)
    assert origin.spent_tokens > spent  # the lost call may be billed
    assert run.view.max_tokens == 70_000


REFERRED = "why did sales fall, see @notes.md"


@pytest.mark.parametrize("change", ["changed", "missing", "same"])
async def test_a_file_that_changed_since_is_told_and_marks_what_was_found(
    change: str, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    notes = tmp_path / "project" / "notes.md"
    notes.write_text("the old text")
    whole = await play(tmp_path, Team(), REFERRED)
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(journal.after("worker_end"))
    if change == "changed":
        notes.write_text("the new text")
    elif change == "missing":
        notes.unlink()

    run = await resume(tmp_path, whole.session_id, Team())

    assert run.status == "completed"
    told = [one for one in map(speaker().said, run.view.warnings) if "@notes.md" in one]
    kept = run.workers["librarian"] if run.workers["librarian"].risks else run.workers["security"]
    if change == "same":
        assert (told, kept.risks) == ([], ())
        return
    assert ("is gone" if change == "missing" else "has changed") in told[0]
    assert kept.risks == ("Found before this changed: @notes.md.",)
    marked = [one for one in run.view.agents if one.risks]
    assert [one.role for one in marked] == [kept.role]
    primary = next(call for call in run.calls if call.call_kind == "primary")
    assert "Found before this changed" in primary.prompt.user
    assert ("the new text" in primary.prompt.user) == (change == "changed")
    assert "the old text" not in primary.prompt.user


async def test_references_that_were_not_to_be_read_are_not_read_later(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.md").write_text("the text")
    whole = await play(tmp_path, Team(), REFERRED, expand_references=False)
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(1)

    run = await resume(tmp_path, whole.session_id, Team())

    assert not any(isinstance(record, ReferenceUsed) for record in run.records)
    assert not any("the text" in call.prompt.user for call in run.calls)


async def test_models_of_today_answer_for_those_that_can_no_longer_be_asked(tmp_path: Path) -> None:
    whole = await play(tmp_path, Team({"librarian": 1, "routeBrain": 1}))
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(journal.after("worker_end", 2))

    class Few(Team):
        def resolve(self, chain: Sequence[str], **more: object) -> object:
            found = super().resolve(chain, **more)
            return type(found)(candidates=found.candidates[-1:], refusals=())

    model = Few()
    run = await resume(tmp_path, whole.session_id, model)

    before = answered(read_run(whole.session_id, tmp_path / "home").records)
    assert run.status == "completed"
    assert [role for role, _, _ in model.asked] == ["statistician", "analyst", "review"]
    assert ("librarian", "worker", 2) in before
    assert run.workers["librarian"].summary == "result of librarian"


def commanding() -> ScriptedModel:
    """Return a model whose primary runs two commands, then says what came of them."""
    calls = tuple(("exec_command", {"cmd": f"python write.py {n}"}) for n in ("one", "two"))
    said = " ## ".join
    return ScriptedModel({
        "primary": Reply(text="-", tool_calls=calls, then=lambda got: said(r.text for r in got))
    })  # fmt: skip


async def command(tmp_path: Path, person: Person) -> Run:
    (tmp_path / "project").mkdir()
    script = tmp_path / "project" / "write.py"
    script.write_text("import sys\nopen(sys.argv[1] + '.txt', 'a').write('x')\n")
    asked = arguments(tmp_path, commanding(), review=False, approver=person)
    return await execute(prepare_run("run them", asked, Sources()))


async def test_no_command_of_a_conversation_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    whole = await command(tmp_path, Person("approve", "approve"))
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(journal.after("tool_execution_summary", 3))
    person = Person("approve")

    again = arguments(tmp_path, commanding(), approver=person)
    run = await execute(prepare_resume(whole.session_id, again, Sources()))

    assert run.status == "completed"
    assert person.asked == []
    written = [(tmp_path / "project" / f"{one}.txt").read_text() for one in ("one", "two")]
    assert written == ["x", "x"]
    assert run.answer.split(" ## ")[0] == whole.answer.split(" ## ")[0]
    assert "begun before the run was cut off" in run.answer.split(" ## ")[1]
    calls = next(one.tool_calls for one in run.view.agents if one.kind == "primary")
    assert [one.state for one in calls] == ["done", "outcome_unknown", "failed"]
    role = run.plan.role
    assert sentence("said.beginsAnew", role=role) in run.view.warnings


async def test_what_a_person_denied_is_not_asked_again(tmp_path: Path) -> None:
    whole = await command(tmp_path, Person("deny", "deny"))
    journal = Journal(tmp_path, whole.session_id)
    journal.cut(journal.after("tool_approval_decision", 1))
    person = Person("deny")

    again = arguments(tmp_path, commanding(), approver=person)
    run = await execute(prepare_resume(whole.session_id, again, Sources()))

    assert run.status == "completed"
    assert ["write.py two" in one.shown for one in person.asked] == [True]
