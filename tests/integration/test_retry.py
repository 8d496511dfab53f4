"""A worker that failed or came to nothing is run again while its run goes on."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from original_reader import problems
from router_plan import router_plan

from braincode_jupyter.errors import ModelError, UnknownNameError, UsageError
from braincode_jupyter.protocol.records import MessageSent, RetryRequested, WorkerStarted
from braincode_jupyter.protocol.usage import TokenUsage
from braincode_jupyter.protocol.work_records import MAX_RETRIES
from braincode_jupyter.runtime import (
    RunArguments,
    Sources,
    prepare_retry,
    prepare_run,
    read_run,
)
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views.reasons import meaning_of
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import PreparedRun, Run
    from braincode_jupyter.views.run_view import RunView

PLAN = router_plan(
    "librarian", "security", "statistician", "analyst", edges=[("librarian", "statistician")]
)
FAILURE = ModelError("the provider is down", code="provider_error")


class Played:
    """A run whose librarian plays its tries in order, while security waits to be let go."""

    def __init__(self, tmp_path: Path, *tries: object, **more: object) -> None:
        self.asked: Counter[str] = Counter()
        self.states: list[str] = []
        self.on_failed: Callable[[], object] = self.retry
        self._tries = tries
        self._let_go = asyncio.Event()
        self.model = ScriptedModel(self._line)
        self.model.complete = self._holding(self.model.complete)
        (tmp_path / "project").mkdir(exist_ok=True)
        arguments = RunArguments(
            home=tmp_path / "home",
            project_root=tmp_path / "project",
            models=self.model,
            review=False,
            **more,
        )
        self.prepared: PreparedRun = prepare_run("why did sales fall", arguments, Sources())
        self.refusals: list[UsageError] = []

    def _line(self, call: ModelCall) -> object:
        # Without a usable reply each model of a role is asked; that is one try.
        self.asked[call.role] += call.attempt == 1
        match call.role:
            case "routeBrain":
                return PLAN
            case "librarian":
                return self._tries[min(call.retry, len(self._tries) - 1)]
            case "analyst":
                return "The answer."
            case role:
                return json.dumps({"summary": f"result of {role}"})

    def _holding(self, complete: Callable[..., object]) -> Callable[..., object]:
        async def held(call: ModelCall, *rest: object) -> object:
            if call.role == "security":
                await asyncio.wait_for(self._let_go.wait(), 20)
            return await complete(call, *rest)

        return held

    def let_go(self) -> None:
        self._let_go.set()

    async def retry(self, worker: str = "librarian") -> None:
        try:
            await self.prepared.retry(worker)
        except UsageError as error:
            self.refusals.append(error)
            self.let_go()
        if self.prepared.view.agents[1].reason == meaning_of("token_limit"):
            self.let_go()

    def on_view(self, view: object) -> None:
        agent = next((one for one in view.agents if one.role == "librarian"), None)
        state = "" if agent is None else agent.state
        if not self.states or self.states[-1] != state:
            self.states.append(state)
            if state in {"failed", "unstructured", "cut_off"}:
                self._task = asyncio.ensure_future(self.retry())
            elif state == "completed":
                self.let_go()

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        pass

    async def run(self) -> Run:
        return await asyncio.wait_for(self.prepared.execute(self), 20)


GOOD = json.dumps({"summary": "a map"})
RETRYABLE = {
    "failed": FAILURE,
    "unstructured": "just some words",
    "cut_off": Reply(text="half of", finish_reason="length"),
}


@pytest.mark.parametrize("state", RETRYABLE)
async def test_a_worker_is_taken_up_again_with_the_same_packet(tmp_path: Path, state: str) -> None:
    played = Played(tmp_path, RETRYABLE[state], GOOD)

    run = await played.run()

    assert run.status == "completed"
    assert played.states[-3:] == [state, "running", "completed"]
    assert run.workers["librarian"].summary == "a map"
    packets = [
        record.message.payload
        for record in run.records
        if isinstance(record, MessageSent)
        and record.worker == "librarian"
        and record.message.kind == "handoff"
    ]
    assert len(packets) == 2
    assert packets[0] == packets[1]
    started = [r for r in run.records if isinstance(r, WorkerStarted) and r.worker == "librarian"]
    assert len({record.agent_session_id for record in started}) == len(started)
    calls = [call for call in run.calls if call.role == "librarian"]
    assert {call.prompt.user for call in calls} == {calls[0].prompt.user}
    assert len({call.call_id for call in calls}) == len(calls)


async def test_nobody_else_is_asked_twice_and_the_primary_gets_the_new_result(
    tmp_path: Path,
) -> None:
    played = Played(tmp_path, FAILURE, GOOD)

    run = await played.run()

    assert played.asked == {
        "routeBrain": 1,
        "librarian": 2,
        "security": 1,
        "statistician": 1,
        "analyst": 1,
    }
    told = next(call.prompt.user for call in run.calls if call.call_kind == "primary")
    assert "a map" in told
    assert "provider_error" not in told


async def test_what_waited_for_the_worker_runs_after_it(tmp_path: Path) -> None:
    run = await Played(tmp_path, FAILURE, GOOD).run()

    assert run.workers["statistician"].status == "completed"
    needed = next(call.prompt.user for call in run.calls if call.role == "statistician")
    assert "a map" in needed
    assert {todo.state for todo in run.todos} == {"completed"}


async def test_retries_of_a_worker_are_bounded(tmp_path: Path) -> None:
    played = Played(tmp_path, FAILURE)

    run = await played.run()

    assert played.asked["librarian"] == MAX_RETRIES + 1
    assert "most" in played.refusals[0].message
    agent = next(one for one in run.view.agents if one.role == "librarian")
    assert (agent.state, agent.retries, agent.can_retry) == ("failed", MAX_RETRIES, False)
    assert {one.retry for one in agent.attempts} == set(range(MAX_RETRIES + 1))
    assert run.workers["statistician"].status == "blocked"


async def test_the_token_budget_holds_for_a_retry(tmp_path: Path) -> None:
    # Beside the reply that security may write no further call fits, whenever it comes.
    spent = Reply(text="prose", usage=TokenUsage(input=51_000, output=51_000, total=102_000))
    played = Played(tmp_path, spent, GOOD, max_tokens=120_000)

    run = await played.run()

    assert played.asked["librarian"] == 1
    assert run.workers["librarian"].error == "token_limit"


async def test_B17_tokens_of_a_try_stay_with_it(tmp_path: Path) -> None:
    def used(text: str, total: int) -> Reply:
        return Reply(text=text, usage=TokenUsage(input=total - 1, output=1, total=total))

    run = await Played(tmp_path, used("prose", 100), FAILURE, used(GOOD, 1_000)).run()

    agent = next(one for one in run.view.agents if one.role == "librarian")
    assert agent.usage.total_tokens == 1_100
    assert {(one.retry, one.code, one.tokens) for one in agent.attempts} == {
        (0, "unstructured", None),
        (1, "provider_error", None),
    }
    assert run.usage.total_tokens == sum(one.usage.total_tokens for one in run.view.agents)


@pytest.mark.parametrize("worker", ["security", "analyst", "nobody"])
async def test_who_has_not_failed_is_not_run_again(tmp_path: Path, worker: str) -> None:
    played = Played(tmp_path, FAILURE, GOOD)
    errors: list[Exception] = []

    async def wrong() -> None:
        try:
            await played.prepared.retry(worker)
        except (UsageError, UnknownNameError) as error:
            errors.append(error)
        played.let_go()

    played.retry = wrong

    run = await played.run()

    assert len(errors) == 1
    assert not any(isinstance(record, RetryRequested) for record in run.records)


async def test_once_the_primary_has_started_it_is_too_late(tmp_path: Path) -> None:
    played = Played(tmp_path, GOOD)
    await played.run()

    with pytest.raises(UsageError, match="not going on"):
        await played.prepared.retry("librarian")


async def test_a_session_with_a_retry_reads_back_the_same_and_in_the_original(
    tmp_path: Path,
) -> None:
    run = await Played(tmp_path, FAILURE, GOOD).run()

    session = tmp_path / "home" / "sessions" / f"{run.session_id}.jsonl"
    assert problems(session) == []
    assert read_run(run.session_id, tmp_path / "home").view == run.view


class Again:
    """A run that ended with a failed librarian, and runs that go on from it."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path = tmp_path
        self.lines: dict[str, object] = {
            "routeBrain": PLAN,
            "librarian": FAILURE,
            "security": json.dumps({"summary": "no secrets"}),
            "statistician": json.dumps({"summary": "p < 0.05"}),
            "analyst": "The answer.",
            "review": json.dumps({"decision": "approved", "rationale": "ok", "summary": "ok"}),
        }
        self.model = ScriptedModel()
        (tmp_path / "project").mkdir(exist_ok=True)

    def arguments(self, **more: object) -> RunArguments:
        self.model = ScriptedModel(lambda call: self.lines[call.role])
        return RunArguments(
            home=self.tmp_path / "home",
            project_root=self.tmp_path / "project",
            models=self.model,
            **more,
        )

    async def first(self, prompt: str = "why did sales fall", **more: object) -> Run:
        more = {"review": True, **more}
        return await prepare_run(prompt, self.arguments(**more), Sources()).execute()

    async def again(self, run: Run, worker: str = "librarian", line: object = GOOD) -> Run:
        self.lines[worker] = line
        return await prepare_retry(
            run.session_id, worker, arguments=self.arguments(), sources=Sources()
        ).execute()

    @property
    def asked(self) -> list[str]:
        return [call.role for call in self.model.calls]


