from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from braincode_jupyter.views import clean_text, to_blocks
from braincode_jupyter.views.block_tree import (
    MAX_BLOCKS,
    MAX_CONTAINER_MARKS,
    PLAIN_NOTE,
    BlockReader,
)
from braincode_jupyter.views.blocks import MAX_CHARS, MarkdownStream, Settled, join_settled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.views import Block

ANSWER = """# Why it fell

Most of the drop is **not real**:
the cleaning cell drops `1,204` rows.

- one

  more of one
- two

```python
import pandas as pd

frame = pd.read_csv("a.csv")
```

| a | b |
|---|---|
| 1 | 2 |

> quoted

**Next** steps follow.
"""
# What opens, closes, holds or continues a block, and what only looks like it.
LINES = [
    *("", "", "", " ", "\t", "a", "b **c**", " d", "   e", "    code", "\tcode", "# h"),
    *("a\n===", "---", "- i", "-", "- ", "* * *", "***", "*x", "+ i", "1. n", "2) n", "12"),
    *("10.", "  - j", "   k", "- - -", " - l", "3. # m", "- ```", "  ```", "   ```", "    ```"),
    *("```", "```py", "```a`b", "````", " ```", "```  ", "~~~", "~~~ `x`", "-   wide", "> q"),
    *("> ```", ">", "> - x", "|a|b|", "|-|-|", "|1|2|", "<div>", "</b>", "[x]: http://a.b"),
    *("\\", "\x1b[31mred", "x\ry", "\u2028", "\u200b", "1986. y", "     7. z", "2. o", "5. p"),
]
MARKS = ["\n", "\n\n", "\r", "\u2028", "`", "~", "-", "*", "1.", ">", "|", " ", "\t", "x", "=", "#"]
TEXTS = st.lists(st.sampled_from(LINES), max_size=24).map("\n".join) | st.lists(
    st.sampled_from([*MARKS, "\x1b", "- ", "```"]), max_size=60
).map("".join)


# Against the rules of CommonMark, the parser begins a new list behind an empty item and two lines.
PARSER_FAULT = re.compile(r"^ {0,3}(?:[-+*]|\d+[.)])[ \t]*\n[ \t]*\n[ \t]*\n", re.MULTILINE)


def settled(pieces: Iterable[str]) -> tuple[list[Settled], MarkdownStream]:
    stream = MarkdownStream()
    return [stream.add(piece) for piece in pieces], stream


def together(*parts: Settled) -> tuple[Block, ...]:
    return join_settled(parts).blocks


def is_start(part: tuple[Block, ...], whole: tuple[Block, ...]) -> bool:
    """Tell whether blocks are the first of others; the last one may be a list that goes on."""
    if not part:
        return True
    last, same = part[-1], whole[len(part) - 1]
    shorter = same.model_copy(update={"children": same.children[: len(last.children)]})
    return whole[: len(part) - 1] == part[:-1] and last in (same, shorter)


def parsed_at_once(text: str) -> tuple[Block, ...] | None:
    reader = BlockReader()
    piece = reader.parse(clean_text(text), is_last=True)
    return reader.build(piece) if piece else None


@settings(max_examples=600)
@given(TEXTS)
def test_pieces_give_the_blocks_of_the_whole(text: str) -> None:
    assume(not PARSER_FAULT.search(clean_text(text)))

    assert to_blocks(text) == parsed_at_once(text)


@settings(max_examples=200)
@given(TEXTS, st.lists(st.integers(0, 200), max_size=5))
def test_any_split_gives_the_same_blocks(text: str, places: list[int]) -> None:
    cuts = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})

    parts, stream = settled(text[start:end] for start, end in pairwise(cuts))

    assert together(*parts, stream.rest()) == to_blocks(text)


