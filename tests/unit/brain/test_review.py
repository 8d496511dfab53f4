from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.handoff import build_handoff
from braincode_jupyter.brain.replies import failed_result, worker_result
from braincode_jupyter.brain.review import review_decision
from braincode_jupyter.protocol.plan import ModelSummary, RuntimeWorker

if TYPE_CHECKING:
    from braincode_jupyter.protocol.review import ReviewDecision

WORKER = RuntimeWorker(role="review", goal="Review.", reason="Policy.", context_id="ctx")
PACKET = build_handoff(WORKER, session_id="s", run_id="r", phase="review", context_refs=())
ONE = ModelSummary(id="a/one", provider="a", name="One")
TWO = ModelSummary(id="a/two", provider="a", name="Two")
OTHER = ModelSummary(id="b/one", provider="b", name="Other")


def _decide(
    reply: object, *, primary: ModelSummary | None = OTHER, reviewer: ModelSummary | None = ONE
) -> ReviewDecision:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    result = worker_result(text, handoff=PACKET, worker=WORKER, model=ONE)
    decision = review_decision(text, result=result, primary_model=primary, reviewer_model=reviewer)
    assert decision is not None
    return decision


def test_an_explicit_approval_approves() -> None:
    decision = _decide(
        {
            "decision": "approved",
            "confidence": 1.4,
            "rationale": "Sound.",
            "summary": "Looked at it.",
            "risks": ["R", "S"],
            "residualRisks": ["S", "T"],
        }
    )

    assert (decision.decision, decision.confidence, decision.rationale) == (
        "approved",
        1.0,
        "Sound.",
    )
    assert decision.residual_risks == ("S", "T", "R")
    assert decision.required_changes == ()
    assert decision.mode == "normal"
    assert decision.risk_tier is None


@pytest.mark.parametrize(
    "reply",
    [
        "Looks good to me, approved!",
        "decision: approved",
        {"decision": "Approved"},
        {"decision": True},
        {"decision": ["approved"]},
        {"summary": "approved"},
        '{"decision":"approved","decision":"approved"}',
        '{"decision":"approved","confidence":' + "9" * 5_000 + "}",
        "[" * 200_000,
        '```json\n["approved"]\n```',
    ],
)
def test_an_unreadable_reply_asks_for_changes(reply: object) -> None:
    decision = _decide(reply)

    assert decision.decision == "changes_requested"
    assert len(decision.required_changes) == 1


@pytest.mark.parametrize("status", ["blocked", "failed"])
def test_a_reviewer_that_could_not_work_never_approves(status: str) -> None:
    reply = {"decision": "approved", "summary": "S", "progress": {"status": status}}

    assert _decide(reply).decision == "blocked"


def test_a_failed_or_silent_reviewer_is_no_review() -> None:
    failed = failed_result("timeout", handoff=PACKET, worker=WORKER)
    empty = worker_result(" ", handoff=PACKET, worker=WORKER, model=ONE)
    approving = '{"decision":"approved"}'

    assert review_decision(None, result=failed, primary_model=ONE, reviewer_model=None) is None
    assert review_decision(approving, result=failed, primary_model=ONE, reviewer_model=ONE) is None
    assert review_decision(" ", result=empty, primary_model=ONE, reviewer_model=TWO) is None


def test_findings_need_an_issue_and_are_brought_into_shape() -> None:
    decision = _decide(
        {
            "decision": "changes_requested",
            "findings": [
                {"severity": "critical", "issue": " Wrong sum ", "line": 3, "file": "a.py"},
                {"severity": "high", "issue": ""},
                {"issue": "Off", "line": True, "severity": "low", "suggestion": "Recount."},
                "text",
            ],
            "coverage": [
                {"file": "a.py", "status": "inspected"},
                {"file": "a.py", "status": "skipped"},
                {"file": "b.py", "status": "read"},
            ],
        }
    )

    assert [(f.severity, f.issue, f.line) for f in decision.findings] == [
        ("medium", "Wrong sum", 3), ("low", "Off", None),
    ]  # fmt: skip
    assert decision.coverage is not None
    assert [(c.file, c.status) for c in decision.coverage] == [("a.py", "inspected")]


def test_the_rationale_falls_back_to_the_summary() -> None:
    assert _decide({"decision": "blocked", "summary": "No data."}).rationale == "No data."


@pytest.mark.parametrize(
    ("primary", "reviewer", "level"),
    [(OTHER, ONE, "strong"), (TWO, ONE, "moderate"), (ONE, ONE, "weak"), (ONE, None, "none")],
)
def test_independence_is_the_distance_of_the_models(
    primary: ModelSummary, reviewer: ModelSummary | None, level: str
) -> None:
    decision = _decide({"decision": "approved"}, primary=primary, reviewer=reviewer)

    assert decision.independence is not None
    assert decision.independence.level == level
    assert decision.independence.same_model == (level == "weak")
    assert bool(decision.residual_risks) == (level == "weak")


@given(st.text(max_size=80).filter(lambda text: '"approved"' not in text))
def test_no_text_without_an_explicit_decision_approves(text: str) -> None:
    result = worker_result(text, handoff=PACKET, worker=WORKER, model=ONE)

    decision = review_decision(text, result=result, primary_model=TWO, reviewer_model=ONE)

    assert decision is None or decision.decision != "approved"
