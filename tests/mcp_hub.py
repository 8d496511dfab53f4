"""A hub with the server of ``tests/fixtures/mcp``, for tests of MCP."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.outside import McpServerEntry, McpServers, PinnedTool
from braincode_jupyter.tools.mcp import McpHub
from braincode_jupyter.tools.mcp_servers import McpLimits
from braincode_jupyter.tools.mcp_toolset import toolset_for

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside_records import McpReport
    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.tools.mcp_servers import ProgressNote
    from braincode_jupyter.tools.mcp_toolset import McpToolset

SERVER = Path(__file__).parent / "fixtures" / "mcp" / "server.py"
OLD_SERVER = SERVER.with_name("old_server.py")
KEY = "KEY-of-this-server"


class MemoryPins:
    """Pins that last as long as a test."""

    def __init__(self) -> None:
        self.tools: dict[str, dict[str, PinnedTool]] = {}
        self.lists: dict[str, list[Mapping[str, JsonValue]]] = {}

    def pinned(self, server: McpServerEntry) -> Mapping[str, PinnedTool] | None:
        return self.tools.get(server.key)

    def listed(self, server: McpServerEntry) -> Sequence[Mapping[str, JsonValue]] | None:
        return self.lists.get(server.key)

    def remember(self, server: McpServerEntry, tools: Sequence[Mapping[str, JsonValue]]) -> None:
        self.lists[server.key] = list(tools)

    def pin(self, server: McpServerEntry, tools: Mapping[str, str]) -> None:
        self.tools[server.key] = {n: PinnedTool(digest=digest) for n, digest in tools.items()}


def stdio_entry(
    name: str = "srv", *words: str, command: str = sys.executable, server: str = str(SERVER)
) -> McpServerEntry:
    return McpServerEntry(
        scope="user",
        name=name,
        transport="stdio",
        digest="d",
        command=command,
        args=(server, *words),
        env={"OWN_KEY": KEY},
        secrets=(KEY,),
    )


class Connected:
    """A hub whose servers were started."""

    def __init__(self, hub: McpHub, report: McpReport, notes: list[ProgressNote]) -> None:
        self.hub = hub
        self.report = report
        self.reports: list[McpReport] = []
        self.notices: list[str] = []
        self.notes = notes
        self.tools: McpToolset = toolset_for(hub, "analyst", is_primary=True)

    async def call(self, tool: str, server: str = "srv", **arguments: JsonValue) -> ToolReturn:
        name = f"mcp__{server}__{tool}"
        return await self.tools.call(name, arguments, target=self.tools.target(name, arguments))


@asynccontextmanager
async def connected(
    root: Path,
    *entries: McpServerEntry,
    limits: McpLimits | None = None,
    pins: MemoryPins | None = None,
    budget_s: float = 60.0,
) -> AsyncGenerator[Connected]:
    """Start servers in ``root`` and end them."""
    notes: list[ProgressNote] = []
    hub = McpHub(
        root=root,
        pins=pins or MemoryPins(),
        limits=limits or McpLimits(connect_s=60.0, call_s=60.0),
        on_progress=notes.append,
    )
    async with asyncio.TaskGroup() as group:
        notices: list[str] = []
        reports: list[McpReport] = []
        report = await hub.connect(
            McpServers(servers=entries or (stdio_entry(),)),
            group=group,
            budget_s=budget_s,
            on_report=reports.append,
            on_notice=notices.append,
        )
        given = Connected(hub, report, notes)
        given.reports, given.notices = reports, notices
        try:
            yield given
        finally:
            await hub.aclose()
