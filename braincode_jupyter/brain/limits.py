"""The budgets of a run, in tokens and in dollars, enforced before each call.

What a call may cost is bounded from above: the estimate of its prompt (never below the true count
on the texts it was checked with) plus the most that the model may write, each at the dearest
rate of its model. Calls under way keep their bound reserved, so parallel workers cannot overdraw
together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.demo import DEMO_OUTPUT_TOKENS
from braincode_jupyter.brain.flow import section_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.protocol.sections import Candidate, Prompt
    from braincode_jupyter.protocol.usage import CallKind, TokenPrice, TokenUsage

MAX_OUTPUT_TOKENS: Mapping[CallKind, int] = MappingProxyType(
    {"router": 8_192, "worker": 16_384, "primary": 32_768, "review": 16_384}
)
"""Most tokens that one reply may have, thinking included; a model's own limit may be lower."""
MIN_OUTPUT_TOKENS = 256
"""Below this a reply is not worth asking for: the budget refuses the call."""
CALL_TIMEOUT_S = 300.0
"""Longest that one call may take; seconds."""
FRAME_TOKENS = 24
"""Upper bound for the heading and the fence of one section; tokens. Sections are estimated one by
one, since most of them stand in several prompts of a run and are measured once."""
IMAGE_TOKENS = 1_600
"""Upper bound for one attached image; tokens."""

_WITHOUT_END = 2**31 - 1
"""Tokens of a model that costs nothing."""


Limit = Literal["max_tokens", "max_cost"]
"""Which budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may spend, and what is gone of it.

    Parameters
    ----------
    max_tokens : int or None
        Tokens of the run; None: no budget.
    committed_tokens : int
        Spent so far, and reserved by calls under way.
    max_usd : float or None
        US dollars of the run; None: no budget.
    committed_usd : float
        Spent so far, and reserved by calls under way.
    """

    max_tokens: int | None = None
    committed_tokens: int = 0
    max_usd: float | None = None
    committed_usd: float = 0.0

    @property
    def is_set(self) -> bool:
        """Whether there is a budget."""
        return self.max_tokens is not None or self.max_usd is not None

    def after(self, usage: TokenUsage, price: TokenPrice | None) -> Budget:
        """Return the budget once usage at a price is gone of it."""
        cost = 0.0 if price is None else price.of(usage.input, usage.output)
        return replace(
            self,
            committed_tokens=self.committed_tokens + usage.total,
            committed_usd=self.committed_usd + cost,
        )

    def room(self, sent_tokens: int, price: TokenPrice | None) -> tuple[int, Limit] | None:
        """Return the longest reply to a request that both budgets pay for.

        Parameters
        ----------
        sent_tokens : int
            Upper bound of the request.
        price : TokenPrice or None
            Of the model; unknown prices fit no budget in dollars.

        Returns
        -------
        tuple of (int, {"max_tokens", "max_cost"}) or None
            Tokens, at most 0 if there is no room, and the budget that sets them. None: no budget.
        """
        rooms: list[tuple[int, Limit]] = []
        if self.max_tokens is not None:
            rooms.append((self.max_tokens - self.committed_tokens - sent_tokens, "max_tokens"))
        if self.max_usd is not None:
            left = self.max_usd - self.committed_usd
            rooms.append((_affordable(left, sent_tokens, price), "max_cost"))
        return min(rooms, default=None)


def _affordable(left_usd: float, sent_tokens: int, price: TokenPrice | None) -> int:
    if price is None:
        return 0
    left = left_usd - price.of(sent_tokens, 0)
    if left < 0:
        return 0
    return int(left / price.output_usd) if price.output_usd > 0 else _WITHOUT_END


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the budgets say of one call.

    Parameters
    ----------
    max_output_tokens : int
        Most that the reply may have; 0 if the call is refused.
    input_tokens : int
        Upper bound of the prompt.
    refused_by : {"max_tokens", "max_cost"} or None
        The budget that has no room for the call.
    """

    max_output_tokens: int
    input_tokens: int
    refused_by: Limit | None = None


def allow(
    prompt: Prompt, candidate: Candidate, budget: Budget, *, price: TokenPrice | None = None
) -> Allowance:
    """Bound one call by the budgets.

    Parameters
    ----------
    prompt : Prompt
        What is to be sent.
    candidate : Candidate
        Who is to be asked.
    budget : Budget
        Of the run.
    price : TokenPrice or None
        Of the candidate; None: not known.

    Returns
    -------
    Allowance
        The greatest reply that still fits, or a refusal with what would have been needed.
    """
    sent = sum(section_tokens(section) + FRAME_TOKENS for section in prompt.sections)
    sent += IMAGE_TOKENS * len(prompt.images)
    most = DEMO_OUTPUT_TOKENS if candidate.is_local_demo else MAX_OUTPUT_TOKENS
    output = most_output = min(candidate.max_output_tokens, most[prompt.call_kind])
    limit = budget.room(sent, price)
    if limit is not None:
        room, by = limit
        output = min(output, room)
        if output < min(MIN_OUTPUT_TOKENS, most_output):
            return Allowance(max_output_tokens=0, input_tokens=sent, refused_by=by)
    return Allowance(max_output_tokens=output, input_tokens=sent)
