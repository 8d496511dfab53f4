"""Formatted text as a tree of blocks, which is drawn as elements and text nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable


class Span(Packet):
    """A run of inline text."""

    text: str
    """Plain text."""
    strong: bool = False
    """Bold."""
    emphasis: bool = False
    """Italic."""
    code: bool = False
    """Monospace."""
    href: str | None = None
    """http, https or mailto only."""


class Block(Packet):
    """One block of formatted text."""

    kind: Literal[
        "paragraph",
        "heading",
        "list",
        "item",
        "code",
        "quote",
        "table",
        "row",
        "cell",
        "rule",
        "note",
    ]
    """What it is."""
    spans: tuple[Span, ...] = ()
    """Inline text, for paragraph, heading and cell."""
    children: tuple["Block", ...] = ()
    """Nested blocks, for list, item, quote, table and row."""
    text: str = ""
    """Verbatim text, for code."""
    language: str = ""
    """For code: the word after the fence."""
    level: int = 0
    """For heading: 1 to 6."""
    ordered: bool = False
    """For list."""
    start: int = 1
    """For ordered list: the number of its first item."""
    header: bool = False
    """For row."""
    align: Literal["", "left", "center", "right"] = ""
    """For cell: as the author of the table said."""
    note: Sentence | None = None
    """For note: what we say of the text."""


def blocks_to_wire(blocks: Iterable[Block]) -> list[dict[str, object]]:
    """Return blocks as JSON objects without what is as it would be anyway; that is most of them."""
    return [block.model_dump(mode="json", by_alias=True, exclude_defaults=True) for block in blocks]
