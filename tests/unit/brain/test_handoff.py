from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.brain.handoff import (
    REVIEW_REPLY_SCHEMA,
    WORKER_REPLY_SCHEMA,
    build_handoff,
    envelope,
    reply_template,
    review_reply_template,
)
from braincode_jupyter.brain.replies import blocked_result, failed_result, worker_result
from braincode_jupyter.brain.router import ROUTER_REPLY_SCHEMA
from braincode_jupyter.protocol.contexts import ContextRef
from braincode_jupyter.protocol.message import AgentMessage
from braincode_jupyter.protocol.plan import ModelSummary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from braincode_jupyter.protocol.contexts import HandoffPacket
    from braincode_jupyter.protocol.plan import RuntimePlan

REF = ContextRef(kind="file", uri="/p/AGENTS.md", label="AGENTS.md")
SCHEMAS = [WORKER_REPLY_SCHEMA, REVIEW_REPLY_SCHEMA, ROUTER_REPLY_SCHEMA]


def test_a_packet_holds_task_and_six_rules(worker_plan: RuntimePlan) -> None:
    worker = worker_plan.workers[1]

    packet = build_handoff(
        worker, session_id="session", run_id="run", phase="support", context_refs=[REF]
    )

    wire: Any = packet.to_wire()
    assert (wire["fromLayer"], wire["toLayer"]) == ("brain", "agent")
    assert wire["task"] == {
        "id": worker.context_id,
        "parentId": "session",
        "layer": "agent",
        "agentRole": "librarian",
        "goal": worker.goal,
        "progress": {"status": "pending", "summary": "librarian support task is queued."},
        "contextRefs": [REF.to_wire()],
    }
    assert len(packet.constraints) == 6
    assert "librarian" in packet.constraints[0]
    for key in WORKER_REPLY_SCHEMA["properties"]:
        assert key in packet.expected_result
    assert packet == build_handoff(
        worker, session_id="session", run_id="run", phase="support", context_refs=[REF]
    )


def test_a_handoff_travels_from_the_brain_to_a_role(packet: HandoffPacket) -> None:
    message: Any = envelope(packet, run_id="run").to_wire()

    assert (message["from"], message["to"], message["kind"]) == ("brain", "librarian", "handoff")
    assert message["parentId"] == "session"
    assert message["payload"] == packet.to_wire()
    assert "contextRefs" not in message


@pytest.mark.parametrize("state", ["completed", "failed", "blocked"])
def test_only_a_failed_result_travels_as_an_error(
    worker_plan: RuntimePlan, packet: HandoffPacket, state: str
) -> None:
    worker, model = worker_plan.workers[1], ModelSummary(id="a/b", provider="a", name="B")
    artifact = '{"kind":"file","uri":"/a"}'
    result = {
        "completed": worker_result(
            f'{{"summary":"S","artifacts":[{artifact}]}}',
            handoff=packet,
            worker=worker,
            model=model,
        ),
        "failed": failed_result("timeout", handoff=packet, worker=worker),
        "blocked": blocked_result("upstream_failed", worker=worker, session_id="s", run_id="r"),
    }[state]

    message = envelope(result, run_id="run")

    assert message.kind == ("error" if state == "failed" else "result")
    assert (message.sender, message.to) == ("librarian", "orchestrator")
    assert message.parent_id == result.handoff_id
    assert message.payload == result
    assert (message.context_refs is not None) == (state == "completed")
    assert message.id != envelope(packet, run_id="run").id


def test_an_envelope_survives_the_journal(packet: HandoffPacket) -> None:
    message = envelope(packet, run_id="run")

    assert AgentMessage.model_validate_json(json.dumps(message.to_wire())) == message


def test_templates_fill_in_the_ids_and_hold_no_fence(packet: HandoffPacket) -> None:
    worker, review = reply_template(packet), review_reply_template(packet)

    assert f'"taskId":"{packet.task.id}"' in worker
    assert '"parentId":"session"' in worker
    assert '"decision":"approved|changes_requested|blocked"' in review
    assert "```" not in worker + review
    shape = json.loads(worker.splitlines()[1])
    assert set(shape) == {"taskId", "parentId", *WORKER_REPLY_SCHEMA["properties"]}


def _nodes(schema: object) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema
        for value in schema.values():
            yield from _nodes(value)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_text_and_list_of_a_schema_is_bounded(schema: dict[str, Any]) -> None:
    for node in _nodes(schema):
        if node["type"] == "string":
            assert "enum" in node or node["maxLength"] <= 1500
        if node["type"] == "array":
            assert node["maxItems"] <= 16
        if node["type"] == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
