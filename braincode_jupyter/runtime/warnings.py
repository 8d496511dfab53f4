"""Warnings of the runtime: in English for the journal, as a text of the catalogue for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.records import Warned
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from braincode_jupyter.protocol.sentence import Sentence


def warned(now_ms: int, said: Sentence) -> Warned:
    """Return the record of a warning."""
    return Warned(timestamp=now_ms, message=speaker().said(said), said=said)
