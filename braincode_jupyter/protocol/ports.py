"""What the runtime needs from outside: one protocol per kind of contact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from braincode_jupyter.protocol.sections import (
    Candidate,
    ImagePart,
    ModelCall,
    ModelReply,
    Resolution,
)

if TYPE_CHECKING:
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.tools import ToolBox
    from braincode_jupyter.protocol.usage import TokenPrice

TextSink = Callable[[str], None]
"""Takes streamed text as it arrives."""


class Clock(Protocol):
    """Time."""

    def now_ms(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        ...


class ModelClient(Protocol):
    """Language models."""

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Return the usable models of one role's chain, in order; makes no request."""
        ...

    def price_of(self, candidate: Candidate) -> TokenPrice | None:
        """Return what tokens of a model cost at most; None if that is not known."""
        ...

    async def complete(
        self, call: ModelCall, on_text: TextSink, tools: ToolBox | None = None
    ) -> ModelReply:
        """Make one call, streaming its text.

        With tools it is a conversation of its own: the model asks, the box answers, until the
        model writes its reply. Usage is that of all its requests together.

        Raises
        ------
        ModelError
            For every failure, a stream without a finish reason and an empty reply included.
        """
        ...

    async def aclose(self) -> None:
        """Free connections; a second call does nothing."""
        ...


class JournalPort(Protocol):
    """The session file of one run."""

    def append(self, record: AnyRecord, *, durable: bool = False) -> None:
        """Write one record; with ``durable`` it is on the disk when this returns.

        Raises
        ------
        JournalError
            If it could not be written.
        """
        ...

    def close(self) -> None:
        """Release file and lock; a second call does nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CellOutput:
    """One output of a cell, as text or as an image."""

    kind: Literal["stream", "result", "display", "error"]
    text: str
    name: str = ""
    """``stdout`` or ``stderr`` for a stream, the exception class for an error."""
    image: ImagePart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSnapshot:
    """A cell as it is now."""

    cell_id: str
    label: str
    source: str
    cell_type: Literal["code", "markdown", "raw"] = "code"
    execution_count: int | None = None
    outputs: tuple[CellOutput, ...] = ()
    is_running: bool = False
    """The cell that asks."""


class CellSource(Protocol):
    """The cells of the open notebook, in the best order known."""

    def cells(self) -> Sequence[CellSnapshot]:
        """Return the cells known now, in notebook order as far as it is known."""
        ...


class VariableSource(Protocol):
    """The user's variables, looked up by plain name."""

    def names(self) -> Sequence[str]:
        """Return the names that the user defined."""
        ...

    def get(self, name: str) -> object:
        """Return the object.

        Raises
        ------
        KeyError
            If there is none of this name.
        """
        ...


__all__ = [
    "Candidate",
    "CellOutput",
    "CellSnapshot",
    "CellSource",
    "Clock",
    "JournalPort",
    "ModelClient",
    "TextSink",
    "VariableSource",
]
