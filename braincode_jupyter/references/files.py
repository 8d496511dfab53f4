"""Files as references: text, image, notebook or table, each within its limit."""

from __future__ import annotations

import codecs
import os
from typing import TYPE_CHECKING, BinaryIO

from braincode_jupyter.brain.grammar import format_reference
from braincode_jupyter.machine.paths import (
    Located,
    exists,
    locate,
    names_near,
    open_located,
)
from braincode_jupyter.protocol.sections import ImagePart
from braincode_jupyter.references import limits
from braincode_jupyter.references.content import Content, Missing, too_large
from braincode_jupyter.references.notebooks import notebook_content
from braincode_jupyter.references.tables import TABLE_SUFFIXES, table_content
from braincode_jupyter.references.text import near_hint

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.brain.grammar import Reference

_IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_MENTIONED_SUFFIXES = frozenset({".bmp", ".svg"})
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def resolve_file(reference: Reference, *, root: Path) -> Content | Missing | None:
    r"""Return what the file of an ``@path`` holds.

    Parameters
    ----------
    reference : Reference
        Of kind ``file``.
    root : Path
        The project's folder.

    Returns
    -------
    Content, Missing or None
        None for a bare word that is no file and has no ``/``, ``\`` or ``.`` in it: prose.

    Raises
    ------
    UnresolvedReferenceError
        If the file is refused.
    """
    target = reference.target
    is_quoted = reference.token.startswith('@"')
    if not is_quoted and not any(char in target for char in "/\\.") and not _is_there(target, root):
        return None
    try:
        located = locate(target, root=root)
        if located is None:
            if exists(target, root=root):
                return Missing(kind="file", uri=target, reason="is a link that leads nowhere")
            hint = _near_files(target, root)
            return Missing(kind="file", uri=target, reason="file not found", hint=hint)
        if located.is_folder:
            return _folder(located)
        with open_located(located) as stream:
            return _read(located, stream)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return Missing(kind="file", uri=target, reason=f"cannot be read: {reason}")


def image_media_type(data: bytes) -> str | None:
    """Return the media type of an image that models take, by its first bytes; else None."""
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _is_there(target: str, root: Path) -> bool:
    if exists(target, root=root):
        return True
    return not target.isascii() and locate(target, root=root) is not None


def _near_files(target: str, root: Path) -> str:
    """Return near names; the listing of a folder alone is no help."""
    tokens = (format_reference("file", name) for name in names_near(target, root=root))
    hint = near_hint(f"@{target}", (token for token in tokens if token))
    return hint if hint.startswith("Did") else ""


def _folder(located: Located) -> Missing:
    reason = "is a folder; name a file in it"
    return Missing(kind="file", uri=located.uri, reason=reason)


def _read(located: Located, stream: BinaryIO) -> Content | Missing:
    size = os.fstat(stream.fileno()).st_size
    suffix = located.path.suffix.lower()
    if suffix in _MENTIONED_SUFFIXES:
        return _mentioned(located, suffix)
    if suffix in _IMAGE_SUFFIXES:
        return _image(located, stream, size)
    if suffix == ".ipynb":
        return notebook_content(located, stream, size_bytes=size)
    if suffix in TABLE_SUFFIXES and (suffix == ".parquet" or size > limits.MAX_FILE_BYTES):
        return table_content(located, stream, size_bytes=size)
    return _text(located, stream, size)


def _text(located: Located, stream: BinaryIO, size: int) -> Content | Missing:
    if size > limits.MAX_FILE_BYTES:
        return too_large(located.uri, size, limits.MAX_FILE_BYTES)
    data = stream.read(limits.MAX_FILE_BYTES + 1)
    if len(data) > limits.MAX_FILE_BYTES:
        return too_large(located.uri, len(data), limits.MAX_FILE_BYTES)
    text = decoded(data)
    if text is None:
        return Missing(kind="file", uri=located.uri, reason="binary file")
    return Content(
        kind="file",
        uri=located.uri,
        label=f"{located.relative}, {len(data):,} bytes",
        text=text,
    )


def decoded(data: bytes) -> str | None:
    """Return text of a file, bad bytes replaced; None for a binary file."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", errors="replace")
        return None if "\0" in text else text
    if b"\0" in data:
        return None
    return data.decode("utf-8-sig", errors="replace")


def _mentioned(located: Located, suffix: str) -> Content:
    cut = f"{suffix[1:]} pictures cannot be attached; only the path is sent"
    text = f"Image {located.relative}: {cut}."
    return Content(
        kind="image", uri=located.uri, label=f"path of {located.relative}", text=text, cut=cut
    )


def _image(located: Located, stream: BinaryIO, size: int) -> Content | Missing:
    limit = limits.MAX_IMAGE_BYTES
    data = b"" if size > limit else stream.read(limit + 1)
    if size > limit or len(data) > limit:
        reason = f"image is {max(size, len(data))} bytes (limit {limit})"
        return Missing(kind="image", uri=located.uri, reason=reason)
    media_type = image_media_type(data)
    if media_type is None:
        reason = "is no PNG, JPEG, GIF or WebP picture, whatever its name says"
        return Missing(kind="image", uri=located.uri, reason=reason)
    return Content(
        kind="image",
        uri=located.uri,
        label=f"{located.relative}, {media_type}, {len(data):,} bytes",
        text=f"Image {located.relative}, attached to this message.",
        images=(ImagePart(media_type=media_type, data=data),),
    )
