"""Records of what a run changed: files, checks, what the reviewer was given, rounds of mending."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.change_view import ChangedFileView, ChangesView, CheckView
from braincode_jupyter.views.clean import clean_line, clean_text
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.run_view import ReviewView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.protocol.change_records import (
        ChangedFile,
        ChangesCollected,
        CheckResult,
        ChecksRan,
        FixStarted,
        PatchSummed,
        ReviewArtifactsSummed,
    )
    from braincode_jupyter.views.change_view import ChangeState
    from braincode_jupyter.views.run_view import RunView

MAX_FILES = 100
"""Changed files that a card names."""
MAX_CHECKS = 32
"""Checks that a card keeps."""
MAX_OUTPUT_CHARS = 1_200
"""Characters of one stream of one check; its end."""
MAX_REASON_CHARS = 600
"""Characters of a reason."""


def note_changes(view: RunView, record: ChangesCollected) -> RunView:
    """Take what stands changed; the checks come next."""
    if not record.changed_files:
        kept = view.changes
        left = ChangesView(fix_iteration=kept.fix_iteration, fix_trigger=kept.fix_trigger)
        return _with(view, left)
    changes = _named(view.changes, record.changed_files)
    changes = changes.model_copy(
        update={"checks_state": "running", "checks_reason": "", "checks": (), "risk_tier": ""}
    )
    return _with(view, changes).model_copy(update={"phase": "checking"})


def note_checks(view: RunView, record: ChecksRan) -> RunView:
    """Take what the checks said."""
    return _with(
        view,
        view.changes.model_copy(
            update={
                "kind": record.patch_kind or "",
                "checks_state": record.status,
                "checks_reason": recorded(
                    "judged", clean_line(record.reason or "", MAX_REASON_CHARS)
                ),
                "checks": tuple(_check(one) for one in record.results[:MAX_CHECKS]),
            }
        ),
    )


def note_artifacts(view: RunView, record: ReviewArtifactsSummed) -> RunView:
    """Take what the reviewer was given: it says how risky the change is."""
    changes = view.changes
    if not changes.files:
        changes = _named(changes, record.changed_files)
    return _with(view, changes.model_copy(update={"risk_tier": record.risk_tier or ""}))


def note_patch(view: RunView, record: PatchSummed) -> RunView:
    """Take what was changed in the end; in the original's journals it is all that is said."""
    return _with(view, _named(view.changes, record.changed_files))


def note_fix(view: RunView, record: FixStarted) -> RunView:
    """Take the start of a round of mending: what was judged will be judged anew."""
    changes = view.changes.model_copy(
        update={"fix_iteration": record.iteration, "fix_trigger": record.trigger}
    )
    view = _with(view, changes)
    if view.review.state == "not_required":
        return view
    return view.model_copy(update={"review": ReviewView(state="pending")})


def end_checks(changes: ChangesView) -> ChangesView:
    """Return the changes of a run that is over: checks that did not end did not pass."""
    if changes.checks_state != "running":
        return changes
    reason = sentence("said.notChecked")
    return changes.model_copy(update={"checks_state": "skipped", "checks_reason": reason})


def _named(changes: ChangesView, files: Sequence[ChangedFile]) -> ChangesView:
    """Return the changes with these files; lines that nobody counts now stay as they were."""
    known = {one.path: one for one in changes.files}
    shown = tuple(_file(one, known) for one in files[:MAX_FILES])
    return changes.model_copy(
        update={
            "files": shown,
            "more_files": len(files) - len(shown),
            "added": sum(one.added or 0 for one in shown),
            "removed": sum(one.removed or 0 for one in shown),
        }
    )


def _file(file: ChangedFile, known: dict[str, ChangedFileView]) -> ChangedFileView:
    path = clean_line(file.path, 400)
    earlier = known.get(path)
    added, removed = file.insertions, file.deletions
    if added is None and earlier is not None:
        added, removed = earlier.added, earlier.removed
    return ChangedFileView(
        path=path,
        state=_state(file.status),
        added=added,
        removed=removed,
        is_by_command=file.is_outside_ledger,
    )


def _state(status: str) -> ChangeState:
    if status in {"??", "A", "AM"}:
        return "new"
    return "removed" if "D" in status else "changed"


def _check(result: CheckResult) -> CheckView:
    failed = "timed_out" if result.timed_out else "failed"
    streams = (_tail(result.stdout), _tail(result.stderr))
    return CheckView(
        name=clean_line(result.name),
        command=clean_line(" ".join((result.command, *result.args)), 1_000),
        state="passed" if result.status == "passed" else failed,
        exit_code=result.exit_code,
        duration_ms=max(result.duration_ms, 0),
        output="\n".join(text for text in streams if text),
    )


def _tail(text: str) -> str:
    cleaned = clean_text(text[-4 * MAX_OUTPUT_CHARS :]).strip()
    return cleaned if len(cleaned) <= MAX_OUTPUT_CHARS else f"… {cleaned[-MAX_OUTPUT_CHARS:]}"


def _with(view: RunView, changes: ChangesView) -> RunView:
    return view.model_copy(update={"changes": changes})
