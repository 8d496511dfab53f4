"""The error that a run ends with, for whoever waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import (
    ConfigurationError,
    LimitExceededError,
    ModelError,
    RunCancelledError,
)
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.reasons import hint_of
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from braincode_jupyter.brain.effects import EndRun
    from braincode_jupyter.errors import BraincodeError


def error_of(ended: EndRun) -> BraincodeError | None:
    """Return the error that a run ended with, None if it has an answer or a question.

    Parameters
    ----------
    ended : EndRun
        The end.

    Returns
    -------
    BraincodeError or None
        One line on what happened, one on what to do.
    """
    if ended.code is None:
        return None
    is_stopped = ended.code == "cancelled"
    told = sentence("hints.stopped") if is_stopped else hint_of(ended.code)
    hint = ended.hint or speaker().said(told)
    match ended.code:
        case "cancelled":
            return RunCancelledError(ended.error, hint=hint)
        case "token_limit":
            return LimitExceededError(ended.error, hint=hint)
        case "not_configured":
            return ConfigurationError(ended.error, hint=hint)
        case code:
            return ModelError(ended.error, code=code, hint=hint)
