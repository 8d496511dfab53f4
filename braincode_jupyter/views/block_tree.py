"""One piece of Markdown as a tree of blocks, within limits that hold for a whole text.

Raw HTML is off and stays text; an image is a link; a link goes to http, https or mailto or is text.
A newline in a span is a line break. Work is bounded without a clock: blocks are parsed first, and
inline text whose brackets would take quadratic time stays plain (20,000 ``[`` take seconds in
markdown-it-py).

Trade-off: the limits count characters and marks, not time, so the same text gives the same blocks
on every machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.block_view import Block, Span
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.formulas import keep_formulas
from braincode_jupyter.views.spans import spans_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from braincode_jupyter.protocol.sentence import Sentence

PLAIN_NOTE = sentence("said.plain")
"""Stands before a text that is not formatted."""
MAX_NESTING = 32
"""Depth of blocks."""
MAX_BLOCKS = 10_000
"""Blocks of one text."""
MAX_SPANS = 20_000
"""Inline pieces of one text."""
MAX_INLINE_WORK = 2_000_000
"""Opening marks times characters of one inline text; beyond it that text stays plain."""
MAX_OPENERS = 20_000
"""Opening marks of a whole text that are looked at; what comes later stays plain."""
MAX_LINES = 20_000
"""Lines of one text."""
MAX_CONTAINER_MARKS = 6_000
"""Quote and list marks of one text; each may open a level that is scanned again."""
_PARSER_NESTING = 100
"""Depth at which the parser drops blocks silently; we stop at `MAX_NESTING`, well before."""
_INLINE_NESTING = 20
"""Depth of inline marks; deeper ones stay text. The time for brackets grows with it."""
_OPENERS = re.compile(r"[\[<&`*_!$]|\\\(")
_MARKS = re.compile(r"^[ \t]*(?:(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*)+", re.MULTILINE)
_MARK = re.compile(r"[>\-+*.)]")
_HOLDERS: dict[str, Literal["item", "quote", "table"]] = {
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFence:
    """A fence of code that has no end yet."""

    marks: str
    """Its opening marks; as many or more of them end it."""
    info: str
    """What stands behind them."""

    @property
    def language(self) -> str:
        """The first word behind the marks."""
        return clean_line(self.info.split(maxsplit=1)[0] if self.info.strip() else "")

    def is_ended_by(self, line: str) -> bool:
        """Tell whether this line, without its newline, is the end of the fence."""
        bare = line.strip(" \t")
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" "))
        return indent < 4 and len(bare) >= len(self.marks) and not bare.strip(self.marks[0])  # noqa: PLR2004 - CommonMark 4.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Parsed Markdown that stands at the top level of its text."""

    text: str
    """Its closed part."""
    tokens: tuple[Token, ...]
    """Of the closed part."""
    fence: OpenFence | None = None
    """A fence that is open at the end; it and what follows is not in `text`."""

    @property
    def first_list(self) -> str:
        """The marks of the list that comes first; empty if something else does."""
        return _list_marks(self.tokens[:1])

    @property
    def last_list(self) -> str:
        """The marks of the list that comes last; empty if something else does."""
        return _list_marks(self.tokens[-1:])


