"""What a resumed run goes on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braincode_jupyter.brain.replaying import Replayed
    from braincode_jupyter.protocol.records import AnyRecord, GoesOn


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """What a resumed run goes on from.

    Parameters
    ----------
    records : tuple of AnyRecord
        All that is on record of it.
    replayed : Replayed
        Where that leaves it.
    origin : GoesOn
        For its first new record.
    """

    records: tuple[AnyRecord, ...]
    replayed: Replayed
    origin: GoesOn
