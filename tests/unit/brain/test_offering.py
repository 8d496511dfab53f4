from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.offering import tool_pointer, tool_tokens, with_tools
from braincode_jupyter.brain.state import OpenCall
from braincode_jupyter.protocol.sections import Candidate, ModelCall, Prompt
from braincode_jupyter.protocol.tools import ToolSpec

if TYPE_CHECKING:
    from pydantic import JsonValue


def spec(description: str = "Run SQL.") -> ToolSpec:
    sql: dict[str, JsonValue] = {"type": "object", "properties": {"sql": {"type": "string"}}}
    return ToolSpec(name="query_data", description=description, parameters=sql)


def opened(output: int = 1_000, reserved: int = 1_500) -> OpenCall:
    prompt = Prompt(
        call_kind="worker", context_id="c", sections=(), withheld=(), system="s", user="u"
    )
    call = ModelCall(
        call_id="1",
        call_kind="worker",
        role="analyst",
        context_id="c",
        attempt=1,
        candidate=Candidate(model_id="m", provider="p", name="m"),
        prompt=prompt,
        max_output_tokens=output,
        timeout_s=1,
    )
    return OpenCall(call=call, reserved_tokens=reserved)


def test_the_pointer_changes_with_anything_that_is_sent() -> None:
    pointer = tool_pointer(spec())

    assert pointer == tool_pointer(spec())
    assert pointer.sha256 != tool_pointer(spec("Run SQL!")).sha256
    assert pointer.tokens > len(spec().description) // 4
    assert tool_tokens([spec(), spec("longer " * 50)]) > pointer.tokens + 50


def test_without_a_budget_tools_are_reserved_on_top() -> None:
    charged = with_tools(opened(), 300, max_tokens=None, committed_tokens=1_500)

    assert (charged.reserved_tokens, charged.call.max_output_tokens) == (1_800, 1_000)


@given(st.integers(0, 5_000), st.integers(0, 3_000), st.integers(0, 2_000))
def test_tools_never_take_a_reservation_beyond_the_budget_while_a_reply_is_left(
    tokens: int, others: int, slack: int
) -> None:
    before = opened()
    committed = before.reserved_tokens + others
    budget = committed + slack

    after = with_tools(before, tokens, max_tokens=budget, committed_tokens=committed)

    total = committed - before.reserved_tokens + after.reserved_tokens
    assert after.call.max_output_tokens >= 0
    assert total <= budget or after.call.max_output_tokens == 0
