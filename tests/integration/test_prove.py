from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from braincode_jupyter.runtime.prove import encodings, prove_isolation
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from braincode_jupyter.protocol.sections import ModelCall


async def test_B15_every_token_is_seen_exactly_where_the_matrix_says() -> None:
    report = await prove_isolation()

    assert report.holds, str(report)
    assert report.run.status == "completed"
    kinds = {call.call_kind for call in report.run.calls}
    assert kinds == {"router", "worker", "primary", "review"}


async def test_the_proof_has_positive_and_negative_cases_for_every_kind() -> None:
    report = await prove_isolation()

    seen = {row.kind for row in report.rows if row.is_seen}
    absent = {row.kind for row in report.rows if not row.is_seen}
    assert seen == {"request", "reference", "support", "handoff", "result", "answer"}
    assert absent == {"support", "handoff", "result", "answer", "private"}


async def test_the_proof_holds_for_a_model_that_answers_in_prose() -> None:
    report = await prove_isolation(ScriptedModel(lambda call: f"prose of {call.role}"))

    assert report.holds, str(report)


async def test_a_leak_would_be_found() -> None:
    gossip: list[str] = []

    def leaky(call: ModelCall) -> str:
        text = call.prompt.user
        if call.role == "security":
            gossip.append(text)
        if call.role == "analyst" and gossip:
            return json.dumps({"summary": gossip[0][-3000:].replace("`", "")})
        return json.dumps({"summary": "nothing"})

    report = await prove_isolation(ScriptedModel(leaky))

    assert not report.holds
    assert any(row.fragment == "security: packet" for row in report.leaks)


def test_B15_hidden_forms_of_a_token_are_all_listed() -> None:
    token = "0123456789abcdef"  # noqa: S105 - no secret
    forms = encodings(token)

    for pad in range(3):
        hidden = base64.b64encode(b"x" * pad + token.encode() + b"yy").decode()
        assert any(form in hidden for form in forms)
    assert token.encode().hex() in forms