async def test_after_the_end_a_new_run_keeps_what_the_others_found(tmp_path: Path) -> None:
    session = Again(tmp_path)
    first = await session.first()

    run = await session.again(first)

    assert session.asked == ["librarian", "statistician", "analyst", "review"]
    assert run.session_id == first.session_id
    assert run.run_id != first.run_id
    assert run.status == "completed"
    assert run.review.state == "approved"
    assert {role: result.summary for role, result in run.workers.items()} == {
        "security": "no secrets",
        "librarian": "a map",
        "statistician": "p < 0.05",
    }
    told = next(call.prompt.user for call in session.model.calls if call.call_kind == "primary")
    assert "no secrets" in told
    assert "a map" in told
    assert "provider_error" not in told


async def test_the_card_of_the_new_run_tells_what_was_kept_and_run_again(tmp_path: Path) -> None:
    session = Again(tmp_path)
    first = await session.first()
    lost = {agent.role: agent.can_retry for agent in first.view.agents if agent.kind == "worker"}

    run = await session.again(first)

    assert lost == {"librarian": True, "security": False, "statistician": True}
    agents = {agent.role: agent for agent in run.view.agents}
    assert (agents["security"].state, agents["security"].is_kept) == ("completed", True)
    assert agents["security"].usage.total_tokens == 0
    assert (agents["librarian"].retries, agents["librarian"].is_kept) == (1, False)
    assert {todo.state for todo in run.todos} == {"completed"}
    assert any(
        "librarian is run again" in warning for warning in map(speaker().said, run.view.warnings)
    )


