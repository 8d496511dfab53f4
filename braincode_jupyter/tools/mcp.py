"""All MCP servers of a run, and the tools of them that may be called at all.

Nothing that a server says decides anything: a tool is on only as the user accepted it, and it runs
unasked only if the user marked exactly this tool as read (security R63).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
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
from braincode_jupyter.tools.mcp_names import (
    WEB_SEARCH,
    NamedTool,
    listed_tool,
    name_tools,
)
from braincode_jupyter.tools.mcp_results import error_return
from braincode_jupyter.tools.mcp_servers import McpLimits, McpServer
from braincode_jupyter.tools.mcp_slots import MAX_STARTS, ServerSlot
from braincode_jupyter.tools.mcp_transport import import_sdk
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
    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.tools.mcp_names import ListedTool
    from braincode_jupyter.tools.mcp_servers import ProgressNote

STARTUP_BUDGET_S: Final = 10.0
"""How long a run waits for its servers; tools of later ones appear when they are ready."""

_MIN_SECRET_CHARS: Final = 6
_PENDING: Final = {
    "waiting": "starts with the first call of one of its tools",
    "starting": "still starting",
}
_CANCEL_WAIT_S: Final = 3.0


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
        self._on_notice: Callable[[str], None] = _unheard
        self._group: asyncio.TaskGroup | None = None
        self._slots: list[ServerSlot] = []
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
        on_notice: Callable[[str], None] | None = None,
    ) -> McpReport:
        """Make all servers ready to be used, and wait up to a budget for those that are started.

        A server whose tools are remembered is started by the first call of one of them.

        Parameters
        ----------
        servers : McpServers
            What may be started.
        group : asyncio.TaskGroup
            Owns one task per server.
        budget_s : float
            Longest wait; seconds. Later servers go on starting.
        on_report : callable or None
            Gets one more report once the last late server has settled, and when one is started.
        on_notice : callable or None
            Gets sentences for the user: what a server asked for, that one was started again.

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
        self._on_report, self._group = on_report, group
        self._on_notice = on_notice or _unheard
        self._slots += [self._slot(entry) for entry in servers.servers]
        unknown = [slot for slot in self._slots if slot.known is None]
        if unknown:
            # A second of importing, which must not hold the loop of other runs.
            await asyncio.to_thread(import_sdk)
        for slot in unknown:
            slot.start()
        self._name_all()
        try:
            async with asyncio.timeout(budget_s):
                for slot in unknown:
                    await slot.ready()
        except TimeoutError:
            self._is_late = True
        return self.report()

    async def bring_up(self, name: str = "") -> McpReport:
        """Start what waits and what has failed, as often as it may be started.

        Parameters
        ----------
        name : str
            One server; empty: all.

        Returns
        -------
        McpReport
            What became of each server.
        """
        wanted = [slot for slot in self._slots if name in ("", slot.entry.name)]
        await asyncio.gather(*(slot.ready() for slot in wanted if slot.state != "ready"))
        return self.report()

    def report(self) -> McpReport:
        """Return what became of each server so far."""
        ready = [slot for slot in self._slots if slot.state == "ready"]
        on = self.named()
        pending = [
            SkippedServer(
                scope=slot.entry.scope, name=_shown(slot.entry.name), reason=_PENDING[slot.state]
            )
            for slot in self._slots
            if slot.state in _PENDING
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
            strategy="lazy" if any(slot.state == "waiting" for slot in self._slots) else "eager",
            failed=tuple(
                FailedServer(scope=s.entry.scope, name=_shown(s.entry.name), error=s.error)
                for s in self._slots
                if s.state == "failed"
            ),
            skipped=self._skipped,
            pending=tuple(pending),
            tool_count=sum(1 for named in on if named.name != WEB_SEARCH),
            loading=any(slot.state == "starting" for slot in self._slots),
            off=tuple(
                ToolOff(server=_shown(n.listed.server), tool=_shown(n.listed.tool), reason=n.off)
                for n in self._named
                if n.off
            ),
        )

    def offered(self) -> tuple[OfferedTool, ...]:
        """Return all tools, also those that are off, for a person to look at and to accept."""
        by_key = {(s.entry.scope, s.entry.name): s.entry for s in self._slots}
        return tuple(
            OfferedTool(server=by_key[named.listed.scope, named.listed.server], named=named)
            for named in self._named
        )

    def named(self) -> Sequence[NamedTool]:
        """Return the tools that may be called, of servers that are up or can be brought up."""
        up = {(slot.entry.scope, slot.entry.name) for slot in self._slots if slot.is_on}
        return [n for n in self._named if not n.off and (n.listed.scope, n.listed.server) in up]

    async def call(
        self,
        tool: ListedTool,
        arguments: Mapping[str, JsonValue],
        *,
        note: Callable[[ProgressNote], None] | None = None,
    ) -> ToolReturn:
        """Call a tool at its server, which is started if it is not there."""
        slot = self._slot_of(tool)
        was_up = slot.state == "ready"
        server = await slot.ready()
        if server is None:
            text = f"The MCP server {_shown(slot.entry.name)!r} cannot be started any more."
            return error_return(_shown(slot.entry.name), text, code="server_down")
        if not was_up:
            self._tell_report()
        given = await server.call(tool.tool, arguments, digest=tool.digest, note=note)
        if slot.state == "failed":
            self._tell_report()
            if slot.is_on:
                again = f" A further call starts it again: start {slot.starts + 1} of {MAX_STARTS}."
                return replace(given, text=given.text + again)
        return given

    def can_bring_up(self) -> bool:
        """Say whether a server waits or has failed, and may be started."""
        return any(slot.state in ("waiting", "failed") and slot.may_start for slot in self._slots)

    def connect_s(self) -> float:
        """Longest that starting one server may take; seconds."""
        return self._limits.connect_s

    def longest_call_s(self, tool: ListedTool) -> float:
        """Longest that a call of a tool may take in any case; seconds."""
        limits = self._limits.of(self._slot_of(tool).entry)
        return limits.longest_call_s + limits.connect_s

    async def aclose(self) -> None:
        """End all servers and everything they started, within a bound; a second call is nothing."""
        tasks, self._tasks = self._tasks, []
        for slot in self._slots:
            slot.close()
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=self._limits.close_s)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late, timeout=_CANCEL_WAIT_S)

    def _tell_report(self) -> None:
        if self._on_report is not None:
            self._on_report(self.report())

    def _slot_of(self, tool: ListedTool) -> ServerSlot:
        return next(slot for slot in self._slots if _is_of(tool, slot.entry))

    def _slot(self, entry: McpServerEntry) -> ServerSlot:
        redact = _redactor(entry, self._redact)

        def connect() -> McpServer:
            if self._group is None:
                raise RuntimeError("servers are started within connect")
            server = McpServer(
                entry,
                self._root,
                self._limits.of(entry),
                redact,
                on_progress=self._on_progress,
                on_change=self._changed,
                on_notice=self._on_notice,
            )
            self._tasks.append(self._group.create_task(server.serve(), name=f"mcp {entry.key}"))
            return server

        return ServerSlot(
            entry=entry, connect=connect, known=self._remembered(entry), tell=self._on_notice
        )

    def _remembered(self, entry: McpServerEntry) -> tuple[ListedTool, ...] | None:
        try:
            if self._pins.pinned(entry) is None:
                return None
            raws = self._pins.listed(entry)
        except BraincodeError:  # an unreadable file remembers nothing
            return None
        if raws is None:
            return None
        return tuple(listed_tool(entry.scope, entry.name, raw=raw) for raw in raws)

    def _changed(self) -> None:
        self._name_all()
        is_loading = any(slot.state == "starting" for slot in self._slots)
        if self._is_late and not is_loading and self._on_report is not None:
            self._is_late = False
            self._on_report(self.report())

    def _name_all(self) -> None:
        known = [slot for slot in self._slots if slot.tools]
        pins: dict[tuple[Scope, str], Mapping[str, PinnedTool]] = {
            (slot.entry.scope, slot.entry.name): self._accepted(slot) for slot in known
        }
        tools = [tool for slot in known for tool in slot.tools]
        switched_off = {
            (slot.entry.scope, slot.entry.name, tool)
            for slot in known
            for tool in slot.entry.disabled_tools
        }
        self._named = name_tools(
            tools, pins=pins, reserved=self._reserved, switched_off=switched_off
        )

    def _accepted(self, server: ServerSlot) -> Mapping[str, PinnedTool]:
        """Return what the user accepted of a server; what was never seen is accepted as it is."""
        try:
            pinned = self._pins.pinned(server.entry)
            if pinned is None:
                usable = {t.tool: t.digest for t in server.tools if not t.problem}
                self._pins.pin(server.entry, usable)
                pinned = self._pins.pinned(server.entry)
            if server.server is not None and server.server.tools:
                self._pins.remember(server.entry, [tool.raw for tool in server.tools])
        except BraincodeError:  # an unreadable trust file accepts nothing
            return {}
        return pinned or {}


def _is_of(tool: ListedTool, entry: McpServerEntry) -> bool:
    return (tool.scope, tool.server) == (entry.scope, entry.name)


def _shown(name: str) -> str:
    return clean_line(name, 64)


def _as_it_is(text: str) -> str:
    return text


def _unheard(_text: str) -> None:
    return


def _redactor(entry: McpServerEntry, redact: Callable[[str], str]) -> Callable[[str], str]:
    values = {*entry.secrets, *entry.headers.values()}
    own = sorted((v for v in values if len(v) >= _MIN_SECRET_CHARS), key=len, reverse=True)

    def redacted(text: str) -> str:
        for value in own:
            text = text.replace(value, "[secret]")
        return redact(text)

    return redacted
