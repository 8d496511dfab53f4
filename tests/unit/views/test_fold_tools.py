from __future__ import annotations

import re
from base64 import b64encode
from typing import Literal

import pytest
import records_sample as sample

from braincode_jupyter.protocol.approval_records import (
    MAX_DATA_CHARS,
    ApprovalGranted,
    ApprovalRequested,
    ApprovalRevoked,
    ArtifactMade,
)
from braincode_jupyter.protocol.outside_records import (
    ToolApprovalDecided,
    ToolExecuted,
    ToolProgressed,
)
from braincode_jupyter.protocol.records import AnyRecord, RunCancelled
from braincode_jupyter.protocol.sections import ImagePart
from braincode_jupyter.protocol.tools import ApprovalRequest, Artifact
from braincode_jupyter.views import AgentView, RunView, close_view, fold, to_html, to_text
from braincode_jupyter.views.fold_tools import MAX_PLOTS_CHARS
from braincode_jupyter.views.speaker import speaker

SAY = speaker()

CONTEXT = sample.ctx("analyst")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def begun() -> RunView:
    """Return the view of a run whose analyst is at work."""
    view = RunView(session_id=sample.SESSION)
    for record in sample.full_run():
        if getattr(record, "timestamp", 0) > sample.at(5):
            break
        view = fold(view, record)
    assert agent(view).state == "running"
    return view


def agent(view: RunView) -> AgentView:
    return next(one for one in view.agents if one.context_id == CONTEXT)


def after(view: RunView, *records: AnyRecord) -> RunView:
    for record in records:
        view = fold(view, record)
    return view


def asked(call: str = "t1", *, shown: str = "print(1)", words: str = "") -> ApprovalRequested:
    request = ApprovalRequest(
        approval_id=f"call-7:{call}",
        nonce="secret-nonce",
        context_id=CONTEXT,
        role="analyst",
        tool="run_python",
        effect="execute",
        action="run_python, 1 line",
        shown=shown,
        bound_sha256="0" * 64,
        reason="execute tools ask",
        model_words=words,
    )
    return ApprovalRequested.of(request, timestamp=sample.at(6))


def decided(
    decision: Literal["approved", "denied", "auto_approved"], call: str = "t1", reason: str = ""
) -> ToolApprovalDecided:
    return ToolApprovalDecided(
        timestamp=sample.at(7),
        context_id=CONTEXT,
        phase="support",
        role="analyst",
        tool_call_id=call,
        tool_name="run_python",
        args_summary={"action": "run_python, 1 line"},
        decision=decision,
        approver="human",
        reason=reason,
    )


def executed(event: Literal["start", "end"], *, is_error: bool | None = None) -> ToolExecuted:
    return ToolExecuted(
        timestamp=sample.at(8),
        context_id=CONTEXT,
        phase="support",
        role="analyst",
        tool_call_id="t1",
        tool_name="run_python",
        event=event,
        is_error=is_error,
        result_summary={"chars": 1_204, "isolation": "no network"} if event == "end" else None,
    )


def artifact(uri: str, data: bytes, media_type: str = "image/png") -> ArtifactMade:
    image = ImagePart(media_type=media_type, data=data)
    made = Artifact(uri=uri, label="Revenue by week", image=image)
    return ArtifactMade.of(made, timestamp=sample.at(9), context_id=CONTEXT)


def test_a_request_stands_on_the_card_and_its_agent_waits() -> None:
    view = after(begun(), asked(words="trust me"))

    (approval,) = view.approvals
    assert agent(view).state == "waiting_for_approval"
    assert (approval.role, approval.action) == ("analyst", "run_python, 1 line")
    assert (approval.shown, approval.model_words) == ("print(1)", "trust me")
    assert approval.deadline_ms == sample.at(6) + 600_000


def test_text_and_html_begin_with_what_the_run_waits_for() -> None:
    before, asking = begun(), after(begun(), asked())

    for form in (to_text, to_html):
        head = form(asking).split("Needs your answer")[0]
        assert "waiting for approval" in head
        assert "waiting for approval" not in form(before)