async def test_a_blocked_worker_is_run_with_what_it_lacked(tmp_path: Path) -> None:
    session = Again(tmp_path)
    first = await session.first()
    session.lines["librarian"] = GOOD

    run = await session.again(first, "statistician", json.dumps({"summary": "now"}))

    assert session.asked[:2] == ["librarian", "statistician"]
    assert run.workers["statistician"].summary == "now"


class StopsAfter:
    """Stops a run when one of its workers is done."""

    def __init__(self, role: str, prepared: PreparedRun) -> None:
        self._role = role
        self._prepared = prepared

    def on_view(self, view: RunView) -> None:
        if any(one.role == self._role and one.state == "completed" for one in view.agents):
            self._prepared.stop()

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        pass


async def test_a_stopped_run_goes_on_with_all_that_had_no_turn(tmp_path: Path) -> None:
    session = Again(tmp_path)
    session.lines["librarian"] = Reply(text="late", delay_s=60)
    prepared = prepare_run("why did sales fall", session.arguments(review=False), Sources())
    first = await asyncio.wait_for(prepared.execute(StopsAfter("security", prepared)), 10)
    assert first.status == "cancelled"

    run = await session.again(first)

    assert session.asked == ["librarian", "statistician", "analyst"]
    assert run.status == "completed"


