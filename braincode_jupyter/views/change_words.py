"""What text and HTML say of what a run changed, put together from the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braincode_jupyter.views.change_view import ChangedFileView, ChangesView, CheckView
    from braincode_jupyter.views.speaker import Speaker


def changes_title(say: Speaker, changes: ChangesView) -> str:
    """Return the heading with what matters: ``Changes: 2 files, +10 -3, checks passed``."""
    files = say(
        "words.changedFiles",
        count=len(changes.files) + changes.more_files,
        added=changes.added,
        removed=changes.removed,
    )
    parts = (files, say(f"checks.{changes.checks_state}"))
    return say.because(say("words.changes"), say.told(parts))


def changes_facts(say: Speaker, changes: ChangesView) -> str:
    """Return kind, risk, rounds of mending, and why nothing was checked, in one line."""
    risk = changes.risk_tier
    parts = [
        say.named("patchKinds", changes.kind) if changes.kind else "",
        say.named("kindsOfRisk", risk) if risk else "",
        _mended(say, changes) if changes.fix_iteration else "",
        say.said(changes.checks_reason) if changes.checks_state == "skipped" else "",
    ]
    return " · ".join(part for part in parts if part)


def file_words(say: Speaker, file: ChangedFileView) -> str:
    """Return one changed file: ``a.py changed, +1 -1``."""
    lines = say("words.changedLines", added=file.added or 0, removed=file.removed or 0)
    parts = [
        f"{file.path} {say(f'changedFiles.{file.state}')}",
        "" if file.added is None else lines,
        say("words.byCommand") if file.is_by_command else "",
    ]
    return say.told(parts)


def check_words(say: Speaker, check: CheckView) -> str:
    """Return how one check ended: ``pytest failed (exit 1), 3.2 s: python -m pytest``."""
    code = check.exit_code
    status = "" if code is None else f" ({say('text.exit', code=code)})"
    time = say("words.seconds", text=say.decimal(check.duration_ms / 1000, 1))
    ended = f"{check.name} {say(f'checkStates.{check.state}')}{status}"
    return say.because(say.told((ended, time)), check.command)


def more_files_words(say: Speaker, changes: ChangesView) -> str:
    """Return how many files are not named; empty if all are."""
    return say("words.more", count=changes.more_files) if changes.more_files else ""


def _mended(say: Speaker, changes: ChangesView) -> str:
    is_for_checks = changes.fix_trigger == "checks_failed"
    count = changes.fix_iteration
    if is_for_checks:
        return say("words.mendedForChecks", count=count)
    return say("words.mendedForReview", count=count)
