"""Edits go through a session file and come back to the byte, however large or binary."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.journal import open_session, read_records, session_path
from braincode_jupyter.protocol.edit_records import MAX_BEFORE_BYTES, EditKept

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "7d0f6f5e-3a52-4f37-9d0b-0c6f3a0f4a11"


@pytest.mark.parametrize(
    "before",
    [
        None,
        b"",
        b"a\r\nb\n\xe2\x80\xa8c",
        b"\0\xff\xfe",
        b"x" * MAX_BEFORE_BYTES,
        b"\xff" * MAX_BEFORE_BYTES,
    ],
    ids=["no file", "empty", "text", "binary", "large text", "large binary"],
)
def test_an_edit_comes_back_to_the_byte(tmp_path: Path, before: bytes | None) -> None:
    digest = None if before is None else sha256(before).hexdigest()
    record = EditKept.of(
        "a/b.txt",
        before,
        tool="edit_file",
        mode=0o640,
        before_sha256=digest,
        after_sha256="0" * 64,
        timestamp=5,
        context_id="c",
    )
    writer = open_session(tmp_path, SESSION)
    writer.append(record, durable=True)
    writer.close()

    (read,) = read_records(session_path(tmp_path, SESSION))

    assert isinstance(read, EditKept)
    assert read.content() == before
    assert (read.tool, read.path, read.mode, read.before_sha256) == (
        "edit_file",
        "a/b.txt",
        0o640,
        digest,
    )