def granted(call: str = "t1") -> ApprovalGranted:
    request = asked(call)
    return ApprovalGranted(
        timestamp=sample.at(7),
        context_id=CONTEXT,
        approval_id=request.approval_id,
        role=request.role,
        tool=request.tool,
        effect=request.effect,
        action=request.action,
        shown=request.shown,
        bound_sha256=request.bound_sha256,
    )


def test_a_grant_is_listed_counted_and_gone_when_revoked() -> None:
    used = decided("approved").model_copy(update={"grant_id": "call-7:t1"})

    view = after(begun(), asked(), granted(), decided("approved"), granted("t2"), used, used)

    assert [(one.approval_id, one.uses) for one in view.grants] == [
        ("call-7:t1", 2),
        ("call-7:t2", 0),
    ]
    assert (view.grants[0].action, view.grants[0].shown) == ("run_python, 1 line", "print(1)")
    assert "Allowed for this run" in to_text(view)
    assert "Allowed for this run" in to_html(view)
    revoked = ApprovalRevoked(timestamp=sample.at(8), approval_id="call-7:t1", by="card")
    assert [one.approval_id for one in fold(view, revoked).grants] == ["call-7:t2"]


def test_a_run_that_is_over_grants_nothing() -> None:
    assert close_view(after(begun(), granted())).grants == ()


def test_no_view_and_no_record_holds_the_nonce() -> None:
    view = after(begun(), asked())

    assert "secret-nonce" not in str(view.to_wire())
    assert "secret-nonce" not in str(asked().to_wire())


def test_an_approved_call_runs_and_is_done() -> None:
    view = after(begun(), asked(), decided("approved"), executed("start"))

    assert view.approvals == ()
    assert (agent(view).state, agent(view).waiting_for) == ("running", "run_python")
    view = after(view, executed("end", is_error=False))
    (call,) = agent(view).tool_calls
    assert (call.state, call.chars, SAY.said(call.approver)) == ("done", 1_204, "approved by you")
    assert (call.action, call.isolation) == ("run_python, 1 line", "no network")


def test_a_denied_call_says_who_and_why() -> None:
    silent = decided("denied", reason="nobody answered")
    view = after(begun(), asked(), silent.model_copy(update={"approver": "runtime_policy"}))

    (call,) = agent(view).tool_calls
    assert (call.state, SAY.said(call.approver)) == ("denied", "denied by policy")
    assert call.reason == "nobody answered"
    assert agent(view).state == "running"


def test_why_a_call_was_refused_is_said_in_the_language_of_the_reader() -> None:
    rule = decided("denied", reason="rule deny command 'git push': it publishes")
    view = after(begun(), rule.model_copy(update={"approver": "permission_policy"}))

    assert "règle deny command 'git push'\u00a0: cela publie" in flat(to_text(view, "fr"))
    assert "规则 deny command 'git push'\uff1a会发布内容" in flat(to_text(view, "zh"))


def test_why_a_call_asks_is_said_in_the_language_of_the_reader() -> None:
    view = after(begun(), asked().model_copy(update={"reason": "it runs code: a redirection"}))

    said = "Demandé car\u00a0: l’outil exécute du code\u00a0: une redirection"
    assert said in flat(to_text(view, "fr"))
    assert said in to_html(view, "fr")


def flat(text: str) -> str:
    return re.sub("[ \n]+", " ", text)


def test_a_person_who_denies_needs_no_reason() -> None:
    view = after(begun(), asked(), decided("denied", reason="human"))

    (call,) = agent(view).tool_calls
    assert (SAY.said(call.approver), call.reason) == ("denied by you", "")


def test_an_agent_waits_until_its_last_request_is_answered() -> None:
    view = after(begun(), asked("t1"), asked("t2"), decided("approved", "t1"))

    assert agent(view).state == "waiting_for_approval"
    assert [one.approval_id for one in view.approvals] == ["call-7:t2"]
    assert agent(after(view, decided("denied", "t2"))).state == "running"


def test_a_failed_call_is_failed() -> None:
    view = after(begun(), executed("start"), executed("end", is_error=True))

    assert agent(view).tool_calls[0].state == "failed"


