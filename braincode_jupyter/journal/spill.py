"""Texts too large for a journal line: kept in a file named by their digest, with the head inline.

A line that would pass `MAX_INLINE_BYTES` keeps the first characters of its largest texts and says
in ``"spilled"`` where the whole is: ``<session id>/<sha256>.txt`` beside the session file. A reader
that does not know of it sees a shortened text. Nothing in a line names a path; the digest does.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final, cast

from braincode_jupyter.journal.files import make_private_folder, read_whole, write_private
from braincode_jupyter.journal.lines import LineError, decode, encode_object

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

MAX_INLINE_BYTES: Final = 1024 * 1024
"""A line longer than this moves its largest texts to files of their own."""
MAX_SPILLED_BYTES: Final = 64 * 1024 * 1024
"""Larger texts are not read back."""

_HEAD_CHARS: Final = 2048
_MARK: Final = "…"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def side_folder(session_file: Path) -> Path:
    """Return the folder of a session's own files."""
    return session_file.with_suffix("")


def spill(body: bytes, session_file: Path) -> bytes:
    """Return an encoded record with its largest texts moved to files.

    Parameters
    ----------
    body : bytes
        A JSON object.
    session_file : Path
        The session file; texts go beside it and are on the disk when this returns.

    Returns
    -------
    bytes
        The same object, shorter; texts of at most 2,048 characters stay.

    Raises
    ------
    OSError
        If a text cannot be written.
    LineError
        If the object is too large or too deep to be read back.
    """
    line = decode(body)
    excess = len(body) - MAX_INLINE_BYTES
    texts = sorted(_texts(line, ()), key=lambda found: len(found[1]), reverse=True)
    pointers: list[JsonValue] = []
    for path, text in texts:
        if excess <= 0:
            break
        pointer = _move(text, session_file)
        pointer["path"] = [*path]
        pointers.append(pointer)
        _put(line, path, text[:_HEAD_CHARS] + _MARK)
        excess -= len(encode_object(text))
    return encode_object(line | {"spilled": pointers})


def _texts(value: JsonValue, path: tuple[str | int, ...]) -> Iterator[tuple[list[str | int], str]]:
    if isinstance(value, str):
        if len(value) > _HEAD_CHARS:
            yield list(path), value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))


def _move(text: str, session_file: Path) -> dict[str, JsonValue]:
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()
    folder = side_folder(session_file)
    make_private_folder(folder)
    write_private(folder / f"{digest}.txt", content, durable=True)
    return {"sha256": digest, "sizeBytes": len(content)}


def _put(line: JsonValue, path: list[str | int], text: str) -> None:
    *parents, last = path
    for step in parents:
        line = cast("dict[str | int, JsonValue]", line)[step]
    cast("dict[str | int, JsonValue]", line)[last] = text


def restore(line: dict[str, JsonValue], session_file: Path) -> str | None:
    """Put the texts of a line back in place.

    Parameters
    ----------
    line : dict
        A decoded line with ``"spilled"``; changed in place.
    session_file : Path
        The session file it came from.

    Returns
    -------
    str or None
        Why a text is missing, its shortened form then stays; None when all are back.
    """
    pointers = line.get("spilled")
    if not isinstance(pointers, list):
        return "pointer to a side file is malformed"
    for pointer in pointers:
        try:
            path, text = _fetch(pointer, session_file)
            _put(line, path, text)
        except (LineError, OSError, LookupError, TypeError) as error:
            return f"side file cannot be used: {error}"
    del line["spilled"]
    return None


def _fetch(pointer: JsonValue, session_file: Path) -> tuple[list[str | int], str]:
    if not isinstance(pointer, dict):
        raise LineError("no pointer")
    digest, path = pointer.get("sha256"), pointer.get("path")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise LineError("no digest")
    if not isinstance(path, list) or not path:
        raise LineError("no place in the line")
    content = read_whole(side_folder(session_file) / f"{digest}.txt", MAX_SPILLED_BYTES)
    if hashlib.sha256(content).hexdigest() != digest:
        raise LineError("digest does not fit")
    return cast("list[str | int]", path), content.decode(errors="replace")