@settings(max_examples=60)
@given(TEXTS)
def test_what_is_settled_never_changes(text: str) -> None:
    whole = to_blocks(text)
    stream, parts = MarkdownStream(), list[Settled]()

    for end, character in enumerate(text, 1):
        parts.append(stream.add(character))

        assert is_start(together(*parts), whole)
        assert together(*parts, stream.rest()) == to_blocks(text[:end])
        assert stream.settled_chars <= end


@settings(max_examples=200)
@given(TEXTS)
def test_work_is_in_proportion_to_the_text(text: str) -> None:
    _, stream = settled(text)

    assert stream.parsed_chars <= 4 * len(text)


def test_an_answer_is_settled_block_by_block_and_parsed_once() -> None:
    parts, stream = settled(ANSWER.splitlines(keepends=True))

    given = [[block.kind for block in part.blocks] for part in parts if part.blocks]

    assert given == [
        *(["heading"], ["paragraph"], ["list"], ["list"]),
        *(["code"], ["table"], ["quote"]),
    ]
    assert [part.joins for part in parts if part.blocks].index(True) == 3
    assert [block.kind for block in stream.rest().blocks] == ["paragraph"]
    assert stream.parsed_chars <= len(ANSWER)


def test_a_long_list_grows_item_by_item() -> None:
    parts, stream = settled(f"{number}. item\n" for number in range(1, 200))

    assert [len(part.blocks) for part in parts] == [0] + [1] * 198
    assert stream.parsed_chars <= len("199. item\n") * 200


def test_code_that_is_being_written_is_told_with_its_language() -> None:
    stream = MarkdownStream()
    stream.add("Text\n```python x\n")
    before = stream.open_code
    stream.add("a = 1\n\nb = 2\n")
    within = stream.open_code
    stream.add("```\n")

    assert before is not None
    assert (before.language, before.offset) == ("python", len("Text\n```python x\n"))
    assert within == before
    assert stream.open_code is None


def test_code_inside_a_list_does_not_end_the_list() -> None:
    text = "1. a\n\n   ```py\n   x\n\n   y\n   ```\n\n2. b\n\nend\n"

    (part,), stream = settled([text])

    assert [block.kind for block in part.blocks] == ["list"]
    assert [block.kind for block in stream.rest().blocks] == ["paragraph"]


@pytest.mark.parametrize(
    "text",
    [
        "  ```\nx\n\n" * 8_000,
        "- a\n\n" * 20_000,
        "a\n\n" * 40_000,
        "```\n\n" * 20_000,
        "> a\n\n" * 20_000,
        "  ~~~\n\na\n" * 10_000,
        "1. " * 30_000,
        "- a\n# b\n" * 20_000,
        "- a\n> b\n" * 20_000,
        "x" * 300_000,
        "\n" * 300_000,
    ],
)
@pytest.mark.timeout(30)
def test_hostile_text_is_parsed_at_most_twice_and_is_the_same_in_pieces(text: str) -> None:
    pieces = [text[start : start + 6_000] for start in range(0, len(text), 6_000)]

    parts, stream = settled(pieces)

    assert stream.parsed_chars <= 4 * MAX_CHARS
    assert together(*parts, stream.rest()) == to_blocks(text)


def test_blocks_beyond_a_limit_are_plain_and_those_before_it_stay() -> None:
    blocks = to_blocks("# h\n\n" + "a\n\n" * (MAX_BLOCKS + 1))

    note, body = blocks[-2:]
    assert blocks[0].kind == "heading"
    assert note.note == PLAIN_NOTE
    assert body.spans[0].text.startswith("a\n")


def test_a_list_beyond_the_limit_is_plain_and_what_stood_before_stays() -> None:
    blocks = to_blocks("# h\n\n" + "- a\n" * (MAX_CONTAINER_MARKS + 1) + "\nend\n")

    assert [block.kind for block in blocks] == ["heading", "list", "note", "paragraph"]
    assert len(blocks[1].children) > 2_000
    assert blocks[-1].spans[0].text.endswith("- a\n\nend\n")
