from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.brain.clarify import default_clarification
from braincode_jupyter.brain.handoff import build_handoff
from braincode_jupyter.brain.replies import worker_result
from braincode_jupyter.brain.report import final_report, run_summary
from braincode_jupyter.protocol.plan import ModelSummary
from braincode_jupyter.protocol.review import (
    ReviewDecision,
    ReviewFinding,
    ReviewIndependence,
    ReviewParty,
)

if TYPE_CHECKING:
    from braincode_jupyter.protocol.plan import RuntimePlan

APPROVED = ReviewDecision(decision="approved", confidence=0.9, rationale="Sound.")


def _report(
    plan: RuntimePlan, *, answer: str = "42", review: ReviewDecision | None = None
) -> dict[str, object]:
    worker = plan.workers[1]
    packet = build_handoff(
        worker, session_id="session", run_id="run", phase="support", context_refs=()
    )
    result = worker_result(
        "Map.", handoff=packet, worker=worker, model=ModelSummary(id="a/b", provider="a", name="B")
    )
    return final_report(
        plan,
        session_id="session",
        task="Why {x}?",
        answer=answer,
        results=[result],
        review=review,
        warnings=["One.", "One."],
    )


def test_a_report_has_the_keys_of_version_one(worker_plan: RuntimePlan) -> None:
    report = _report(worker_plan, review=APPROVED)

    assert list(report) == [
        "version", "status", "task", "sessionId", "brain", "routing", "todos", "review",
        "modelSummary", "warnings",
    ]  # fmt: skip
    assert (report["version"], report["status"], report["task"]) == (1, "approved", "Why {x}?")
    assert report["brain"] == {"id": "brain", "name": "Brain", "mode": "auto"}
    assert report["routing"] == {
        "source": "heuristic",
        "primaryRole": "analyst",
        "workers": [
            {"role": "analyst", "phase": "primary", "status": "completed"},
            {"role": "librarian", "phase": "support", "status": "completed"},
            {"role": "review", "phase": "review", "status": "approved"},
        ],
        "reason": "Test.",
    }
    assert report["warnings"] == ["One."]
    json.dumps(report)


@pytest.mark.parametrize("decision", ["approved", "changes_requested", "blocked"])
def test_the_review_decides_the_status(worker_plan: RuntimePlan, decision: str) -> None:
    review = APPROVED.model_copy(update={"decision": decision})

    report = _report(worker_plan, review=review)

    assert report["status"] == decision
    assert ("The review blocked the answer." in report["warnings"]) == (decision == "blocked")


def test_a_planned_review_that_nobody_made_is_a_warning(worker_plan: RuntimePlan) -> None:
    report = _report(worker_plan)

    assert report["status"] == "answered"
    assert any("not reviewed" in warning for warning in report["warnings"])
    assert "review" not in report


def test_a_question_pauses_the_run(worker_plan: RuntimePlan) -> None:
    agent_plan = worker_plan.agent_plan.model_copy(
        update={"clarification": default_clarification()}
    )

    report = _report(worker_plan.model_copy(update={"agent_plan": agent_plan}), answer="")

    assert report["status"] == "needs_clarification"
    assert report["clarification"] == default_clarification().to_wire()
    assert not any("not reviewed" in warning for warning in report["warnings"])
    assert {"role": "analyst", "phase": "primary"} in report["routing"]["workers"]


def test_a_review_by_the_answering_model_is_a_warning(worker_plan: RuntimePlan) -> None:
    party = ReviewParty(model_id="a/b", provider="a")
    same = ReviewIndependence(
        primary=party, reviewer=party, same_model=True, same_provider=True, level="weak"
    )

    report = _report(worker_plan, review=APPROVED.model_copy(update={"independence": same}))

    assert len(report["warnings"]) == 2


def test_the_summary_is_the_answer_with_the_review_below() -> None:
    finding = ReviewFinding(issue="Off by one.", file="a.py", line=3, suggestion="Recount.")
    review = APPROVED.model_copy(
        update={"findings": (finding,), "required_changes": ("Mend.",), "residual_risks": ("R",)}
    )

    assert run_summary("42", None) == "42"
    assert run_summary("42", review).splitlines() == [
        "42",
        "",
        "Review: approved (90%)",
        "Sound.",
        "Required changes:",
        "- Mend.",
        "Findings:",
        "- [medium] (a.py:3) Off by one. Suggestion: Recount.",
        "Residual risks:",
        "- R",
    ]
