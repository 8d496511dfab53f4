"""How an MCP server is reached: as a guarded child process, or over HTTP.

The only module that makes transports of the SDK. A child is started without a shell, behind
``machine.child_guard``, with the SDK's short list of variables and its own; its error stream is
drained by the guard and its last words are kept. Over HTTP nothing leaves the configured origin.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import shutil
import tempfile
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from braincode_jupyter.errors import ConfigurationError, MissingDependencyError
from braincode_jupyter.machine.child_guard import TAIL_BYTES, guard_command

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from pathlib import Path

    from braincode_jupyter.protocol.outside import McpServerEntry

MAX_MESSAGE_BYTES: Final = 16 * 1024 * 1024
"""One message of a server; a larger one ends the connection."""
CONNECT_TIMEOUT_S: Final = 10.0
"""Opening one HTTP connection."""

_KEPT_VARIABLES: Final = ("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ")
_LOGGERS: Final = (
    "client",
    "mcp.client.client",
    "mcp.client.session",
    "mcp.client.stdio",
    "mcp.client.streamable_http",
    "mcp.shared.jsonrpc_dispatcher",
)
_is_ours: ContextVar[bool] = ContextVar("braincode_mcp", default=False)


class LastWords:
    """What a child wrote to its error stream at the end."""

    def __init__(self) -> None:
        # An open file and no pipe: nobody has to read it for the child to go on.
        self.file: Final = tempfile.TemporaryFile(  # noqa: SIM115 - closed by `close`
            "w+", encoding="utf-8", errors="replace"
        )

    def read(self) -> str:
        """Return the text; empty if there is none."""
        with suppress(OSError, ValueError):
            self.file.seek(0)
            return self.file.read(TAIL_BYTES)
        return ""

    def close(self) -> None:
        """Forget it."""
        self.file.close()


def quiet_in_this_task() -> None:
    """Keep what the SDK would log of a server's text out of the logs, in this task alone."""
    _is_ours.set(True)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if _keeps_record not in logger.filters:
            logger.addFilter(_keeps_record)


def _keeps_record(_record: logging.LogRecord) -> bool:
    return not _is_ours.get()


@asynccontextmanager
async def open_transport(
    entry: McpServerEntry, *, root: Path, words: LastWords
) -> AsyncGenerator[Any]:
    """Open the way to a server.

    Parameters
    ----------
    entry : McpServerEntry
        The server.
    root : Path
        Working folder of a child.
    words : LastWords
        Takes its last words.

    Yields
    ------
    tuple
        The SDK's read and write streams.

    Raises
    ------
    ConfigurationError
        If its program is not there.
    """
    if entry.transport == "http":
        async with _http(entry) as streams:
            yield streams
        return
    stdio: Any = sdk("mcp.client.stdio")
    environment = _environment(entry)
    program = _program(entry.command, root, path=environment.get("PATH"))
    if program is None:
        raise ConfigurationError(
            f"The program {entry.command!r} is not there.", hint="Install it, or give its path."
        )
    guard, *before = guard_command("talk", limit_bytes=MAX_MESSAGE_BYTES)
    parameters = stdio.StdioServerParameters(
        command=guard, args=[*before, program, *entry.args], env=environment, cwd=root
    )
    async with stdio.stdio_client(parameters, errlog=words.file) as streams:
        yield streams


def _program(command: str, root: Path, *, path: str | None) -> str | None:
    """Find a program: a path is taken from the project, as approvals do; a name is looked up."""
    if os.path.dirname(command):
        return str(root / command) if (root / command).is_file() else None
    return shutil.which(command, path=path)


def sdk(name: str) -> Any:  # noqa: ANN401 - an optional library, imported on first use
    """Import a module of the SDK.

    Parameters
    ----------
    name : str
        ``mcp.…``.

    Returns
    -------
    module
        It.

    Raises
    ------
    MissingDependencyError
        If the SDK is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingDependencyError(
            "MCP servers need the package mcp.", hint='pip install "braincode_jupyter[mcp]"'
        ) from error


def import_sdk() -> None:
    """Import what a connection needs; a second of importing, to be done off the loop.

    Raises
    ------
    MissingDependencyError
        If the SDK is not installed.
    """
    # The last two are what the SDK would import, on the loop, at the first result.
    for name in (
        "mcp",
        "mcp.client.stdio",
        "mcp.client.streamable_http",
        "jsonschema",
        "referencing.exceptions",
    ):
        sdk(name)


def _environment(entry: McpServerEntry) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    stdio: Any = sdk("mcp.client.stdio")
    return {**stdio.get_default_environment(), **kept, **entry.env}


@asynccontextmanager
async def _http(entry: McpServerEntry) -> AsyncGenerator[Any]:
    http: Any = sdk("mcp.client.streamable_http")
    library: Any = sdk("httpx2")
    host = urlsplit(entry.url).hostname or ""
    is_local = _is_local(host)
    checks = [] if entry.scope == "user" or is_local else [_refuse_private]
    client = library.AsyncClient(
        headers=dict(entry.headers),
        # No limit on reading: each call has its own, and a quiet event stream is no failure.
        timeout=library.Timeout(CONNECT_TIMEOUT_S, read=None),
        follow_redirects=False,
        trust_env=not is_local,
        event_hooks={"request": checks, "response": [_refuse_large]},
    )
    async with (
        client,
        http.streamable_http_client(
            entry.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _refuse_large(response: Any) -> None:  # noqa: ANN401 - of the optional library
    """Refuse a declared size over the limit; the rest of a body is counted as it comes."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return  # limited by the SDK, per event
    declared = response.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > MAX_MESSAGE_BYTES:
        raise OSError(f"the server sent a message of {int(declared):,} bytes")
    response.stream = _counted(response.stream)


def _counted(stream: Any) -> Any:  # noqa: ANN401 - of the optional library
    library: Any = sdk("httpx2")

    class Counted(library.AsyncByteStream):
        """Ends a body that is over the limit."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            seen = 0
            async for chunk in stream:
                seen += len(chunk)
                if seen > MAX_MESSAGE_BYTES:
                    raise OSError(f"the server sent over {MAX_MESSAGE_BYTES:,} bytes")
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Counted()


async def _refuse_private(request: Any) -> None:  # noqa: ANN401 - of the optional library
    # Only the user may type such a server. Known trade-off: the name is looked up again when the
    # connection is made.
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(request.url.host, request.url.port or 443)
    for *_, address in found:
        if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_global:
            raise OSError("its address leads into a private network")


@asynccontextmanager
async def seen_by(see: Callable[[object], None], streams: Any) -> AsyncGenerator[Any]:  # noqa: ANN401 - SDK
    """Give open streams in the shape that the SDK's client enters, and tell of what comes in."""
    read, write = streams
    yield _Seen(read, see), write


class _Seen:
    """A stream of incoming messages of which somebody is told."""

    def __init__(self, stream: Any, see: Callable[[object], None]) -> None:  # noqa: ANN401 - SDK
        self._stream, self._see = stream, see

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - SDK
        return getattr(self._stream, name)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stream.__aexit__(*error)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> object:
        message = await self._stream.__anext__()
        self._see(message)
        return message
