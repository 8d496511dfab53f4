from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.hooks_file import MAX_HOOKS, hook_subjects, read_hooks
from braincode_jupyter.home.trust import approve, read_approvals

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import HookHandler

_HOOK: dict[str, JsonValue] = {"command": "sh guard.sh", "trusted": True}


def _group(*hooks: JsonValue, matcher: str = "") -> JsonValue:
    return [{"matcher": matcher, "hooks": [*hooks]}]


def _write(path: Path, events: JsonValue) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": events}), encoding="utf-8")


def _user(tmp_path: Path, **entry: JsonValue) -> HookHandler:
    _write(tmp_path / "hooks.json", {"Stop": _group({**_HOOK, **entry})})
    (handler,) = read_hooks(tmp_path, tmp_path / "p", approvals=())
    return handler


def _project(tmp_path: Path) -> Path:
    root = tmp_path / "p"
    _write(root / ".agents" / "hooks.json", {"Stop": _group(_HOOK)})
    (root / "guard.sh").write_text("exit 0", encoding="utf-8")
    return root


def test_a_users_trusted_hook_may_run(tmp_path: Path) -> None:
    handler = _user(tmp_path)

    assert (handler.skip_reason, handler.command, handler.timeout_s) == ("", "sh guard.sh", 60.0)
    assert (handler.scope, handler.path) == ("user", str(tmp_path / "hooks.json"))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"enabled": False}, "disabled"),
        ({"trusted": "yes"}, "not trusted"),
        ({"async": True}, "async"),
        ({"type": "prompt"}, "type"),
        ({"command": " "}, "no command"),
        ({"command": "x" * 9000}, "too long"),
    ],
)
def test_a_hook_that_must_not_run_says_why(
    tmp_path: Path, entry: dict[str, JsonValue], words: str
) -> None:
    assert words in _user(tmp_path, **entry).skip_reason


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(5, 5.0), (0, 1.0), (10_000, 600.0), ("9", 60.0), (True, 60.0), (None, 60.0)],
)
def test_time_limits_stay_in_their_range(tmp_path: Path, given: JsonValue, seconds: float) -> None:
    assert _user(tmp_path, timeout=given).timeout_s == seconds


def test_a_cloned_projects_hooks_are_inert_until_approved(tmp_path: Path) -> None:
    root = _project(tmp_path)

    (handler,) = read_hooks(tmp_path, root, approvals=read_approvals(tmp_path))

    assert handler.skip_reason.startswith("not trusted: not approved by you")


def test_an_approved_hook_runs_and_is_inert_again_once_its_script_changes(tmp_path: Path) -> None:
    root = _project(tmp_path)
    (subject,) = hook_subjects(root)
    approve(tmp_path, subject, now_ms=1)

    (trusted,) = read_hooks(tmp_path, root, approvals=read_approvals(tmp_path))
    (root / "guard.sh").write_text("curl evil", encoding="utf-8")
    (changed,) = read_hooks(tmp_path, root, approvals=read_approvals(tmp_path))

    assert trusted.skip_reason == ""
    assert "changed since you approved it" in changed.skip_reason


def test_an_approval_of_one_event_is_none_of_another(tmp_path: Path) -> None:
    root = _project(tmp_path)
    approve(tmp_path, hook_subjects(root)[0], now_ms=1)
    _write(root / ".agents" / "hooks.json", {"SessionStart": _group(_HOOK)})

    (handler,) = read_hooks(tmp_path, root, approvals=read_approvals(tmp_path))

    assert handler.skip_reason.startswith("not trusted")


def test_user_hooks_come_first_and_unknown_events_are_left_out(tmp_path: Path) -> None:
    root = _project(tmp_path)
    _write(
        tmp_path / "hooks.json",
        {
            "PreToolUse": _group(_HOOK),
            "Nonsense": _group(_HOOK),
            "Stop": [7, {"hooks": []}, {"hooks": ["x", _HOOK]}],
            "SubagentStart": _group(_HOOK, matcher=" qa|dba "),
        },
    )

    handlers = read_hooks(tmp_path, root, approvals=())

    assert [(h.event, h.scope, h.matcher) for h in handlers] == [
        ("SubagentStart", "user", "qa|dba"),
        ("Stop", "user", ""),
        ("Stop", "project", ""),
    ]


def test_hooks_beyond_the_limit_are_left_out(tmp_path: Path) -> None:
    _write(tmp_path / "hooks.json", {"Stop": _group(*[_HOOK] * (MAX_HOOKS + 5))})

    assert len(read_hooks(tmp_path, tmp_path / "p", approvals=())) == MAX_HOOKS


def test_reading_changes_nothing(tmp_path: Path) -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"command": " x ", "odd": 1}]}]}, "more": 1}'
    (tmp_path / "hooks.json").write_text(text, encoding="utf-8")

    read_hooks(tmp_path, tmp_path / "p", approvals=())

    assert (tmp_path / "hooks.json").read_text(encoding="utf-8") == text


def test_a_broken_file_is_an_error_that_names_the_place(tmp_path: Path) -> None:
    (tmp_path / "hooks.json").write_text('{"hooks": {,}}', encoding="utf-8")

    with pytest.raises(ConfigurationError, match="line 1"):
        read_hooks(tmp_path, tmp_path / "p", approvals=())


@pytest.mark.parametrize("text", ["", "{}", '{"hooks": 3}', '{"hooks": {"Stop": 3}}'])
def test_a_file_without_hooks_gives_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "hooks.json").write_text(text, encoding="utf-8")

    assert read_hooks(tmp_path, tmp_path / "p", approvals=()) == ()
