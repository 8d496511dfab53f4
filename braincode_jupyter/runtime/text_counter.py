"""Text of one call while it streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.records import PartialText

if TYPE_CHECKING:
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime.settings import RunObserver


@dataclass(slots=True)
class TextCounter:
    """Passes streamed text on with its offset, so that a view can catch up."""

    call: ModelCall
    observer: RunObserver | None
    pieces: list[str] = field(default_factory=list[str])
    offset: int = 0

    @property
    def text(self) -> str:
        """What has arrived."""
        return "".join(self.pieces)

    @property
    def partial(self) -> PartialText:
        """What has arrived, for the record."""
        return PartialText(
            context_id=self.call.context_id,
            call_kind=self.call.call_kind,
            role=self.call.role,
            text=self.text,
        )

    def take(self, piece: str) -> None:
        """Take the next piece."""
        if self.observer is not None:
            self.observer.on_text(self.call.context_id, self.offset, piece)
        self.pieces.append(piece)
        self.offset += len(piece)
