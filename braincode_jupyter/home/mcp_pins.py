"""What the tools of MCP servers looked like when the user accepted them; kept in ``trust.json``.

The tools of an entry that was never seen are accepted as they are, since the user typed or approved
that entry. From then on a tool that is new or that changed is off until the user accepts it. A
changed entry counts as never seen; a project's has to be approved again before it gets here.
What a server last sent is kept beside that in ``cache``, so that it is started when a tool
of it is called and not before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import (
    MAX_FILE_BYTES,
    PRIVATE_MODE,
    read_object,
    write_json,
)
from braincode_jupyter.home.paths import ensure_home
from braincode_jupyter.home.trust import change_trust_file, read_trust_file
from braincode_jupyter.protocol.outside import PinnedTool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import McpServerEntry

MAX_PINNED_SERVERS: Final = 200
"""The oldest ones are forgotten beyond this."""

_KEY: Final = "mcpTools"


class FilePins:
    """The pins of one user; fulfils `ToolPins`.

    Parameters
    ----------
    home : Path
        The home folder.
    project_root : Path
        The project; servers of different projects have pins of their own.
    """

    def __init__(self, home: Path, project_root: Path) -> None:
        self._home = home
        self._project = str(project_root.resolve())

    def pinned(self, server: McpServerEntry) -> Mapping[str, PinnedTool] | None:
        """Return the accepted tools by name; None if this entry was never seen."""
        row = self._rows().get(self._name(server))
        if not isinstance(row, Mapping) or row.get("entry") != server.digest:
            return None
        tools = row.get("tools")
        if not isinstance(tools, Mapping):
            return {}
        found = {name: _tool(value) for name, value in tools.items()}
        return {name: tool for name, tool in found.items() if tool is not None}

    def pin(self, server: McpServerEntry, tools: Mapping[str, str]) -> None:
        """Accept tools as they are; marks of unchanged ones stay, names not given are forgotten.

        Parameters
        ----------
        server : McpServerEntry
            Their server.
        tools : mapping
            Digest by name.
        """
        before = self.pinned(server) or {}
        self._write(
            server,
            {
                name: PinnedTool(digest=digest, is_read=_is_read(before.get(name), digest))
                for name, digest in tools.items()
            },
        )

    def accept(self, server: McpServerEntry, name: str, *, digest: str, is_read: bool) -> None:
        """Accept one tool as the user was shown it.

        Parameters
        ----------
        server : McpServerEntry
            Its server.
        name : str
            Name at the server.
        digest : str
            Digest of what was shown.
        is_read : bool
            Whether the user says that it only reads, so that it runs unasked.
        """
        tools = {**(self.pinned(server) or {}), name: PinnedTool(digest=digest, is_read=is_read)}
        self._write(server, tools)

    def listed(self, server: McpServerEntry) -> Sequence[Mapping[str, JsonValue]] | None:
        """Return the tools of a server as it last sent them; None if that is not known.

        Parameters
        ----------
        server : McpServerEntry
            Their server; a changed entry is another one.

        Returns
        -------
        sequence of mapping or None
            As they came: their digests are made anew and held against the pins.
        """
        try:
            document = read_object(self._listing(server))
        except ConfigurationError:
            return None
        if document is None or document.get("entry") != server.digest:
            return None
        tools = document.get("tools")
        if not isinstance(tools, list):
            return None
        return [tool for tool in tools if isinstance(tool, Mapping)]

    def remember(self, server: McpServerEntry, tools: Sequence[Mapping[str, JsonValue]]) -> None:
        """Keep the tools of a server as it sent them; a list that is too long is not kept.

        Parameters
        ----------
        server : McpServerEntry
            Their server.
        tools : sequence of mapping
            As they came.
        """
        plain: list[JsonValue] = [dict(tool) for tool in tools]
        if self.listed(server) == plain:
            return
        document: dict[str, JsonValue] = {"entry": server.digest, "tools": plain}
        if len(json.dumps(document, indent=2, ensure_ascii=False).encode()) > MAX_FILE_BYTES:
            return
        ensure_home(self._home)
        write_json(self._listing(server), document, mode=PRIVATE_MODE)

    def _listing(self, server: McpServerEntry) -> Path:
        name = hashlib.sha256(self._name(server).encode()).hexdigest()[:32]
        return self._home / "cache" / f"mcp-{name}.json"

    def _write(self, server: McpServerEntry, tools: Mapping[str, PinnedTool]) -> None:
        row: dict[str, JsonValue] = {
            "entry": server.digest,
            "tools": {n: {"digest": t.digest, "read": t.is_read} for n, t in tools.items()},
        }
        rows = {k: v for k, v in self._rows().items() if k != self._name(server)}
        kept = dict([*rows.items(), (self._name(server), row)][-MAX_PINNED_SERVERS:])
        change_trust_file(self._home, _KEY, kept)

    def _rows(self) -> Mapping[str, JsonValue]:
        rows = read_trust_file(self._home).get(_KEY)
        return rows if isinstance(rows, Mapping) else {}

    def _name(self, server: McpServerEntry) -> str:
        if server.scope == "user":
            return f"user:{server.name}"
        return f"project:{self._project}:{server.name}"


def _tool(value: JsonValue) -> PinnedTool | None:
    if not isinstance(value, Mapping):
        return None
    digest = value.get("digest")
    if not isinstance(digest, str):
        return None
    return PinnedTool(digest=digest, is_read=value.get("read") is True)


def _is_read(before: PinnedTool | None, digest: str) -> bool:
    return before is not None and before.digest == digest and before.is_read
