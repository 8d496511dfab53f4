from __future__ import annotations

import records_sample as sample

from braincode_jupyter.protocol.records import OpaqueRecord, parse_record
from braincode_jupyter.views import fold_all
from braincode_jupyter.views.salvage import salvage


def test_an_original_run_start_keeps_prompt_and_brain() -> None:
    record = parse_record(
        {
            "timestamp": sample.T0,
            "type": "run_start",
            "prompt": "Explain",
            "plan": {"brain": {"id": "brain", "name": "Brain"}, "role": "backend"},
        }
    )

    view = fold_all("s", [record])

    assert isinstance(record, OpaqueRecord)
    assert (view.request, view.brain_id) == ("Explain", "brain")


def test_one_odd_field_does_not_cost_the_plan() -> None:
    line = sample.full_run()[-1].to_wire()
    start = next(
        one for one in sample.full_run() if one.type == "run_start" and one.plan is not None
    )
    line = start.to_wire()
    line["plan"]["workers"][0]["model"] = {"id": "acme/large", "headers": {"x": "y"}}
    line["plan"]["workers"][1]["goal"] = 7

    record = salvage(parse_record(line))

    assert record.type == "run_start"
    assert record.plan is not None
    assert record.plan.workers[0].model is None
    assert [worker.role for worker in record.plan.workers] == [
        role for role in sample.ROLES if role != "analyst"
    ]


def test_unknown_types_and_hopeless_lines_stay_opaque() -> None:
    for line in (
        {"type": "check_summary"},
        {"type": "run_start"},
        {"type": "run_end", "summary": 3},
        {},
    ):
        assert isinstance(
            salvage(OpaqueRecord(type=str(line.get("type", "")), data=line)), OpaqueRecord
        )


def test_a_session_of_the_original_gives_agents_todos_and_usage() -> None:
    full = [record.to_wire() for record in sample.full_run()]
    ours = {"prompt_manifest", "model_reply", "model_error", "reference"}
    lines = [line for line in full if line["type"] not in ours][1:]
    for line in lines:
        for key in ("callId", "runId", "costUsd", "contextId"):
            line.pop(key, None)
        if line["type"] == "context_plan":
            line.pop("plan")

    view = fold_all("s", [parse_record(line) for line in lines])

    assert view.state == "completed"
    assert [todo.state for todo in view.todos][1:] == ["completed"] * 4
    assert view.answer.text == sample.ANSWER
    assert view.usage.total_tokens == 19_020
    assert view.usage.cost_usd is None
    assert {one.kind for one in view.agents} == {"router", "worker", "primary", "review"}