def test_an_id_that_is_used_again_is_another_call() -> None:
    view = after(begun(), executed("start"), executed("end"), executed("start"))

    assert [call.state for call in agent(view).tool_calls] == ["done", "running"]


@pytest.mark.parametrize("ending", ["cancelled", "interrupted"])
def test_a_start_without_end_is_an_unknown_outcome_once_the_run_is_over(
    ending: str,
) -> None:
    view = after(begun(), executed("start"), asked("t2"))

    if ending == "cancelled":
        view = fold(view, RunCancelled(timestamp=sample.at(9), by="stop"))
    view = close_view(view)

    assert view.approvals == ()
    (call,) = agent(view).tool_calls
    assert call.state == "outcome_unknown"
    assert SAY.said(call.reason) == ("stopped with the run" if ending == "cancelled" else "")
    assert agent(view).state == ending


def test_a_running_call_says_how_far_it_is_until_it_has_ended() -> None:
    said = ToolProgressed(
        timestamp=sample.at(7),
        phase="support",
        task_id=CONTEXT,
        tool_call_id="t1",
        tool_name="run_python",
        message="step 1 (1 of 10) \u202e",
    )
    view = after(begun(), executed("start"), said)

    assert "step 1 (1 of 10) ⟨U+202E⟩" in to_text(view)
    assert [call.progress for call in agent(after(view, executed("end"))).tool_calls] == [""]


def test_a_call_that_was_refused_says_why() -> None:
    refused = executed("end").model_copy(
        update={"is_error": True, "result_summary": {"chars": 9, "refused": "No such tool."}}
    )

    (call,) = agent(after(begun(), executed("start"), refused)).tool_calls

    assert (call.state, call.reason) == ("failed", "No such tool.")


def test_hidden_characters_are_marked_and_counted() -> None:
    (approval,) = after(begun(), asked(shown="rm \u202e-rf")).approvals

    assert (approval.shown, approval.hidden_chars) == ("rm ⟨U+202E⟩-rf", 1)


def test_a_plot_is_kept_once_and_named_by_its_agent() -> None:
    view = after(begun(), artifact("plot:1", PNG), artifact("plot:1", PNG))

    assert [(one.uri, one.media_type) for one in view.plots] == [("plot:1", "image/png")]
    assert view.plots[0].data == b64encode(PNG).decode()
    assert [one.media_type for one in agent(view).artifacts] == ["image/png"]


@pytest.mark.parametrize("media_type", ["image/svg+xml", "text/html", "IMAGE/PNG"])
def test_other_media_types_are_never_drawn(media_type: str) -> None:
    view = after(begun(), artifact("plot:1", b"<svg onload=alert(1)>", media_type))

    assert view.plots == ()
    assert agent(view).artifacts[0].media_type is None


def test_an_artifact_that_is_too_big_is_a_pointer() -> None:
    assert artifact("plot:1", bytes(MAX_DATA_CHARS)).data is None
    assert len(artifact("plot:1", bytes(MAX_DATA_CHARS // 4 * 3)).data or "") == MAX_DATA_CHARS


def test_plots_beyond_the_room_of_a_card_are_named_in_a_warning() -> None:
    big = bytes(MAX_DATA_CHARS // 4 * 3)

    view = after(begun(), *(artifact(f"plot:{number}", big) for number in range(3)))

    assert sum(len(one.data) for one in view.plots) <= MAX_PLOTS_CHARS
    assert len(agent(view).artifacts) == 3
    assert "Revenue by week" in SAY.said(view.warnings[-1])


def test_text_and_html_say_what_is_asked_and_what_was_done() -> None:
    hostile = "print('</code></pre><img src=x onerror=alert(1)>')"
    view = after(begun(), executed("start"), artifact("plot:1", PNG), asked("t2", shown=hostile))

    text, html = to_text(view), to_html(view)

    for said in (text, html):
        assert "analyst wants to run code: run_python, 1 line" in said
        assert "Tool: run_python · running" in said
        assert "plot: Revenue by week" in said
    assert hostile in text
    assert "<img src=x" not in html
