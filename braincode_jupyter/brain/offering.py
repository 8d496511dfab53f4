"""What the tools that a call is offered cost: a pointer to each for the record, and their share.

Names, descriptions and schemas are sent with every request of a call, so they count against the
budget as sections do. They are known once the call is about to be made.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from braincode_jupyter.brain.tokens import estimate_tokens
from braincode_jupyter.protocol.call_records import ToolPointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.brain.state import OpenCall
    from braincode_jupyter.protocol.tools import ToolSpec

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


def with_tools(
    opened: OpenCall, tokens: int, *, max_tokens: int | None, committed_tokens: int
) -> OpenCall:
    """Reserve what the tools of a call need; in a budget that is full its reply gets less.

    Parameters
    ----------
    opened : OpenCall
        The call as it was reserved without tools.
    tokens : int
        Of its tools.
    max_tokens : int or None
        Budget of the run; None: no budget.
    committed_tokens : int
        Spent and reserved so far, this call included.

    Returns
    -------
    OpenCall
        A reply of fewer tokens than are worth asking for means that there is no room.
    """
    over = 0 if max_tokens is None else max(committed_tokens + tokens - max_tokens, 0)
    cut = min(over, opened.call.max_output_tokens)
    call = replace(opened.call, max_output_tokens=opened.call.max_output_tokens - cut)
    return replace(opened, call=call, reserved_tokens=opened.reserved_tokens + tokens - cut)


@lru_cache(maxsize=512)
def _measure(sent: str) -> tuple[str, int]:
    return sha256(sent.encode()).hexdigest(), estimate_tokens(sent) + TOOL_FRAME_TOKENS
