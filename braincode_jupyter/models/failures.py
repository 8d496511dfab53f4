"""From whatever a model library raises to one `ModelError` with a reason code.

Exceptions are told apart by the names of their classes, so that no model library has to be imported
to read this. A message holds the provider's own words, shortened and redacted; never a header, a
key, or an address with credentials.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models.entries import mapping_of

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.models.keys import Endpoint
    from braincode_jupyter.models.redaction import Redactor
    from braincode_jupyter.protocol.usage import ReasonCode

MAX_WORDS_CHARS = 400
"""How much of a provider's message is kept."""

_CODES: tuple[tuple[str, ReasonCode], ...] = (
    ("ModelAuthenticationError", "authentication"),
    ("ModelQuotaExceededError", "refused_request"),
    ("ModelRateLimitError", "rate_limited"),
    ("ModelOverloadedError", "overloaded"),
    ("ModelUnavailableError", "overloaded"),
    ("ModelContextWindowExceededError", "context_too_long"),
    ("ModelRequestRejectedError", "refused_request"),
    ("ContentFilterError", "refused_request"),
    ("ModelServerError", "provider_error"),
    ("ConnectTimeout", "network"),
    ("PoolTimeout", "network"),
    ("ModelRequestTimeout", "timeout"),
    ("ModelTimeoutError", "timeout"),
    ("APITimeoutError", "timeout"),
    ("TimeoutException", "timeout"),
    ("TimeoutError", "timeout"),
    ("ModelConnectionError", "network"),
    ("APIConnectionError", "network"),
    ("TransportError", "network"),
    ("StreamError", "network"),
    ("ConnectionError", "network"),
    ("ModelAPIError", "provider_error"),
    ("UnexpectedModelBehavior", "provider_error"),
    ("APIError", "provider_error"),
    ("JSONDecodeError", "provider_error"),
)
"""Class names, the more special ones first."""

_HINTS: dict[str, str] = {
    "authentication": "Check the key of this provider; %braincode doctor says where it was found.",
    "rate_limited": "Wait a little, or use fewer workers with --max-workers.",
    "overloaded": "Try again later, or give the role a fallback model.",
    "network": "Check the network and the address of the provider.",
    "timeout": "Try again, ask for less, or give the role a faster model.",
    "context_too_long": "Refer to less, or use a model with a larger context window.",
    "cut_off": "Run it again, or give the role a fallback model.",
    "empty_reply": "Run it again, or give the role a fallback model.",
    "vision_unsupported": "Take the image out, or use a model that sees.",
}
_QUOTA_HINT = "The account has no credit or quota left; see the provider's billing page."
_UNKNOWN_MODEL_HINT = "Check the model id in ~/.braincode/models.json and the provider's list."
_NO_FINISH = re.compile(r"ended without a `?finish_reason")
_TOO_LONG = re.compile(
    r"context (?:size|length|window)|prompt is too long|maximum context", re.IGNORECASE
)
_NO_VISION = re.compile(r"image[^.]{0,40}not support|not support[^.]{0,40}image", re.IGNORECASE)
_REQUEST_TIMEOUT = 408
_TOO_LONG_STATUS = frozenset({400, 413, 422})


def reply_failure(
    code: ReasonCode, message: str, endpoint: Endpoint, *, partial: str = ""
) -> ModelError:
    """Return the failure of a call whose reply came, but cannot be used."""
    return ModelError(
        f"{endpoint.entry.id}: {message}",
        code=code,
        provider=endpoint.entry.provider,
        partial=partial,
        hint=_HINTS.get(code, ""),
    )


def to_model_error(
    error: Exception, endpoint: Endpoint, redactor: Redactor, *, partial: str = ""
) -> ModelError:
    """Return the failure of a call in our words.

    Parameters
    ----------
    error : Exception
        Whatever was raised.
    endpoint : Endpoint
        The model that was asked.
    redactor : Redactor
        Takes secrets out of the provider's words.
    partial : str
        Text that had arrived.

    Returns
    -------
    ModelError
        With reason code, status, what the provider asked us to wait, and a hint.
    """
    names = _class_names(error)
    status = _number(getattr(error, "status_code", None))
    words = redactor.redact(_words(error))[:MAX_WORDS_CHARS].strip()
    code = _code(names, status, words)
    hint = _HINTS.get(code, "")
    if "ModelQuotaExceededError" in names:
        hint = _QUOTA_HINT
    elif "ModelNotFoundError" in names:
        hint = _UNKNOWN_MODEL_HINT
    retry_after = getattr(error, "retry_after", None)
    return ModelError(
        f"{endpoint.entry.id} failed{f' with status {status}' if status else ''}: {words}",
        code=code,
        provider=endpoint.entry.provider,
        status=status,
        retry_after_s=float(retry_after) if isinstance(retry_after, (int, float)) else None,
        partial=partial,
        hint=hint,
    )


def _code(names: set[str], status: int | None, words: str) -> ReasonCode:
    if _NO_VISION.search(words):
        return "vision_unsupported"
    if status == _REQUEST_TIMEOUT:
        return "timeout"
    if status in _TOO_LONG_STATUS and _TOO_LONG.search(words):
        return "context_too_long"
    if _NO_FINISH.search(words):
        return "cut_off"
    for name, code in _CODES:
        if name in names:
            return code
    return "internal_error"


def _class_names(error: BaseException) -> set[str]:
    # A library's own error may wrap the one that says which phase timed out.
    names = {cls.__name__ for cls in type(error).__mro__}
    cause = error.__cause__
    return names | (_class_names(cause) if cause is not None else set())


def _words(error: Exception) -> str:
    said = _message(_decoded(getattr(error, "body", None)))
    if said:
        return said
    text = str(getattr(error, "message", "") or error).strip()
    return text or type(error).__name__


def _message(body: JsonValue) -> str:
    """Return the message in an error body: ``{"error": {"message"}}``, in a list or without."""
    first = body[0] if isinstance(body, list) and body else body
    outer = mapping_of(first)
    inner = outer.get("error")
    for found in (outer.get("message"), mapping_of(inner).get("message"), inner):
        if isinstance(found, str):
            return found
    return ""


def _decoded(body: object) -> JsonValue:
    if not isinstance(body, str):
        return cast("JsonValue", body)
    try:
        return cast("JsonValue", json.loads(body))
    except ValueError:
        return {"message": body}


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
