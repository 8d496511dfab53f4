"""HTML that cannot hold anybody's markup: a string is escaped unless this module made it.

No attribute but ``lang`` on the whole, ``href`` and ``rel`` on links, ``open`` on details,
``start`` on lists, ``src`` and ``alt`` on images; no script, style, class or id; so the result
passes Jupyter's sanitizer unchanged and needs none.
An image is data of the page itself, never an address.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from braincode_jupyter.views.spans import safe_href
from braincode_jupyter.views.speaker import tag_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.views.block_view import Block, Span
    from braincode_jupyter.views.speaker import Language, Speaker

ELEMENTS = frozenset(
    {
        "a",
        "bdi",
        "blockquote",
        "br",
        "code",
        "details",
        "div",
        "em",
        "figcaption",
        "figure",
        "h3",
        "h4",
        "hr",
        "img",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "summary",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    }
)
"""All elements that a card is made of."""
_EMPTY = frozenset({"br", "hr"})
_IMAGES = frozenset({"image/png", "image/jpeg"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


class Html(str):
    """A piece of HTML made by this module."""

    __slots__ = ()


def element(name: str, *children: str) -> Html:
    """Return an element; a child that is not `Html` is text, its newlines are line breaks.

    Parameters
    ----------
    name : str
        One of `ELEMENTS`.
    *children : str
        Content, in order.

    Returns
    -------
    Html
        The element.

    Raises
    ------
    ValueError
        If the element is not one of `ELEMENTS`, or an image.
    """
    if name not in ELEMENTS:
        raise ValueError(f"{name!r} is no element of a card")
    if name == "img":
        raise ValueError("an image is made by `image`")
    if name in _EMPTY:
        return Html(f"<{name}>")
    return Html(f"<{name}>{joined(children)}</{name}>")


def in_language(language: Language, *children: str) -> Html:
    """Return a division whose text is in one language."""
    return Html(f'<div lang="{tag_of(language)}">{joined(children)}</div>')


def joined(children: Iterable[str]) -> Html:
    """Return all children one after the other, text escaped."""
    return Html("".join(child if isinstance(child, Html) else text(child) for child in children))


def text(content: str) -> Html:
    """Return text, escaped; a newline is a line break."""
    return Html(escape(content, quote=True).replace("\n", "<br>"))


def verbatim(content: str) -> Html:
    """Return a code block, as a figure: where our style is missing, pages give that a margin."""
    code = f"<pre><code>{escape(content, quote=True)}</code></pre>"
    return Html(f"<figure>{code}</figure>")


def name_of(content: str) -> Html:
    """Return a name, isolated so that its direction changes nothing around it."""
    return element("bdi", content)


def bullets(items: Iterable[str]) -> Html:
    """Return a list, or nothing if there are no items."""
    entries = [element("li", item) for item in items]
    return element("ul", *entries) if entries else Html()


def numbered(items: Iterable[Html], *, start: int) -> Html:
    """Return an ordered list whose first item has this number."""
    first = "" if start == 1 else f' start="{start}"'
    return Html(f"<ol{first}>{joined(items)}</ol>")


def folded(summary: Iterable[str], *content: str, is_open: bool = False) -> Html:
    """Return a part that can be folded, or nothing if it is empty."""
    body = joined(content)
    if not body:
        return Html()
    head = element("summary", *summary)
    return Html(f"<details{' open' if is_open else ''}>{head}{body}</details>")


def link(href: str, *children: str) -> Html:
    """Return a link that shows its host, or only its text where the address is not allowed."""
    content = joined(children)
    if safe_href(href) is None:
        return content
    shown = f'<a href="{escape(href, quote=True)}" rel="noopener noreferrer">{content}</a>'
    host = _host(href)
    return Html(shown if not host or escape(host) in content else f"{shown} ({escape(host)})")


def image(media_type: str, data: str, *, caption: str) -> Html:
    """Return an image that is part of the page; its caption alone if it is no PNG or JPEG.

    Parameters
    ----------
    media_type : str
        What it says it is.
    data : str
        Base64.
    caption : str
        What it shows, for everybody and for those who do not see it.

    Returns
    -------
    Html
        A figure.
    """
    told = element("figcaption", name_of(caption))
    if media_type not in _IMAGES or not _BASE64.fullmatch(data):
        return element("figure", told)
    shown = Html(f'<img src="data:{media_type};base64,{data}" alt="{escape(caption, quote=True)}">')
    return element("figure", shown, told)


def from_blocks(say: Speaker, blocks: Iterable[Block]) -> Html:
    """Return formatted text as HTML; a note of ours stands before a text that is not formatted."""
    return joined(
        element("p", element("em", say.said(block.note))) if block.kind == "note" else _block(block)
        for block in blocks
    )


def _block(block: Block) -> Html:
    match block.kind:
        case "code":
            return verbatim(block.text)
        case "rule":
            return element("hr")
        case "list" | "item" | "quote":
            return _holder(block)
        case "table":
            return element("table", element("tbody", *map(_block, block.children)))
        case "row":
            cell = "th" if block.header else "td"
            return element("tr", *(element(cell, _spans(one.spans)) for one in block.children))
        case _:
            content = _spans(block.spans)
            return element("p", element("strong", content) if block.kind == "heading" else content)


def _holder(block: Block) -> Html:
    """Return a list, item or quote; the first paragraph of an item stands beside its bullet."""
    children = [_block(child) for child in block.children]
    if block.kind == "item":
        if block.children and block.children[0].kind == "paragraph":
            children[0] = _spans(block.children[0].spans)
        return element("li", *children)
    if block.kind == "quote":
        return element("blockquote", *children)
    return numbered(children, start=block.start) if block.ordered else element("ul", *children)


def _spans(spans: Iterable[Span]) -> Html:
    return joined(_span(span) for span in spans)


def _span(span: Span) -> Html:
    shown = element("code", span.text) if span.code else text(span.text)
    if span.emphasis:
        shown = element("em", shown)
    if span.strong:
        shown = element("strong", shown)
    return link(span.href, shown) if span.href else shown


def _host(href: str) -> str:
    try:
        return urlsplit(href).hostname or ""
    except ValueError:
        return ""
