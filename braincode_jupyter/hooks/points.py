"""The points at which hooks run, what a hook is told there, and what its output means.

Pure: no process, no file, no clock. Field names and meanings are the original's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from braincode_jupyter.brain.text import clip
from braincode_jupyter.protocol.outside_records import HookReport, HookRun, HookSource, HookStatus
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import HookEvent, HookHandler

MAX_OUTPUT_BYTES: Final = 64 * 1024
"""What is read of one output stream of a hook."""
MAX_KEPT_CHARS: Final = 4_000
"""What is kept of one output stream on the record."""
MAX_CONTEXT_CHARS: Final = 8_000
"""Text of one hook for a prompt."""
MAX_REASON_CHARS: Final = 1_000
"""Reason of one hook."""
MAX_INPUT_CHARS: Final = 256 * 1024
"""Prompt or last message on a hook's input."""

_BLOCKS: Final = 2
_TEXT_IS_CONTEXT: Final = frozenset({"SessionStart", "SubagentStart", "UserPromptSubmit"})
_NO_MATCHER: Final = frozenset({"UserPromptSubmit", "Stop"})
_DEFAULT_REASON: Final = "blocked by a hook"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookScope:
    """What every hook of a run is told."""

    session_id: str
    cwd: str
    model: str = "braincode"
    permission_mode: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPoint:
    """One firing of one event."""

    event: HookEvent
    match_value: str = ""
    """What matchers are held against."""
    fields: Mapping[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    """Input of this event alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOutput:
    """What a command left behind."""

    exit_code: int | None
    """None if it was ended or could not be started."""
    stdout: str = ""
    stderr: str = ""
    problem: str = ""
    """Why it was ended, or could not be started."""


def session_start() -> HookPoint:
    """Return the point before a prompt is looked at; fired for every prompt, as in the original."""
    return HookPoint(event="SessionStart", match_value="startup", fields={"source": "startup"})


def user_prompt_submit(prompt: str) -> HookPoint:
    """Return the point of a submitted prompt, as it was typed."""
    return HookPoint(event="UserPromptSubmit", fields={"prompt": _cut(prompt)})


def subagent_start(role: str, *, agent_id: str) -> HookPoint:
    """Return the point before a worker starts."""
    return HookPoint(
        event="SubagentStart",
        match_value=role,
        fields={"agent_id": agent_id, "agent_type": role},
    )


def subagent_stop(role: str, *, agent_id: str, last_message: str) -> HookPoint:
    """Return the point after a worker ended."""
    return HookPoint(
        event="SubagentStop",
        match_value=role,
        fields={
            "agent_id": agent_id,
            "agent_type": role,
            "agent_transcript_path": None,
            "stop_hook_active": False,
            "last_assistant_message": _cut(last_message),
        },
    )


def stop(last_message: str) -> HookPoint:
    """Return the point before a run ends."""
    return HookPoint(
        event="Stop",
        fields={"stop_hook_active": False, "last_assistant_message": _cut(last_message)},
    )


def input_line(point: HookPoint, scope: HookScope, *, turn_id: str) -> bytes:
    """Return what a hook reads: one line of JSON with names as the original writes them.

    Parameters
    ----------
    point : HookPoint
        The event.
    scope : HookScope
        The run.
    turn_id : str
        Id of this firing.

    Returns
    -------
    bytes
        ASCII, with the line end.
    """
    told: dict[str, JsonValue] = {
        "session_id": scope.session_id,
        "transcript_path": None,
        "cwd": scope.cwd,
        "hook_event_name": point.event,
        "model": scope.model,
        "turn_id": turn_id,
        "permission_mode": scope.permission_mode,
        **point.fields,
    }
    return json.dumps(told, ensure_ascii=True).encode() + b"\n"


def matches(handler: HookHandler, point: HookPoint) -> bool:
    """Say whether a hook is meant by a point.

    Parameters
    ----------
    handler : HookHandler
        The hook.
    point : HookPoint
        The event.

    Returns
    -------
    bool
        An empty matcher and ``*`` mean all; others are searched as regular expressions, and
        compared as text when they are none. A hook that will not run is only compared.
    """
    if handler.event != point.event:
        return False
    if point.event in _NO_MATCHER or handler.matcher in ("", "*"):
        return True
    if handler.skip_reason:
        return handler.matcher in point.match_value
    try:
        return re.search(handler.matcher, point.match_value) is not None
    except (re.error, RecursionError, OverflowError):
        return handler.matcher == point.match_value


def skipped_run(handler: HookHandler, point: HookPoint) -> HookRun:
    """Return the record of a hook that was not started."""
    return _run(handler, point, status="skipped", reason=handler.skip_reason)


def judged_run(
    handler: HookHandler, point: HookPoint, *, output: HookOutput
) -> tuple[HookRun, str]:
    """Decide what the output of a hook means.

    Parameters
    ----------
    handler : HookHandler
        The hook.
    point : HookPoint
        The event.
    output : HookOutput
        What it left behind.

    Returns
    -------
    tuple of (HookRun, str)
        The record, and text for the prompt; empty if there is none.
    """
    told = _decoded(output.stdout)
    blocked, reason = _block(output, told)
    status: HookStatus = "completed" if output.exit_code == 0 else "failed"
    if blocked:
        status = "blocked"
    elif status == "failed":
        reason = output.problem or f"exit status {output.exit_code}"
    run = _run(
        handler,
        point,
        status=status,
        reason=reason or None,
        stdout=_kept(output.stdout),
        stderr=_kept(output.stderr),
        exit_code=output.exit_code,
    )
    return run, _context(output, told, point)


def hook_report(point: HookPoint, judged: Sequence[tuple[HookRun, str]]) -> HookReport:
    """Put the outcomes of one event together.

    Parameters
    ----------
    point : HookPoint
        The event.
    judged : sequence of (HookRun, str)
        Records and texts, in the order of the files.

    Returns
    -------
    HookReport
        All texts in order, and the reason of the first hook that blocked.
    """
    reasons = (run.reason or _DEFAULT_REASON for run, _ in judged if run.status == "blocked")
    return HookReport(
        event_name=point.event,
        matcher=point.match_value or None,
        records=tuple(run for run, _ in judged),
        additional_context=tuple(text for _, text in judged if text),
        blocked_reason=next(reasons, None),
    )


def _block(output: HookOutput, told: Mapping[str, JsonValue] | None) -> tuple[bool, str]:
    if output.exit_code == _BLOCKS:
        return True, _first(output.stderr, output.stdout)
    if told is None:
        return False, ""
    if told.get("decision") == "block":
        return True, _first(told.get("reason"))
    if told.get("continue") is False:
        return True, _first(told.get("stopReason"))
    return False, ""


def _context(output: HookOutput, told: Mapping[str, JsonValue] | None, point: HookPoint) -> str:
    if told is None:
        is_text = point.event in _TEXT_IS_CONTEXT and output.exit_code != _BLOCKS
        return clip(clean_text(output.stdout), MAX_CONTEXT_CHARS) if is_text else ""
    specific = told.get("hookSpecificOutput")
    if not isinstance(specific, Mapping) or specific.get("hookEventName") != point.event:
        return ""
    text = specific.get("additionalContext")
    return clip(clean_text(text), MAX_CONTEXT_CHARS) if isinstance(text, str) else ""


def _decoded(stdout: str) -> Mapping[str, JsonValue] | None:
    """Return the object that a hook wrote; None if it wrote something else."""
    text = stdout.strip()
    if not text.startswith("{"):
        return None
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


def _first(*texts: JsonValue | None) -> str:
    said = (clip(clean_text(text), MAX_REASON_CHARS) for text in texts if isinstance(text, str))
    return next((text for text in said if text), _DEFAULT_REASON)


def _run(  # noqa: PLR0913 - one keyword per field of the record
    handler: HookHandler,
    point: HookPoint,
    *,
    status: HookStatus,
    reason: str | None = None,
    stdout: str | None = None,
    stderr: str | None = None,
    exit_code: int | None = None,
) -> HookRun:
    return HookRun(
        event_name=point.event,
        source=HookSource(kind=handler.scope, path=handler.path),
        matcher=handler.matcher or None,
        command=handler.command or None,
        status=status,
        reason=reason,
        stdout=stdout,
        stderr=stderr,
        exit_code=exit_code,
    )


def _kept(text: str) -> str | None:
    return clip(clean_text(text[: MAX_KEPT_CHARS * 2]), MAX_KEPT_CHARS) or None


def _cut(text: str) -> str:
    return clip(text, MAX_INPUT_CHARS) if len(text) > MAX_INPUT_CHARS else text


def wanted(handlers: Iterable[HookHandler], point: HookPoint) -> tuple[HookHandler, ...]:
    """Return the hooks that a point means, in the order of the files."""
    return tuple(handler for handler in handlers if matches(handler, point))
