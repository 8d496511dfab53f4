"""A worker that failed or came to nothing is run again while its run goes on."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from original_reader import problems

from braincode_jupyter.errors import ModelError, UnknownNameError, UsageError
from braincode_jupyter.protocol.records import MessageSent, RetryRequested, WorkerStarted
from braincode_jupyter.protocol.usage import TokenUsage
from braincode_jupyter.protocol.work_records import MAX_RETRIES
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views.words import REASONS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import PreparedRun, Run

PLAN = {
    "role": "analyst",
    "workers": [
        {"role": role, "goal": f"goal of {role}", "reason": "r"}
        for role in ("librarian", "security", "statistician", "analyst")
    ],
    "todos": [
        {"id": f"t-{role}", "title": role, "role": role}
        for role in ("librarian", "security", "statistician", "analyst")
    ],
    "dependencies": [{"from": "t-librarian", "to": "t-statistician"}],
}
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
                return json.dumps(PLAN)
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
        if self.prepared.view.agents[1].reason == REASONS["token_limit"]:
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
    assert run.workers["librarian-2"].summary == "a map"
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
    spent = Reply(text="prose", usage=TokenUsage(input=50_000, output=50_000, total=100_000))
    played = Played(tmp_path, spent, GOOD, max_tokens=120_000)

    run = await played.run()

    assert played.asked["librarian"] == 1
    assert run.workers["librarian-2"].error == "token_limit"


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
