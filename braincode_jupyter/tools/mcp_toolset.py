"""The MCP tools of one agent, and ``mcp__connect``, by which the primary brings servers up.

Agents that must not change anything are given tools alone that the user marked as read (security
R63, R123). Nothing that a server says decides anything.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.mcp_names import MAX_DESCRIPTION_BYTES, NamedTool, cut_bytes
from braincode_jupyter.tools.progress import listener_of_call
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside_records import McpReport
    from braincode_jupyter.tools.mcp import McpHub
    from braincode_jupyter.tools.mcp_servers import ProgressNote

MAX_ARGUMENTS_BYTES: Final = 64 * 1024
"""Arguments of one call as JSON."""
WITHOUT_TOOLS: Final = frozenset({"routeBrain", "planner", "pet", "imageMaker"})
"""Roles that get no tools."""
CONNECT: Final = ToolSpec(
    name="mcp__connect",
    description=(
        "Start the MCP servers that wait or have failed, and get a line on each. Tools of a server "
        "that waits can be called without it."
    ),
    parameters={
        "type": "object",
        "properties": {"server": {"type": "string", "description": "One server; none: all."}},
    },
    timeout_s=120.0,
)
"""For the primary alone; it starts what the user configured, so nobody is asked."""

_MAX_SPEC_BYTES: Final = MAX_DESCRIPTION_BYTES + 100
_SPEC_ROOM_S: Final = 5.0


def toolset_for(hub: McpHub, role: str, *, is_primary: bool = False) -> McpToolset:
    """Return the tools of one agent.

    Parameters
    ----------
    hub : McpHub
        The servers of the run.
    role : str
        Its role.
    is_primary : bool
        Whether it is the primary; all others get tools marked as read alone.

    Returns
    -------
    McpToolset
        It follows the hub: tools of late servers appear in it.
    """
    return McpToolset(hub, may_change=is_primary, is_empty=role in WITHOUT_TOOLS)


class McpToolset:
    """The MCP tools of one agent; fulfils `Toolset`. Closing it leaves the servers to the hub."""

    def __init__(self, hub: McpHub, *, may_change: bool, is_empty: bool) -> None:
        self._hub = hub
        self._may_change = may_change
        self._is_empty = is_empty

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that may be called now."""
        connecting = [CONNECT] if self._offers_connect() else []
        return connecting + [
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
        if name == CONNECT.name and self._may_change:
            return ToolTarget(action="start MCP servers", shown=_wanted_server(arguments))
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
        if name == CONNECT.name:
            report = await self._hub.bring_up(_wanted_server(arguments))
            return ToolReturn(text=report_lines(report))
        tool = next(tool for tool in self._mine() if tool.name == name)
        return await self._hub.call(tool.listed, arguments, note=_told(listener_of_call()))

    async def aclose(self) -> None:
        """Do nothing: the servers belong to the run."""

    def _offers_connect(self) -> bool:
        return self._may_change and not self._is_empty and self._hub.can_bring_up()

    def _mine(self) -> Sequence[NamedTool]:
        if self._is_empty:
            return ()
        return [tool for tool in self._hub.named() if self._may_change or tool.is_read]


def report_lines(report: McpReport) -> str:
    """Return a line on each server, for a model.

    Parameters
    ----------
    report : McpReport
        What became of them.

    Returns
    -------
    str
        Names and reasons are cleaned already.
    """
    lines = [
        *(f"connected: {one.name}, {one.tool_count} tools" for one in report.connected),
        *(f"failed: {one.name}: {one.error}" for one in report.failed),
        *(f"skipped: {one.name}: {one.reason}" for one in report.skipped),
        *(f"pending: {one.name}: {one.reason}" for one in report.pending),
    ]
    return "\n".join(lines) or "No MCP server is configured."


def _wanted_server(arguments: Mapping[str, JsonValue]) -> str:
    name = arguments.get("server", "")
    return name if isinstance(name, str) else ""


def _shown(name: str) -> str:
    return clean_line(name, 64)


def _described(tool: NamedTool) -> str:
    text = f"[MCP server {_shown(tool.listed.server)}] {tool.listed.description}"
    return cut_bytes(text, _MAX_SPEC_BYTES, mark=" […]")


def _told(listener: Callable[[str], None] | None) -> Callable[[ProgressNote], None] | None:
    return None if listener is None else lambda note: listener(note.words)
