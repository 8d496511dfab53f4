"""Switching MCP servers and their tools on and off in the user's ``mcp.json``.

The freshest copy is changed, and nothing of it but the one field: what else an entry holds, and
whatever another program wrote there, stays as it is and where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import ConfigurationError, UnknownNameError
from braincode_jupyter.home.json_files import update_json
from braincode_jupyter.home.mcp_file import DISABLED_TOOLS, MAX_DISABLED_TOOLS
from braincode_jupyter.home.paths import MCP

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue


def switch_mcp(home: Path, server: str, *, tool: str = "", is_on: bool) -> None:
    """Switch a server of the user, or one tool of it, on or off.

    Parameters
    ----------
    home : Path
        The home folder.
    server : str
        Name in the file.
    tool : str
        Name of a tool at the server; empty: the server itself.
    is_on : bool
        What it is to be.

    Raises
    ------
    UnknownNameError
        If the file has no such server.
    ConfigurationError
        If the file is broken or cannot be written; it stays as it is.
    """

    def change(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
        servers = _servers(document)
        entry = servers.get(server)
        if not isinstance(entry, dict):
            raise UnknownNameError("MCP server of yours", server[:64], list(servers))
        if tool:
            _switch_tool(entry, tool, is_on=is_on)
        elif is_on:
            entry.pop("disabled", None)
        else:
            entry["disabled"] = True
        return document

    update_json(home / MCP, change)


def _switch_tool(entry: dict[str, JsonValue], tool: str, *, is_on: bool) -> None:
    found = entry.get(DISABLED_TOOLS, [])
    names = found if isinstance(found, list) else []
    kept: list[JsonValue] = [name for name in names if name != tool]
    if not is_on:
        kept.append(tool)
    if len(kept) > MAX_DISABLED_TOOLS:
        raise ConfigurationError(
            f"More than {MAX_DISABLED_TOOLS} tools of one server cannot be switched off.",
            hint="Switch the server itself off.",
        )
    if kept:
        entry[DISABLED_TOOLS] = kept
    else:
        entry.pop(DISABLED_TOOLS, None)


def _servers(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the object that holds the entries; changing it changes the document."""
    found = document.get("mcpServers", document.get("servers"))
    return found if isinstance(found, dict) else {}
