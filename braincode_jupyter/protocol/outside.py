"""What the host read of MCP servers and hooks, ready for whoever starts them.

`home` makes these values, `tools` and `hooks` use them; neither knows the other. A value with an
empty ``skip_reason`` may run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside_records import Scope, SkippedServer

HookEvent = Literal["SessionStart", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop"]
"""Events that are fired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerEntry:
    """One MCP server that may be started.

    Parameters
    ----------
    scope : Scope
        Whose file it stands in.
    name : str
        Its name there.
    transport : str
        A child process, or streamable HTTP.
    digest : str
        SHA-256 of the entry; tools are pinned to it.
    command : str
        Program of a child process.
    args : tuple of str
        Its arguments.
    env : mapping
        Its own variables, keys filled in; never shown.
    url : str
        Address.
    headers : mapping
        Headers of every request to that address; never shown.
    secrets : tuple of str
        Keys that were filled in, for redaction.
    timeout_s : float or None
        Longest wait of one call for a sign of life; seconds. None: the default.
    disabled_tools : tuple of str
        Names of tools at the server that the user switched off.
    """

    scope: Scope
    name: str
    transport: Literal["stdio", "http"]
    digest: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    timeout_s: float | None = None
    disabled_tools: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Its name across both files."""
        return f"{self.scope}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServers:
    """The configured MCP servers of user and project."""

    servers: tuple[McpServerEntry, ...] = ()
    skipped: tuple[SkippedServer, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedTool:
    """What is remembered of one tool of a server."""

    digest: str
    is_read: bool = False
    """The user said that it only reads."""


class ToolPins(Protocol):
    """Remembers what the tools of a server looked like when they were accepted."""

    def pinned(self, server: McpServerEntry) -> Mapping[str, PinnedTool] | None:
        """Return the accepted tools by name; None if this entry was never seen."""
        ...

    def listed(self, server: McpServerEntry) -> Sequence[Mapping[str, JsonValue]] | None:
        """Return the tools of a server as it last sent them; None if that is not known."""
        ...

    def remember(self, server: McpServerEntry, tools: Sequence[Mapping[str, JsonValue]]) -> None:
        """Keep the tools of a server as it sent them, so that it need not be started to know."""
        ...

    def pin(self, server: McpServerEntry, tools: Mapping[str, str]) -> None:
        """Accept tools, name to digest, of an entry that was never seen."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HookHandler:
    """One hook command as it stands in a file.

    Parameters
    ----------
    event : HookEvent
        When it runs.
    scope : Scope
        Whose file it stands in.
    path : str
        That file.
    matcher : str
        As written; empty matches all.
    command : str
        For the shell; empty if there is none.
    timeout_s : float
        Longest that it may run; seconds.
    skip_reason : str
        Why it must not run.
    status_message : str
        What to show while it runs.
    """

    event: HookEvent
    scope: Scope
    path: str
    matcher: str = ""
    command: str = ""
    timeout_s: float = 60.0
    skip_reason: str = ""
    status_message: str = ""
