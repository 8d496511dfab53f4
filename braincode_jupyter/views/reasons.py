"""What a reason code means, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.protocol.usage import ReasonCode

if TYPE_CHECKING:
    from braincode_jupyter.protocol.sentence import Sentence

CODES = frozenset(get_args(ReasonCode))
"""Every reason code."""
_NO_HINT = frozenset(
    {"refused_request", "upstream_failed", "blocked_by_hook", "cancelled", "internal_error"}
)
"""Reasons about which nothing can be done."""


def meaning_of(code: str) -> Sentence | None:
    """Return what a reason code means; None for any other text."""
    return sentence(f"reasons.{code}") if code in CODES else None


def hint_of(code: str | None) -> Sentence | None:
    """Return what to do about a reason; None where nothing helps."""
    return sentence(f"hints.{code}") if code in CODES and code not in _NO_HINT else None
