"""Words on what a run changed, for text and for saved HTML."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.views.change_view import (
        ChangedFileView,
        ChangesView,
        ChecksState,
        CheckState,
        CheckView,
    )

CHANGES = "Changes"
CHECKS: Mapping[ChecksState, str] = MappingProxyType(
    {
        "none": "",
        "running": "checks running",
        "passed": "checks passed",
        "failed": "checks failed",
        "skipped": "not checked",
    }
)
CHECK_STATES: Mapping[CheckState, str] = MappingProxyType(
    {"passed": "passed", "failed": "failed", "timed_out": "took too long"}
)
NOT_CHECKED = "The run ended before the checks."

_FILE_STATES = {"new": "new", "changed": "changed", "removed": "removed"}
_TRIGGERS = {
    "checks_failed": "because checks failed",
    "changes_requested": "because the review asked for changes",
}


def changes_title(changes: ChangesView) -> str:
    """Return the heading with what matters: ``Changes: 2 files, +10 -3, checks passed``."""
    count = len(changes.files) + changes.more_files
    parts = [
        f"{count} file{'' if count == 1 else 's'}",
        f"+{changes.added} -{changes.removed}",
        CHECKS[changes.checks_state],
    ]
    return f"{CHANGES}: {', '.join(part for part in parts if part)}"


def changes_facts(changes: ChangesView) -> str:
    """Return kind, risk, rounds of mending, and why nothing was checked, in one line."""
    times = {1: "mended once", 2: "mended twice"}
    mended = times.get(changes.fix_iteration, f"mended {changes.fix_iteration} times")
    why = _TRIGGERS.get(changes.fix_trigger, "")
    parts = [
        changes.kind,
        f"{changes.risk_tier} risk" if changes.risk_tier else "",
        f"{mended} {why}".strip() if changes.fix_iteration else "",
        changes.checks_reason if changes.checks_state == "skipped" else "",
    ]
    return " · ".join(part for part in parts if part)


def file_words(file: ChangedFileView) -> str:
    """Return one changed file: ``a.py changed, +1 -1``."""
    lines = "" if file.added is None else f", +{file.added} -{file.removed or 0}"
    by = ", by a command" if file.is_by_command else ""
    return f"{file.path} {_FILE_STATES[file.state]}{lines}{by}"


def check_words(check: CheckView) -> str:
    """Return how one check ended: ``pytest failed (exit 1), 3.2 s: python -m pytest``."""
    status = "" if check.exit_code is None else f" (exit {check.exit_code})"
    time = f"{check.duration_ms / 1000:.1f} s"
    return f"{check.name} {CHECK_STATES[check.state]}{status}, {time}: {check.command}"


def more_files_words(changes: ChangesView) -> str:
    """Return how many files are not named; empty if all are."""
    return f"… {changes.more_files:,} more files" if changes.more_files else ""
