"""Keeping what edits change: on the disk before the change is made, or it is not made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.protocol.edit_records import EditKept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from braincode_jupyter.runtime.host import RunHost
    from braincode_jupyter.tools.changes import EditRecord


def edit_keeper(host: RunHost, context_id: str) -> Callable[[Sequence[EditRecord]], None]:
    """Return what takes the records of an edit before it is made.

    Parameters
    ----------
    host : RunHost
        The run.
    context_id : str
        Context of the agent that edits.

    Returns
    -------
    callable
        Raises `UsageError`, which stops the edit, where a record could not be kept.
    """

    def keep(records: Sequence[EditRecord]) -> None:
        for record in records:
            host.note(
                EditKept.of(
                    record.path,
                    record.before,
                    tool=record.tool,
                    mode=record.mode,
                    before_sha256=record.before_sha256,
                    after_sha256=record.after_sha256,
                    timestamp=host.clock.now_ms(),
                    context_id=context_id,
                )
            )
        if host.journal is None or host.ended is not None:
            raise UsageError(
                "The session file cannot be written, so the change could not be undone: nothing "
                "was changed.",
                hint="Give the change in your answer.",
            )

    return keep
