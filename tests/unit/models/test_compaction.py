from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models.compaction import MAX_REQUEST_BYTES, SOFT_SHARE, LongTalk
from braincode_jupyter.protocol.tools import ToolReturn, ToolUse

if TYPE_CHECKING:
    from braincode_jupyter.models.agents import StreamEnd

END = cast("StreamEnd", None)


def talk(context_tokens: int = 4_000) -> LongTalk:
    return LongTalk(prompt="p", more_tokens=10, context_tokens=context_tokens, reply_tokens=100)


def add(to: LongTalk, text: str) -> None:
    use = ToolUse(call_id="c", name="read_file", arguments="{}")
    to.add(END, "", [(use, ToolReturn(text=text))])


def texts(of: LongTalk) -> list[str]:
    return [given.text for _, results in of.exchanges for _, given in results]


@given(st.lists(st.integers(0, 900), min_size=1, max_size=12))
def test_only_what_is_old_goes_the_oldest_first_and_nothing_that_fits(sizes: list[int]) -> None:
    conversation = talk()
    sent: list[str] = []
    for size in sizes:
        sent.append("word " * size)
        add(conversation, sent[-1])
        conversation.fit()

    kept = texts(conversation)
    gone = [number for number, text in enumerate(kept) if text != sent[number]]
    assert kept[-1] == sent[-1]
    assert all(kept[number].startswith("[left out to keep") for number in gone)
    room = int(4_000 * SOFT_SHARE) - 100
    long_ones = [n for n in range(len(sent) - 1) if len(sent[n]) >= 400]
    assert gone == long_ones[: len(gone)]
    assert conversation.sent_tokens <= room or gone == long_ones


def test_a_request_over_the_limit_in_bytes_is_not_made() -> None:
    conversation = talk(context_tokens=10_000_000)
    add(conversation, "x" * (MAX_REQUEST_BYTES + 1))

    with pytest.raises(ModelError) as failure:
        conversation.fit()

    assert failure.value.code == "context_too_long"


def test_old_results_go_before_the_limit_in_bytes_refuses() -> None:
    conversation = talk(context_tokens=10_000_000)
    for _ in range(3):
        add(conversation, "x" * (MAX_REQUEST_BYTES // 2))
    assert conversation.fit() == 2

    assert texts(conversation)[-1] == "x" * (MAX_REQUEST_BYTES // 2)
