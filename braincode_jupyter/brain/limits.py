"""The token budget of a run, enforced before each call and not reported after it.

What a call may cost is bounded from above: the estimate of its prompt (never below the true count
on the texts it was checked with) plus the most that the model may write. Calls under way keep
their bound reserved, so parallel workers cannot overdraw together.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from braincode_jupyter.brain.demo import DEMO_OUTPUT_TOKENS
from braincode_jupyter.brain.flow import section_tokens
from braincode_jupyter.brain.tokens import estimate_tokens
from braincode_jupyter.protocol.records import ModelReplied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.protocol.records import ModelFailed
    from braincode_jupyter.protocol.sections import Candidate, Prompt
    from braincode_jupyter.protocol.usage import CallKind

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

_WORKED_ON = frozenset({"cut_off", "empty_reply", "timeout", "internal_error", "provider_error"})
"""Failures after which the provider may have counted tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the budget says of one call.

    Parameters
    ----------
    max_output_tokens : int
        Most that the reply may have; 0 if the call is refused.
    reserved_tokens : int
        Upper bound of prompt and reply together.
    """

    max_output_tokens: int
    reserved_tokens: int

    @property
    def is_refused(self) -> bool:
        """Whether the call must not be made."""
        return self.max_output_tokens == 0


def allow(
    prompt: Prompt, candidate: Candidate, *, max_tokens: int | None, committed_tokens: int
) -> Allowance:
    """Bound one call by the budget.

    Parameters
    ----------
    prompt : Prompt
        What is to be sent.
    candidate : Candidate
        Who is to be asked.
    max_tokens : int or None
        Budget of the run; None: no budget.
    committed_tokens : int
        Spent so far, and reserved by calls under way.

    Returns
    -------
    Allowance
        The greatest reply that still fits, or a refusal with what would have been needed.
    """
    sent = sum(section_tokens(section) + FRAME_TOKENS for section in prompt.sections)
    sent += IMAGE_TOKENS * len(prompt.images)
    most = DEMO_OUTPUT_TOKENS if candidate.is_local_demo else MAX_OUTPUT_TOKENS
    output = most_output = min(candidate.max_output_tokens, most[prompt.call_kind])
    if max_tokens is not None:
        output = min(output, max_tokens - committed_tokens - sent)
        if output < min(MIN_OUTPUT_TOKENS, most_output):
            return Allowance(max_output_tokens=0, reserved_tokens=sent + MIN_OUTPUT_TOKENS)
    return Allowance(max_output_tokens=output, reserved_tokens=sent + output)


def unmeasured_tokens(opened: OpenCall, outcome: ModelReplied | ModelFailed) -> int:
    """Return what to book for a call whose usage the provider did not tell.

    Parameters
    ----------
    opened : OpenCall
        The call.
    outcome : ModelReplied or ModelFailed
        How it ended.

    Returns
    -------
    int
        Its whole reservation for a reply; prompt and partial text for one that broke off; 0 for one
        that the provider refused before working on it.
    """
    if isinstance(outcome, ModelReplied):
        return opened.reserved_tokens
    if outcome.code not in _WORKED_ON:
        return 0
    sent = opened.reserved_tokens - opened.call.max_output_tokens
    return sent + estimate_tokens(outcome.partial)
