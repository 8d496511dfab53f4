"""One MCP server: one task owns its connection from the first byte to the last, others queue.

`McpServer.serve` is the body of that task. It opens the transport, lists the tools, then takes
calls from a queue and runs each as a task of its own group, so that the transport is left in the
task that entered it (security R106) and a call that is given up leaves nothing behind. Whatever a
server does (ends, floods, never answers, breaks the protocol) becomes the text of a `ToolReturn`.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.tools.mcp_names import MAX_TOOLS, ListedTool, listed_tool
from braincode_jupyter.tools.mcp_results import error_return, result_return, short_error
from braincode_jupyter.tools.mcp_transport import (
    LastWords,
    open_transport,
    quiet_in_this_task,
    sdk,
    seen_by,
)
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import McpServerEntry
    from braincode_jupyter.protocol.tools import ToolReturn

MAX_WAITING: Final = 32
"""Calls of one server at a time."""
MAX_PAGES: Final = 16
"""Pages of a list of tools."""
LISTED_FOR_S: Final = 10.0
"""A list of tools older than this is asked for again before a call."""
MAX_LAST_WORDS_CHARS: Final = 300
"""What is shown of the error stream of a server that failed."""
PROGRESS_EVERY_S: Final = 0.1
"""Progress notes in between are dropped."""

_CLOSED_WORDS: Final = "connection closed"
_CLIENT_NAME: Final = "braincode_jupyter"
_NEXT: Final = "Go on without it, or say in your result what is missing."


@dataclass(frozen=True, slots=True, kw_only=True)
class McpLimits:
    """Waits; seconds.

    Parameters
    ----------
    connect_s : float
        Start of one server until its tools are listed.
    call_s : float
        A call without any sign; a progress note starts it anew.
    longest_call_s : float
        A call in any case.
    close_s : float
        End of all servers together.

    Notes
    -----
    ``timeout`` in an entry of ``mcp.json`` stands in for `call_s`; see `of`.
    """

    connect_s: float = 15.0
    call_s: float = 120.0
    longest_call_s: float = 900.0
    close_s: float = 8.0

    def of(self, entry: McpServerEntry) -> McpLimits:
        """Return the waits of one server: its own wait for a sign, and no shorter longest call."""
        if entry.timeout_s is None:
            return self
        longest_s = max(self.longest_call_s, entry.timeout_s)
        return replace(self, call_s=entry.timeout_s, longest_call_s=longest_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressNote:
    """A sign of life of a running call."""

    server: str
    tool: str
    progress: float
    total: float | None = None
    message: str = ""

    @property
    def words(self) -> str:
        """What it says, on one line."""
        of = "" if self.total is None else f" of {self.total:g}"
        return f"{self.message} ({self.progress:g}{of})".strip()


@dataclass(slots=True, kw_only=True, eq=False)
class _Call:
    tool: str
    digest: str
    arguments: Mapping[str, JsonValue]
    done: asyncio.Future[ToolReturn]
    task: asyncio.Task[None] | None = None
    note: Callable[[ProgressNote], None] | None = None

    def finish(self, given: ToolReturn) -> None:
        if not self.done.done():
            self.done.set_result(given)

    def stop(self) -> None:
        if self.task is not None:
            self.task.cancel()


_Item = _Call | Literal["list", "close"]


@dataclass(slots=True, eq=False)
class McpServer:
    """One configured server.

    Parameters
    ----------
    entry : McpServerEntry
        What to start or reach.
    root : Path
        The project: working folder, and the one root that a server is told.
    limits : McpLimits
        Waits.
    redact : callable
        Takes keys out of a text.
    on_progress : callable or None
        Gets progress notes, at most ten a second for a call.
    on_change : callable or None
        Called when its state or its tools changed.
    on_notice : callable or None
        Gets a sentence for the user, once for each kind of thing that the server asked for.
    """

    entry: McpServerEntry
    root: Path
    limits: McpLimits
    redact: Callable[[str], str]
    on_progress: Callable[[ProgressNote], None] | None = None
    on_change: Callable[[], None] | None = None
    on_notice: Callable[[str], None] | None = None
    state: Literal["starting", "ready", "failed", "closed"] = "starting"
    error: str = ""
    tools: tuple[ListedTool, ...] = ()
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    _queue: asyncio.Queue[_Item] = field(default_factory=asyncio.Queue[_Item])
    _calls: set[_Call] = field(default_factory=set["_Call"])
    _listed_at: float = 0.0
    _is_listing: bool = False
    _declined: set[str] = field(default_factory=set[str])

    async def serve(self) -> None:
        """Own the connection until `close`; never raises but for a cancellation."""
        quiet_in_this_task()
        words = LastWords()
        try:
            async with asyncio.timeout(self.limits.connect_s) as starting:
                async with open_transport(self.entry, root=self.root, words=words) as streams:
                    await self._talk(streams, starting)
        except TimeoutError:
            self._end("failed", f"no answer within {self.limits.connect_s:g} s")
        except BraincodeError as error:
            self._end("failed", str(error))
        except Exception as error:  # what a transport of the SDK raises is open-ended
            self._end("failed", _reason(error))
        finally:
            self._end("closed", "the run ended")
            self._settle(words)

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        *,
        digest: str,
        note: Callable[[ProgressNote], None] | None = None,
    ) -> ToolReturn:
        """Call a tool.

        Parameters
        ----------
        tool : str
            Name at the server.
        arguments : mapping
            As the model gave them.
        digest : str
            Of the tool as it was allowed; a changed one is not called.
        note : callable or None
            Gets the progress notes of this call.

        Returns
        -------
        ToolReturn
            Every failure is an error return.

        Raises
        ------
        asyncio.CancelledError
            If the caller is cancelled; the call is then given up at the server too.
        """
        if self.state != "ready":
            return self._down()
        if len(self._calls) >= MAX_WAITING:
            text = f"The MCP server {self._name!r} has {MAX_WAITING} calls running. Call it later."
            return error_return(self._name, text, code="busy")
        call = _Call(
            tool=tool, digest=digest, arguments=arguments, done=asyncio.Future(), note=note
        )
        self._calls.add(call)
        self._queue.put_nowait(call)
        try:
            return await call.done
        except asyncio.CancelledError:
            call.stop()
            raise
        finally:
            self._calls.discard(call)

    def close(self) -> None:
        """Ask the owner task to end; it closes what it opened."""
        self._queue.put_nowait("close")

    @property
    def _name(self) -> str:
        return clean_line(self.entry.name, 64)

    async def _talk(self, streams: Any, starting: asyncio.Timeout) -> None:  # noqa: ANN401 - SDK
        library: Any = sdk("mcp")
        async with library.Client(
            seen_by(self._see, streams),
            client_info=library.types.Implementation(name=_CLIENT_NAME, version="1"),
            list_roots_callback=self._roots,
            elicitation_callback=self._decline,
            message_handler=self._notice,
            cache=None,
        ) as client:
            await self._list(client)
            starting.reschedule(None)
            self.state = "ready"
            self._changed()
            self.settled.set()
            await self._work(client)

    async def _work(self, client: Any) -> None:  # noqa: ANN401 - SDK
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch(client))
            while (item := await self._queue.get()) != "close":
                if isinstance(item, _Call):
                    if not item.done.done():
                        item.task = group.create_task(self._perform(client, item))
                else:
                    group.create_task(self._list_again(client))
            watch.cancel()
            for call in tuple(self._calls):
                call.stop()

    async def _perform(self, client: Any, call: _Call) -> None:  # noqa: ANN401 - SDK
        try:
            call.finish(await self._changed_tool(client, call) or await self._result(client, call))
        except TimeoutError:
            call.finish(self._too_slow(call))
        except Exception as error:  # a broken result must not end the other calls
            if _is_closed(error):
                # Answered once the owner has the server's last words.
                self._end("failed", "it ended during a call")
                self.close()
            else:
                call.finish(self._failed(error))

    async def _changed_tool(self, client: Any, call: _Call) -> ToolReturn | None:  # noqa: ANN401 - SDK
        """Look whether the tool is still what was allowed; servers need not announce a change."""
        if time.monotonic() - self._listed_at > LISTED_FOR_S:
            async with asyncio.timeout(self.limits.connect_s):
                await self._list(client)
        if any(t.tool == call.tool and t.digest == call.digest for t in self.tools):
            return None
        text = (
            f"{clean_line(call.tool, 64)!r} of the MCP server {self._name!r} changed or is gone "
            f"since it was allowed, so it was not called. {_NEXT}"
        )
        return error_return(self._name, text, code="tool_changed")

    async def _result(self, client: Any, call: _Call) -> ToolReturn:  # noqa: ANN401 - SDK
        loop = asyncio.get_running_loop()
        latest = loop.time() + self.limits.longest_call_s
        shown_at = 0.0
        async with asyncio.timeout(self.limits.call_s) as clock:

            async def note(progress: float, total: float | None, message: str | None) -> None:
                nonlocal shown_at
                if not clock.expired():
                    clock.reschedule(min(loop.time() + self.limits.call_s, latest))
                if time.monotonic() - shown_at >= PROGRESS_EVERY_S:
                    shown_at = time.monotonic()
                    self._show(call, progress, total=total, message=message or "")

            result = await client.call_tool(call.tool, dict(call.arguments), progress_callback=note)
        plain: dict[str, JsonValue] = result.model_dump(
            mode="json", by_alias=True, exclude_none=True
        )
        return result_return(self.entry.name, call.tool, result=plain, redact=self.redact)

    def _show(self, call: _Call, progress: float, *, total: float | None, message: str) -> None:
        note = ProgressNote(
            server=self._name,
            tool=clean_line(call.tool, 64),
            progress=progress,
            total=total,
            message=self.redact(clean_line(message)),
        )
        for sink in (call.note, self.on_progress):
            if sink is not None:
                sink(note)

    async def _list(self, client: Any) -> None:  # noqa: ANN401 - SDK
        found: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += [self._tool(tool) for tool in page.tools[: MAX_TOOLS - len(found)]]
            cursor = page.next_cursor
            if cursor is None or len(found) >= MAX_TOOLS:
                break
        self._listed_at = time.monotonic()
        if tuple(found) != self.tools:
            self.tools = tuple(found)
            if self.state == "ready":
                self._changed()

    def _tool(self, tool: Any) -> ListedTool:  # noqa: ANN401 - SDK
        raw = tool.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return listed_tool(self.entry.scope, self.entry.name, raw=raw)

    async def _list_again(self, client: Any) -> None:  # noqa: ANN401 - SDK
        try:
            async with asyncio.timeout(self.limits.connect_s):
                await self._list(client)
        except Exception:  # the old list stays; the next call looks again
            self._listed_at = 0.0
        finally:
            self._is_listing = False

    async def _watch(self, client: Any) -> None:  # noqa: ANN401 - SDK
        """Listen for changes where the protocol has a stream for it; `_notice` hears the others."""
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self._want_list()
        except Exception:  # not offered, or lost: calls look for themselves
            return

    async def _notice(self, message: object) -> None:
        """Take note of a changed list of tools; everything else is dropped."""
        if type(message).__name__ == "ToolListChangedNotification":
            self._want_list()

    def _want_list(self) -> None:
        if not self._is_listing:
            self._is_listing = True
            self._queue.put_nowait("list")

    async def _roots(self, _context: object) -> object:
        types: Any = sdk("mcp.types")
        root = types.Root(uri=self.root.as_uri(), name=self.root.name)
        return types.ListRootsResult(roots=[root])

    async def _decline(self, _context: object, _params: object) -> object:
        types: Any = sdk("mcp.types")
        self._note_declined("to ask you something (elicitation)", "its tools get arguments alone")
        return types.ElicitResult(action="decline")

    def _see(self, message: object) -> None:
        """Look at what comes in: the SDK itself refuses to let a server use the user's models."""
        request = getattr(message, "message", None)
        if getattr(request, "method", None) == "sampling/createMessage":
            self._note_declined("an answer of your models (sampling)", "servers never use them")

    def _note_declined(self, wanted: str, why: str) -> None:
        if self.on_notice is not None and wanted not in self._declined:
            self._declined.add(wanted)
            self.on_notice(
                f"The MCP server {self._name!r} wanted {wanted}; that was declined: {why}."
            )

    def _too_slow(self, call: _Call) -> ToolReturn:
        limits = self.limits
        text = (
            f"{clean_line(call.tool, 64)!r} of the MCP server {self._name!r} gave no result: the "
            f"limit is {limits.call_s:g} s without a sign and {limits.longest_call_s:g} s in all. "
            f"Ask for less at once; the user can raise the first with timeout (seconds) in the "
            f"server's entry of mcp.json. {_NEXT}"
        )
        return error_return(self._name, text, code="timeout")

    def _failed(self, error: Exception) -> ToolReturn:
        said = short_error(_reason(error), self.redact)
        text = f"The MCP server {self._name!r} could not do this: {said}"
        return error_return(self._name, text, code="server_error")

    def _down(self) -> ToolReturn:
        reason = self.error or f"it is {self.state}"
        text = f"The MCP server {self._name!r} is down ({reason}); its tools are off. {_NEXT}"
        return error_return(self._name, text, code="server_down")

    def _end(self, state: Literal["failed", "closed"], error: str) -> None:
        if self.state in ("starting", "ready"):
            self.state = state
            self.error = short_error(error, self.redact)

    def _settle(self, words: LastWords) -> None:
        """Keep the last words of a server that failed, and answer those who wait."""
        said = short_error(words.read()[-MAX_LAST_WORDS_CHARS:], self.redact)
        words.close()
        if self.state == "failed" and said:
            self.error = f"{self.error}; its last words: {said}"
        for call in tuple(self._calls):
            call.finish(self._down())
        self._changed()
        self.settled.set()

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()


def _is_closed(error: Exception) -> bool:
    """Say whether a call failed because the connection is gone, not because of the call."""
    errors: Any = sdk("mcp.shared.exceptions")
    streams: Any = sdk("anyio")
    if isinstance(error, (streams.ClosedResourceError, streams.BrokenResourceError)):
        return True
    # Servers use the SDK's code for errors of their own as well, so the words decide too.
    return isinstance(error, errors.MCPError) and _CLOSED_WORDS in str(error).lower()


def _reason(error: BaseException) -> str:
    """Return what happened: of a group of errors the first."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return _reason(group.exceptions[0])
    return str(error) or type(error).__name__