class BlockReader:
    """Reads the pieces of one text, one after another.

    Attributes
    ----------
    parsed_chars : int
        Characters given to the parser so far: a measure of work.
    """

    def __init__(self) -> None:
        self.parsed_chars = 0
        self._lines = 0
        self._marks = 0
        self._blocks = 0
        self._spans = 0
        self._openers = 0

    def parse(self, text: str, *, is_last: bool = False) -> Piece | None:
        """Parse a piece.

        Parameters
        ----------
        text : str
            Cleaned Markdown, whole lines.
        is_last : bool
            Nothing follows: what is open at the end ends there.

        Returns
        -------
        Piece or None
            None if a limit of the whole text would be passed.
        """
        is_over = self._lines + text.count("\n") > MAX_LINES
        if is_over or self._marks + _count_marks(text) > MAX_CONTAINER_MARKS:
            return None
        self.parsed_chars += len(text)
        tokens = tuple(_parser(_PARSER_NESTING).parse(text))
        start, fence = (0, None) if is_last else _open_fence(tokens, text)
        if fence is None:
            return Piece(text=text, tokens=tokens)
        closed = "".join(f"{line}\n" for line in text.split("\n")[:start])
        return Piece(text=closed, tokens=tokens[:-1], fence=fence)

    def build(self, piece: Piece) -> tuple[Block, ...] | None:
        """Return the blocks of a piece.

        Returns
        -------
        tuple of Block or None
            None if a limit of the whole text is passed. A piece that is nested too deeply is plain
            text with a note, and what follows it is not.
        """
        self._lines += piece.text.count("\n")
        self._marks += _count_marks(piece.text)
        if any(token.level >= MAX_NESTING for token in piece.tokens):
            return plain_blocks(piece.text)
        return self._tree(piece.tokens)

    def _tree(self, tokens: Sequence[Token]) -> tuple[Block, ...] | None:
        """Return the tree of a flat list of tokens."""
        stack: list[tuple[Token | None, list[Block]]] = [(None, [])]
        is_header = False
        for token in tokens:
            if token.type in {"thead_open", "tbody_open"}:
                is_header = token.type == "thead_open"
            elif token.type in {"thead_close", "tbody_close"}:
                is_header = False
            elif token.nesting > 0:
                stack.append((token, []))
            elif token.nesting < 0 and len(stack) > 1:
                opener, children = stack.pop()
                stack[-1][1].append(self._closed(opener, children, is_header=is_header))
            elif token.nesting == 0:
                stack[-1][1].append(self._leaf(token))
            if self._blocks > MAX_BLOCKS or self._spans > MAX_SPANS:
                return None
        return tuple(stack[0][1])

    def _closed(self, opener: Token | None, children: list[Block], *, is_header: bool) -> Block:
        self._blocks += 1
        kind = "" if opener is None else opener.type
        spans = children[0].spans if children else ()
        match kind:
            case "heading_open":
                level = 1 if opener is None else int(opener.tag[1:])
                block = Block(kind="heading", level=level, spans=spans)
            case "bullet_list_open" | "ordered_list_open":
                block = Block(
                    kind="list",
                    ordered=kind == "ordered_list_open",
                    start=1 if opener is None else int(opener.attrs.get("start", 1)),
                    children=tuple(children),
                )
            case "tr_open":
                block = Block(kind="row", header=is_header, children=tuple(children))
            case "th_open" | "td_open":
                block = Block(kind="cell", spans=spans, align=_alignment(opener))
            case _ if kind in _HOLDERS:
                block = Block(kind=_HOLDERS[kind], children=tuple(children))
            case _:
                block = Block(kind="paragraph", spans=spans)
        return block

    def _leaf(self, token: Token) -> Block:
        self._blocks += 1
        match token.type:
            case "fence" | "code_block":
                language = OpenFence(marks=token.markup, info=token.info).language
                return Block(kind="code", text=token.content.removesuffix("\n"), language=language)
            case "hr":
                return Block(kind="rule")
            case _:
                return Block(kind="paragraph", spans=self._inline(token.content))

    def _inline(self, text: str) -> tuple[Span, ...]:
        openers = len(_OPENERS.findall(text))
        self._openers += openers
        if openers * len(text) > MAX_INLINE_WORK or self._openers > MAX_OPENERS:
            self._spans += 1
            return (Span(text=text),)
        parser = _parser(_INLINE_NESTING)
        tokens: list[Token] = []
        parser.inline.parse(text, parser, {}, tokens)
        spans = spans_of(tokens)
        self._spans += len(spans)
        return spans


def plain_blocks(text: str, note: Sentence = PLAIN_NOTE) -> tuple[Block, ...]:
    """Return a text that is not formatted: one paragraph, with a note before it."""
    return (
        Block(kind="note", note=note),
        Block(kind="paragraph", spans=(Span(text=text),)),
    )


@lru_cache(maxsize=2)
def _parser(nesting: int) -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - heavy, imported on first use

    options = {"html": False, "linkify": False, "typographer": False, "maxNesting": nesting}
    parser = MarkdownIt("commonmark", options).enable("table")
    # Inline text is parsed piece by piece and within a limit. Definitions of reference links would
    # vanish from the text, so they stay as they are.
    parser.disable(["html_block", "html_inline", "inline", "reference"])
    keep_formulas(parser)
    return parser


def _count_marks(text: str) -> int:
    return sum(len(_MARK.findall(match.group())) for match in _MARKS.finditer(text))


def _open_fence(tokens: Sequence[Token], text: str) -> tuple[int, OpenFence | None]:
    """Return the fence at the top level that the end of the text cuts off, and its first line."""
    last = tokens[-1] if tokens else None
    if last is None or last.type != "fence" or last.level > 0 or last.map is None:
        return 0, None
    start, after = last.map
    lines = text.removesuffix("\n").split("\n")
    fence = OpenFence(marks=last.markup, info=last.info)
    is_ended = after - start > 1 and fence.is_ended_by(lines[after - 1])
    return (0, None) if is_ended or after < len(lines) else (start, fence)


def _list_marks(tokens: Sequence[Token]) -> str:
    return "".join(token.markup for token in tokens if "_list_" in token.type)


def _alignment(opener: Token | None) -> Literal["", "left", "center", "right"]:
    # The parser gives a style that it wrote itself.
    style = "" if opener is None else str(opener.attrs.get("style") or "")
    match style.removeprefix("text-align:"):
        case "left" | "center" | "right" as said:
            return said
        case _:
            return ""
