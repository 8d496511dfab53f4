"""All MCP servers of a run, and the tools of them that an agent may call.

Nothing that a server says decides anything: a tool is on only as the user accepted it, it runs
unasked only if the user marked exactly this tool as read, and agents that must not change anything
are given marked ones alone (security R63, R123).
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.protocol.outside_records import (
    ConnectedServer,
    FailedServer,
    McpReport,
    Scope,
    SkippedServer,
    ToolOff,
)
from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.mcp_names import WEB_SEARCH, NamedTool, cut_bytes, name_tools
from braincode_jupyter.tools.mcp_servers import McpLimits, McpServer
from braincode_jupyter.tools.mcp_transport import sdk
from braincode_jupyter.tools.progress import listener_of_call
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import (
        McpServerEntry,
        McpServers,
        PinnedTool,
        ToolPins,
    )
    from braincode_jupyter.tools.mcp_names import ListedTool
    from braincode_jupyter.tools.mcp_servers import ProgressNote

STARTUP_BUDGET_S: Final = 10.0
"""How long a run waits for its servers; tools of later ones appear when they are ready."""
MAX_ARGUMENTS_BYTES: Final = 64 * 1024
"""Arguments of one call as JSON."""
WITHOUT_TOOLS: Final = frozenset({"routeBrain", "planner", "pet", "imageMaker"})
"""Roles that get no tools."""

_MIN_SECRET_CHARS: Final = 6
_CANCEL_WAIT_S: Final = 3.0
_SPEC_ROOM_S: Final = 5.0
_MAX_SPEC_BYTES: Final = 2 * 1024 + 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool with all that a person needs to accept it."""

    server: McpServerEntry
    named: NamedTool


