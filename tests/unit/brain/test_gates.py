from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.checks import KINDS
from braincode_jupyter.brain.gates import ReviewedChange, pass_gates, review_mode, risk_tier
from braincode_jupyter.protocol.change_records import CheckResult, ChecksRan
from braincode_jupyter.protocol.review import (
    ReviewCoverage,
    ReviewDecision,
    ReviewIndependence,
    ReviewParty,
)

TIERS = ("low", "medium", "high", "critical")
RANK = {"approved": 0, "changes_requested": 1, "blocked": 2}
COVERED = (ReviewCoverage(file="./a.py", status="inspected"),)


def checks(status: str) -> ChecksRan:
    result = CheckResult(name="pytest", command="python", status="failed")
    return ChecksRan(
        timestamp=0,
        status=status,
        results=(result,) if status == "failed" else (),
        reason="nothing to run" if status == "skipped" else None,
    )


def distance(*, same_model: bool = False, same_provider: bool = False) -> ReviewIndependence:
    level = "weak" if same_model else "moderate" if same_provider else "strong"
    return ReviewIndependence(
        primary=ReviewParty(),
        reviewer=ReviewParty(),
        same_model=same_model,
        same_provider=same_provider or same_model,
        level=level,
    )


def change(tier: str = "medium", **more: object) -> ReviewedChange:
    return ReviewedChange(
        paths=more.get("paths", ("a.py",)),
        tier=tier,
        checks=more.get("checks", checks("passed")),
        has_evidence=more.get("has_evidence", True),
        is_diff_truncated=more.get("is_diff_truncated", False),
    )


def approved(**more: object) -> ReviewDecision:
    fields = {"coverage": COVERED, "independence": distance(), "confidence": 0.9, **more}
    return ReviewDecision(decision="approved", rationale="Sound.", **fields)


@pytest.mark.parametrize(
    ("kind", "tier"),
    [
        ("docs-only", "low"),
        ("test-only", "low"),
        ("frontend", "medium"),
        ("backend", "medium"),
        ("unknown-code", "medium"),
        ("package-change", "medium"),
        ("auth-risk", "high"),
        ("db-risk", "high"),
        ("ci-risk", "high"),
    ],
)
def test_the_tier_follows_the_kind_and_a_rule_lifts_it_to_high(kind: str, tier: str) -> None:
    assert risk_tier(kind, (), rule_wants_review=False) == tier
    assert risk_tier(kind, (), rule_wants_review=True) == "high"
    together = ("src/auth/a.py", ".github/workflows/a.yml")
    assert risk_tier(kind, together, rule_wants_review=False) == "critical"


def test_the_mode_follows_the_tier() -> None:
    modes = [review_mode(tier) for tier in (None, *TIERS)]

    assert modes == ["normal", "normal", "normal", "strict", "hostile"]


@pytest.mark.parametrize("tier", TIERS)
def test_a_sound_approval_by_another_provider_stands_on_every_tier(tier: str) -> None:
    found = pass_gates(approved(), change(tier))

    assert (found.decision, found.confidence, found.risk_tier) == ("approved", 0.9, tier)
    assert found.mode == review_mode(tier)


def test_failed_checks_turn_an_approval_and_name_themselves() -> None:
    found = pass_gates(approved(), change(checks=checks("failed")))

    assert found.decision == "changes_requested"
    assert "pytest" in found.findings[-1].issue
    assert found.findings[-1].severity == "high"
    assert "pytest" in found.required_changes[-1]


@pytest.mark.parametrize(
    ("tier", "decision"),
    [
        ("low", "approved"),
        ("medium", "approved"),
        ("high", "changes_requested"),
        ("critical", "changes_requested"),
    ],
)
def test_skipped_checks_are_a_risk_and_weigh_where_the_tier_is_grave(
    tier: str, decision: str
) -> None:
    found = pass_gates(approved(), change(tier, checks=checks("skipped")))

    assert found.decision == decision
    assert any("nothing to run" in risk for risk in found.residual_risks)


def test_a_cut_diff_is_a_risk_and_no_diff_is_more() -> None:
    cut = pass_gates(approved(), change(is_diff_truncated=True))
    absent = pass_gates(approved(), change(has_evidence=False))

    assert (cut.decision, absent.decision) == ("approved", "changes_requested")
    assert cut.residual_risks
    assert absent.residual_risks


def test_every_changed_file_must_be_covered_where_the_tier_is_grave() -> None:
    paths = ("a.py", *(f"src/{n}.py" for n in range(7)))

    grave = pass_gates(approved(), change("high", paths=paths))
    other = pass_gates(approved(), change("medium", paths=paths))

    assert (grave.decision, other.decision) == ("changes_requested", "approved")
    assert grave.required_changes == (
        "Not covered by the review: src/0.py, src/1.py, src/2.py, src/3.py, src/4.py and 2 more.",
    )


@pytest.mark.parametrize(
    "coverage",
    [
        None,
        (ReviewCoverage(file="other.py", status="inspected"),),
        (ReviewCoverage(file="a.py", status="skipped"),),
    ],
)
def test_B16_an_approval_that_looked_at_no_changed_file_does_not_stand(coverage: object) -> None:
    found = pass_gates(approved(coverage=coverage), change("low"))

    assert found.decision == "changes_requested"
    assert any("no changed file" in risk for risk in found.residual_risks)


def test_a_model_that_reviews_itself_is_believed_less_the_graver_the_change() -> None:
    own = distance(same_model=True)

    found = {tier: pass_gates(approved(independence=own), change(tier)) for tier in TIERS}

    assert [one.decision for one in found.values()] == [
        "approved",
        "approved",
        "changes_requested",
        "blocked",
    ]
    assert [one.confidence for one in found.values()] == [0.9, 0.5, 0.5, 0.5]


def test_a_critical_change_needs_another_provider() -> None:
    near = distance(same_provider=True)

    assert pass_gates(approved(independence=near), change("critical")).decision == "blocked"
    assert pass_gates(approved(independence=near), change("high")).decision == "approved"


CHANGES = st.builds(
    change,
    st.sampled_from(TIERS),
    checks=st.sampled_from(["passed", "failed", "skipped"]).map(checks),
    has_evidence=st.booleans(),
    is_diff_truncated=st.booleans(),
)
DECISIONS = st.builds(
    ReviewDecision,
    decision=st.sampled_from(list(RANK)),
    coverage=st.sampled_from([None, COVERED]),
    independence=st.builds(distance, same_model=st.booleans(), same_provider=st.booleans()),
)


@given(came=DECISIONS, given_change=CHANGES)
def test_gates_never_make_a_decision_better_and_failed_checks_never_end_approved(
    came: ReviewDecision, given_change: ReviewedChange
) -> None:
    found = pass_gates(came, given_change)

    assert RANK[found.decision] >= RANK[came.decision]
    assert given_change.checks is not None
    assert given_change.checks.status != "failed" or found.decision != "approved"
    assert pass_gates(found, given_change).decision == found.decision


def test_every_kind_has_a_tier() -> None:
    assert all(risk_tier(kind, (), rule_wants_review=False) in TIERS for kind in KINDS)
