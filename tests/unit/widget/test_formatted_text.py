from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.views import Block, to_blocks
from braincode_jupyter.views.blocks import MarkdownStream, join_settled
from braincode_jupyter.widget.text_stream import TextStream

if TYPE_CHECKING:
    from collections.abc import Iterable

LINES = ["", "", "a **b**", "- i", "- j", "1. n", "```py", "```", "# h", "|a|\n|-|", "  x"]
TEXTS = st.lists(st.sampled_from(LINES), max_size=20).map("\n".join)


class Page:
    """What a browser makes of the items of messages."""

    def __init__(self) -> None:
        self.blocks: list[dict[str, Any]] = []
        self.text = ""
        self.base = self.end = self.until = 0
        self.attempt = 0

    def take(self, item: dict[str, Any] | None) -> None:
        if item is None:
            return
        if item["attempt"] != self.attempt:
            self.__init__()
            self.attempt = item["attempt"]
        if settled := cast("dict[str, Any] | None", item.get("settled")):
            blocks = list(settled["blocks"])
            if settled.get("isWhole"):
                self.blocks = []
            if settled.get("joins"):
                first, self.blocks[-1] = blocks.pop(0), dict(self.blocks[-1])
                self.blocks[-1]["children"] = self.blocks[-1]["children"] + first["children"]
            self.blocks += blocks
            self.until = settled["until"]
            self.text = self.text[max(0, self.until - self.base) :]
            self.base, self.end = max(self.base, self.until), max(self.end, self.until)
        assert item["offset"] <= self.end
        self.text += item["text"][self.end - item["offset"] :]
        self.end = max(self.end, item["offset"] + len(item["text"]))

    @property
    def have(self) -> dict[str, int]:
        return {"attempt": self.attempt, "offset": self.end, "until": self.until}


def read(blocks: Iterable[object]) -> tuple[Block, ...]:
    return tuple(Block.model_validate(block) for block in blocks)


def settled_of(text: str) -> tuple[Block, ...]:
    return join_settled([MarkdownStream().add(text)]).blocks


@settings(max_examples=60)
@given(TEXTS, st.lists(st.booleans(), min_size=1, max_size=8))
def test_page_has_what_is_settled_and_the_rest_as_text(text: str, flushes: list[bool]) -> None:
    stream, page = TextStream(is_formatted=True), Page()

    for offset, character in enumerate(text):
        stream.add(offset, character)
        if flushes[offset % len(flushes)]:
            page.take(stream.take(100, context_id="p"))
    page.take(stream.take(1_000, context_id="p"))

    assert read(page.blocks) == settled_of(text)
    assert page.text == text[page.until :]


@settings(max_examples=60)
@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_page_that_missed_something_catches_up(text: str, seen: int, asked: int) -> None:
    stream, page = TextStream(is_formatted=True), Page()

    for offset, character in enumerate(text):
        stream.add(offset, character)
        item = stream.take(100, context_id="p")
        if offset < seen:
            page.take(item)
        if offset == max(seen, asked):
            page.take(stream.again(1_000, context_id="p", **page.have))
        elif offset > max(seen, asked):
            page.take(item)
    page.take(stream.again(1_000, context_id="p", **page.have))

    assert read(page.blocks) == settled_of(text)
    assert page.text == text[page.until :]
    assert stream.again(1_000, context_id="p", **page.have) is None


def test_settled_text_is_sent_as_blocks_alone() -> None:
    stream = TextStream(is_formatted=True)
    stream.add(0, "# Title\n\nSome text.\n\nand")

    item = stream.take(100, context_id="p")

    assert item["offset"] == len("# Title\n\nSome text.\n\n")
    assert item["text"] == "and"
    assert item["settled"] == {
        "until": item["offset"],
        "blocks": [
            {"kind": "heading", "level": 1, "spans": [{"text": "Title"}]},
            {"kind": "paragraph", "spans": [{"text": "Some text."}]},
        ],
    }


def test_code_that_grows_is_told_once() -> None:
    stream = TextStream(is_formatted=True)
    stream.add(0, "```python\na = 1\n")
    first = stream.take(100, context_id="p")
    stream.add(16, "b = 2\n")
    second = stream.take(100, context_id="p")

    assert first["settled"] == {
        "until": 0,
        "blocks": [],
        "code": {"language": "python", "offset": 10},
    }
    assert "settled" not in second


def test_reply_that_starts_again_begins_with_no_block() -> None:
    stream, page = TextStream(is_formatted=True), Page()
    stream.add(0, "# old\n\nx")
    page.take(stream.take(100, context_id="p"))

    stream.add(0, "new\n\n# text\n\ny")
    page.take(stream.take(100, context_id="p"))

    assert read(page.blocks) == to_blocks("new\n\n# text")
    assert page.text == "y"


def test_reply_that_goes_on_after_a_hole_is_plain() -> None:
    stream = TextStream(is_formatted=True)
    stream.add(0, "a\n\nb")
    stream.take(100, context_id="p")

    stream.add(50, "# c\n\nd")
    item = stream.take(100, context_id="p")

    assert "settled" not in item
    assert item["text"] == "# c\n\nd"


def test_sent_messages_do_not_change_later() -> None:
    stream = TextStream(is_formatted=True)
    stream.add(0, "- a\n- b\n")
    first = stream.take(100, context_id="p")
    before = repr(first)

    stream.add(8, "- c\n- d\n")
    stream.take(100, context_id="p")
    stream.again(100, context_id="p", attempt=-1, offset=-1)

    assert repr(first) == before
