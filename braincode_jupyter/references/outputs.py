"""Outputs of cells as text or picture: MIME bundles, streams and errors.

A bundle's ``text/plain`` is taken; where that is only the name of an object, the words of its HTML
are, tags and scripts removed. Pictures are decoded when they may be attached and else replaced by a
note with their size; no base64 ever becomes text.
"""

from __future__ import annotations

import base64
import binascii
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, cast

from braincode_jupyter.protocol.ports import CellOutput
from braincode_jupyter.protocol.sections import ImagePart
from braincode_jupyter.references import limits
from braincode_jupyter.references.text import plain_output, without_payloads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXT_TYPES = ("text/plain", "text/markdown", "text/latex")
_OBJECT_NAME = re.compile(r"<[\w.]+ object(?: at 0x[0-9a-fA-F]+)?>")
_HTML_CHARS = 100_000
"""HTML of one output that is read for its words."""
_SILENT_TAGS = frozenset({"script", "style", "head", "template", "svg"})
_LINE_TAGS = frozenset({"tr", "p", "div", "li", "br", "h1", "h2", "h3", "h4", "h5", "h6", "table"})
_CELL_TAGS = frozenset({"td", "th"})


def text_of(value: object) -> str:
    """Return multi-line text of the notebook format: a string or a list of strings."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        items = cast("list[object]", value)
        return "".join(item for item in items if isinstance(item, str))
    return ""


def stream_output(name: str, text: str) -> CellOutput:
    """Return what a cell printed."""
    return CellOutput(kind="stream", name=name, text=_kept(plain_output(text)))


def error_output(name: str, message: str) -> CellOutput:
    """Return the exception that ended a cell."""
    return CellOutput(kind="error", name=name, text=_kept(plain_output(message)))


def bundle_output(
    data: Mapping[str, object], *, kind: Literal["result", "display"], pictures: bool
) -> CellOutput | None:
    """Return what a MIME bundle shows.

    Parameters
    ----------
    data : mapping
        MIME type to content, of the notebook format or as the shell publishes it.
    kind : {"result", "display"}
        Value of the last expression, or something displayed.
    pictures : bool
        Decode a picture; False: a note with its size takes its place.

    Returns
    -------
    CellOutput or None
        None for an empty bundle.
    """
    text = _bundle_text(data)
    image, note = _picture(data, decode=pictures)
    if not text and image is None and not note:
        others = sorted(key for key in data if key != "text/plain")
        if not others:
            return None
        note = f"[{', '.join(others[:4])} left out]"
    joined = "\n".join(part for part in (text, note) if part)
    return CellOutput(kind=kind, text=_kept(joined), image=image)


def saved_output(output: Mapping[str, object], *, pictures: bool) -> CellOutput | None:
    """Return one output as the notebook format stores it; None for an unknown or empty one."""
    match output.get("output_type"):
        case "stream":
            return stream_output(
                str(output.get("name", "stdout"))[:20], text_of(output.get("text"))
            )
        case "error":
            name = text_of(output.get("ename"))[: limits.NAME_CHARS]
            return error_output(name, text_of(output.get("evalue")))
        case "execute_result" | "display_data" as found:
            data = output.get("data")
            if not isinstance(data, dict):
                return None
            bundle = cast("dict[str, object]", data)
            kind = "result" if found == "execute_result" else "display"
            return bundle_output(bundle, kind=kind, pictures=pictures)
        case _:
            return None


def html_words(html: str) -> str:
    """Return the words of HTML, one line a row or block, cells apart by tabs."""
    reader = _Words()
    reader.feed(html[:_HTML_CHARS])
    reader.close()
    lines = (re.sub(r"[ \r\f\v]+", " ", line).strip(" ") for line in reader.text.split("\n"))
    return "\n".join(line.rstrip() for line in lines if line.strip())


class _Words(HTMLParser):
    """Collects text outside of scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._silent = 0

    @property
    def text(self) -> str:
        """Everything collected."""
        return "".join(self._pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag."""
        del attrs
        if tag in _SILENT_TAGS:
            self._silent += 1
        elif tag in _LINE_TAGS:
            self._pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Close a tag."""
        if tag in _SILENT_TAGS:
            self._silent = max(0, self._silent - 1)
        elif tag in _CELL_TAGS:
            self._pieces.append("\t")

    def handle_data(self, data: str) -> None:
        """Take text."""
        if not self._silent:
            self._pieces.append(data.replace("\n", " "))


def _kept(text: str) -> str:
    """Bound what is held in memory; the cut for sending is smaller and is marked."""
    if len(text) <= limits.KEPT_OUTPUT_CHARS:
        return text
    half = limits.KEPT_OUTPUT_CHARS // 2
    dropped = len(text) - 2 * half
    return f"{text[:half]}\n[… {dropped:,} characters cut …]\n{text[-half:]}"


def _bundle_text(data: Mapping[str, object]) -> str:
    text = next((found for key in _TEXT_TYPES if (found := text_of(data.get(key)))), "")
    html = text_of(data.get("text/html"))
    if html and (not text or _OBJECT_NAME.fullmatch(text.strip())):
        text = html_words(html) or text
    return without_payloads(plain_output(text))


def _picture(data: Mapping[str, object], *, decode: bool) -> tuple[ImagePart | None, str]:
    """Return the picture of a bundle, or a note on it."""
    for media_type in _IMAGE_TYPES:
        value = data.get(media_type)
        if not value:
            continue
        raw = value if isinstance(value, bytes) else text_of(value)
        size = len(raw) if isinstance(raw, bytes) else len(raw) * 3 // 4
        note = f"[picture {media_type}, about {size:,} bytes, left out]"
        if not decode or size > limits.MAX_IMAGE_BYTES:
            return None, note
        try:
            content = raw if isinstance(raw, bytes) else base64.b64decode(raw, validate=False)
        except (binascii.Error, ValueError):
            return None, note
        return ImagePart(media_type=media_type, data=content), ""
    if "image/svg+xml" in data:
        size = len(text_of(data["image/svg+xml"]))
        return None, f"[picture image/svg+xml, {size:,} bytes, left out]"
    return None, ""
