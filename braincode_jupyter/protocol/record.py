"""What every record has, and the words that several of them share."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet

Phase = Literal["planning", "support", "primary", "review"]
ReferenceKind = Literal["file", "image", "session", "cell", "output", "variable"]


class Record(Packet):
    """What every record has."""

    timestamp: int
    """Milliseconds since the epoch, UTC."""
    context_id: str | None = None
    """Context of the agent that the record belongs to."""
