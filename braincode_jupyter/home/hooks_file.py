"""``hooks.json`` of the user and ``.agents/hooks.json`` of a project: which commands hooks are.

Reading follows the original's normal form and rewrites nothing. A user's hook runs when its file
says ``trusted: true``, as in the original; a project's also needs the user's approval of exactly
this hook (security R58). A broken file is an error that names the place.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from braincode_jupyter.home.json_files import read_object
from braincode_jupyter.home.paths import HOOKS
from braincode_jupyter.home.trust import Subject, describe_project_entry, judge
from braincode_jupyter.protocol.outside import HookEvent, HookHandler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.home.trust import Approval
    from braincode_jupyter.protocol.outside_records import Scope

PROJECT_HOOKS: Final = (".agents", "hooks.json")
MAX_HOOKS: Final = 64
"""Hooks of one file; further ones are left out."""
MAX_COMMAND_CHARS: Final = 8192
"""One command; a longer one is skipped."""
MAX_MATCHER_CHARS: Final = 200
"""One matcher; a longer one is skipped."""
DEFAULT_TIMEOUT_S: Final = 60.0
"""Longest run of a hook whose entry names none."""
MAX_TIMEOUT_S: Final = 600.0
"""Longest that an entry may ask for."""

_EVENTS: Final[tuple[HookEvent, ...]] = get_args(HookEvent)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One hook in its file, before anything is decided about it."""

    event: HookEvent
    name: str
    """Event, number of the group and number in the group; finds an earlier approval."""
    matcher: str
    entry: Mapping[str, JsonValue]


def read_hooks(
    home: Path, project_root: Path, *, approvals: Sequence[Approval]
) -> tuple[HookHandler, ...]:
    """Read the hooks of user and project, user's first.

    Parameters
    ----------
    home : Path
        The home folder.
    project_root : Path
        The project.
    approvals : sequence of Approval
        What the user allowed.

    Returns
    -------
    tuple of HookHandler
        Those that must not run say why. Events that are not fired are left out.

    Raises
    ------
    ConfigurationError
        If a file is broken.
    """
    handlers: list[HookHandler] = []
    path = home / HOOKS
    for place in _places(path):
        reason = (
            "" if place.entry.get("trusted") is True else "not trusted: its file does not say so"
        )
        handlers.append(_handler(place, "user", path, reason=reason))
    path = project_root.joinpath(*PROJECT_HOOKS)
    for place in _places(path):
        verdict = judge(_subject(project_root, place), approvals)
        reason = "" if verdict.is_trusted else f"not trusted: {verdict.reason}"
        handlers.append(_handler(place, "project", path, reason=reason))
    return tuple(handlers)


def hook_subjects(project_root: Path) -> tuple[Subject, ...]:
    """Return what the project's file would run, for a person to approve.

    Parameters
    ----------
    project_root : Path
        The project.

    Returns
    -------
    tuple of Subject
        One for each hook of an event that is fired.

    Raises
    ------
    ConfigurationError
        If the file is broken.
    """
    path = project_root.joinpath(*PROJECT_HOOKS)
    return tuple(_subject(project_root, place) for place in _places(path))


def _subject(project_root: Path, place: _Place) -> Subject:
    words = (place.entry.get(key) for key in ("command", "commandWindows", "command_windows"))
    entry: dict[str, JsonValue] = {
        "event": place.event,
        "matcher": place.matcher,
        **place.entry,
    }
    return describe_project_entry(
        "hook",
        project_root,
        name=place.name,
        entry=entry,
        words=words,
    )


def _places(path: Path) -> Iterator[_Place]:
    """Yield the hooks of a file in order; unknown events and empty groups are left out."""
    document = read_object(path) or {}
    events = document.get("hooks")
    count = 0
    for event in _EVENTS:
        groups = events.get(event) if isinstance(events, Mapping) else None
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            for inner, entry in enumerate(_entries(group)):
                count += 1
                if count > MAX_HOOKS:
                    return
                yield _Place(
                    event=event,
                    name=f"{event}/{number}/{inner}",
                    matcher=_matcher(group),
                    entry=entry,
                )


def _entries(group: JsonValue) -> list[Mapping[str, JsonValue]]:
    hooks = group.get("hooks") if isinstance(group, Mapping) else None
    return [
        hook for hook in (hooks if isinstance(hooks, list) else ()) if isinstance(hook, Mapping)
    ]


def _matcher(group: JsonValue) -> str:
    matcher = group.get("matcher") if isinstance(group, Mapping) else None
    return matcher.strip() if isinstance(matcher, str) else ""


def _handler(place: _Place, scope: Scope, path: Path, *, reason: str) -> HookHandler:
    entry = place.entry
    command = _command(entry)
    message = entry.get("statusMessage")
    return HookHandler(
        event=place.event,
        scope=scope,
        path=str(path),
        matcher=place.matcher,
        command=command[:MAX_COMMAND_CHARS],
        timeout_s=_timeout_s(entry.get("timeout")),
        skip_reason=_why_not(place, command) or reason,
        status_message=message[:MAX_MATCHER_CHARS] if isinstance(message, str) else "",
    )


def _command(entry: Mapping[str, JsonValue]) -> str:
    windows = ("commandWindows", "command_windows") if os.name == "nt" else ()
    for key in (*windows, "command"):
        command = entry.get(key)
        if isinstance(command, str) and command.strip():
            return command.strip()
    return ""


def _why_not(place: _Place, command: str) -> str:
    entry = place.entry
    reasons = (
        (entry.get("enabled") is False, "disabled"),
        (entry.get("async") is True, "async hooks are not run"),
        (entry.get("type", "command") != "command", "its type is not command"),
        (not command, "no command"),
        (len(command) > MAX_COMMAND_CHARS or "\0" in command, "its command is too long"),
        (len(place.matcher) > MAX_MATCHER_CHARS, "its matcher is too long"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _timeout_s(value: JsonValue | None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return DEFAULT_TIMEOUT_S
    return float(min(max(value, 1), MAX_TIMEOUT_S))
