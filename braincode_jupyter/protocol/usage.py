"""Usage counters and the closed list of reasons why a call or a worker failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

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


def reason_of(code: str) -> ReasonCode:
    """Return the code if it is one of the closed list, else that of a fault of ours."""
    known: tuple[ReasonCode, ...] = get_args(ReasonCode)
    return known[known.index(code)] if code in known else "internal_error"


CallKind = Literal["router", "worker", "primary", "review"]
"""Which of the four kinds of model call this is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPrice:
    """Upper bound of what tokens of a model cost; US dollars a token."""

    input_usd: float
    """Of a token sent, at the dearest tier and cache rate."""
    output_usd: float
    """Of a token received."""

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return an upper bound of what so many tokens cost; US dollars."""
        return input_tokens * self.input_usd + output_tokens * self.output_usd


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
