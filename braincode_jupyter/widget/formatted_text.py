"""The formatted part of a text that streams: blocks that are settled, as JSON, each sent once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.block_view import blocks_to_wire
from braincode_jupyter.views.blocks import MarkdownStream

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, object]


class FormattedText:
    """Text of one reply, settled as it comes.

    Attributes
    ----------
    until : int
        Characters of the reply that are settled; what follows is shown as plain text.
    """

    __slots__ = ("_blocks", "_fresh", "_joins", "_stream", "_told", "until")

    def __init__(self) -> None:
        self.until = 0
        self._stream = MarkdownStream()
        self._blocks: list[Json] = []
        self._fresh: list[Json] = []
        self._joins = False
        self._told = self._place()

    @property
    def is_waiting(self) -> bool:
        """Whether blocks were settled and not told."""
        return bool(self._fresh)

    def add(self, text: str) -> None:
        """Take the next piece of the reply."""
        settled = self._stream.add(text)
        self.until = self._stream.settled_chars
        blocks = blocks_to_wire(settled.blocks)
        if not self._fresh:
            self._joins = settled.joins
        _append(self._fresh, blocks, joins=settled.joins and bool(self._fresh))
        _append(self._blocks, blocks, joins=settled.joins)

    def take(self) -> Json | None:
        """Return what was settled since it was last told; None when nothing was."""
        place = self._place()
        if not self._fresh and place == self._told:
            return None
        told: Json = {**place, "blocks": self._fresh}
        if self._joins:
            told["joins"] = True
        self._tell(place)
        return told

    def whole(self) -> Json:
        """Return everything, in the place of what was told before."""
        place = self._place()
        self._tell(place)
        return {**place, "blocks": [dict(block) for block in self._blocks], "isWhole": True}

    def _tell(self, place: Json) -> None:
        self._told = place
        self._fresh = []
        self._joins = False

    def _place(self) -> Json:
        code = self._stream.open_code
        place: Json = {"until": self.until}
        if code is not None:
            place["code"] = {"language": code.language, "offset": code.offset}
        return place


def _append(known: list[Json], blocks: Sequence[Json], *, joins: bool) -> None:
    """Append blocks; the first may be a list that goes on. No list of a message is changed."""
    if not blocks:
        return
    if joins:
        known[-1] = {**known[-1], "children": [*_items(known[-1]), *_items(blocks[0])]}
        known += blocks[1:]
    else:
        known += blocks


def _items(block: Json) -> list[object]:
    items = block.get("children")
    return list(items) if isinstance(items, list) else []  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType] - JSON
