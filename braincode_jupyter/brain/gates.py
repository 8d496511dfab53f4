"""What a reviewer's word is worth once something was edited: tier, mode, and gates in order.

A gate can only take away: it turns an approval into *changes requested* or *blocked*, lowers a
confidence or adds a risk, and never the other way round. Ours in addition: an approval that covers
none of the changed files does not stand, whatever the tier.

References
----------
Braincode, risk tiers, review modes and gates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.brain.patch_kinds import touches_auth_and_ci
from braincode_jupyter.protocol.review import ReviewFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from braincode_jupyter.protocol.change_records import ChecksRan, PatchKind
    from braincode_jupyter.protocol.review import (
        ReviewDecision,
        ReviewIndependence,
        ReviewMode,
        RiskTier,
    )

MAX_LISTED = 5
"""Names in one sentence."""
MAX_WEAK_CONFIDENCE = 0.5
"""Most that a model's confidence in its own work counts."""

_TIERS: Mapping[PatchKind, RiskTier] = {
    "docs-only": "low",
    "test-only": "low",
    "frontend": "medium",
    "backend": "medium",
    "unknown-code": "medium",
    "package-change": "medium",
    "auth-risk": "high",
    "db-risk": "high",
    "ci-risk": "high",
}
_MODES: Mapping[RiskTier, ReviewMode] = {"high": "strict", "critical": "hostile"}
_GRAVE: frozenset[RiskTier] = frozenset({"high", "critical"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedChange:
    """What the reviewer of a change was given.

    Parameters
    ----------
    paths : tuple of str
        Changed files.
    tier : RiskTier
        How risky the change is.
    checks : ChecksRan or None
        What the checks said.
    has_evidence : bool
        There was a diff, or a preview of a new file.
    is_diff_truncated : bool
        The diff was not whole.
    """

    paths: tuple[str, ...]
    tier: RiskTier
    checks: ChecksRan | None
    has_evidence: bool
    is_diff_truncated: bool


def risk_tier(kind: PatchKind, paths: tuple[str, ...], *, rule_wants_review: bool) -> RiskTier:
    """Return how risky a change is.

    Parameters
    ----------
    kind : PatchKind
        What kind of change it is.
    paths : tuple of str
        Changed files.
    rule_wants_review : bool
        A permission rule that matched wants it reviewed.

    Returns
    -------
    RiskTier
        ``critical`` where who may come in and what runs on a server change together.
    """
    if touches_auth_and_ci(paths):
        return "critical"
    tier = _TIERS[kind]
    return "high" if rule_wants_review and tier not in _GRAVE else tier


def review_mode(tier: RiskTier | None) -> ReviewMode:
    """Return how hard a reviewer is to look; without edits there is no tier."""
    return _MODES.get(tier, "normal") if tier is not None else "normal"


def pass_gates(decision: ReviewDecision, change: ReviewedChange) -> ReviewDecision:
    """Return what is left of a decision after every gate, in order.

    Parameters
    ----------
    decision : ReviewDecision
        What the reviewer decided.
    change : ReviewedChange
        What it was given.

    Returns
    -------
    ReviewDecision
        With mode and tier; never better than it came.
    """
    found = decision.model_copy(update={"mode": review_mode(change.tier), "risk_tier": change.tier})
    for gate in _GATES:
        found = gate(found, change)
    return found


def _checks(decision: ReviewDecision, change: ReviewedChange) -> ReviewDecision:
    if change.checks is None:
        return decision
    if change.checks.status == "failed":
        failed = [one.name for one in change.checks.results if one.status == "failed"]
        sentence = f"Checks failed: {_listed(failed)}."
        if decision.decision == "blocked":
            return decision
        finding = ReviewFinding(severity="high", issue=sentence)
        return _demanding(decision, f"Make these checks pass: {_listed(failed)}.").model_copy(
            update={"findings": (*decision.findings, finding)}
        )
    if change.checks.status == "skipped":
        found = _with_risk(decision, f"Not checked: {change.checks.reason or 'no checks ran'}")
        return _lowered(found) if change.tier in _GRAVE else found
    return decision


def _whole_diff(decision: ReviewDecision, change: ReviewedChange) -> ReviewDecision:
    if not change.is_diff_truncated:
        return decision
    return _with_risk(decision, "The diff was too long: the reviewer did not see all of it.")


def _artifacts(decision: ReviewDecision, change: ReviewedChange) -> ReviewDecision:
    if change.has_evidence:
        return decision
    found = _with_risk(decision, "The reviewer was shown no text of what was changed.")
    return _lowered(found)


def _coverage(decision: ReviewDecision, change: ReviewedChange) -> ReviewDecision:
    covered = {plain_path(one.file) for one in decision.coverage or ()}
    looked = {plain_path(one.file) for one in decision.coverage or () if one.status != "skipped"}
    absent = [path for path in change.paths if plain_path(path) not in covered]
    if change.tier in _GRAVE and absent:
        why = f"Not covered by the review: {_listed(absent)}."
        return _demanding(_with_risk(decision, why), why)
    if decision.decision == "approved" and not any(plain_path(p) in looked for p in change.paths):
        why = "The reviewer approved and named no changed file that it looked at."
        return _demanding(_with_risk(decision, why), "Have the changed files looked at.")
    return decision


def _independence(decision: ReviewDecision, change: ReviewedChange) -> ReviewDecision:
    distance = decision.independence
    if distance is None:
        return decision
    found = decision
    if change.tier in _GRAVE and distance.same_model and found.decision == "approved":
        why = "A change of this risk was reviewed by the model that made it."
        found = _lowered(_with_risk(found, why))
    if change.tier == "critical" and distance.same_provider:
        why = "A critical change needs a reviewer of another provider."
        found = _with_risk(found, why).model_copy(update={"decision": "blocked"})
    return _capped(found, distance, change)


def _capped(
    decision: ReviewDecision, distance: ReviewIndependence, change: ReviewedChange
) -> ReviewDecision:
    if not distance.same_model or change.tier == "low":
        return decision
    confidence = decision.confidence
    most = MAX_WEAK_CONFIDENCE if confidence is None else min(confidence, MAX_WEAK_CONFIDENCE)
    why = "A model's confidence in its own change counts half at most."
    return _with_risk(decision, why).model_copy(update={"confidence": most})


_GATES: tuple[Callable[[ReviewDecision, ReviewedChange], ReviewDecision], ...] = (
    _checks,
    _whole_diff,
    _artifacts,
    _coverage,
    _independence,
)


def plain_path(path: str) -> str:
    """Return a path as paths are compared: with ``/``, without a leading ``./``."""
    text = path.strip().replace("\\", "/")
    return text.removeprefix("./")


def _lowered(decision: ReviewDecision) -> ReviewDecision:
    if decision.decision == "blocked":
        return decision
    return decision.model_copy(update={"decision": "changes_requested"})


def _demanding(decision: ReviewDecision, change: str) -> ReviewDecision:
    required = tuple(dict.fromkeys((*decision.required_changes, change)))
    return _lowered(decision).model_copy(update={"required_changes": required})


def _with_risk(decision: ReviewDecision, risk: str) -> ReviewDecision:
    risks = tuple(dict.fromkeys((*decision.residual_risks, risk)))
    return decision.model_copy(update={"residual_risks": risks})


def _listed(names: list[str]) -> str:
    rest = len(names) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {rest:,} more" if rest > 0 else "")
