"""Usage counters and the closed list of reasons why a call or a worker failed."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet

ReasonCode = Literal[
    "not_configured",
    "authentication",
    "rate_limited",
    "overloaded",
    "provider_error",
    "network",
    "timeout",
    "cut_off",
    "empty_reply",
    "context_too_long",
    "refused_request",
    "vision_unsupported",
    "token_limit",
    "upstream_failed",
    "cancelled",
    "stale_recording",
    "blocked_by_hook",
    "internal_error",
]
"""Only these words reach another agent's prompt when a worker fails (security requirement R6)."""

CallKind = Literal["router", "worker", "primary", "review"]
"""Which of the four kinds of model call this is."""


class TokenUsage(Packet):
    """Tokens of one call; ``input`` includes cached tokens that the provider counts as input."""

    input: int = 0
    """Tokens sent."""
    output: int = 0
    """Tokens received, reasoning included."""
    cache_read: int = 0
    """Input tokens read from the provider's cache."""
    cache_write: int = 0
    """Input tokens written to the provider's cache."""
    total: int = 0
    """What the provider calls the total, else the sum of the four."""
