"""Texts of `%braincode mcp`: servers and their tools, and the user's word on them.

Nothing is started: tools are listed as their server last sent them. Values of variables and headers
are never shown. A tool that is new or that changed is accepted only after it was shown whole.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.home import load_home
from braincode_jupyter.home.mcp_file import read_mcp_servers
from braincode_jupyter.home.mcp_pins import FilePins
from braincode_jupyter.home.mcp_switches import switch_mcp
from braincode_jupyter.home.trust import read_approvals
from braincode_jupyter.notebook.outside_text import listing, redactor
from braincode_jupyter.notebook.tables import first_line
from braincode_jupyter.tools.mcp_names import listed_tool, name_tools
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from braincode_jupyter.home import Home
    from braincode_jupyter.home.mcp_file import McpServers
    from braincode_jupyter.protocol.outside import McpServerEntry
    from braincode_jupyter.tools.mcp_names import NamedTool

_COMMAND_CHARS = 300
_STARTS = "trusted: starts with a run"
_HOW = """%braincode mcp disable NAME and enable NAME switch a server, or server/tool, in mcp.json.
%braincode mcp accept server/tool takes a new or changed tool as shown here; mcp read server/tool
also lets it run unasked, for every agent, since you say that it only reads.
%braincode trust shows what the project asks for, and approves it."""
VERBS = ("enable", "disable", "accept", "read")
"""What may follow `%braincode mcp`."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A tool as it was last listed."""

    server: McpServerEntry
    named: NamedTool

    @property
    def label(self) -> str:
        return clean_line(f"{self.server.name}/{self.named.listed.tool}")


def mcp_text(home: Path, root: Path, *, shown: set[str]) -> str:
    """List the MCP servers of user and project with the tools that are known of them.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.
    shown : set of str
        Takes the digest of every tool that is shown whole.

    Returns
    -------
    str
        A row for each server: whose, which, whether it would be started, and what; below it a row
        for each tool.
    """
    documents = load_home(home)
    found = _read(documents, home, root)
    rows: list[tuple[str, str]] = []
    for server in found.servers:
        rows.append((f"{server.scope}:{server.name}", f"{_STARTS} ({_server(server)})"))
        for known in _known_tools(home, root, server):
            rows.append((known.label, _tool(known, shown)))
    rows += [(f"{one.scope}:{one.name}", f"inert: {one.reason}") for one in found.skipped]
    return listing(
        rows,
        found.notices,
        nothing="No MCP servers: neither ~/.braincode/mcp.json nor .mcp.json of the project names "
        "one.",
        hint=_HOW,
        redact=redactor(documents),
    )


def say_of_mcp(home: Path, root: Path, *, verb: str, name: str, shown: Collection[str]) -> str:
    """Do what the user says of a server or a tool.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.
    verb : str
        One of `VERBS`.
    name : str
        ``server`` or ``server/tool``, as listed.
    shown : collection of str
        Digests of tools that the user has seen.

    Returns
    -------
    str
        What was done.

    Raises
    ------
    UnknownNameError
        If there is no such verb, server or tool.
    UsageError
        If no name is given, or the tool was not shown as it is now.
    """
    if verb not in VERBS:
        raise UnknownNameError("subcommand of %braincode mcp", verb[:40], list(VERBS))
    if not name:
        raise UsageError(f"What is to {verb}?", hint=f"Write %braincode mcp {verb} NAME.")
    server, _, tool = name.removeprefix("user:").partition("/")
    if verb in {"enable", "disable"}:
        switch_mcp(home, server, tool=tool, is_on=verb == "enable")
        return f"{clean_line(name)} is {'on' if verb == 'enable' else 'off'} from the next run on."
    return _accept(home, root, name=name, is_read=verb == "read", shown=shown)


def _read(documents: Home, home: Path, root: Path) -> McpServers:
    return read_mcp_servers(
        home, root, approvals=read_approvals(home), api_keys=documents.auth.providers
    )


def _accept(home: Path, root: Path, *, name: str, is_read: bool, shown: Collection[str]) -> str:
    servers = _read(load_home(home), home, root).servers
    tools = [known for server in servers for known in _known_tools(home, root, server)]
    known = next((known for known in tools if known.label == name), None)
    if known is None:
        raise UnknownNameError("MCP tool", name[:64], [known.label for known in tools])
    tool = known.named.listed
    if tool.problem:
        raise UsageError(f"{known.label!r} cannot be used: {tool.problem}.", hint="Switch it off.")
    if tool.digest not in shown:
        raise UsageError(
            f"{known.label!r} was not shown as it is now.",
            hint="Write %braincode mcp and read what it says of itself.",
        )
    FilePins(home, root).accept(known.server, tool.tool, digest=tool.digest, is_read=is_read)
    more = ", and runs unasked" if is_read else ""
    return f"{known.label} is accepted as shown{more}. Any change turns it off again."


def _known_tools(home: Path, root: Path, server: McpServerEntry) -> Sequence[_Known]:
    pins = FilePins(home, root)
    raws = pins.listed(server) or ()
    tools = [listed_tool(server.scope, server.name, raw=raw) for raw in raws]
    off = {(server.scope, server.name, tool) for tool in server.disabled_tools}
    named = name_tools(
        tools,
        pins={(server.scope, server.name): pins.pinned(server) or {}},
        switched_off=off,
    )
    return [_Known(server, one) for one in named if one.name.startswith("mcp__")]


def _tool(known: _Known, shown: set[str]) -> str:
    """Return state and description; what is off is shown whole, since it may be accepted."""
    named = known.named
    shown.add(named.listed.digest)
    if not named.off:
        state = "on, only reads" if named.is_read else "on, asks"
        return f"{state}: {first_line(named.listed.description, limit_chars=_COMMAND_CHARS)}"
    # Escaped, so that no character of it can pose as another one.
    schema = json.dumps(named.listed.parameters, ensure_ascii=True)
    said = json.dumps(named.listed.description, ensure_ascii=True)
    return f"off, {named.off}: {said} {schema}"


def _server(server: McpServerEntry) -> str:
    return server.url or first_line(
        " ".join((server.command, *server.args)), limit_chars=_COMMAND_CHARS
    )
