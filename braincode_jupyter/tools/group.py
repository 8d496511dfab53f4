"""Tools of one agent as one toolset: look up, resolve, compare, carry out, cut.

A call is carried out only if it still has exactly the target that was decided on: paths, text to
show and digest of what stands there are worked out anew and compared.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Protocol, TypeVar

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn, ToolSpec, ToolTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pydantic import JsonValue

MAX_RETURN_BYTES = 64 * 1024
"""Text of one call for the model (security, section 15)."""

R = TypeVar("R")


class Tool(Protocol):
    """One tool."""

    @property
    def spec(self) -> ToolSpec:
        """Return what the model is shown."""
        ...

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return what a call would touch."""
        ...

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Carry the call out."""
        ...


class ToolGroup:
    """A toolset of tools that keep nothing running between calls.

    Parameters
    ----------
    tools : iterable of Tool
        With distinct names.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools."""
        return tuple(tool.spec for tool in self._tools.values())

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return what a call would touch, without doing it.

        Parameters
        ----------
        name : str
            Tool.
        arguments : mapping
            As the model gave them.

        Returns
        -------
        ToolTarget
            Resolved.

        Raises
        ------
        ToolRefused
            If there is no such tool, or it refuses the arguments in any case.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise ToolRefused(f"There is no tool {name!r}. You have: {', '.join(self._tools)}.")
        try:
            return tool.target(arguments)
        except BraincodeError as error:
            raise ToolRefused(error.message) from error
        except OSError as error:
            raise ToolRefused(f"That cannot be read: {error.strerror or error}.") from error

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Carry out a call that was allowed.

        Parameters
        ----------
        name : str
            Tool.
        arguments : mapping
            The same that `target` got.
        target : ToolTarget
            What it gave then.

        Returns
        -------
        ToolReturn
            Text for the model; failures too.

        Raises
        ------
        ToolRefused
            If what would be touched is something else by now, or policy of the tool refuses it.
        """
        if self.target(name, arguments) != target:
            raise ToolRefused(
                "What this call would touch has changed since it was allowed. Look again and make "
                "the call anew."
            )
        try:
            return cut(await self._tools[name].call(arguments, target=target))
        except BraincodeError as error:
            raise ToolRefused(error.message) from error
        except OSError as error:
            raise ToolRefused(f"{name} failed: {error.strerror or error}.") from error

    async def aclose(self) -> None:
        """Do nothing: no call leaves anything running."""


def cut(given: ToolReturn) -> ToolReturn:
    """Return the same with at most `MAX_RETURN_BYTES` of text, and a mark where it was cut."""
    data = given.text.encode("utf-8", "replace")
    if len(data) <= MAX_RETURN_BYTES:
        return given
    text = data[:MAX_RETURN_BYTES].decode("utf-8", "ignore")
    return ToolReturn(
        text=f"{text}\n[cut: {MAX_RETURN_BYTES:,} of {len(data):,} bytes; ask for less]",
        is_error=given.is_error,
        artifacts=given.artifacts,
        details={**given.details, "cut": True},
    )


class Halt:
    """Tells work on another thread when to end.

    Parameters
    ----------
    time_s : float
        How long it may take; seconds.
    """

    def __init__(self, time_s: float) -> None:
        self._deadline = time.monotonic() + time_s
        self._asked = threading.Event()

    def ask(self) -> None:
        """Ask for the end."""
        self._asked.set()

    def is_due(self) -> bool:
        """Whether the work should end now."""
        return self._asked.is_set() or time.monotonic() > self._deadline


async def in_thread(work: Callable[[Halt], R], *, time_s: float) -> R:
    """Do reading work beside the event loop; it is told when the call is cancelled.

    Parameters
    ----------
    work : callable
        Gets a `Halt` that it looks at often.
    time_s : float
        After this it is to give what it has; seconds.

    Returns
    -------
    object
        What it gave.
    """
    halt = Halt(time_s)
    try:
        return await asyncio.to_thread(work, halt)
    finally:
        halt.ask()
