"""What a call reserves of the budget, with its tools and turns, and a pointer to each tool.

Names, descriptions and schemas are sent with every request of a call, so they count against the
budget as sections do. They are known once the call is about to be made.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from braincode_jupyter.brain.limits import MIN_OUTPUT_TOKENS
from braincode_jupyter.brain.tokens import estimate_tokens
from braincode_jupyter.protocol.call_records import ToolPointer
from braincode_jupyter.protocol.records import ModelReplied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.brain.limits import Budget
    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.protocol.records import ModelFailed
    from braincode_jupyter.protocol.tools import ToolSpec
    from braincode_jupyter.protocol.usage import TokenUsage

_WORKED_ON = frozenset({"cut_off", "empty_reply", "timeout", "internal_error", "provider_error"})
"""Failures after which the provider may have counted tokens."""
TOOL_FRAME_TOKENS = 16
"""Upper bound for what a provider writes around one tool; tokens."""


def tool_pointer(spec: ToolSpec) -> ToolPointer:
    """Return what the journal keeps of a tool that a call is offered.

    Parameters
    ----------
    spec : ToolSpec
        The tool as the model sees it.

    Returns
    -------
    ToolPointer
        Its name, the digest of all that is sent of it, and an upper estimate of its tokens.
    """
    sent = json.dumps([spec.name, spec.description, spec.parameters], sort_keys=True)
    digest, tokens = _measure(sent)
    return ToolPointer(name=spec.name, sha256=digest, tokens=tokens)


def tool_tokens(specs: Iterable[ToolSpec]) -> int:
    """Return an upper estimate of what tools add to each request of a call.

    Parameters
    ----------
    specs : iterable of ToolSpec
        The tools.

    Returns
    -------
    int
        Tokens.
    """
    return sum(tool_pointer(spec).tokens for spec in specs)


def with_tools(opened: OpenCall, tokens: int, budget: Budget) -> OpenCall:
    """Reserve what the tools of a call need; in a budget that is full its reply gets less.

    Parameters
    ----------
    opened : OpenCall
        The call as it was reserved without tools.
    tokens : int
        Of its tools.
    budget : Budget
        Of the run, with what all other calls spent and reserved.

    Returns
    -------
    OpenCall
        A reply of fewer tokens than are worth asking for means that there is no room.
    """
    sent, output = opened.input_tokens + tokens, opened.output_tokens
    limit = budget.room(sent, opened.price)
    if limit is not None:
        output = max(0, min(output, limit[0]))
    call = replace(opened.call, max_output_tokens=output)
    return replace(opened, call=call, input_tokens=sent, output_tokens=output)


def with_turn(
    opened: OpenCall, spent: TokenUsage, sent_tokens: int, *, budget: Budget
) -> OpenCall | None:
    """Reserve what one more request of a conversation needs, after what it has spent.

    Parameters
    ----------
    opened : OpenCall
        The conversation.
    spent : TokenUsage
        Of its turns so far.
    sent_tokens : int
        Upper bound of the next request.
    budget : Budget
        Of the run, with what all other calls spent and reserved.

    Returns
    -------
    OpenCall or None
        Its output holds what was received and the longest reply that fits; None if none does.
    """
    most = opened.call.max_output_tokens
    limit = budget.after(spent, opened.price).room(sent_tokens, opened.price)
    reply = most if limit is None else min(most, limit[0])
    if reply < min(MIN_OUTPUT_TOKENS, most):
        return None
    return replace(
        opened, input_tokens=spent.input + sent_tokens, output_tokens=spent.output + reply
    )


def unmeasured_tokens(opened: OpenCall, outcome: ModelReplied | ModelFailed) -> tuple[int, int]:
    """Return what to book for a call whose usage the provider did not tell.

    Parameters
    ----------
    opened : OpenCall
        The call.
    outcome : ModelReplied or ModelFailed
        How it ended.

    Returns
    -------
    tuple of (int, int)
        Tokens sent and received: the whole reservation for a reply; prompt and partial text for one
        that broke off; none for one that the provider refused before working on it.
    """
    if isinstance(outcome, ModelReplied):
        return opened.input_tokens, opened.output_tokens
    if outcome.code not in _WORKED_ON:
        return 0, 0
    return opened.input_tokens, estimate_tokens(outcome.partial)


@lru_cache(maxsize=512)
def _measure(sent: str) -> tuple[str, int]:
    return sha256(sent.encode()).hexdigest(), estimate_tokens(sent) + TOOL_FRAME_TOKENS
