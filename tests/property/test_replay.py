"""Resume is replay: folding the journal of a run through `step` decides the same run again."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.effects import CallModel, EndRun, WriteRecord
from braincode_jupyter.brain.step import initial, step
from braincode_jupyter.errors import ModelError
from braincode_jupyter.protocol.records import parse_record
from braincode_jupyter.runtime.launch import SystemClock, random_id
from braincode_jupyter.runtime.orchestrator import Orchestrator
from braincode_jupyter.runtime.preparation import prepare
from braincode_jupyter.runtime.settings import RunArguments, Sources
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall

OUTCOMES = st.dictionaries(
    st.sampled_from(["router", "worker", "primary", "review"]),
    st.sampled_from(["ok", "prose", "fail"]),
)


def played(outcomes: dict[str, str], folder: Path) -> Orchestrator:
    def answer(call: ModelCall) -> str | Exception | None:
        match outcomes.get(call.call_kind, "ok"):
            case "prose":
                return "just some words"
            case "fail":
                return ModelError("down", code="network")
            case _:
                return None

    model = ScriptedModel(answer)
    preparation = prepare(
        "why did revenue fall in the north",
        RunArguments(home=folder / "home", project_root=folder, models=model),
        sources=Sources(),
        clock=SystemClock(),
        new_id=random_id,
    )
    orchestrator = Orchestrator(
        request=preparation.request, models=model, journal=None, clock=SystemClock()
    )
    asyncio.run(orchestrator.execute())
    return orchestrator


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(outcomes=OUTCOMES)
def test_replaying_the_records_gives_the_same_state_and_calls(
    outcomes: dict[str, str], tmp_path_factory: object
) -> None:
    run = played(outcomes, tmp_path_factory.mktemp("run"))

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
