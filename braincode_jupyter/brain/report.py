"""The report of a run, version 1 of the original's format, and the text that ends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.brain.plan_review import review_summary
from braincode_jupyter.brain.roles import REVIEW_ROLE
from braincode_jupyter.brain.work import Work, tool_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.change_records import CheckSummary
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimePlan, RuntimeWorker
    from braincode_jupyter.protocol.review import ReviewDecision, ReviewFinding

REPORT_VERSION = 1
"""Version of the original's report."""

_PAUSED = "The run paused for a question to the user."
_SELF_REVIEW = "The answer was reviewed by the model that wrote it."
_REVIEW_BLOCKED = "The review blocked the answer."
_NOT_REVIEWED = "A review was planned, but nobody could make it: the answer is not reviewed."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What came of a plan."""

    plan: RuntimePlan
    answer: str
    results: Sequence[ExecutedWorkerResult]
    review: ReviewDecision | None


def final_report(  # noqa: PLR0913 - each is another fact of the report
    plan: RuntimePlan,
    *,
    session_id: str,
    task: str,
    answer: str,
    results: Sequence[ExecutedWorkerResult],
    review: ReviewDecision | None,
    warnings: Sequence[str] = (),
    work: Work | None = None,
) -> dict[str, JsonValue]:
    """Return the final report of a run.

    Parameters
    ----------
    plan : RuntimePlan
        The plan with the final state of its todos.
    session_id : str
        Session id.
    task : str
        The request as typed.
    answer : str
        The primary's text; empty if there is none.
    results : sequence of ExecutedWorkerResult
        Results of support workers and reviewer.
    review : ReviewDecision or None
        None if nobody reviewed.
    warnings : sequence of str
        Warnings of the run.
    work : Work or None
        What it changed, checked and called; None: nothing.

    Returns
    -------
    dict
        JSON; absent values are absent keys.

    References
    ----------
    Braincode, final report.
    """
    clarification = plan.agent_plan.clarification
    work = work or Work()
    outcome = _Outcome(plan=plan, answer=answer, results=results, review=review)
    report: dict[str, JsonValue] = {
        "version": REPORT_VERSION,
        "status": _status(plan, review, work),
        "task": task,
        "sessionId": session_id,
        "brain": {"id": plan.brain.id, "name": plan.brain.name, "mode": plan.mode},
        "routing": _routing(outcome),
        "todos": [
            {"id": todo.id, "title": todo.title, "role": todo.role, "status": todo.status}
            for todo in plan.todos
        ],
    }
    for key, packet in (("patch", work.patch), ("checks", work.checks)):
        if packet is not None:
            report[key] = packet.model_dump(mode="json", by_alias=True, exclude_none=True)
    if work.plan_review is not None:
        report["planReview"] = review_summary(work.plan_review)
    if review is not None:
        report["review"] = review.model_dump(mode="json", by_alias=True, exclude_none=True)
    if clarification is not None:
        report["clarification"] = clarification.model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
    if work.tool_calls:
        report["metrics"] = {"toolCalls": tool_metrics(work.tool_calls)}
    report["modelSummary"] = answer
    if work.fix_iterations:
        report["fixIterations"] = work.fix_iterations
    said = (*warnings, *_work_warnings(work, review))
    report["warnings"] = list(_warnings(plan, review, said))
    return report


def run_summary(answer: str, review: ReviewDecision | None, *, work: Work | None = None) -> str:
    """Return the text that ends a run: the answer, checks that failed, and the review below it.

    Parameters
    ----------
    answer : str
        The primary's text.
    review : ReviewDecision or None
        None if nobody reviewed.
    work : Work or None
        What was changed and checked.

    Returns
    -------
    str
        The answer alone where there is nothing to add.
    """
    checks = None if work is None else work.checks
    lines = _failed_checks(checks)
    if review is not None:
        lines += _review_lines(review)
    if not lines:
        return answer
    return f"{answer}\n\n" + "\n".join(lines) if answer else "\n".join(lines)


def _failed_checks(checks: CheckSummary | None) -> list[str]:
    if checks is None or checks.status != "failed":
        return []
    return [f"Checks failed: {', '.join(_names_of_failed(checks))}"]


def _names_of_failed(checks: CheckSummary) -> list[str]:
    return [one.name for one in checks.results if one.status == "failed"]


def _review_lines(review: ReviewDecision) -> list[str]:
    confidence = "" if review.confidence is None else f" ({review.confidence:.0%})"
    return [
        f"Review: {review.decision}{confidence}",
        *([review.rationale] if review.rationale else []),
        *_listed("Required changes", review.required_changes),
        *_listed("Blocking issues", review.blocking_issues),
        *_listed("Findings", map(_finding_line, review.findings)),
        *_listed("Residual risks", review.residual_risks),
    ]


def _status(plan: RuntimePlan, review: ReviewDecision | None, work: Work) -> str:
    """Return the state of a report; a change that nobody judged is no approved one."""
    if plan.agent_plan.clarification is not None:
        return "needs_clarification"
    if review is not None and review.decision == "blocked":
        return "blocked"
    checks = None if work.checks is None else work.checks.status
    if checks == "failed":
        return "changes_requested"
    if review is not None:
        return review.decision
    if work.patch is not None:
        is_judged = checks == "passed" and not plan.agent_plan.requires_review
        return "approved" if is_judged else "answered"
    return "read_only" if work.tool_calls else "answered"


def _work_warnings(work: Work, review: ReviewDecision | None) -> list[str]:
    if work.checks is None:
        return []
    if work.checks.status == "failed":
        names = ", ".join(_names_of_failed(work.checks))
        return [f"The change does not pass its checks: {names}."]
    if work.checks.status == "skipped" and review is None:
        return [f"The change was not checked. {work.checks.reason or ''}".rstrip()]
    return []


def _routing(outcome: _Outcome) -> dict[str, JsonValue]:
    plan = outcome.plan
    routing: dict[str, JsonValue] = {
        "source": plan.routing.source,
        "primaryRole": plan.role,
        "workers": [_worker(worker, outcome) for worker in plan.workers],
    }
    if plan.routing.confidence is not None:
        routing["confidence"] = plan.routing.confidence
    if plan.routing.reason is not None:
        routing["reason"] = plan.routing.reason
    return routing


def _worker(worker: RuntimeWorker, outcome: _Outcome) -> JsonValue:
    if worker.role == outcome.plan.role:
        status = "completed" if outcome.answer.strip() else None
        phase = "primary"
    else:
        result = next((r for r in outcome.results if r.task_id == worker.context_id), None)
        is_reviewer = worker.role == REVIEW_ROLE
        phase = "review" if is_reviewer else "support"
        status = None if result is None else result.status
        if is_reviewer and outcome.review is not None:
            status = outcome.review.decision
    entry: dict[str, JsonValue] = {"role": worker.role, "phase": phase}
    return entry if status is None else {**entry, "status": status}


def _warnings(
    plan: RuntimePlan, review: ReviewDecision | None, warnings: Iterable[str]
) -> tuple[str, ...]:
    found = list(warnings)
    is_paused = plan.agent_plan.clarification is not None
    if is_paused:
        found.append(_PAUSED)
    if review is None:
        if plan.agent_plan.requires_review and not is_paused:
            found.append(_NOT_REVIEWED)
        return tuple(dict.fromkeys(found))
    if review.decision == "blocked":
        found.append(_REVIEW_BLOCKED)
    if review.independence is not None and review.independence.same_model:
        found.append(_SELF_REVIEW)
    return tuple(dict.fromkeys(found))


def _listed(title: str, items: Iterable[str]) -> list[str]:
    lines = [f"- {item}" for item in items]
    return [f"{title}:", *lines] if lines else []


def _finding_line(finding: ReviewFinding) -> str:
    line = "" if finding.line is None else f":{finding.line}"
    place = "" if finding.file is None else f" ({finding.file}{line})"
    suggestion = f" Suggestion: {finding.suggestion}" if finding.suggestion else ""
    return f"[{finding.severity}]{place} {finding.issue}{suggestion}"
