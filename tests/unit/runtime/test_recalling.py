"""What an agent that is asked anew is given of what it changed before."""

from __future__ import annotations

from braincode_jupyter.protocol.outside_records import DispatchRequested, ToolExecuted
from braincode_jupyter.protocol.records import ModelFailed, ModelReplied, PromptManifest
from braincode_jupyter.protocol.tools import ToolReturn
from braincode_jupyter.runtime.recalling import (
    among_tools,
    done_before,
    specialists_before,
    unfinished_before,
)

OF = {"timestamp": 1, "context_id": "p", "role": "backend"}
CALL = {**OF, "call_id": "c", "call_kind": "primary", "attempt": 1, "model_id": "m"}
ASKED = PromptManifest(**CALL, sections=())
FAILED = ModelFailed(**CALL, provider="x", code="network", error="down")
REPLIED = ModelReplied(**CALL, provider="x", text="done", finish_reason="stop")


def begun(digest: str, *, tool: str = "exec_command", is_recalled: bool = False) -> ToolExecuted:
    more = {"is_recalled": True} if is_recalled else {}
    return ToolExecuted(
        **OF, phase="primary", event="start", tool_call_id=f"id-{digest}", tool_name=tool,
        call_sha256=digest, **more,
    )  # fmt: skip


def ended(digest: str, *, result: str | None = "", tool: str = "exec_command") -> ToolExecuted:
    return ToolExecuted(
        **OF, phase="primary", event="end", tool_call_id=f"id-{digest}", tool_name=tool,
        is_error=False, result=f"what {digest} gave" if result == "" else result,
    )  # fmt: skip


def change(digest: str) -> tuple[ToolExecuted, ToolExecuted]:
    return begun(digest), ended(digest)


def recalled(digest: str) -> tuple[ToolExecuted, ToolExecuted]:
    return begun(digest, is_recalled=True), ended(digest, result=None)


def kept(*records: object) -> list[str]:
    found = done_before(records, "p")
    assert all(given == ToolReturn(text=f"what {digest} gave") for digest, given in found)
    return [digest for digest, _ in found]


def test_what_was_done_since_the_last_reply_is_kept_in_its_order() -> None:
    assert kept(ASKED, *change("a"), *change("b")) == ["a", "b"]
    assert kept(ASKED, *change("a"), *change("a")) == ["a", "a"]
    assert kept(ASKED, *change("a"), FAILED, ASKED) == ["a"]
    assert kept(ASKED, *change("a"), REPLIED) == []
    assert kept(ASKED, *change("a"), REPLIED, ASKED, *change("b")) == ["b"]
    assert done_before([ASKED, *change("a")], "other") == ()


def test_what_was_given_again_is_kept_for_the_next_beginning() -> None:
    twice = (ASKED, *change("a"), *change("b"), ASKED, *recalled("a"))

    assert kept(*twice) == ["a", "b"]
    assert kept(*twice, *recalled("b"), *change("c")) == ["a", "b", "c"]


def test_another_course_drops_what_was_not_asked_for_again() -> None:
    other = (ASKED, *change("a"), *change("b"), ASKED, *recalled("a"), *change("c"))

    assert kept(*other) == ["a", "c"]
    assert kept(*other, ASKED, *change("d")) == ["d"]


def test_a_change_without_outcome_is_not_kept_and_is_unfinished() -> None:
    records = (ASKED, *change("a"), begun("b"))

    assert kept(*records) == ["a"]
    assert unfinished_before(records) == {"b"}
    assert unfinished_before((*records, ended("b"))) == set()
    assert unfinished_before((*records[:-1], ASKED, begun("a", is_recalled=True))) == set()


def test_checks_that_were_cut_off_can_be_made_again() -> None:
    assert unfinished_before([REPLIED, begun("checks", tool="run_script")]) == set()


def test_a_reader_is_told_of_agents_that_had_used_a_tool() -> None:
    assert among_tools([ASKED, *change("a")]) == ("backend",)
    assert among_tools([ASKED, *change("a"), FAILED, ASKED]) == ()
    assert among_tools([ASKED, *change("a"), REPLIED]) == ()


def test_a_specialist_belongs_to_the_conversation_that_called_it() -> None:
    called = DispatchRequested(
        timestamp=1, context_id="s", role="qa", goal="g", reason="r", primary_role="backend"
    )

    assert specialists_before([ASKED, called, ASKED], "p") == ("s",)
    assert specialists_before([ASKED, called, REPLIED, ASKED], "p") == ()
