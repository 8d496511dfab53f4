"""The reviewer's decision: nothing but an explicit, readable approval approves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeGuard, get_args

from braincode_jupyter.brain.replies import MAX_ITEM_CHARS, MAX_ITEMS, extract_json
from braincode_jupyter.brain.text import kept_text, kept_texts
from braincode_jupyter.protocol.review import (
    Decision,
    ReviewCoverage,
    ReviewDecision,
    ReviewFinding,
    ReviewIndependence,
    ReviewParty,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, ModelSummary

MAX_RATIONALE_CHARS = 4_000
"""Why the reviewer decided so."""
MAX_LINE = 10_000_000
"""Greatest line number of a finding."""

_ASK_FOR_DECISION = "Have the answer reviewed again: the reviewer gave no readable decision."
_SAME_MODEL = "The reviewer ran on the model that wrote the answer."
_DECISIONS: tuple[str, ...] = get_args(Decision)
_SEVERITIES: tuple[str, ...] = ("low", "medium", "high")
_INSPECTIONS: tuple[str, ...] = ("inspected", "partially_inspected", "skipped")


def review_decision(
    text: str | None,
    *,
    result: ExecutedWorkerResult,
    primary_model: ModelSummary | None,
    reviewer_model: ModelSummary | None,
) -> ReviewDecision | None:
    """Return what a reviewer decided, after the gates that hold without edits.

    Parameters
    ----------
    text : str or None
        The reviewer's reply; None if there is none.
    result : ExecutedWorkerResult
        The same reply as a result.
    primary_model : ModelSummary or None
        Who wrote the answer.
    reviewer_model : ModelSummary or None
        Who reviewed it.

    Returns
    -------
    ReviewDecision or None
        None means *not reviewed*: no reviewer answered. A reply without a valid decision asks for
        changes, one that reports a block or a failure blocks; only ``approved`` approves.

    References
    ----------
    Braincode, review reply and independence.
    """
    if text is None or not text.strip() or result.error is not None:
        return None
    found = extract_json(text)
    fields = found if isinstance(found, dict) else {}
    explicit = fields.get("decision")
    required = _texts(fields.get("requiredChanges"))
    if not _is_decision(explicit):
        required = tuple(dict.fromkeys((*required, _ASK_FOR_DECISION)))
    independence = independence_of(primary_model, reviewer_model)
    risks = (*_texts(fields.get("residualRisks")), *result.risks)
    if independence.same_model:
        risks = (*risks, _SAME_MODEL)
    return ReviewDecision(
        decision=_decide(explicit, result),
        confidence=_confidence(fields.get("confidence")),
        rationale=kept_text(fields.get("rationale"), MAX_RATIONALE_CHARS)
        or kept_text(result.summary, MAX_RATIONALE_CHARS)
        or "",
        findings=_findings(fields.get("findings")),
        required_changes=required,
        blocking_issues=_texts(fields.get("blockingIssues")),
        residual_risks=tuple(dict.fromkeys(risks)),
        coverage=_coverage(fields.get("coverage")),
        independence=independence,
    )


def independence_of(
    primary: ModelSummary | None, reviewer: ModelSummary | None
) -> ReviewIndependence:
    """Return how far the model that reviewed is from the one that answered.

    Parameters
    ----------
    primary, reviewer : ModelSummary or None
        None: unknown.

    Returns
    -------
    ReviewIndependence
        It is judged; nobody is chosen for it.
    """
    same_model = primary is not None and reviewer is not None and primary.id == reviewer.id
    same_provider = (
        primary is not None and reviewer is not None and primary.provider == reviewer.provider
    )
    return ReviewIndependence(
        primary=_party(primary),
        reviewer=_party(reviewer),
        same_model=same_model,
        same_provider=same_provider,
        level=_level(reviewer, same_model=same_model, same_provider=same_provider),
    )


def _decide(explicit: JsonValue, result: ExecutedWorkerResult) -> Decision:
    if result.status != "completed":
        return "blocked"
    return explicit if _is_decision(explicit) else "changes_requested"


def _is_decision(value: JsonValue) -> TypeGuard[Decision]:
    return isinstance(value, str) and value in _DECISIONS


def _texts(value: JsonValue) -> tuple[str, ...]:
    return kept_texts(value, items=MAX_ITEMS, chars=MAX_ITEM_CHARS)


def _confidence(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(1.0, max(0.0, float(value)))


def _findings(value: JsonValue) -> tuple[ReviewFinding, ...]:
    items = value if isinstance(value, list) else []
    findings = (_finding(item) for item in items if isinstance(item, dict))
    return tuple(finding for finding in findings if finding is not None)[:MAX_ITEMS]


def _finding(raw: Mapping[str, JsonValue]) -> ReviewFinding | None:
    issue = kept_text(raw.get("issue"), MAX_ITEM_CHARS)
    if issue is None:
        return None
    severity, line = raw.get("severity"), raw.get("line")
    is_line = isinstance(line, int) and not isinstance(line, bool) and 0 < line <= MAX_LINE
    return ReviewFinding.model_validate(
        {
            "severity": severity if severity in _SEVERITIES else "medium",
            "issue": issue,
            "file": kept_text(raw.get("file"), MAX_ITEM_CHARS),
            "line": line if is_line else None,
            "evidence": kept_text(raw.get("evidence"), MAX_ITEM_CHARS),
            "suggestion": kept_text(raw.get("suggestion"), MAX_ITEM_CHARS),
        }
    )


def _coverage(value: JsonValue) -> tuple[ReviewCoverage, ...] | None:
    found: dict[str, ReviewCoverage] = {}
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, dict) or item.get("status") not in _INSPECTIONS:
            continue
        file = kept_text(item.get("file"), MAX_ITEM_CHARS)
        if file is not None and file not in found:
            reason = kept_text(item.get("reason"), MAX_ITEM_CHARS)
            found[file] = ReviewCoverage.model_validate(
                {"file": file, "status": item["status"], "reason": reason}
            )
    return tuple(found.values())[:MAX_ITEMS] or None


def _level(
    reviewer: ModelSummary | None, *, same_model: bool, same_provider: bool
) -> Literal["none", "weak", "moderate", "strong"]:
    if reviewer is None:
        return "none"
    if same_model:
        return "weak"
    return "moderate" if same_provider else "strong"


def _party(model: ModelSummary | None) -> ReviewParty:
    if model is None:
        return ReviewParty()
    return ReviewParty(model_id=model.id, provider=model.provider)
