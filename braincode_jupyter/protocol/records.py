"""Records: the facts of a run, one journal line each.

Type names and fields follow the original's session format. Ours alone are ``reference``,
``prompt_manifest``, ``model_reply``, ``model_error``, ``budget``, ``edit``, ``changes``,
``artifact``, ``approval_request`` and its kin, ``worker_retry``, ``tool_progress``, ``recovered``
and ``run_cancelled``; the original skips them. Times are milliseconds since the epoch (UTC) and are
passed in, never made here. `parse_record` gives a typed record, or an `OpaqueRecord` for types and
versions that we do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from braincode_jupyter.protocol.approval_records import (
    AnswerIgnored,
    ApprovalGranted,
    ApprovalRequested,
    ApprovalRevoked,
    ArtifactMade,
)
from braincode_jupyter.protocol.audit_records import PlanReviewed, ToolCallsCounted
from braincode_jupyter.protocol.call_records import (
    BudgetChecked,
    ModelFailed,
    ModelReplied,
    PromptManifest,
    SectionPointer,
    TurnReserved,
    UsageRecorded,
)
from braincode_jupyter.protocol.change_records import (
    ChangesCollected,
    ChecksRan,
    FixStarted,
    PatchSummed,
    ReviewArtifactsSummed,
)
from braincode_jupyter.protocol.edit_records import EditKept
from braincode_jupyter.protocol.outside_records import (
    DynamicDispatch,
    McpConnected,
    PromptHooksRan,
    SessionStartHooksRan,
    StopHooksRan,
    SubagentStartHooksRan,
    SubagentStopHooksRan,
    ToolApprovalDecided,
    ToolExecuted,
    ToolProgressed,
)
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.record import Phase, Record, ReferenceKind
from braincode_jupyter.protocol.run_records import (
    ClarificationRequested,
    FinalReported,
    GoesOn,
    PartialText,
    Recovered,
    ReferenceUsed,
    ReviewDecided,
    RunCancelled,
    RunEnded,
    RunFailed,
    RunOptions,
    RunStart,
    Warned,
)
from braincode_jupyter.protocol.work_records import (
    ContextPlanned,
    MessageSent,
    RetryRequested,
    TodosPlanned,
    TodosUpdated,
    WorkerEnded,
    WorkerFailed,
    WorkerStarted,
)


class OpaqueRecord(Packet):
    """A line of a type, shape or version that we do not know; kept, shown as it is."""

    type: str
    """As written."""
    timestamp: int = 0
    """Milliseconds since the epoch, 0 if absent."""
    data: Mapping[str, JsonValue]
    """The whole line."""


RecordUnion = Annotated[
    RunStart
    | ReferenceUsed
    | PromptManifest
    | ModelReplied
    | ModelFailed
    | ContextPlanned
    | TodosPlanned
    | TodosUpdated
    | ClarificationRequested
    | MessageSent
    | WorkerStarted
    | WorkerEnded
    | WorkerFailed
    | RetryRequested
    | UsageRecorded
    | TurnReserved
    | BudgetChecked
    | ReviewDecided
    | FinalReported
    | RunEnded
    | RunFailed
    | RunCancelled
    | Recovered
    | Warned
    | AnswerIgnored
    | ApprovalGranted
    | ApprovalRequested
    | ApprovalRevoked
    | ArtifactMade
    | EditKept
    | ChangesCollected
    | ChecksRan
    | PatchSummed
    | ReviewArtifactsSummed
    | FixStarted
    | PlanReviewed
    | ToolCallsCounted
    | DynamicDispatch
    | McpConnected
    | PromptHooksRan
    | SessionStartHooksRan
    | StopHooksRan
    | SubagentStartHooksRan
    | SubagentStopHooksRan
    | ToolApprovalDecided
    | ToolExecuted
    | ToolProgressed,
    Field(discriminator="type"),
]
AnyRecord = RecordUnion | OpaqueRecord

_ADAPTER: TypeAdapter[RecordUnion] = TypeAdapter(RecordUnion)


def parse_record(line: Mapping[str, JsonValue]) -> AnyRecord:
    """Return the typed record of one journal line, or an opaque one.

    Parameters
    ----------
    line : mapping
        A decoded JSON object.

    Returns
    -------
    AnyRecord
        Never raises on content: what does not fit is an `OpaqueRecord`.
    """
    try:
        return _ADAPTER.validate_python(line)
    except ValidationError:
        stamp = line.get("timestamp")
        kind = line.get("type")
        return OpaqueRecord(
            type=kind if isinstance(kind, str) else "",
            timestamp=stamp if isinstance(stamp, int) else 0,
            data=dict(line),
        )


__all__ = [
    "AnswerIgnored",
    "AnyRecord",
    "ApprovalGranted",
    "ApprovalRequested",
    "ApprovalRevoked",
    "ArtifactMade",
    "BudgetChecked",
    "ChangesCollected",
    "ChecksRan",
    "ClarificationRequested",
    "ContextPlanned",
    "EditKept",
    "FinalReported",
    "FixStarted",
    "GoesOn",
    "MessageSent",
    "ModelFailed",
    "ModelReplied",
    "OpaqueRecord",
    "PartialText",
    "PatchSummed",
    "Phase",
    "PlanReviewed",
    "PromptManifest",
    "Record",
    "RecordUnion",
    "Recovered",
    "ReferenceKind",
    "ReferenceUsed",
    "RetryRequested",
    "ReviewArtifactsSummed",
    "ReviewDecided",
    "RunCancelled",
    "RunEnded",
    "RunFailed",
    "RunOptions",
    "RunStart",
    "SectionPointer",
    "TodosPlanned",
    "TodosUpdated",
    "ToolCallsCounted",
    "TurnReserved",
    "UsageRecorded",
    "Warned",
    "WorkerEnded",
    "WorkerFailed",
    "WorkerStarted",
    "parse_record",
]
