"""Resume is replay: folding the journal of a run through `step` decides the same run again."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from router_plan import router_plan

from braincode_jupyter.brain.effects import CallModel, EndRun, WriteRecord
from braincode_jupyter.brain.going_on import take_up
from braincode_jupyter.brain.step import initial, step
from braincode_jupyter.errors import ModelError
from braincode_jupyter.protocol.records import (
    ModelReplied,
    RetryRequested,
    UsageRecorded,
    parse_record,
)
from braincode_jupyter.protocol.work_records import MAX_RETRIES
from braincode_jupyter.runtime.launch import SystemClock, random_id
from braincode_jupyter.runtime.orchestrator import Orchestrator
from braincode_jupyter.runtime.preparation import prepare
from braincode_jupyter.runtime.settings import RunArguments, Sources
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.brain.state import TakenUp
    from braincode_jupyter.protocol.sections import ModelCall, ModelReply
    from braincode_jupyter.views.run_view import RunView

OUTCOMES = st.dictionaries(
    st.sampled_from(["router", "worker", "primary", "review"]),
    st.sampled_from(["ok", "prose", "fail"]),
)


class Retrier(ScriptedModel):
    """Runs the librarian again as often as it may; security goes on when that is over."""

    def __init__(self, script: Callable[[ModelCall], object]) -> None:
        super().__init__(script)
        self.run: Orchestrator | None = None
        self._is_over = asyncio.Event()

    async def complete(self, call: ModelCall, *rest: object) -> ModelReply:
        if call.role == "security":
            await asyncio.wait_for(self._is_over.wait(), 20)
        return await super().complete(call, *rest)

    def on_view(self, view: RunView) -> None:
        for agent in view.agents:
            if agent.can_retry and self.run is not None:
                asyncio.get_running_loop().call_soon(self.run.retry, agent.context_id)
            elif agent.role == "librarian" and agent.ended_ms is not None:
                self._is_over.set()

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        pass


PLAN = router_plan(
    "librarian", "security", "statistician", "analyst", edges=[("librarian", "statistician")]
)
TRIES = st.lists(st.sampled_from(["ok", "prose", "fail"]), min_size=1, max_size=5)


def retried(tries: list[str], folder: Path) -> Orchestrator:
    """Play a run whose librarian has these tries, while security takes its time."""
    lines = {"ok": '{"summary": "a map"}', "prose": "just some words"}

    def answer(call: ModelCall) -> str | Exception | None:
        match call.role:
            case "routeBrain":
                return PLAN
            case "security":
                return '{"summary": "safe"}'
            case "librarian":
                line = tries[min(call.retry, len(tries) - 1)]
                return lines.get(line) or ModelError("down", code="network")
            case _:
                return None

    return performed(Retrier(answer), folder)


def played(outcomes: dict[str, str], folder: Path) -> Orchestrator:
    def answer(call: ModelCall) -> str | Exception | None:
        match outcomes.get(call.call_kind, "ok"):
            case "prose":
                return "just some words"
            case "fail":
                return ModelError("down", code="network")
            case _:
                return None

    return performed(ScriptedModel(answer), folder)


def performed(model: ScriptedModel, folder: Path, taken: TakenUp | None = None) -> Orchestrator:
    folder.mkdir(exist_ok=True)
    preparation = prepare(
        "why did revenue fall in the north",
        RunArguments(home=folder / "home", project_root=folder, models=model),
        sources=Sources(),
        clock=SystemClock(),
        new_id=random_id,
    )
    orchestrator = Orchestrator(
        request=replace(preparation.request, taken_up=taken),
        models=model,
        journal=None,
        clock=SystemClock(),
        observer=model if isinstance(model, Retrier) else None,
    )
    if isinstance(model, Retrier):
        model.run = orchestrator
    asyncio.run(orchestrator.execute())
    return orchestrator


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(outcomes=OUTCOMES)
def test_replaying_the_records_gives_the_same_state_and_calls(
    outcomes: dict[str, str], tmp_path_factory: object
) -> None:
    expect_replay(played(outcomes, tmp_path_factory.mktemp("run")))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tries=TRIES)
def test_replaying_a_run_with_retries_decides_it_again(
    tries: list[str], tmp_path_factory: object
) -> None:
    run = retried(tries, tmp_path_factory.mktemp("run"))

    lost = next((number for number, line in enumerate(tries) if line == "ok"), MAX_RETRIES)
    again = [record for record in run.records if isinstance(record, RetryRequested)]
    assert len(again) == min(lost, MAX_RETRIES)
    expect_replay(run)


def expect_replay(run: Orchestrator) -> None:
    state = initial(run.request)
    decided: list[object] = []
    calls: list[str] = []
    ended = 0
    for record in run.records:
        state, effects = step(state, parse_record(json.loads(json.dumps(record.to_wire()))))
        decided += [e.record for e in effects if isinstance(e, WriteRecord)]
        calls += [e.call.call_id for e in effects if isinstance(e, CallModel)]
        ended += sum(isinstance(e, EndRun) for e in effects)

    assert state == run.state
    assert calls == [call.call_id for call in run.calls]
    assert ended == 1
    assert all(record in run.records for record in decided)


def test_what_was_spent_is_read_from_older_sessions_too_and_counted_once(tmp_path: Path) -> None:
    lines = {"routeBrain": json.dumps(PLAN), "librarian": ModelError("down", code="network")}
    run = performed(ScriptedModel(lines), tmp_path)
    failed = next(one for one in run.state.workers if one.role == "librarian").context_id

    older = list(run.records)
    for place, record in enumerate(run.records):
        if isinstance(record, ModelReplied):
            spent = older[place + 1]
            assert isinstance(spent, UsageRecorded)
            older[place : place + 2] = [spent, record.model_copy(update={"usage": None})]
    replies_alone = [one for one in run.records if not isinstance(one, UsageRecorded)]

    state = initial(run.request)
    for record in older:
        state, _ = step(state, record)
    assert state.spent_tokens == run.state.spent_tokens > 0
    booked = [take_up(one, failed) for one in (run.records, older, replies_alone)]
    assert len({taken.origin.spent_tokens for taken in booked}) == 1


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(outcomes=OUTCOMES, data=st.data())
def test_a_journal_cut_anywhere_leaves_exactly_the_calls_without_outcome(
    outcomes: dict[str, str], data: st.DataObject, tmp_path_factory: object
) -> None:
    run = played(outcomes, tmp_path_factory.mktemp("run"))
    cut = data.draw(st.integers(1, len(run.records)))

    state = initial(run.request)
    ordered: set[str] = set()
    for record in run.records[:cut]:
        state, effects = step(state, record)
        ordered |= {e.call.call_id for e in effects if isinstance(e, CallModel)}

    answered = {r.call_id for r in run.records[:cut] if r.type in {"model_reply", "model_error"}}
    if state.at != "ended":
        assert set(state.open_calls) == ordered - answered


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tries=TRIES.filter(lambda tries: tries[0] != "ok"), cut=st.floats(0, 1))
def test_replaying_a_run_that_goes_on_from_another_decides_it_again(
    tries: list[str], cut: float, tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("run")
    first = retried(tries, folder)
    librarian = next(w for w in first.state.workers if w.role == "librarian").context_id
    earlier = first.records[: max(6, int(cut * len(first.records)))]
    taken = take_up(earlier, librarian)

    if isinstance(taken, str):
        assert len(tries) > 1 or "most" in taken or "plan" in taken
        return
    run = performed(ScriptedModel(), folder / "again", taken)

    asked = [call.context_id for call in run.calls if call.call_kind == "worker"]
    assert librarian in asked
    assert not set(asked) & set(taken.results)
    expect_replay(run)
