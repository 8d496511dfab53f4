"""Inline text of Markdown as spans: text, four looks, and links to harmless places alone."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from braincode_jupyter.views.block_view import Span
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_HREF = re.compile(r"(?:https?://|mailto:)[^\s<>\"'`\\]+\Z", re.IGNORECASE)
_Style = tuple[bool, bool, bool, str | None]


def safe_href(href: str) -> str | None:
    """Return ``href`` if a card may link to it: http, https or mailto, and nothing odd in it."""
    is_short = len(href) <= 2_000  # noqa: PLR2004 - longer addresses are never for people
    return href if is_short and _HREF.match(href) and clean_text(href) == href else None


def spans_of(tokens: Sequence[Token]) -> tuple[Span, ...]:
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
