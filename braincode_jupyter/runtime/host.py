"""What the tools of a run ask of the run itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.brain.effects import EndRun
    from braincode_jupyter.brain.state import RunRequest
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult
    from braincode_jupyter.protocol.ports import Clock, JournalPort
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.usage import TokenUsage


class RunHost(Protocol):
    """A run, as its tools see it; the orchestrator is one."""

    @property
    def request(self) -> RunRequest:
        """What the run started from."""
        ...

    @property
    def clock(self) -> Clock:
        """Time."""
        ...

    @property
    def journal(self) -> JournalPort | None:
        """Where records go; None: nowhere, or no longer."""
        ...

    @property
    def ended(self) -> EndRun | None:
        """How it ended; None: it goes on."""
        ...

    @property
    def records(self) -> Sequence[AnyRecord]:
        """What is on record so far."""
        ...

    def note(self, record: AnyRecord) -> None:
        """Put a fact on the record, durably."""
        ...

    def turn_tokens(self, call: ModelCall, spent: TokenUsage, sent_tokens: int) -> int:
        """Reserve one more request of a call; return how long its reply may be, 0 for no room."""
        ...

    async def dispatch(self, role: str, goal: str, *, reason: str) -> ExecutedWorkerResult | str:
        """Call a specialist; a sentence says why nobody was called."""
        ...
