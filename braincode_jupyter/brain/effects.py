"""Orders of the pure core; the runtime carries them out, in the order given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from braincode_jupyter.brain.checks import CheckConfig, CheckSelection
    from braincode_jupyter.protocol.change_records import PatchKind
    from braincode_jupyter.protocol.outside import HookEvent
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.usage import ReasonCode

RunStatus = Literal["completed", "needs_clarification", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRecord:
    """Append a record that the core decided; a durable one is on the disk before what follows."""

    record: AnyRecord
    durable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """Make one model call; its outcome comes back as `ModelReplied` or `ModelFailed`."""

    call: ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class FireHooks:
    """Run the hooks of one event; what came of them comes back as a record of the event."""

    event: HookEvent
    context_id: str
    role: str = ""
    text: str = ""
    """Last message, for the events of an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectChanges:
    """Look at what stands changed in the project; it comes back as `ChangesCollected`."""

    attempt: int
    fix_iteration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChecks:
    """Run checks of the project, if they are allowed; their outcome comes back as `ChecksRan`."""

    selection: CheckSelection
    config: CheckConfig
    patch_kind: PatchKind
    attempt: int
    fix_iteration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelCalls:
    """Give up every call and check that is under way; nothing of them comes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRun:
    """The run is over and its terminal record is written."""

    status: RunStatus
    code: ReasonCode | None = None
    error: str = ""
    hint: str = ""


Effect = WriteRecord | CallModel | FireHooks | CollectChanges | RunChecks | CancelCalls | EndRun
