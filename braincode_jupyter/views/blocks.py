"""Markdown of models as a tree of blocks, whole or while it is still being written.

Nobody else ever parses markup. A text is read in pieces that end where no block of the top level is
open, so that what was read never changes when more text comes: the blocks of the pieces, one after
another, are the blocks of the whole, however the text arrives. Lists grow item by item.

Where a piece may end: before a line at the margin that follows an empty one; before a fence of code
at the margin; after the end of a fence; before an item of the list that the piece ends with. Only a
fence reaches over such a line, and whether one does the parser tells. So each piece is parsed once;
one that ends inside a fence is parsed again with it, and one that only looks like a list is tried
again when it has doubled.

What is over a limit is plain text with a note, never dropped.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.sentence import Sentence, sentence
from braincode_jupyter.views.block_tree import PLAIN_NOTE, BlockReader, OpenFence, plain_blocks
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.views.block_tree import Piece
    from braincode_jupyter.views.block_view import Block

MAX_CHARS = 200 * 1024
"""Characters that are formatted (security R83)."""
_LONG_NOTE = sentence("said.long", limit=MAX_CHARS)

_SEPARATORS = re.compile("[\u2028\u2029]")
_FENCE = re.compile(r" ?(?P<marks>`{3,}(?=[^`]*\Z)|~{3,})(?P<info>.*)\Z")
# Visible, at the very margin, and no matter what follows neither an item nor a fence.
_BEGINNING = re.compile(
    r"[^\s\x00-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\ufeff\-+*0-9`~]|[-+*][!-~]"
)
_AT_MARGIN = re.compile(r" ?[^ \t]")
_LIST_ITEM = re.compile(r" ?(?:[-+*]|\d{1,9}[.)])(?:[ \t]|\Z)")


def to_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text.

    Parameters
    ----------
    text : str
        Markdown from a model; any text at all.

    Returns
    -------
    tuple of Block
        Never raises; what is beyond a limit is one plain paragraph with a note before it.

    References
    ----------
    CommonMark 0.31, https://spec.commonmark.org, and GitHub's tables.
    """
    stream = MarkdownStream()
    return join_settled([stream.add(text), stream.rest()]).blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Blocks that can no longer change."""

    blocks: tuple[Block, ...] = ()
    """In order."""
    joins: bool = False
    """The first one is a list that goes on with the last list that was given before."""


def join_settled(parts: Iterable[Settled]) -> Settled:
    """Return what was settled step by step as if it had been settled at once."""
    blocks: list[Block] = []
    items: list[Block] = []
    joins = False
    for part in parts:
        new = list(part.blocks)
        if part.joins and blocks:
            items += new.pop(0).children
        elif part.joins:
            joins = True
        if new:
            _close_list(blocks, items)
            blocks += new
            items = list(new[-1].children)
    _close_list(blocks, items)
    return Settled(blocks=tuple(blocks), joins=joins)


def _close_list(blocks: list[Block], items: list[Block]) -> None:
    if blocks and len(items) > len(blocks[-1].children):
        blocks[-1] = blocks[-1].model_copy(update={"children": tuple(items)})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCode:
    """Code that is being written."""

    language: str
    """As its fence says."""
    offset: int
    """Where its first line begins; characters from the start of the text."""


class MarkdownStream:
    """A text that arrives in pieces of any size; settles what can no longer change.

    Attributes
    ----------
    settled_chars : int
        How much of the text is settled, in characters as they came.
    """

    def __init__(self) -> None:
        self.settled_chars = 0
        self._reader = BlockReader()
        self._tail = ""
        self._cut = 0  # of the tail, what was settled just now
        self._seen = 0  # of the tail, whole lines that were looked at
        self._clean_chars = 0  # of these lines, and of all before them
        self._is_after_blank = True
        self._is_list = False  # the tail begins like one
        self._retry_at = 0  # where to try again whether it is one
        self._fence: OpenFence | None = None
        self._last_list = ""  # marks of the list that was settled last
        self._over_note: Sentence | None = None
        self._parts: list[Settled] = []

    @property
    def parsed_chars(self) -> int:
        """Characters given to the parser so far."""
        return self._reader.parsed_chars

    @property
    def open_code(self) -> OpenCode | None:
        """The code that the unsettled rest of the text consists of, if it does."""
        if self._fence is None:
            return None
        start = self._tail.find("\n") + 1
        return OpenCode(language=self._fence.language, offset=self.settled_chars + start)

    def add(self, text: str) -> Settled:
        """Take the next piece of the text.

        Parameters
        ----------
        text : str
            Goes on exactly where the last piece ended.

        Returns
        -------
        Settled
            What is settled now and was not before; it is given once.
        """
        # As `clean_text` does, one character for another, so that a line is a line from the start.
        self._tail += _SEPARATORS.sub("\n", text)
        while not self._over_note and (end := self._tail.find("\n", self._seen)) >= 0:
            self._take_line(self._tail[self._seen : end], end + 1)
        if self._begins_apart(self._seen):
            self._settle(self._seen)
        self._tail = self._tail[self._cut :]
        self.settled_chars += self._cut
        self._seen -= self._cut
        self._retry_at -= self._cut
        self._cut = 0
        if self._over_note:
            self._tail = self._tail[: 2 * MAX_CHARS]
        parts, self._parts = self._parts, []
        return join_settled(parts)

    def rest(self) -> Settled:
        """Return the blocks of what is not settled, as if the text ended here."""
        cleaned = clean_text(self._tail)
        if not cleaned.strip():
            return Settled()
        note = self._over_note
        if not note and self._clean_chars + len(clean_text(self._tail[self._seen :])) > MAX_CHARS:
            note = _LONG_NOTE
        reader = copy.copy(self._reader)
        piece = None if note else reader.parse(cleaned, is_last=True)
        blocks = reader.build(piece) if piece else None
        if piece is None or blocks is None:
            return Settled(blocks=plain_blocks(cleaned[:MAX_CHARS], note or PLAIN_NOTE))
        return Settled(blocks=blocks, joins=self._joins(piece, blocks))

    def _take_line(self, raw: str, end: int) -> None:
        """Take one whole line of the tail; it ends before ``end``."""
        line, start = clean_text(raw), self._seen
        if self._fence is None and self._cut < start:
            self._end_before(start, line)
        self._seen = end
        self._clean_chars += len(line) + 1
        if self._clean_chars > MAX_CHARS:
            self._over_note = self._over_note or _LONG_NOTE
        self._is_after_blank = not line.strip(" \t")
        if self._over_note:
            return
        if self._cut == start:
            self._begin(line)
        elif self._fence is not None and self._fence.is_ended_by(line):
            self._fence = None
            self._settle(end)

    def _begins_apart(self, start: int) -> bool:
        """Tell whether the last line begins a block, whatever follows in it."""
        is_free = self._is_after_blank and self._fence is None and self._cut < start
        return is_free and not self._over_note and bool(_BEGINNING.match(self._tail, start))

    def _end_before(self, start: int, line: str) -> None:
        """Settle what stands before a line that begins something new."""
        is_item = bool(_LIST_ITEM.match(line))
        if self._begins_apart(start) or _FENCE.match(line):
            self._settle(start)
        elif is_item and "|" in line:
            return  # Within a list "- |" is an item; on its own it could be the head of a table.
        elif self._is_after_blank and _AT_MARGIN.match(line):
            self._settle(start)
        elif is_item and self._is_list and start >= self._retry_at:
            self._settle(start, needs_list=True)

    def _begin(self, line: str) -> None:
        """Take note of what the first line of the tail begins."""
        opened = _FENCE.match(line)
        self._fence = OpenFence(marks=opened["marks"], info=opened["info"]) if opened else None
        self._is_list = bool(_LIST_ITEM.match(line))
        self._retry_at = 0

    def _settle(self, end: int, *, needs_list: bool = False) -> None:
        """Settle the tail up to ``end``, or to an open fence before it."""
        text = self._tail[self._cut : end]
        piece = self._reader.parse(clean_text(text))
        if piece and needs_list and not piece.fence and not piece.last_list:
            self._retry_at = end + len(text)
            return
        blocks = self._reader.build(piece) if piece else None
        if piece is None or blocks is None:
            self._over_note = PLAIN_NOTE
            return
        if piece.fence:
            kept = piece.text.count("\n")
            end = self._cut + sum(len(line) + 1 for line in text.split("\n")[:kept])
        self._cut = end
        self._fence = piece.fence
        self._parts.append(Settled(blocks=blocks, joins=self._joins(piece, blocks)))
        if blocks:
            self._last_list = piece.last_list if blocks[-1].kind == "list" else ""

    def _joins(self, piece: Piece, blocks: tuple[Block, ...]) -> bool:
        """Tell whether a piece begins with the list that was settled last."""
        is_list = bool(blocks) and blocks[0].kind == "list"
        return is_list and self._last_list != "" and piece.first_list == self._last_list
