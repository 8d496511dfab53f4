"""What a card says of what a run changed: files, how the checks went, how often it was mended."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.sentence import Said

ChangeState = Literal["new", "changed", "removed"]
CheckState = Literal["passed", "failed", "timed_out"]
ChecksState = Literal["none", "running", "passed", "failed", "skipped"]


class ChangedFileView(Packet):
    """One changed file."""

    path: str
    """Relative to the project."""
    state: ChangeState
    """What became of it."""
    added: int | None = None
    """Lines added, if they were counted."""
    removed: int | None = None
    """Lines taken away, if they were counted."""
    is_by_command: bool = False
    """A command changed it, not an edit tool."""


class CheckView(Packet):
    """One check of the project."""

    name: str
    """Script or command."""
    command: str
    """The exact words that ran."""
    state: CheckState
    """How it ended."""
    exit_code: int | None = None
    """Exit status, if it came to one."""
    duration_ms: int = 0
    """How long it took."""
    output: str = ""
    """End of what it wrote, output and errors."""


class ChangesView(Packet):
    """What a run changed in the project."""

    files: tuple[ChangedFileView, ...] = ()
    """Changed files, by path."""
    more_files: int = 0
    """Files beyond those."""
    added: int = 0
    """Lines added in all."""
    removed: int = 0
    """Lines taken away in all."""
    kind: str = ""
    """Kind of change: ``backend``, ``docs-only``."""
    risk_tier: str = ""
    """low, medium, high or critical, once it was reviewed."""
    checks_state: ChecksState = "none"
    """What the checks say together."""
    checks_reason: Said = ""
    """Why they were chosen or skipped."""
    checks: tuple[CheckView, ...] = ()
    """Each check, in the order in which they ran."""
    fix_iteration: int = 0
    """Rounds of mending that were begun."""
    fix_trigger: Literal["", "checks_failed", "changes_requested"] = ""
    """Why the last one was."""
