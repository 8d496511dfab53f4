"""Markdown of models as a tree of blocks, so that nobody else ever parses markup.

Raw HTML is off and stays text; an image is a link; a link goes to http, https or mailto or is text.
A newline in a span is a line break. Work is bounded without a clock: blocks are parsed first, and
inline text whose brackets would take quadratic time stays plain (20,000 ``[`` take seconds in
markdown-it-py). What is over a limit is plain text with a note, never dropped.

Trade-off: the limits count characters and marks, not time, so the same text gives the same blocks
on every machine.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.views import words
from braincode_jupyter.views.clean import clean_line, clean_text
from braincode_jupyter.views.run_view import Block, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_CHARS = 200 * 1024
"""Characters that are formatted (security R83)."""
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
_HREF = re.compile(r"(?:https?://|mailto:)[^\s<>\"'`\\]+\Z", re.IGNORECASE)
_OPENERS = re.compile(r"[\[<&`*_!]")
_MARKS = re.compile(r"^[ \t]*(?:(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*)+", re.MULTILINE)
_MARK = re.compile(r"[>\-+*.)]")
_HOLDERS: dict[str, Literal["item", "quote", "table"]] = {
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
}
_Style = tuple[bool, bool, bool, str | None]


def to_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text.

    Parameters
    ----------
    text : str
        Markdown from a model; any text at all.

    Returns
    -------
    tuple of Block
        Never raises; a text over a limit is one plain paragraph with a note before it.

    References
    ----------
    CommonMark 0.31, https://spec.commonmark.org, and GitHub's tables.
    """
    cleaned = clean_text(text)
    if not cleaned.strip():
        return ()
    if len(cleaned) > MAX_CHARS:
        return (
            *_noted(words.LONG_NOTE.format(limit=MAX_CHARS)),
            _paragraph(cleaned[:MAX_CHARS]),
        )
    if cleaned.count("\n") > MAX_LINES or _count_marks(cleaned) > MAX_CONTAINER_MARKS:
        return _plain(cleaned)
    tokens = _parser(_PARSER_NESTING).parse(cleaned)
    if any(token.level >= MAX_NESTING for token in tokens):
        return _plain(cleaned)
    builder = _Builder(_parser(_INLINE_NESTING))
    blocks = builder.build(tokens)
    return _plain(cleaned) if builder.is_over else blocks


def safe_href(href: str) -> str | None:
    """Return ``href`` if a card may link to it: http, https or mailto, and nothing odd in it."""
    is_short = len(href) <= 2_000  # noqa: PLR2004 - longer addresses are never for people
    return href if is_short and _HREF.match(href) and clean_text(href) == href else None


@lru_cache(maxsize=2)
def _parser(nesting: int) -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - heavy, imported on first use

    options = {"html": False, "linkify": False, "typographer": False, "maxNesting": nesting}
    parser = MarkdownIt("commonmark", options).enable("table")
    # Inline text is parsed by `_Builder`, piece by piece and within a limit. Definitions of
    # reference links would vanish from the text, so they stay as they are.
    return parser.disable(["html_block", "html_inline", "inline", "reference"])


def _count_marks(text: str) -> int:
    return sum(len(_MARK.findall(match.group())) for match in _MARKS.finditer(text))


def _plain(text: str) -> tuple[Block, ...]:
    return (*_noted(words.PLAIN_NOTE), _paragraph(text))


def _noted(note: str) -> tuple[Block, ...]:
    return (Block(kind="paragraph", spans=(Span(text=note, emphasis=True),)),)


def _paragraph(text: str) -> Block:
    return Block(kind="paragraph", spans=(Span(text=text),))


class _Builder:
    """Turns the parser's flat tokens into a tree."""

    def __init__(self, parser: MarkdownIt) -> None:
        self._parser = parser
        self._blocks = 0
        self._spans = 0
        self._openers = 0
        self.is_over = False

    def build(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        """Return the blocks of a list of tokens."""
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
                self.is_over = True
                return ()
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
                is_ordered = kind == "ordered_list_open"
                block = Block(kind="list", ordered=is_ordered, children=tuple(children))
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
                language = clean_line(token.info.split(maxsplit=1)[0] if token.info.strip() else "")
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
        tokens: list[Token] = []
        self._parser.inline.parse(text, self._parser, {}, tokens)
        spans = _spans(tokens)
        self._spans += len(spans)
        return spans


def _alignment(opener: Token | None) -> Literal["", "left", "center", "right"]:
    # The parser gives a style that it wrote itself.
    style = "" if opener is None else str(opener.attrs.get("style") or "")
    match style.removeprefix("text-align:"):
        case "left" | "center" | "right" as said:
            return said
        case _:
            return ""


def _spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans of inline tokens; neighbours that look alike are joined."""
    pieces: list[tuple[_Style, str]] = []
    strong = emphasis = 0
    hrefs: list[str | None] = []
    for token in tokens:
        match token.type:
            case "strong_open" | "strong_close":
                strong += token.nesting
            case "em_open" | "em_close":
                emphasis += token.nesting
            case "link_open":
                hrefs.append(_target(token, "href"))
            case "link_close":
                hrefs = hrefs[:-1]
            case _:
                text, href = _text_of(token, hrefs[-1] if hrefs else None)
                is_code = token.type == "code_inline"
                pieces.append(((strong > 0, emphasis > 0, is_code, href), text))
    return tuple(_joined(pieces))


def _joined(pieces: Sequence[tuple[_Style, str]]) -> Iterator[Span]:
    for style, group in groupby(pieces, key=itemgetter(0)):
        text = "".join(piece for _, piece in group)
        strong, emphasis, code, href = style
        if text:
            yield Span(text=text, strong=strong, emphasis=emphasis, code=code, href=href)


def _text_of(token: Token, href: str | None) -> tuple[str, str | None]:
    match token.type:
        case "softbreak":
            return " ", href
        case "hardbreak":
            return "\n", href
        case "image":
            source = str(token.attrs.get("src") or "")
            text = clean_text(f"image: {token.content or source}")
            return text, href or _target(token, "src")
        case _:
            # A character reference can bring back what was cleaned from the source.
            return clean_text(token.content), href


def _target(token: Token, name: str) -> str | None:
    return safe_href(str(token.attrs.get(name) or ""))
