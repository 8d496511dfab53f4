"""The place of one MCP server in a run: not started until it is needed, started again if it died.

A server whose tools the user knows already is offered from what is remembered, without a process.
It is started by the first call, and again after it died, a stated number of times in all; every
start beyond the first is told. A call is never repeated: what a server did before it died is not
known.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from braincode_jupyter.tools.mcp_transport import import_sdk
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.outside import McpServerEntry
    from braincode_jupyter.tools.mcp_names import ListedTool
    from braincode_jupyter.tools.mcp_servers import McpServer

MAX_STARTS: Final = 3
"""Starts of one server in a run, the first one included."""

SlotState = Literal["waiting", "starting", "ready", "failed", "closed"]


@dataclass(slots=True, eq=False, kw_only=True)
class ServerSlot:
    """One configured server of a run.

    Parameters
    ----------
    entry : McpServerEntry
        What to start or reach.
    connect : callable
        Makes a connection whose task runs already.
    known : tuple of ListedTool or None
        Its tools as they are remembered; None: never listed, so it has to be started to know them.
    tell : callable
        Takes a sentence for the user.
    """

    entry: McpServerEntry
    connect: Callable[[], McpServer]
    known: tuple[ListedTool, ...] | None
    tell: Callable[[str], None]
    starts: int = 0
    is_closed: bool = False
    server: McpServer | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def state(self) -> SlotState:
        """Where it is; ``waiting`` was not started yet."""
        return "waiting" if self.server is None else self.server.state

    @property
    def error(self) -> str:
        """Why it failed; empty if it did not."""
        return "" if self.server is None else self.server.error

    @property
    def tools(self) -> tuple[ListedTool, ...]:
        """Its tools: as it lists them, else as it did last."""
        listed = () if self.server is None else self.server.tools
        return listed or self.known or ()

    @property
    def may_start(self) -> bool:
        """Whether it may be started, or started again."""
        return not self.is_closed and self.starts < MAX_STARTS

    @property
    def had_tools(self) -> bool:
        """Whether its last connection came up."""
        return self.server is not None and bool(self.server.tools)

    @property
    def is_on(self) -> bool:
        """Whether its tools can be called: it is up, or a call would bring it up."""
        match self.state:
            case "ready":
                return True
            case "waiting":
                return self.may_start
            case "failed":
                return self.had_tools and self.may_start
            case _:
                return False

    def start(self) -> McpServer | None:
        """Start it; None if it may not be started any more."""
        if not self.may_start:
            return None
        self.starts += 1
        if self.server is not None:
            self.known = self.server.tools or self.known
            name = clean_line(self.entry.name, 64)
            self.tell(
                f"The MCP server {name!r} had ended ({self.server.error}); it was started again, "
                f"start {self.starts} of {MAX_STARTS}."
            )
        self.server = self.connect()
        return self.server

    async def ready(self) -> McpServer | None:
        """Return its connection, started if need be, once it is up or has failed."""
        async with self._lock:
            server = self.server
            if server is None or (server.state == "failed" and self.may_start):
                await asyncio.to_thread(import_sdk)
                server = self.start() or server
            if server is not None:
                # Its own limit on starting ends this wait.
                await server.settled.wait()
            return server

    def close(self) -> None:
        """End it, and let it not be started again."""
        self.is_closed = True
        if self.server is not None:
            self.server.close()
