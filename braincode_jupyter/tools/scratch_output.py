"""What a run in a scratch kernel gave: text within limits, pictures, the error.

Everything here comes from a process that ran code of a model: nothing is expanded, and anything of
an unexpected kind is dropped.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, cast

from braincode_jupyter.protocol.sections import ImagePart
from braincode_jupyter.tools.scratch_child import TABLE_TYPE
from braincode_jupyter.tools.tables import is_shown, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.protocol.tables import Table

MAX_KEPT_CHARS = 1024 * 1024
"""Text kept of one run."""
MAX_PICTURES = 8
"""Pictures of one run."""
MAX_TABLES = 8
"""Tables of one run."""
MAX_PICTURE_BYTES = 5 * 1024 * 1024
_MAX_TRACEBACK_CHARS = 3_000
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_PNG = b"\x89PNG\r\n\x1a\n"


class ScratchOutput:
    """Takes the messages of one run."""

    def __init__(self) -> None:
        self._printed: list[str] = []
        self._shown: list[str] = []
        self._kept = 0
        self.pictures: list[ImagePart] = []
        """PNG files, at most `MAX_PICTURES`."""
        self.tables: list[tuple[str, Table]] = []
        """Name and table, at most `MAX_TABLES`; the name is empty where there is none."""
        self.dropped_pictures = 0
        """Pictures beyond the limit, too large, or broken."""
        self.dropped_chars = 0
        """Text beyond `MAX_KEPT_CHARS`."""
        self.error = ""
        """Traceback, last line first in importance: name and message."""

    @property
    def printed(self) -> str:
        """What was printed, standard output and standard error in order."""
        return "".join(self._printed)

    @property
    def shown(self) -> str:
        """What was shown: values of last lines and ``display``."""
        return "\n".join(self._shown)

    def take(self, message: Mapping[str, object]) -> bool:
        """Take one message; say whether it was the last.

        Parameters
        ----------
        message : mapping
            Of Jupyter's messaging protocol; empty counts as none.

        Returns
        -------
        bool
            True for the ``idle`` status.
        """
        header = _mapping(message.get("header"))
        content = _mapping(message.get("content"))
        match header.get("msg_type"):
            case "status":
                return content.get("execution_state") == "idle"
            case "stream":
                self._keep(self._printed, _text(content.get("text")))
            case "execute_result" | "display_data":
                self._take_value(_mapping(content.get("data")))
            case "error":
                self._take_error(content)
            case _:
                pass
        return False

    def _take_value(self, data: Mapping[str, object]) -> None:
        self._take_table(_mapping(data.get(TABLE_TYPE)))
        picture = data.get("image/png")
        if isinstance(picture, str):
            self._take_picture(picture)
        else:
            self._keep(self._shown, _text(data.get("text/plain")))

    def _take_picture(self, encoded: str) -> None:
        is_small = len(encoded) * 3 // 4 <= MAX_PICTURE_BYTES
        if len(self.pictures) < MAX_PICTURES and is_small:
            try:
                data = base64.b64decode("".join(encoded.split()), validate=True)
            except (binascii.Error, ValueError):
                data = b""
            if data.startswith(_PNG):
                self.pictures.append(ImagePart(media_type="image/png", data=data))
                return
        self.dropped_pictures += 1

    def _take_table(self, wire: Mapping[str, object]) -> None:
        table = read_table({**wire, "csv": _plain(_text(wire.get("csv")))}) if wire else None
        if table is not None and is_shown(table) and len(self.tables) < MAX_TABLES:
            self.tables.append((_text(wire.get("name")), table))

    def _take_error(self, content: Mapping[str, object]) -> None:
        lines = content.get("traceback")
        parts = cast("list[object]", lines) if isinstance(lines, list) else []
        trace = "\n".join(_text(part) for part in parts)[-_MAX_TRACEBACK_CHARS:]
        first = f"{_text(content.get('ename'))}: {_text(content.get('evalue'))}"
        self.error = _plain(f"{first[:_MAX_TRACEBACK_CHARS]}\n{trace}").strip()

    def _keep(self, parts: list[str], text: str) -> None:
        room = MAX_KEPT_CHARS - self._kept
        kept = _plain(text[: max(0, room)])
        self.dropped_chars += max(0, len(text) - room)
        if kept:
            parts.append(kept)
            self._kept += len(kept)


def _plain(text: str) -> str:
    return _ESCAPES.sub("", text).replace("\x00", "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
