"""The record of an edit: what stood in a file before a tool changed it; ours alone.

It is written before the change is made and is enough to undo it. It goes to the session file and
nowhere else: not into a prompt, not into a card.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Literal

from pydantic import Field

from braincode_jupyter.protocol.record import Record

MAX_BEFORE_BYTES = 2 * 1024 * 1024
"""Content of a file before an edit; larger files are not edited (security, section 15)."""
_MAX_BEFORE_CHARS = (MAX_BEFORE_BYTES + 2) // 3 * 4


class EditKept(Record):
    """A tool is about to change one file."""

    type: Literal["edit"] = "edit"
    """Record type."""
    tool: str
    """Which tool."""
    path: str
    """Relative to the project."""
    before: str | None = Field(default=None, max_length=_MAX_BEFORE_CHARS)
    """Content; absent: there was no file."""
    encoding: Literal["base64"] | None = None
    """How `before` is written if it is no text."""
    mode: int | None = None
    """Permissions of the file before."""
    before_sha256: str | None = None
    """Digest of the content before."""
    after_sha256: str | None = None
    """Digest of the content after; absent: the file is removed."""

    @classmethod
    def of(  # noqa: PLR0913 - one argument for each field
        cls,
        path: str,
        before: bytes | None,
        *,
        tool: str,
        mode: int | None,
        before_sha256: str | None,
        after_sha256: str | None,
        timestamp: int,
        context_id: str | None,
    ) -> EditKept:
        """Return the record of a change that is about to be made.

        Parameters
        ----------
        path : str
            Relative to the project.
        before : bytes or None
            Content; None: there is no file.
        tool, mode, before_sha256, after_sha256, timestamp, context_id
            As the fields.

        Returns
        -------
        EditKept
            With the content as text where it is text.
        """
        text, encoding = _written(before)
        return cls(
            timestamp=timestamp,
            context_id=context_id,
            tool=tool,
            path=path,
            before=text,
            encoding=encoding,
            mode=mode,
            before_sha256=before_sha256,
            after_sha256=after_sha256,
        )

    def content(self) -> bytes | None:
        """Return what stood in the file.

        Returns
        -------
        bytes or None
            None: there was no file.

        Raises
        ------
        ValueError
            If it is not what was written down.
        """
        if self.before is None:
            return None
        if self.encoding == "base64":
            return b64decode(self.before, validate=True)
        return self.before.encode("utf-8")


def _written(content: bytes | None) -> tuple[str | None, Literal["base64"] | None]:
    if content is None:
        return None, None
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError:
        return b64encode(content).decode("ascii"), "base64"
