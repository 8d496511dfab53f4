"""What the changes of a run mean, and how they are put before a reviewer and before the primary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from braincode_jupyter.brain.gates import ReviewedChange, risk_tier
from braincode_jupyter.brain.patch_kinds import patch_kind
from braincode_jupyter.brain.text import clip
from braincode_jupyter.protocol.sections import Section

if TYPE_CHECKING:
    from braincode_jupyter.brain.state import RunState
    from braincode_jupyter.protocol.change_records import (
        ChangesCollected,
        CheckResult,
        CheckSummary,
        PatchKind,
    )
    from braincode_jupyter.protocol.review import ReviewDecision

MAX_CHECK_CHARS = 1_200
"""Characters of one stream of one check in a prompt; its end."""
MAX_CLAIM_CHARS = 2_000
"""Characters of the answer in the packet of the review; the whole answer stands beside it."""


def kind_of_change(changes: ChangesCollected) -> PatchKind:
    """Return what kind of change stands in the project."""
    return patch_kind(paths_of(changes))


def paths_of(changes: ChangesCollected) -> tuple[str, ...]:
    """Return the changed paths."""
    return tuple(one.path for one in changes.changed_files)


def reviewed_change(state: RunState) -> ReviewedChange | None:
    """Return what a review of this state is judged by.

    Parameters
    ----------
    state : RunState
        After the checks.

    Returns
    -------
    ReviewedChange or None
        None where nothing was changed: such a review passes no gate.
    """
    changes = state.changes
    if changes is None or not changes.changed_files:
        return None
    paths = paths_of(changes)
    return ReviewedChange(
        paths=paths,
        tier=risk_tier(
            kind_of_change(changes), paths, rule_wants_review=bool(changes.review_rules)
        ),
        checks=state.checks,
        has_evidence=bool(changes.diff.strip()) or any(one.text for one in changes.previews),
        is_diff_truncated=changes.is_diff_truncated,
    )


def change_sections(state: RunState) -> tuple[Section, ...]:
    """Return the change, its checks and what a review asked for, as labelled sections.

    Parameters
    ----------
    state : RunState
        Where the run is.

    Returns
    -------
    tuple of Section
        Empty where nothing was changed.
    """
    changes = state.changes
    if changes is None or not changes.changed_files:
        return ()
    sections = [_patch("patch:files", "Changed files", _files(changes))]
    if changes.diff:
        sections.append(_patch("patch:diff", "What was changed (unified diff)", changes.diff))
    sections += [
        _patch(f"patch:new:{one.path}", "New file", _preview(one.path, one.text, one.is_cut))
        for one in changes.previews
        if one.text
    ]
    if state.checks is not None:
        sections.append(_patch("patch:checks", "Checks of the project", checks_text(state.checks)))
    if state.review is not None:
        sections.append(
            Section(
                kind="review",
                owner="brain",
                source="review",
                title="What the review asks for",
                text=_demands(state.review),
            )
        )
    return tuple(sections)


def review_packet(state: RunState, *, goal: str) -> Section | None:
    """Return the packet that tells a reviewer in fixed fields what it judges.

    Parameters
    ----------
    state : RunState
        After the checks.
    goal : str
        The request as typed.

    Returns
    -------
    Section or None
        None where nothing was changed.
    """
    changes = state.changes
    if changes is None or not changes.changed_files:
        return None
    results = () if state.checks is None else state.checks.results
    risks = dict.fromkeys(risk for result in state.results.values() for risk in result.risks)
    packet = {
        "intent": {
            "userGoal": goal,
            "primaryClaim": clip(state.answer.text if state.answer else "", MAX_CLAIM_CHARS),
        },
        "changeSet": {
            "filesChanged": list(paths_of(changes)),
            "patchKind": kind_of_change(changes),
            "diffStats": changes.diff_stats.to_wire(),
        },
        "verification": {
            "checksRun": [one.name for one in results],
            "checksPassed": [one.name for one in results if one.status == "passed"],
            "checkFailures": [one.name for one in results if one.status == "failed"],
        },
        "risks": list(risks),
    }
    text = json.dumps(packet, ensure_ascii=False, indent=2)
    return _patch("patch:packet", "Review packet", text)


def checks_text(checks: CheckSummary) -> str:
    """Return what checks said, with the end of what each wrote."""
    head = f"{checks.status}: {checks.reason}" if checks.reason else checks.status
    return "\n\n".join([head, *(_check(one) for one in checks.results)])


def _check(result: CheckResult) -> str:
    ending = "took too long and was ended" if result.timed_out else f"exit {result.exit_code}"
    lines = [f"{result.name}: {result.status} ({ending})", " ".join((result.command, *result.args))]
    for name, text in (("output", result.stdout), ("errors", result.stderr)):
        if text.strip():
            lines += [f"[{name}]", tail(text, MAX_CHECK_CHARS)]
    return "\n".join(lines)


def tail(text: str, limit: int) -> str:
    """Return the end of a text, and a mark where something stood before it."""
    text = text.strip()
    return text if len(text) <= limit else f"… {text[-limit + 2 :]}"


def _files(changes: ChangesCollected) -> str:
    words = {"??": "new", "D": "removed"}
    lines = [
        f"- {one.path} ({words.get(one.status, 'changed')}"
        + (f", +{one.insertions} -{one.deletions})" if one.insertions is not None else ")")
        + (" by a command" if one.is_outside_ledger else "")
        for one in changes.changed_files
    ]
    if changes.is_diff_truncated:
        lines.append("The diff below is cut: it was too long.")
    return "\n".join([*lines, *changes.notes])


def _preview(path: str, text: str, is_cut: bool) -> str:  # noqa: FBT001 - a field of the preview
    return f"{path}\n\n{text}" + ("\n[cut]" if is_cut else "")


def _demands(review: ReviewDecision) -> str:
    lines = [
        *(f"- required: {one}" for one in review.required_changes),
        *(
            f"- [{one.severity}] {one.file or ''}{f':{one.line}' if one.line else ''} {one.issue}"
            + (f" Suggestion: {one.suggestion}" if one.suggestion else "")
            for one in review.findings
        ),
    ]
    return "\n".join(lines) or review.rationale or review.decision


def _patch(source: str, title: str, text: str) -> Section:
    return Section(kind="patch", owner="brain", source=source, title=title, text=text)