class McpHub:
    """The servers of one run; its tasks live in the run's task group until `aclose`.

    Parameters
    ----------
    root : Path
        The project: working folder and only root of the servers.
    pins : ToolPins
        What the user accepted.
    limits : McpLimits or None
        Waits.
    redact : callable or None
        Takes keys out of a text; keys of the servers' own entries are known already.
    reserved : iterable of str
        Names of built-in tools.
    on_progress : callable or None
        Gets progress notes of all calls.
    """

    def __init__(
        self,
        *,
        root: Path,
        pins: ToolPins,
        limits: McpLimits | None = None,
        redact: Callable[[str], str] | None = None,
        reserved: Iterable[str] = (),
        on_progress: Callable[[ProgressNote], None] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._pins = pins
        self._limits = limits or McpLimits()
        self._redact = redact or _as_it_is
        self._reserved = tuple(reserved)
        self._on_progress = on_progress
        self._on_report: Callable[[McpReport], None] | None = None
        self._skipped: tuple[SkippedServer, ...] = ()
        self._servers: list[McpServer] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._named: tuple[NamedTool, ...] = ()
        self._is_late = False

    async def connect(
        self,
        servers: McpServers,
        *,
        group: asyncio.TaskGroup,
        budget_s: float = STARTUP_BUDGET_S,
        on_report: Callable[[McpReport], None] | None = None,
    ) -> McpReport:
        """Start all servers and wait for them, up to a budget.

        Parameters
        ----------
        servers : McpServers
            What may be started.
        group : asyncio.TaskGroup
            Owns one task per server.
        budget_s : float
            Longest wait; seconds. Later servers go on starting.
        on_report : callable or None
            Gets one more report once the last late server has settled.

        Returns
        -------
        McpReport
            What became of each server so far; a failed one never ends the run.

        Raises
        ------
        MissingDependencyError
            If there are servers and the SDK is not installed.
        """
        self._skipped = servers.skipped
        self._on_report = on_report
        if servers.servers:
            # A second of importing, which must not hold the loop of other runs.
            await asyncio.to_thread(_import_sdk)
        for entry in servers.servers:
            server = McpServer(
                entry,
                self._root,
                self._limits.of(entry),
                _redactor(entry, self._redact),
                on_progress=self._on_progress,
                on_change=self._changed,
            )
            self._servers.append(server)
            self._tasks.append(group.create_task(server.serve(), name=f"mcp {entry.key}"))
        try:
            async with asyncio.timeout(budget_s):
                for server in self._servers:
                    await server.settled.wait()
        except TimeoutError:
            self._is_late = True
        return self.report()

    def report(self) -> McpReport:
        """Return what became of each server so far."""
        ready = [server for server in self._servers if server.state == "ready"]
        on = self.named()
        pending = [
            SkippedServer(scope=s.entry.scope, name=_shown(s.entry.name), reason="still starting")
            for s in self._servers
            if s.state == "starting"
        ]
        return McpReport(
            connected=tuple(
                ConnectedServer(
                    scope=server.entry.scope,
                    name=_shown(server.entry.name),
                    tool_count=len({n.listed.tool for n in on if _is_of(n.listed, server.entry)}),
                )
                for server in ready
            ),
            failed=tuple(
                FailedServer(scope=s.entry.scope, name=_shown(s.entry.name), error=s.error)
                for s in self._servers
                if s.state == "failed"
            ),
            skipped=self._skipped,
            pending=tuple(pending),
            tool_count=sum(1 for named in on if named.name != WEB_SEARCH),
            loading=bool(pending),
            off=tuple(
                ToolOff(server=_shown(n.listed.server), tool=_shown(n.listed.tool), reason=n.off)
                for n in self._named
                if n.off
            ),
        )

    def offered(self) -> tuple[OfferedTool, ...]:
        """Return all tools, also those that are off, for a person to look at and to accept."""
        by_key = {(s.entry.scope, s.entry.name): s.entry for s in self._servers}
        return tuple(
            OfferedTool(server=by_key[named.listed.scope, named.listed.server], named=named)
            for named in self._named
        )

    def refresh(self) -> None:
        """Look at the pins again, after the user accepted something."""
        self._name_all()

    def toolset_for(self, role: str, *, is_primary: bool = False) -> McpToolset:
        """Return the tools of one agent.

        Parameters
        ----------
        role : str
            Its role.
        is_primary : bool
            Whether it is the primary; all others get tools marked as read alone.

        Returns
        -------
        McpToolset
            It follows the hub: tools of late servers appear in it.
        """
        return McpToolset(self, may_change=is_primary, is_empty=role in WITHOUT_TOOLS)

    def named(self) -> Sequence[NamedTool]:
        """Return the tools that may be called, of servers that are up."""
        up = {(s.entry.scope, s.entry.name) for s in self._servers if s.state == "ready"}
        return [n for n in self._named if not n.off and (n.listed.scope, n.listed.server) in up]

    async def call(
        self,
        tool: ListedTool,
        arguments: Mapping[str, JsonValue],
        *,
        note: Callable[[ProgressNote], None] | None = None,
    ) -> ToolReturn:
        """Call a tool at its server."""
        server = self._server_of(tool)
        return await server.call(tool.tool, arguments, digest=tool.digest, note=note)

    def longest_call_s(self, tool: ListedTool) -> float:
        """Longest that a call of a tool may take in any case; seconds."""
        return self._server_of(tool).limits.longest_call_s

    async def aclose(self) -> None:
        """End all servers and everything they started, within a bound; a second call is nothing."""
        tasks, self._tasks = self._tasks, []
        for server in self._servers:
            server.close()
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=self._limits.close_s)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=_CANCEL_WAIT_S)

    def _server_of(self, tool: ListedTool) -> McpServer:
        return next(server for server in self._servers if _is_of(tool, server.entry))

    def _changed(self) -> None:
        self._name_all()
        is_loading = any(server.state == "starting" for server in self._servers)
        if self._is_late and not is_loading and self._on_report is not None:
            self._is_late = False
            self._on_report(self.report())

    def _name_all(self) -> None:
        known = [server for server in self._servers if server.tools]
        pins: dict[tuple[Scope, str], Mapping[str, PinnedTool]] = {
            (server.entry.scope, server.entry.name): self._accepted(server) for server in known
        }
        tools = [tool for server in known for tool in server.tools]
        self._named = name_tools(tools, pins=pins, reserved=self._reserved)

    def _accepted(self, server: McpServer) -> Mapping[str, PinnedTool]:
        """Return what the user accepted of a server; what was never seen is accepted as it is."""
        try:
            pinned = self._pins.pinned(server.entry)
            if pinned is None:
                usable = {t.tool: t.digest for t in server.tools if not t.problem}
                self._pins.pin(server.entry, usable)
                pinned = self._pins.pinned(server.entry)
        except BraincodeError:  # an unreadable trust file accepts nothing
            return {}
        return pinned or {}


