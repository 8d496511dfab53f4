"""Records of what a run changed in the project: the changes, their checks, the rounds of mending.

``check_summary``, ``patch_summary``, ``review_artifacts_summary`` and ``fix_iteration`` have the
original's fields. ``changes`` is ours alone: the evidence that checks and review go by, as it was
collected after one turn of the primary, so that a replay decides the same again.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.record import Record
from braincode_jupyter.protocol.review import ReviewIndependence, ReviewMode, RiskTier

PatchKind = Literal[
    "docs-only",
    "test-only",
    "frontend",
    "backend",
    "package-change",
    "auth-risk",
    "db-risk",
    "ci-risk",
    "unknown-code",
]
CheckStatus = Literal["passed", "failed", "skipped"]
FixTrigger = Literal["checks_failed", "changes_requested"]

MAX_DIFF_CHARS = 60_000
"""Characters of all diffs of a run together."""
MAX_PREVIEW_BYTES = 12_000
"""Bytes of one new file that are shown."""
MAX_CHANGED_FILES = 500
"""Changed files that are named."""


class ChangedFile(Packet):
    """One file that a run changed."""

    path: str
    """Relative to the project."""
    status: str
    """As ``git status --short`` has it: ``??`` new, ``M`` changed, ``D`` removed."""
    insertions: int | None = None
    """Lines added; absent where nobody counted. Ours."""
    deletions: int | None = None
    """Lines taken away; absent where nobody counted. Ours."""
    is_outside_ledger: bool = False
    """Changed by a command or by somebody else, not by an edit tool. Ours."""


class DiffStats(Packet):
    """How much was changed."""

    files_changed: int = 0
    """Files, new ones included."""
    insertions: int = 0
    """Lines added."""
    deletions: int = 0
    """Lines taken away."""
    untracked_files: int = 0
    """New files."""
    raw: str = ""
    """One line for people."""
    unstaged_raw: str = ""
    """The same; nothing that a run does is staged."""
    staged_raw: str = ""
    """Always empty."""


class FilePreview(Packet):
    """The beginning of a new file."""

    path: str
    """Relative to the project."""
    text: str = ""
    """At most `MAX_PREVIEW_BYTES`; empty for a binary one."""
    is_binary: bool = False
    """It has NUL bytes or is no UTF-8."""
    is_cut: bool = False
    """It goes on."""


class ChangesCollected(Record):
    """What stands changed in the project after one turn of the primary."""

    type: Literal["changes"] = "changes"
    """Record type."""
    changed_files: tuple[ChangedFile, ...] = ()
    """What this run changed, by path."""
    pre_existing_changed_files: tuple[ChangedFile, ...] = ()
    """What was uncommitted before the run and is as it was."""
    diff_stats: DiffStats = DiffStats()
    """How much."""
    diff: str = ""
    """Unified diffs of changed and removed files, without keys."""
    is_diff_truncated: bool = False
    """More was changed than `MAX_DIFF_CHARS` hold."""
    previews: tuple[FilePreview, ...] = ()
    """New files."""
    review_rules: tuple[str, ...] = ()
    """Permission rules that want this change reviewed."""
    notes: tuple[str, ...] = ()
    """What could not be looked at, and why."""
    attempt: int = 1
    """Candidate of the primary."""
    fix_iteration: int = 0
    """0 for the first pass."""


class CheckResult(Packet):
    """How one check ended."""

    name: str
    """Script or command."""
    command: str
    """Program."""
    args: tuple[str, ...] = ()
    """Its arguments."""
    status: Literal["passed", "failed"]
    """Passed is exit status 0."""
    exit_code: int | None = None
    """Absent if it was ended by us or never began."""
    signal: str | None = None
    """Signal that ended it."""
    duration_ms: int = 0
    """How long it took."""
    stdout: str = ""
    """End of its output."""
    stderr: str = ""
    """End of its errors."""
    timed_out: bool = False
    """It took too long and was ended."""


class CheckSummary(Packet):
    """What the checks of the project say of a change."""

    status: CheckStatus
    """Passed only if all passed."""
    reason: str | None = None
    """Why they were skipped, or chosen."""
    patch_kind: PatchKind | None = None
    """What was changed."""
    selected_scripts: tuple[str, ...] | None = None
    """Which were chosen."""
    review_required: Literal[True] | None = None
    """The kind of change asks for a review."""
    results: tuple[CheckResult, ...] = ()
    """In the order in which they ran."""


class ChecksRan(Record, CheckSummary):
    """Checks ran after a turn of the primary, or were skipped."""

    type: Literal["check_summary"] = "check_summary"
    """Record type."""
    attempt: int = 1
    """Candidate of the primary."""
    fix_iteration: int = 0
    """0 for the first pass."""


class PatchSummary(Packet):
    """What a run changed."""

    changed_files: tuple[ChangedFile, ...]
    """By path."""
    pre_existing_changed_files: tuple[ChangedFile, ...] = ()
    """Uncommitted before."""
    diff_stats: DiffStats = DiffStats()
    """How much."""


class PatchSummed(Record, PatchSummary):
    """What a run changed, once it is over."""

    type: Literal["patch_summary"] = "patch_summary"
    """Record type."""
    attempt: int = 1
    """Candidate of the primary."""


class ReviewArtifactsSummed(Record):
    """What the reviewer of a change was given; written before the decision."""

    type: Literal["review_artifacts_summary"] = "review_artifacts_summary"
    """Record type."""
    changed_files: tuple[ChangedFile, ...]
    """By path."""
    diff_truncated: bool
    """The diff was too long to be shown whole."""
    checks_status: CheckStatus | None = None
    """What the checks said."""
    risk_tier: RiskTier | None = None
    """How risky the change is."""
    review_mode: ReviewMode
    """How hard the reviewer was asked to look."""
    independence: ReviewIndependence
    """Distance of the two models."""
    attempt: int = 1
    """Candidate of the primary."""
    fix_iteration: int = 0
    """0 for the first pass."""


class FixStarted(Record):
    """The primary is asked to mend its change."""

    type: Literal["fix_iteration"] = "fix_iteration"
    """Record type."""
    iteration: int = Field(ge=1)
    """From 1."""
    trigger: FixTrigger
    """Why."""
    attempt: int = 1
    """Candidate of the primary."""
