from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.hooks.points import (
    MAX_CONTEXT_CHARS,
    HookOutput,
    HookScope,
    hook_report,
    input_line,
    judged_run,
    matches,
    session_start,
    stop,
    subagent_start,
    subagent_stop,
    user_prompt_submit,
)
from braincode_jupyter.protocol.outside import HookHandler

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.hooks.points import HookPoint
    from braincode_jupyter.protocol.outside import HookEvent
    from braincode_jupyter.protocol.outside_records import HookRun

_SCOPE = HookScope(session_id="s1", cwd="/p", model="m")
_POINTS = (
    session_start(),
    user_prompt_submit("{a} $b"),
    subagent_start("qa", agent_id="c1"),
    subagent_stop("qa", agent_id="c1", last_message="done"),
    stop("all done"),
)


def _handler(event: HookEvent = "Stop", matcher: str = "", **more: str) -> HookHandler:
    return HookHandler(
        event=event, scope="user", path="/h.json", matcher=matcher, command="x", **more
    )


def _judged(
    stdout: str = "", *, code: int | None = 0, stderr: str = "", point: HookPoint = _POINTS[0]
) -> tuple[HookRun, str]:
    output = HookOutput(exit_code=code, stdout=stdout, stderr=stderr)
    return judged_run(_handler(point.event), point, output=output)


@pytest.mark.parametrize(
    ("point", "fields"),
    [
        (_POINTS[0], {"source": "startup"}),
        (_POINTS[1], {"prompt": "{a} $b"}),
        (_POINTS[2], {"agent_id": "c1", "agent_type": "qa"}),
        (
            _POINTS[3],
            {
                "agent_id": "c1",
                "agent_type": "qa",
                "agent_transcript_path": None,
                "stop_hook_active": False,
                "last_assistant_message": "done",
            },
        ),
        (_POINTS[4], {"stop_hook_active": False, "last_assistant_message": "all done"}),
    ],
)
def test_a_hook_is_told_the_fields_of_its_event(
    point: HookPoint, fields: dict[str, JsonValue]
) -> None:
    line = input_line(point, _SCOPE, turn_id="t")

    assert json.loads(line) == {
        "session_id": "s1",
        "transcript_path": None,
        "cwd": "/p",
        "hook_event_name": point.event,
        "model": "m",
        "turn_id": "t",
        "permission_mode": "default",
        **fields,
    }


@given(st.text())
def test_a_prompt_stays_on_one_line_and_comes_through_whole(prompt: str) -> None:
    line = input_line(user_prompt_submit(prompt), _SCOPE, turn_id="t")

    assert line.count(b"\n") == 1
    assert json.loads(line)["prompt"] == prompt


@pytest.mark.parametrize(
    ("matcher", "is_meant"),
    [
        ("", True),
        ("*", True),
        ("qa", True),
        ("q", True),
        ("^dba$|^qa$", True),
        ("dba", False),
        ("(", False),
        ("(qa", False),
    ],
)
def test_matchers_are_searched_as_regular_expressions(*, matcher: str, is_meant: bool) -> None:
    assert matches(_handler("SubagentStart", matcher), _POINTS[2]) == is_meant


def test_a_matcher_that_is_no_expression_is_compared() -> None:
    point = subagent_start("(qa", agent_id="c")

    assert matches(_handler("SubagentStart", "(qa"), point)


@pytest.mark.parametrize(("event", "point"), [("UserPromptSubmit", 1), ("Stop", 4)])
def test_two_events_have_no_matcher(event: HookEvent, point: int) -> None:
    assert matches(_handler(event, "nothing"), _POINTS[point])


def test_a_hook_is_not_meant_by_another_event() -> None:
    assert not matches(_handler("Stop"), _POINTS[0])


@pytest.mark.parametrize(
    ("stdout", "stderr", "code", "reason"),
    [
        ("out", "err", 2, "err"),
        ("out", "", 2, "out"),
        ("", "", 2, "blocked by a hook"),
        ('{"decision": "block", "reason": "no"}', "", 0, "no"),
        ('{"decision": "block"}', "", 1, "blocked by a hook"),
        ('{"continue": false, "stopReason": "enough"}', "", 0, "enough"),
    ],
)
def test_a_hook_may_block(*, stdout: str, stderr: str, code: int, reason: str) -> None:
    run, _ = _judged(stdout, code=code, stderr=stderr)

    assert (run.status, run.reason) == ("blocked", reason)


@pytest.mark.parametrize(
    "stdout", ['{"decision": "allow"}', '{"continue": true}', '{"decision": 1}']
)
def test_nothing_that_a_hook_says_allows_anything(stdout: str) -> None:
    run, text = _judged(stdout)

    assert (run.status, run.reason, text) == ("completed", None, "")


def test_another_exit_status_is_a_failure_whose_output_still_counts() -> None:
    run, text = _judged("remember this", code=1)

    assert (run.status, run.reason, text) == ("failed", "exit status 1", "remember this")


def test_context_counts_only_for_the_event_that_it_names() -> None:
    def told(name: str) -> str:
        specific = {"hookEventName": name, "additionalContext": "note"}
        return _judged(json.dumps({"hookSpecificOutput": specific}))[1]

    assert (told("SessionStart"), told("Stop")) == ("note", "")


@pytest.mark.parametrize(
    ("point", "is_context"), [(0, True), (1, True), (2, True), (3, False), (4, False)]
)
def test_plain_output_is_context_before_something_happens(*, point: int, is_context: bool) -> None:
    _, text = _judged("plain", point=_POINTS[point])

    assert bool(text) == is_context


def test_context_is_cleaned_and_has_a_limit() -> None:
    _, text = _judged("a\u202e\x1b[2J" + "x" * 50_000)

    assert text.startswith("a⟨U+202E⟩x")
    assert len(text) <= MAX_CONTEXT_CHARS


@given(st.text() | st.text().map(lambda t: "{" + t), st.none() | st.integers(-20, 255))
def test_no_output_breaks_anything(stdout: str, code: int | None) -> None:
    run, _ = _judged(stdout, code=code)

    assert run.status in ("completed", "failed", "blocked")


def test_a_report_keeps_the_order_and_the_first_reason() -> None:
    point = _POINTS[0]
    judged = [_judged("one"), _judged("", code=2, stderr="first"), _judged("x", code=2)]

    report = hook_report(point, judged)

    assert (report.event_name, report.matcher, len(report.records)) == (
        "SessionStart",
        "startup",
        3,
    )
    assert (report.additional_context, report.blocked_reason) == (("one",), "first")
    assert hook_report(point, []).is_empty
