"""A call with tools: the model asks, the box answers, until the model writes its reply.

Each request has the retries and time-outs of a call of its own; the tools run between requests, so
waiting for a person or a kernel eats into no model's time-out. A model that keeps asking after its
calls are used up is asked once more without tools and must answer with what it has.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from braincode_jupyter.brain.offering import tool_tokens
from braincode_jupyter.errors import ModelError
from braincode_jupyter.models import agents
from braincode_jupyter.models.compaction import LongTalk
from braincode_jupyter.protocol.usage import TokenUsage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolBox, ToolReturn, ToolUse

    Ask = Callable[[agents.Request], Awaitable["Turn"]]

MAX_TURNS = 60
"""Requests of one conversation."""


class Turn:
    """One request and its reply.

    Parameters
    ----------
    end : StreamEnd
        How the reply ended.
    text : str
        What it said.
    cost_usd : float or None
        Its price; None: unknown.
    """

    def __init__(self, end: agents.StreamEnd, text: str, *, cost_usd: float | None) -> None:
        self.end = end
        self.text = text
        self.cost_usd = cost_usd
        self.retries: list[JsonValue] = []
        self.waited_ms = 0


async def converse(call: ModelCall, *, tools: ToolBox, ask: Ask) -> list[Turn]:
    """Lead a call with tools to its reply.

    Parameters
    ----------
    call : ModelCall
        The call.
    tools : ToolBox
        Carries out what the model asks for.
    ask : callable
        Makes one request.

    Returns
    -------
    list of Turn
        All turns; the last one is the reply and asks for nothing.

    Raises
    ------
    ModelError
        As ``ask`` raises, with code ``token_limit`` when the budget has no room for the next
        request, and with ``empty_reply`` for a model that asks for tools in its last turn too.
    """
    request = agents.Request(tools=tuple(tools.specs()))
    talk = LongTalk(
        prompt=call.prompt.system + call.prompt.user,
        more_tokens=tool_tokens(request.tools),
        context_tokens=call.candidate.context_window,
        reply_tokens=min(call.max_output_tokens, call.candidate.context_window // 4),
        input_tokens=call.max_input_tokens,
    )
    turns: list[Turn] = []
    while True:
        turn = await ask(request)
        turns.append(turn)
        if not turn.end.tool_uses:
            return turns
        if len(turns) >= MAX_TURNS:
            message = f"The model asked for tools in {MAX_TURNS} turns and wrote no answer."
            raise ModelError(message, code="empty_reply")
        returns = await _run(turn.end.tool_uses, tools)
        talk.add(turn.end, turn.text, returns)
        if replaced := talk.fit():
            tools.tell(
                f"{call.role}: {replaced} earlier results of tools were left out of the "
                "conversation, to keep it within its limit."
            )
        reply_tokens = tools.turn_tokens(total_usage(turns), talk.sent_tokens)
        if not reply_tokens:
            raise ModelError("The budget has no room to go on.", code="token_limit")
        is_last = len(turns) >= MAX_TURNS - 1
        request = agents.Request(
            exchanges=talk.exchanges,
            tools=() if is_last else tuple(tools.specs()),
            max_output_tokens=reply_tokens,
        )


def total_usage(turns: Sequence[Turn]) -> TokenUsage:
    """Return the tokens of all requests together."""
    known = [turn.end.usage for turn in turns if turn.end.usage is not None]
    return TokenUsage(
        input=sum(u.input for u in known),
        output=sum(u.output for u in known),
        cache_read=sum(u.cache_read for u in known),
        cache_write=sum(u.cache_write for u in known),
        total=sum(u.total for u in known),
    )


def total_cost(turns: Sequence[Turn]) -> float | None:
    """Return the price of all requests; None as soon as one of them is unknown."""
    costs = [turn.cost_usd for turn in turns]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


async def _run(wanted: Sequence[ToolUse], tools: ToolBox) -> list[tuple[ToolUse, ToolReturn]]:
    """Carry out the calls of one turn: beside each other, or in order if one asks for that."""
    sequential = {spec.name for spec in tools.specs() if spec.is_sequential}
    if any(use.name in sequential for use in wanted):
        return [(use, await tools.use(use)) for use in wanted]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(tools.use(use)) for use in wanted]
    return [(use, task.result()) for use, task in zip(wanted, tasks, strict=True)]
