"""Where records go when there is no session file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import JournalError

if TYPE_CHECKING:
    from braincode_jupyter.errors import BraincodeError
    from braincode_jupyter.protocol.records import AnyRecord


class NoJournal:
    """Stands for a session file that cannot be made: a full disk, a home that is read-only."""

    def __init__(self, error: BraincodeError) -> None:
        self._error = error

    def append(self, record: AnyRecord, *, durable: bool = False) -> None:
        """Say that nothing is written."""
        del record, durable
        raise JournalError(self._error.message, hint=self._error.hint)

    def close(self) -> None:
        """Do nothing: nothing is open."""
