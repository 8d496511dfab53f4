"""What was spent, per agent and per run; the run is the sum of its agents and nothing else.

A price that is unknown stays unknown: one measured call without a price makes the sum None, not 0.
Failed attempts count. A call whose provider told nothing is counted as unmeasured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.run_view import UsageView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.records import UsageRecorded
    from braincode_jupyter.views.run_view import AgentView

NOT_CALLED = frozenset({"not_configured", "token_limit", "vision_unsupported", "stale_recording"})
"""Reason codes that are known before a provider is asked."""


def count_call(agent: AgentView, call_id: str, *, is_replayed: bool = False) -> AgentView:
    """Return the agent with one more call that is not measured, unless its tokens came first."""
    if call_id == agent.last_call_id:
        return agent
    usage = agent.usage
    counted = {
        "calls": usage.calls + 1,
        "unmeasured_calls": usage.unmeasured_calls + 1,
        "replayed_calls": usage.replayed_calls + int(is_replayed),
    }
    changes = {"usage": usage.model_copy(update=counted), "last_call_id": call_id}
    return agent.model_copy(update=changes)


def count_tokens(agent: AgentView, record: UsageRecorded) -> AgentView:
    """Return the agent with the tokens of one call.

    Parameters
    ----------
    agent : AgentView
        With what it spent before.
    record : UsageRecorded
        Measures the call of its ``call_id``; without one (the original's journals) it is a call
        of its own.

    Returns
    -------
    AgentView
        With the sum; unchanged for a record that measures nothing.
    """
    spent = tokens_of(record)
    if spent <= 0:
        return agent
    usage = agent.usage
    counted = record.call_id == agent.last_call_id and usage.unmeasured_calls > 0
    is_first = usage.calls == usage.unmeasured_calls
    total = UsageView(
        input_tokens=usage.input_tokens + record.usage.input,
        output_tokens=usage.output_tokens + record.usage.output,
        total_tokens=usage.total_tokens + spent,
        calls=usage.calls + (0 if counted else 1),
        unmeasured_calls=usage.unmeasured_calls - (1 if counted else 0),
        cost_usd=record.cost_usd if is_first else _plus(usage.cost_usd, record.cost_usd),
        replayed_calls=usage.replayed_calls + (0 if counted else int(bool(record.is_replayed))),
    )
    changes = {"usage": total, "last_call_id": record.call_id or agent.last_call_id}
    return agent.model_copy(update=changes)


def tokens_of(record: UsageRecorded) -> int:
    """Return the total of a record, or the sum of its counters where none was told."""
    usage = record.usage
    if usage.total > 0:
        return usage.total
    return usage.input + usage.output + usage.cache_read + usage.cache_write


def sum_usage(parts: Iterable[UsageView]) -> UsageView:
    """Return the sum of all parts; None as cost as soon as one measured part has no price."""
    spent = [part for part in parts if part.calls]
    priced = [part for part in spent if part.calls > part.unmeasured_calls]
    costs = [part.cost_usd for part in priced]
    return UsageView(
        input_tokens=sum(part.input_tokens for part in spent),
        output_tokens=sum(part.output_tokens for part in spent),
        total_tokens=sum(part.total_tokens for part in spent),
        calls=sum(part.calls for part in spent),
        unmeasured_calls=sum(part.unmeasured_calls for part in spent),
        cost_usd=_total(costs),
        replayed_calls=sum(part.replayed_calls for part in spent),
    )


def _plus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _total(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None