class McpToolset:
    """The MCP tools of one agent; fulfils `Toolset`. Closing it leaves the servers to the hub."""

    def __init__(self, hub: McpHub, *, may_change: bool, is_empty: bool) -> None:
        self._hub = hub
        self._may_change = may_change
        self._is_empty = is_empty

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that may be called now."""
        return [
            ToolSpec(
                name=tool.name,
                description=_described(tool),
                parameters=tool.listed.parameters,
                effect="read" if tool.is_read else "execute",
                timeout_s=self._hub.longest_call_s(tool.listed) + _SPEC_ROOM_S,
            )
            for tool in self._mine()
        ]

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return what a call would do: exact arguments, bound to the tool as it is described.

        Parameters
        ----------
        name : str
            As models use it.
        arguments : mapping
            As the model gave them.

        Returns
        -------
        ToolTarget
            ``before_sha256`` is the digest of the tool's description and schema.

        Raises
        ------
        ToolRefused
            If there is no such tool for this agent, or the arguments do not fit.
        """
        tool = next((tool for tool in self._mine() if tool.name == name), None)
        if tool is None:
            raise ToolRefused(f"There is no tool {clean_line(name, 80)!r} for you any more.")
        required = tool.listed.parameters.get("required")
        missing = [
            str(key)
            for key in (required if isinstance(required, list) else ())
            if key not in arguments
        ]
        if missing:
            raise ToolRefused(f"{name} needs {', '.join(missing)}. Call it again with them.")
        shown = json.dumps(arguments, indent=1, ensure_ascii=False, sort_keys=True)
        if len(shown.encode(errors="replace")) > MAX_ARGUMENTS_BYTES:
            raise ToolRefused(
                f"The arguments are over {MAX_ARGUMENTS_BYTES:,} bytes. Send less at once."
            )
        place = f"{_shown(tool.listed.server)}/{_shown(tool.listed.tool)}"
        return ToolTarget(action=f"MCP {place}", shown=shown, before_sha256=tool.listed.digest)

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Call a tool as it was allowed.

        Parameters
        ----------
        name, arguments
            As given to `target`.
        target : ToolTarget
            What was allowed.

        Returns
        -------
        ToolReturn
            Every failure of a server is an error return.

        Raises
        ------
        ToolRefused
            If tool or arguments are no longer what was allowed.
        """
        if self.target(name, arguments) != target:
            raise ToolRefused(f"{name} is no longer what was allowed, so it was not called.")
        tool = next(tool for tool in self._mine() if tool.name == name)
        return await self._hub.call(tool.listed, arguments, note=_told(listener_of_call()))

    async def aclose(self) -> None:
        """Do nothing: the servers belong to the run."""

    def _mine(self) -> Sequence[NamedTool]:
        if self._is_empty:
            return ()
        return [tool for tool in self._hub.named() if self._may_change or tool.is_read]


def _described(tool: NamedTool) -> str:
    text = f"[MCP server {_shown(tool.listed.server)}] {tool.listed.description}"
    return cut_bytes(text, _MAX_SPEC_BYTES, mark=" […]")


def _told(listener: Callable[[str], None] | None) -> Callable[[ProgressNote], None] | None:
    return None if listener is None else lambda note: listener(note.words)


def _is_of(tool: ListedTool, entry: McpServerEntry) -> bool:
    return (tool.scope, tool.server) == (entry.scope, entry.name)


def _shown(name: str) -> str:
    return clean_line(name, 64)


def _as_it_is(text: str) -> str:
    return text


def _redactor(entry: McpServerEntry, redact: Callable[[str], str]) -> Callable[[str], str]:
    values = {*entry.secrets, *entry.headers.values()}
    own = sorted((v for v in values if len(v) >= _MIN_SECRET_CHARS), key=len, reverse=True)

    def redacted(text: str) -> str:
        for value in own:
            text = text.replace(value, "[secret]")
        return redact(text)

    return redacted


def _import_sdk() -> None:
    # The last two are what the SDK would import, on the loop, at the first result.
    for name in (
        "mcp",
        "mcp.client.stdio",
        "mcp.client.streamable_http",
        "jsonschema",
        "referencing.exceptions",
    ):
        sdk(name)
