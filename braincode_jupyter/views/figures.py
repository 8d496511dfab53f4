"""Numbers for people: tokens, money, time, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.views.run_view import AgentView, OfferedToolView, RunView, UsageView
    from braincode_jupyter.views.speaker import Speaker

_THOUSAND = 1000
_LONG_MS = 60_000
_SHORT_MS = 10_000
_CENT = 0.01
_BAR_CELLS = 24


def tokens_figure(say: Speaker, tokens: int) -> str:
    """Return ``940`` or ``18.2k``."""
    if tokens < _THOUSAND:
        return str(tokens)
    return say("words.thousands", text=say.decimal(tokens / _THOUSAND, 1))


def tokens_words(say: Speaker, tokens: int) -> str:
    """Return ``18.2k tokens``."""
    return say("words.tokens", text=tokens_figure(say, tokens))


def cost_words(say: Speaker, cost_usd: float) -> str:
    """Return US dollars with as many digits as small amounts need."""
    if 0 < cost_usd < _CENT / 100:
        return f"< {say('words.money', text=say.decimal(_CENT / 100, 4))}"
    digits = 0 if cost_usd == 0 else 4 if cost_usd < _CENT else 3
    return say("words.money", text=say.decimal(cost_usd, digits))


def size_words(say: Speaker, size_bytes: int) -> str:
    """Return ``940 bytes``, ``14.2 kB`` or ``1.3 MB``."""
    if size_bytes < _THOUSAND:
        return say("words.bytes", count=size_bytes)
    thousands = size_bytes / _THOUSAND
    if thousands < _THOUSAND:
        return say("words.kilobytes", text=say.decimal(thousands, 1))
    return say("words.megabytes", text=say.decimal(thousands / _THOUSAND, 1))


def duration_words(say: Speaker, duration_ms: int) -> str:
    """Return ``2.1 s``, ``41 s`` or ``3:05``."""
    if duration_ms < _LONG_MS:
        digits = 1 if duration_ms < _SHORT_MS else 0
        return say("words.seconds", text=say.decimal(max(duration_ms, 0) / _THOUSAND, digits))
    minutes, seconds = divmod(round(duration_ms / _THOUSAND), 60)
    return f"{minutes}:{seconds:02d}"


def span_words(say: Speaker, started_ms: int | None, ended_ms: int | None) -> str:
    """Return the time between two moments, or nothing while one is unknown."""
    if not started_ms or ended_ms is None:
        return ""
    return duration_words(say, ended_ms - started_ms)


def bar(view: RunView, agent: AgentView) -> str:
    """Return when an agent was at work, as a bar of characters over the time of the run."""
    if not view.started_ms or not agent.started_ms:
        return ""
    last = max([view.ended_ms or 0, *(one.ended_ms or one.started_ms or 0 for one in view.agents)])
    whole = max(1, last - view.started_ms)
    begin, end = (
        min(_BAR_CELLS, max(0, round((moment - view.started_ms) / whole * _BAR_CELLS)))
        for moment in (agent.started_ms, agent.ended_ms or last)
    )
    begin = min(begin, _BAR_CELLS - 1)
    work = max(1, end - begin)
    return "▁" * begin + "▇" * work + "▁" * (_BAR_CELLS - begin - work)


def usage_words(say: Speaker, usage: UsageView) -> str:
    """Return ``18.2k tokens · $0.031 · 1 of 4 calls replayed``; empty when nothing was spent."""
    parts: list[str] = []
    if usage.total_tokens:
        parts.append(tokens_words(say, usage.total_tokens))
    if usage.cost_usd is not None:
        parts.append(cost_words(say, usage.cost_usd))
    if usage.unmeasured_calls:
        parts.append(say("text.notMeasured", count=usage.unmeasured_calls))
    if usage.replayed_calls == usage.calls and usage.calls:
        parts.append(say("words.replayed"))
    elif usage.replayed_calls:
        parts.append(say("words.replayedSome", some=usage.replayed_calls, all=usage.calls))
    return " · ".join(parts)


def tools_offered(say: Speaker, tools: Sequence[OfferedToolView]) -> str:
    """Return which tools an agent could use and what they add to each request; empty for none."""
    if not tools:
        return ""
    tokens = tokens_figure(say, sum(tool.tokens for tool in tools))
    return say("words.offered", names=say.listed(tool.name for tool in tools), tokens=tokens)


def run_figures(say: Speaker, view: RunView) -> str:
    """Return elapsed time and usage of a run."""
    parts = [span_words(say, view.started_ms, view.ended_ms), usage_words(say, view.usage)]
    if view.max_tokens:
        parts.append(say("text.budget", amount=tokens_words(say, view.max_tokens)))
    if view.max_cost_usd:
        parts.append(say("text.budget", amount=cost_words(say, view.max_cost_usd)))
    return " · ".join(part for part in parts if part)


def agent_figures(say: Speaker, agent: AgentView) -> str:
    """Return time and usage of one agent."""
    parts = [span_words(say, agent.started_ms, agent.ended_ms), usage_words(say, agent.usage)]
    return " · ".join(part for part in parts if part)
