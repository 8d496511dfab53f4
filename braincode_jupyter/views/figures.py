"""Numbers for people: tokens, money, time, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.views.run_view import AgentView, OfferedToolView, RunView, UsageView

_THOUSAND = 1000
_LONG_MS = 60_000
_SHORT_MS = 10_000
_CENT = 0.01
_BAR_CELLS = 24


def tokens_words(tokens: int) -> str:
    """Return ``940`` or ``18.2k``."""
    if tokens < _THOUSAND:
        return str(tokens)
    return f"{tokens / _THOUSAND:.1f}k"


def cost_words(cost_usd: float) -> str:
    """Return US dollars with as many digits as small amounts need."""
    if cost_usd == 0:
        return "$0"
    if 0 < cost_usd < _CENT / 100:
        return "under $0.0001"
    return f"${cost_usd:.4f}" if cost_usd < _CENT else f"${cost_usd:.3f}"


def size_words(size_bytes: int) -> str:
    """Return ``940 bytes``, ``14.2 kB`` or ``1.3 MB``."""
    if size_bytes < _THOUSAND:
        return plural(size_bytes, "byte")
    thousands = size_bytes / _THOUSAND
    return f"{thousands:.1f} kB" if thousands < _THOUSAND else f"{thousands / _THOUSAND:.1f} MB"


def duration_words(duration_ms: int) -> str:
    """Return ``2.1 s``, ``41 s`` or ``3:05``."""
    if duration_ms < _SHORT_MS:
        return f"{max(duration_ms, 0) / _THOUSAND:.1f} s"
    if duration_ms < _LONG_MS:
        return f"{duration_ms / _THOUSAND:.0f} s"
    minutes, seconds = divmod(round(duration_ms / _THOUSAND), 60)
    return f"{minutes}:{seconds:02d}"


def span_words(started_ms: int | None, ended_ms: int | None) -> str:
    """Return the time between two moments, or nothing while one is unknown."""
    if not started_ms or ended_ms is None:
        return ""
    return duration_words(ended_ms - started_ms)


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


def usage_words(usage: UsageView) -> str:
    """Return ``18.2k tokens · $0.031 · 1 call not measured``; empty when nothing was spent."""
    parts: list[str] = []
    if usage.total_tokens:
        parts.append(f"{tokens_words(usage.total_tokens)} tokens")
    if usage.cost_usd is not None:
        parts.append(cost_words(usage.cost_usd))
    if usage.unmeasured_calls:
        parts.append(f"{plural(usage.unmeasured_calls, 'call')} not measured")
    return " · ".join(parts)


def tools_offered(tools: Sequence[OfferedToolView]) -> str:
    """Return which tools an agent could use and what they add to each request; empty for none."""
    if not tools:
        return ""
    names = ", ".join(tool.name for tool in tools)
    return f"Tools: {names} · {tokens_words(sum(tool.tokens for tool in tools))} tokens"


def run_figures(view: RunView) -> str:
    """Return elapsed time and usage of a run."""
    parts = [span_words(view.started_ms, view.ended_ms), usage_words(view.usage)]
    if view.max_tokens:
        parts.append(f"budget {tokens_words(view.max_tokens)} tokens")
    if view.max_cost_usd:
        parts.append(f"budget {cost_words(view.max_cost_usd)}")
    return " · ".join(part for part in parts if part)


def agent_figures(agent: AgentView) -> str:
    """Return time and usage of one agent."""
    parts = [span_words(agent.started_ms, agent.ended_ms), usage_words(agent.usage)]
    return " · ".join(part for part in parts if part)