@pytest.mark.parametrize(
    ("worker", "said"), [("security", "completed"), ("nobody", "nobody"), ("analyst", "analyst")]
)
async def test_a_new_run_begins_for_lost_workers_alone(
    tmp_path: Path, worker: str, said: str
) -> None:
    session = Again(tmp_path)
    first = await session.first()

    with pytest.raises(UsageError, match=said):
        await session.again(first, worker)

    assert session.asked == []


async def test_retries_are_bounded_over_the_runs_of_a_session(tmp_path: Path) -> None:
    session = Again(tmp_path)
    run = await session.first(review=False)

    for _ in range(MAX_RETRIES):
        run = await session.again(run, line=FAILURE)

    with pytest.raises(UsageError, match="most"):
        await session.again(run)


async def test_the_budget_counts_what_earlier_runs_spent(tmp_path: Path) -> None:
    session = Again(tmp_path)
    session.lines["security"] = Reply(
        text=json.dumps({"summary": "x"}),
        usage=TokenUsage(input=90_000, output=9_000, total=99_000),
    )
    first = await session.first(review=False, max_tokens=100_000)

    run = await session.again(first)

    assert session.asked == []
    assert run.status == "failed"


async def test_a_kept_session_reads_back_the_same_and_in_the_original(tmp_path: Path) -> None:
    session = Again(tmp_path)
    first = await session.first()

    run = await session.again(first)

    path = tmp_path / "home" / "sessions" / f"{run.session_id}.jsonl"
    assert problems(path) == []
    assert read_run(run.session_id, tmp_path / "home").view == run.view


async def test_what_the_earlier_run_answered_reaches_nobody_in_the_new_one(tmp_path: Path) -> None:
    session = Again(tmp_path)
    session.lines |= {
        "analyst": "PRIVATE-ANSWER",
        "librarian": Reply(text="PRIVATE-PARTIAL", finish_reason=None),
        "security": 'PRIVATE-WORDS {"summary": "no secrets"} PRIVATE-WORDS',
    }
    first = await session.first(continue_session=None)
    session.lines["analyst"] = "another answer"

    run = await session.again(first)

    sent = "".join(call.prompt.system + call.prompt.user for call in run.calls)
    assert "no secrets" in sent
    assert "PRIVATE" not in sent


async def test_a_continued_run_is_told_of_the_run_before_it_and_not_of_itself(
    tmp_path: Path,
) -> None:
    session = Again(tmp_path)
    roles = ("analyst", "librarian", "security")
    session.lines["librarian"] = GOOD
    before = await session.first("the question before", roles=roles)
    session.lines |= {"librarian": FAILURE, "analyst": "THE-SECOND-ANSWER"}
    second = await session.first("and then?", roles=roles, continue_session=before.session_id)
    session.lines["analyst"] = "another"

    third = await session.again(second, line=FAILURE)
    fourth = await session.again(third)

    for run in (third, fourth):
        sent = [call.prompt.user for call in run.calls]
        assert all("the question before" in text for text in sent)
        assert all("THE-SECOND-ANSWER" not in text for text in sent)


async def test_no_reference_is_sent_that_was_not_sent_before(tmp_path: Path) -> None:
    session = Again(tmp_path)
    arguments = session.arguments(
        review=False, expand_references=False, roles=("analyst", "librarian", "security")
    )
    (tmp_path / "project" / "notes.txt").write_text("PRIVATE", encoding="utf-8")
    first = await prepare_run("why @notes.txt", arguments, Sources()).execute()

    run = await session.again(first)

    assert all("PRIVATE" not in call.prompt.user for call in run.calls)


async def test_a_reference_that_changed_since_is_told(tmp_path: Path) -> None:
    session = Again(tmp_path)
    notes = tmp_path / "project" / "notes.txt"
    notes.write_text("old", encoding="utf-8")
    first = await session.first("why did @notes.txt fall")
    notes.write_text("new", encoding="utf-8")

    run = await session.again(first)

    assert any(
        "@notes.txt has changed" in warning for warning in map(speaker().said, run.view.warnings)
    )
