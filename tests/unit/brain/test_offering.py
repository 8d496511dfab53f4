from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.limits import Budget
from braincode_jupyter.brain.offering import tool_pointer, tool_tokens, with_tools, with_turn
from braincode_jupyter.brain.state import OpenCall
from braincode_jupyter.protocol.sections import Candidate, ModelCall, Prompt
from braincode_jupyter.protocol.tools import ToolSpec
from braincode_jupyter.protocol.usage import TokenPrice, TokenUsage

if TYPE_CHECKING:
    from pydantic import JsonValue


PRICES = (None, TokenPrice(input_usd=3e-6, output_usd=15e-6), TokenPrice(input_usd=0, output_usd=0))


def spec(description: str = "Run SQL.") -> ToolSpec:
    sql: dict[str, JsonValue] = {"type": "object", "properties": {"sql": {"type": "string"}}}
    return ToolSpec(name="query_data", description=description, parameters=sql)


def opened(output: int = 1_000, sent: int = 500, price: TokenPrice | None = None) -> OpenCall:
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
    return OpenCall(call=call, input_tokens=sent, output_tokens=output, price=price)


def test_the_pointer_changes_with_anything_that_is_sent() -> None:
    pointer = tool_pointer(spec())

    assert pointer == tool_pointer(spec())
    assert pointer.sha256 != tool_pointer(spec("Run SQL!")).sha256
    assert pointer.tokens > len(spec().description) // 4
    assert tool_tokens([spec(), spec("longer " * 50)]) > pointer.tokens + 50


def test_without_a_budget_tools_are_reserved_on_top() -> None:
    charged = with_tools(opened(), 300, Budget())

    assert (charged.reserved_tokens, charged.call.max_output_tokens) == (1_800, 1_000)


@given(
    tokens=st.integers(0, 5_000),
    others=st.integers(0, 3_000),
    slack=st.integers(0, 2_000),
    price=st.sampled_from(PRICES),
)
def test_tools_never_take_a_reservation_beyond_a_budget_while_a_reply_is_left(
    *, tokens: int, others: int, slack: int, price: TokenPrice | None
) -> None:
    before = opened(price=price)
    limit = before.reserved_tokens + others + slack
    dollars = None if price is None else price.of(limit, 0)
    spent = 0.0 if price is None else price.of(others, 0)
    budget = Budget(max_tokens=limit, committed_tokens=others, max_usd=dollars, committed_usd=spent)

    after = with_tools(before, tokens, budget)

    cost = spent + after.cost_of(after.input_tokens, after.output_tokens)
    assert after.call.max_output_tokens == after.output_tokens >= 0
    assert others + after.reserved_tokens <= limit or after.output_tokens == 0
    assert dollars is None or cost <= dollars * (1 + 1e-9) or after.output_tokens == 0


@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.integers(0, 900)), max_size=8),
    st.integers(0, 40_000),
    st.sampled_from(PRICES),
)
def test_a_conversation_never_spends_beyond_a_budget(
    turns: list[tuple[int, int]], limit: int, price: TokenPrice | None
) -> None:
    talk = opened(price=price)
    dollars = None if price is None else price.of(limit, limit // 3)
    budget = Budget(max_tokens=limit, max_usd=dollars)
    spent = TokenUsage()

    for sent, said in turns:
        grown = with_turn(talk, spent, sent, budget=budget)
        if grown is None:
            break
        received = min(said, grown.output_tokens - spent.output)
        spent = TokenUsage(
            input=spent.input + sent,
            output=spent.output + received,
            total=spent.total + sent + received,
        )
        assert grown.reserved_tokens >= spent.total

    assert spent.total <= limit or not spent.total
    assert dollars is None or talk.cost_of(spent.input, spent.output) <= dollars * (1 + 1e-9)


def test_without_a_known_price_a_budget_in_dollars_lets_nothing_pass() -> None:
    assert with_turn(opened(), TokenUsage(), 10, budget=Budget(max_usd=1e6)) is None
    assert with_tools(opened(), 10, Budget(max_usd=1e6)).output_tokens == 0
