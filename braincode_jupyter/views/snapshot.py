"""The compact text of a session, for `@@` references and for going on in one.

Names, order and limits follow the original; characters are code points, so a cut never leaves half
of one. Handoff packets, tool records, plans, hook output and usage are never in it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from braincode_jupyter.views.session_context import CheckEntry, ContextEntry, SessionContext

MAX_SNAPSHOT_CHARS: Final = 24 * 1024
MAX_FIELD_CHARS: Final = 6 * 1024

_ELLIPSIS: Final = "..."
_SCOPE: Final = (
    "Scope: compact session context only; full transcripts and private worker internals are left "
    "out."
)
_MAX_DATE_MS: Final = 253_402_300_799_999


def session_reference_text(context: SessionContext) -> str:
    """Return what a reference to a session gives: its fresh handoff brief, else the snapshot.

    Parameters
    ----------
    context : SessionContext
        The session.

    Returns
    -------
    str
        A brief comes with a line on its session, and uncut.
    """
    handoff = context.latest_handoff
    if handoff is None or not handoff.is_fresh:
        return compact_snapshot(context)
    facts = context.facts
    return f"Session {facts.session_id} (status: {facts.status})\n\n{handoff.summary}"


def compact_snapshot(context: SessionContext) -> str:
    """Return the compact text of a session.

    Parameters
    ----------
    context : SessionContext
        The session.

    Returns
    -------
    str
        At most `MAX_SNAPSHOT_CHARS` characters.
    """
    facts = context.facts
    lines = [
        f"Session {facts.session_id}",
        f"Status: {facts.status}",
        f"Updated: {_iso(facts.updated_ms)}",
        _SCOPE,
    ]
    if facts.prompt:
        lines += ["Initial prompt:", _clip(facts.prompt, MAX_FIELD_CHARS)]
    if facts.summary:
        lines += ["Latest summary:", _clip(facts.summary, MAX_FIELD_CHARS)]
    if context.entries:
        lines.append("Relevant records:")
        for entry in context.entries:
            lines += _ITEMS[entry.kind](entry)
    if context.is_truncated:
        lines.append("- earlier records omitted")
    return _clip("\n".join(lines), MAX_SNAPSHOT_CHARS)


def _run(entry: ContextEntry) -> Iterator[str]:
    states = [entry.status, *([entry.role] if entry.role else [])]
    yield f"- run{_attempt(entry)} ({', '.join(states)})"
    yield from _field("prompt", " ".join(entry.prompt.split()) if entry.prompt else None, 600)
    yield from _field("summary", entry.summary, MAX_FIELD_CHARS)


def _worker(entry: ContextEntry) -> Iterator[str]:
    yield f"- worker{_place(entry)} ({entry.status})"
    yield from _field("summary", entry.summary, 2000)
    yield from _field("error", entry.error, 1200)


def _todo(entry: ContextEntry) -> Iterator[str]:
    yield f"- todo{_place(entry)} ({entry.status})"
    yield from _field("task", entry.title, 600)
    yield from _field("summary", entry.summary, 1200)
    yield from _field("error", entry.error, 1200)


def _checks(entry: ContextEntry) -> Iterator[str]:
    yield f"- checks{_attempt(entry)} ({entry.status})"
    yield from _field("reason", entry.reason, 800)
    if entry.checks:
        yield f"  scripts: {', '.join(_script(check) for check in entry.checks)}"


def _review(entry: ContextEntry) -> Iterator[str]:
    yield f"- review{_attempt(entry)} ({entry.status})"
    yield from _field("rationale", entry.rationale, 1200)
    yield from _field("required", "; ".join(entry.required_changes), 1200)
    yield from _field("blocked", "; ".join(entry.blocking_issues), 1200)


def _handoff(entry: ContextEntry) -> Iterator[str]:
    yield f"- handoff ({entry.trigger})" if entry.trigger else "- handoff"
    yield from _field("focus", entry.focus, 400)
    yield from _field("summary", entry.summary, MAX_FIELD_CHARS)


def _error(entry: ContextEntry) -> Iterator[str]:
    yield f"- error{_attempt(entry)}: {_clip(entry.error or '', 1200)}"


_ITEMS: Final[Mapping[str, Callable[[ContextEntry], Iterator[str]]]] = {
    "run": _run,
    "worker": _worker,
    "todo": _todo,
    "check": _checks,
    "review": _review,
    "handoff": _handoff,
    "error": _error,
}


def _attempt(entry: ContextEntry) -> str:
    return f" attempt {entry.attempt:g}" if entry.attempt else ""


def _place(entry: ContextEntry) -> str:
    phase = f"/{entry.phase}" if entry.phase else ""
    return f"{phase} {entry.role}" if entry.role else phase


def _script(check: CheckEntry) -> str:
    code = check.exit_code
    shown = "" if not check.has_exit_code else f":{'n/a' if code is None else f'{code:g}'}"
    return f"{check.name}:{check.status}{shown}"


def _field(name: str, text: str | None, limit: int) -> Iterator[str]:
    if text:
        yield f"  {name}: {_clip(text, limit)}"


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - len(_ELLIPSIS)] + _ELLIPSIS


def _iso(moment_ms: int) -> str:
    clamped = max(0, min(moment_ms, _MAX_DATE_MS))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=clamped)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
