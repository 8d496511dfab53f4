"""What a session comes to: the facts of a listing, and the context that `@@` and continuity use.

Works on raw journal lines of any writer: fields of a wrong type count as absent, unknown types are
skipped. Reference: the original's session reading rules, listing and context.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, cast

Line = Mapping[str, object]
SessionStatus = Literal["completed", "failed", "incomplete"]
SessionDetail = Literal["", "completed", "asks back", "failed", "cancelled", "interrupted"]

MAX_ENTRIES: Final = 24
"""Entries of a context, unless told otherwise."""
FACT_TYPES: Final = frozenset(
    {"run_start", "clarification_request", "run_end", "run_error", "run_cancelled"}
)
"""Record types that `summarise` looks at."""
USAGE_TYPE: Final = "token_usage"
"""The record type that it looks at too, where it is given: there are many of these."""
MAX_MODELS: Final = 8
"""Models that a listing names of one session."""

_TODO_STATES = frozenset({"pending", "running", "completed", "blocked", "failed"})
_CHECK_STATES = frozenset({"passed", "failed", "skipped"})
_DECISIONS = frozenset({"approved", "changes_requested", "blocked"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What a listing tells of a session; ``detail`` is ours and speaks of the last run alone."""

    session_id: str
    updated_ms: int
    """Last change of the file; milliseconds since the epoch."""
    prompt: str | None = None
    brain_id: str | None = None
    role: str | None = None
    project_root: str | None = None
    summary: str | None = None
    status: SessionStatus = "incomplete"
    detail: SessionDetail = ""
    models: tuple[str, ...] = ()
    """Models that answered in any of its runs; empty where usage was not read."""
    tokens: int = 0
    cost_usd: float | None = None
    """None as soon as one call has no price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckEntry:
    """One script of a check."""

    name: str
    status: Literal["passed", "failed"]
    exit_code: float | None = None
    """None with ``has_exit_code``: the script was ended by a signal."""
    has_exit_code: bool = False
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntry:
    """One entry of a context; which fields are set depends on ``kind``."""

    kind: Literal["run", "worker", "todo", "check", "review", "handoff", "error"]
    status: str = ""
    timestamp: float | None = None
    attempt: float | None = None
    phase: str | None = None
    role: str | None = None
    brain_id: str | None = None
    prompt: str | None = None
    title: str | None = None
    summary: str | None = None
    error: str | None = None
    reason: str | None = None
    rationale: str | None = None
    focus: str | None = None
    trigger: str | None = None
    will_fallback: bool | None = None
    required_changes: tuple[str, ...] = ()
    blocking_issues: tuple[str, ...] = ()
    checks: tuple[CheckEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """The newest handoff brief; ``is_fresh`` until a later run begins."""

    summary: str
    timestamp: float | None = None
    focus: str | None = None
    trigger: str | None = None
    is_fresh: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """A session in short."""

    facts: SessionFacts
    entries: tuple[ContextEntry, ...]
    is_truncated: bool
    latest_handoff: Handoff | None


def summarise(lines: Iterable[Line], *, session_id: str, updated_ms: int) -> SessionFacts:
    """Return the facts of a listing.

    Parameters
    ----------
    lines : iterable of mapping
        Journal lines in file order; types outside `FACT_TYPES` may be left out.
    session_id : str
        Full id.
    updated_ms : int
        Last change of the file; milliseconds since the epoch.

    Returns
    -------
    SessionFacts
        One ``run_end`` anywhere makes the status ``completed`` for good; ``detail`` follows the
        last run.
    """
    facts = SessionFacts(session_id=session_id, updated_ms=updated_ms)
    for line in lines:
        match line.get("type"):
            case "run_start":
                facts = _after_start(facts, line)
            case "run_end":
                detail = "asks back" if facts.detail == "asks back" else "completed"
                summary = _text(line, "summary")
                facts = replace(facts, status="completed", detail=detail, summary=summary)
            case "clarification_request":
                facts = replace(facts, detail="asks back")
            case "run_error":
                facts = _after_error(facts, line)
            case "run_cancelled":
                facts = replace(facts, detail="cancelled")
            case "token_usage":
                facts = _after_usage(facts, line)
            case _:
                pass
    return facts


def _after_start(facts: SessionFacts, line: Line) -> SessionFacts:
    plan = _mapping(line, "plan")
    return replace(
        facts,
        prompt=facts.prompt or _text(line, "prompt"),
        brain_id=facts.brain_id or _text(_mapping(plan, "brain"), "id"),
        role=facts.role or _text(plan, "role"),
        project_root=facts.project_root or _text(_mapping(line, "projectSupport"), "root"),
        detail="interrupted",
    )


def _after_usage(facts: SessionFacts, line: Line) -> SessionFacts:
    usage = _mapping(line, "usage")
    parts = ("input", "output", "cacheRead", "cacheWrite", "inputTokens", "outputTokens")
    spent = _number(usage, "total") or sum(_number(usage, part) or 0 for part in parts)
    if spent <= 0:
        return facts
    price = _number(line, "costUsd")
    is_first = facts.tokens == 0
    before = 0.0 if is_first else facts.cost_usd
    model = _text(line, "modelId")
    is_new = model is not None and model not in facts.models and len(facts.models) < MAX_MODELS
    return replace(
        facts,
        models=(*facts.models, model) if is_new and model else facts.models,
        tokens=facts.tokens + int(spent),
        cost_usd=None if before is None or price is None else before + price,
    )


def _after_error(facts: SessionFacts, line: Line) -> SessionFacts:
    if line.get("willFallback") is not True and facts.detail != "cancelled":
        facts = replace(facts, detail="failed")
    if facts.status == "completed":
        return facts
    return replace(facts, status="failed", summary=_text(line, "error"))


def read_context(
    facts: SessionFacts, lines: Iterable[Line], *, max_entries: int = MAX_ENTRIES
) -> SessionContext:
    """Return the context of a session.

    Parameters
    ----------
    facts : SessionFacts
        What the listing told; fields without a value are filled from the entries.
    lines : iterable of mapping
        Journal lines in file order.
    max_entries : int
        Newest entries kept, at least one.

    Returns
    -------
    SessionContext
        A run stands where it ended; one still open at the end of the file comes last, incomplete.
    """
    folding = _Folding()
    for line in lines:
        kind = line.get("type")
        step = _STEPS.get(kind) if isinstance(kind, str) else None
        if step is not None:
            step(folding, line)
    folding.finish()
    limit = max(1, max_entries)
    entries = tuple(folding.entries)
    return SessionContext(
        facts=_completed_facts(facts, entries),
        entries=entries[-limit:],
        is_truncated=len(entries) > limit,
        latest_handoff=folding.handoff,
    )


def _completed_facts(facts: SessionFacts, entries: tuple[ContextEntry, ...]) -> SessionFacts:
    runs = [entry for entry in entries if entry.kind == "run"]
    errors = [entry.error for entry in entries if entry.kind == "error"]
    nothing = ContextEntry(kind="run", status=facts.status)
    first, last = (runs[0], runs[-1]) if runs else (nothing, nothing)
    status = last.status if facts.status == "incomplete" else facts.status
    return replace(
        facts,
        prompt=facts.prompt or first.prompt,
        brain_id=facts.brain_id or last.brain_id,
        role=facts.role or last.role,
        summary=facts.summary or last.summary or (errors[-1] if errors else None),
        status=cast("SessionStatus", status),
    )


@dataclass(slots=True)
class _Folding:
    """State of one pass over the lines."""

    entries: list[ContextEntry] = field(default_factory=list[ContextEntry])
    open_run: ContextEntry | None = None
    open_run_id: str | None = None
    handoff: Handoff | None = None

    def start(self, line: Line) -> None:
        plan = _mapping(line, "plan")
        run_id = _text(line, "runId")
        before = self.open_run
        # Our runs announce themselves before the plan exists and once more with it: one run, not
        # two. The original has no run id, so its lines never merge.
        is_same = before is not None and run_id is not None and run_id == self.open_run_id
        if before is not None and not is_same:
            self.entries.append(before)
        self.open_run_id = run_id
        self.open_run = ContextEntry(
            kind="run",
            status="incomplete",
            prompt=_text(line, "prompt"),
            brain_id=_text(_mapping(plan, "brain"), "id"),
            role=_text(plan, "role"),
            timestamp=_number(line, "timestamp"),
            attempt=_number(line, "attempt"),
        )
        if self.handoff is not None:
            self.handoff = replace(self.handoff, is_fresh=False)

    def end(self, line: Line) -> None:
        run = self.open_run or ContextEntry(kind="run", timestamp=_number(line, "timestamp"))
        self.entries.append(replace(run, status="completed", summary=_text(line, "summary")))
        self.open_run = None

    def fail(self, line: Line) -> None:
        error = _text(line, "error") or "unknown error"
        if self.open_run is not None:
            self.entries.append(replace(self.open_run, status="failed", summary=error))
            self.open_run = None
            return
        fallback = line.get("willFallback")
        self.entries.append(
            ContextEntry(
                kind="error",
                error=error,
                will_fallback=fallback if isinstance(fallback, bool) else None,
                timestamp=_number(line, "timestamp"),
                attempt=_number(line, "attempt"),
            )
        )

    def worker_ended(self, line: Line) -> None:
        result = _mapping(line, "result")
        status = _text(result, "status") or _text(_mapping(result, "progress"), "status")
        self.entries.append(
            ContextEntry(
                kind="worker",
                status=status if status in {"failed", "blocked"} else "completed",
                phase=_text(line, "phase"),
                role=_text(line, "worker"),
                summary=_text(result, "summary"),
                timestamp=_number(line, "timestamp"),
            )
        )

    def worker_failed(self, line: Line) -> None:
        self.entries.append(
            ContextEntry(
                kind="worker",
                status="failed",
                phase=_text(line, "phase"),
                role=_text(line, "worker"),
                error=_text(line, "error") or "unknown worker error",
                timestamp=_number(line, "timestamp"),
            )
        )

    def todos(self, line: Line) -> None:
        raw = line.get("todos")
        items = cast("list[object]", raw) if isinstance(raw, list) else []
        todos = [cast("Line", item) for item in items if isinstance(item, dict)]
        for todo in todos or [cast("Line", {})]:
            status = _text(todo, "status") or _text(line, "status")
            self.entries.append(
                ContextEntry(
                    kind="todo",
                    status=status if status in _TODO_STATES else "pending",
                    phase=_text(line, "phase"),
                    role=_text(line, "role") or _text(todo, "role"),
                    title=_text(todo, "title"),
                    summary=_text(line, "summary") or _text(todo, "summary"),
                    error=_text(line, "error"),
                    timestamp=_number(line, "timestamp"),
                )
            )

    def check(self, line: Line) -> None:
        status = _text(line, "status")
        raw = line.get("results")
        results = cast("list[object]", raw) if isinstance(raw, list) else []
        self.entries.append(
            ContextEntry(
                kind="check",
                status=status if status in _CHECK_STATES else "skipped",
                attempt=_number(line, "attempt"),
                reason=_text(line, "reason"),
                checks=tuple(
                    _check(cast("Line", result)) for result in results if isinstance(result, dict)
                ),
                timestamp=_number(line, "timestamp"),
            )
        )

    def review(self, line: Line) -> None:
        decision = _text(line, "decision")
        self.entries.append(
            ContextEntry(
                kind="review",
                status=decision if decision in _DECISIONS else "blocked",
                attempt=_number(line, "attempt"),
                rationale=_text(line, "rationale"),
                required_changes=_texts(line, "requiredChanges"),
                blocking_issues=_texts(line, "blockingIssues"),
                timestamp=_number(line, "timestamp"),
            )
        )

    def handed_off(self, line: Line) -> None:
        summary = _text(line, "summary")
        if summary is None:
            return
        focus, trigger = _text(line, "focus"), _text(line, "trigger")
        stamp = _number(line, "timestamp")
        self.entries.append(
            ContextEntry(
                kind="handoff", summary=summary, focus=focus, trigger=trigger, timestamp=stamp
            )
        )
        self.handoff = Handoff(summary=summary, timestamp=stamp, focus=focus, trigger=trigger)

    def finish(self) -> None:
        if self.open_run is None:
            return
        self.entries.append(self.open_run)
        if self.handoff is not None:
            self.handoff = replace(self.handoff, is_fresh=False)


_STEPS: Final[Mapping[str, Callable[[_Folding, Line], None]]] = {
    "run_start": _Folding.start,
    "run_end": _Folding.end,
    "run_error": _Folding.fail,
    "worker_end": _Folding.worker_ended,
    "worker_error": _Folding.worker_failed,
    "todo_update": _Folding.todos,
    "check_summary": _Folding.check,
    "review_decision": _Folding.review,
    "handoff": _Folding.handed_off,
}


CONTEXT_TYPES: Final = frozenset(_STEPS)
"""Record types that `read_context` looks at."""


def _check(result: Line) -> CheckEntry:
    exit_code = _number(result, "exitCode")
    return CheckEntry(
        name=_text(result, "name") or "unknown",
        status="passed" if result.get("status") == "passed" else "failed",
        exit_code=exit_code,
        has_exit_code=exit_code is not None
        or ("exitCode" in result and result["exitCode"] is None),
        duration_ms=_number(result, "durationMs"),
    )


def _text(line: Line, key: str) -> str | None:
    value = line.get(key)
    return (value.strip() or None) if isinstance(value, str) else None


def _texts(line: Line, key: str) -> tuple[str, ...]:
    value = line.get(key)
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item.strip() for item in items if isinstance(item, str) and item.strip())


def _number(line: Line, key: str) -> float | None:
    value = line.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def _mapping(line: Line, key: str) -> Line:
    value = line.get(key)
    return cast("Line", value) if isinstance(value, dict) else {}
