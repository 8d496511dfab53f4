"""Records of what a person is asked, and of what tools made for the card; both are ours alone.

A request holds no nonce: nothing in a journal or a saved notebook can answer it.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from braincode_jupyter.protocol.record import Record
from braincode_jupyter.protocol.tables import TABLE_MEDIA_TYPE, TableShape
from braincode_jupyter.protocol.tools import IgnoredBecause, RevokedBy, ToolEffect

if TYPE_CHECKING:
    from braincode_jupyter.protocol.tools import ApprovalRequest, Artifact

MAX_SHOWN_CHARS = 131_072
"""Characters of a command, code or diff that can be shown whole; a longer one is never approved."""
MAX_MODEL_WORDS = 300
"""Characters of a model's own words beside a request (security, section 7)."""
MAX_GRANTS = 64
"""Calls that may be allowed for the rest of one run."""
MAX_ID_CHARS = 200
"""Characters of an id that a page named."""
MAX_DATA_CHARS = 512 * 1024
"""Characters of an artifact in base64; a bigger one is kept as a pointer alone."""


class ApprovalRequested(Record):
    """A person is asked whether a tool call may go on."""

    type: Literal["approval_request"] = "approval_request"
    """Record type."""
    approval_id: str
    """Unique in the run; ends in the id of the tool call."""
    role: str
    """Who asks."""
    tool: str
    """Tool."""
    effect: ToolEffect
    """What it can do."""
    action: str
    """One line in the host's words."""
    shown: str
    """Exact command, code or diff."""
    shown_chars: int
    """Characters of it; more than `shown` has if it was too long to keep."""
    reason: str
    """Which rule asks."""
    model_words: str = Field(default="", max_length=MAX_MODEL_WORDS)
    """What the model said of it."""
    asked_ms: int
    """When; milliseconds since the epoch."""
    timeout_s: float
    """How long an answer is waited for; seconds."""
    bound_sha256: str = ""
    """Digest of all that an approval binds; an answer has to name it."""

    @classmethod
    def of(cls, request: ApprovalRequest, *, timestamp: int) -> ApprovalRequested:
        """Return the record of a request.

        Parameters
        ----------
        request : ApprovalRequest
            What is asked.
        timestamp : int
            When; milliseconds since the epoch.

        Returns
        -------
        ApprovalRequested
            Without the nonce.
        """
        return cls(
            timestamp=timestamp,
            context_id=request.context_id,
            approval_id=request.approval_id,
            role=request.role,
            tool=request.tool,
            effect=request.effect,
            action=request.action,
            shown=request.shown[:MAX_SHOWN_CHARS],
            shown_chars=len(request.shown),
            reason=request.reason,
            model_words=request.model_words[:MAX_MODEL_WORDS],
            asked_ms=timestamp,
            timeout_s=request.timeout_s,
            bound_sha256=request.bound_sha256,
        )


class ApprovalGranted(Record):
    """A person said "same again in this run"; it holds for exactly this call, and until revoked."""

    type: Literal["approval_granted"] = "approval_granted"
    """Record type."""
    approval_id: str
    """The request that was answered so; names the grant."""
    role: str
    """Who had asked; the grant holds for every agent of the run that is offered the tool."""
    tool: str
    """Tool."""
    effect: ToolEffect
    """What it can do."""
    action: str
    """One line in the host's words."""
    shown: str
    """Exact command, code or diff."""
    bound_sha256: str
    """Digest of all that it binds."""

    @classmethod
    def of(cls, request: ApprovalRequest, *, timestamp: int) -> ApprovalGranted:
        """Return the record of a request that was answered so.

        Parameters
        ----------
        request : ApprovalRequest
            What was asked.
        timestamp : int
            When; milliseconds since the epoch.

        Returns
        -------
        ApprovalGranted
            For this request alone.
        """
        return cls(
            timestamp=timestamp,
            context_id=request.context_id,
            approval_id=request.approval_id,
            role=request.role,
            tool=request.tool,
            effect=request.effect,
            action=request.action,
            shown=request.shown[:MAX_SHOWN_CHARS],
            bound_sha256=request.bound_sha256,
        )


class ApprovalRevoked(Record):
    """A grant was taken back: the next such call asks again."""

    type: Literal["approval_revoked"] = "approval_revoked"
    """Record type."""
    approval_id: str
    """The grant."""
    by: RevokedBy
    """Where it was taken back."""


class AnswerIgnored(Record):
    """An answer came that answers nothing, and nothing was done (security R50)."""

    type: Literal["approval_answer_ignored"] = "approval_answer_ignored"
    """Record type."""
    approval_id: str = Field(default="", max_length=MAX_ID_CHARS)
    """What it named; as it came, cut."""
    why: IgnoredBecause
    """Why it counts for nothing."""


class ArtifactMade(Record):
    """A tool made something that the card shows."""

    type: Literal["artifact"] = "artifact"
    """Record type."""
    uri: str
    """Where it is."""
    label: str
    """Short name."""
    media_type: str | None = None
    """Media type of an image, or of the text of a table."""
    data: str | None = Field(default=None, max_length=MAX_DATA_CHARS)
    """An image in base64, or a table as CSV text; absent if there was no room for it."""
    table: TableShape | None = None
    """How large the table is."""

    @classmethod
    def of(
        cls,
        artifact: Artifact,
        *,
        timestamp: int,
        context_id: str | None,
        room: int = MAX_DATA_CHARS,
    ) -> ArtifactMade:
        """Return the record of an artifact.

        Parameters
        ----------
        artifact : Artifact
            What was made.
        timestamp : int
            When; milliseconds since the epoch.
        context_id : str or None
            Context of the agent whose tool made it.
        room : int
            Characters that its data may have.

        Returns
        -------
        ArtifactMade
            Without its data if that is too big.
        """
        room = min(room, MAX_DATA_CHARS)
        image, table = artifact.image, artifact.table
        media_type = data = None
        if image is not None:
            media_type = image.media_type
            if (len(image.data) + 2) // 3 * 4 <= room:
                data = b64encode(image.data).decode("ascii")
        elif table is not None:
            media_type = TABLE_MEDIA_TYPE
            data = table.csv if len(table.csv) <= room else None
        return cls(
            timestamp=timestamp,
            context_id=context_id,
            uri=artifact.uri,
            label=artifact.label,
            media_type=media_type,
            data=data,
            table=None if table is None else table.shape,
        )
