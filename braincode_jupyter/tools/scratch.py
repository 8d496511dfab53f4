"""A scratch kernel: a real Jupyter kernel for one worker, with copies of what was referenced.

It is started through jupyter_client, in a folder of its own that is deleted with it. Where the
system has them it talks over Unix sockets in that folder, so that nothing listens on a port; on
Windows over the loopback address. Everything it sends is untrusted: looked at by kind, cut, never
expanded, never unpickled.

Known trade-offs (accepted): output written to the file descriptors of the process, past Python's
own streams, is not shown; on Windows a run that is too long cannot be interrupted, only killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self

from braincode_jupyter.errors import MissingDependencyError, RunError
from braincode_jupyter.tools import scratch_child
from braincode_jupyter.tools.sandbox import Sandbox, find_sandbox
from braincode_jupyter.tools.scratch_output import ScratchOutput
from braincode_jupyter.tools.scratch_process import ScratchProcess
from braincode_jupyter.tools.transfer import MANIFEST, Copies, copy_variables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GIB = 1024**3
_MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""One message of the kernel; a peer that sends a larger one is disconnected."""
_SEND_MS = 1_000
"""Time to hand over a request; a peer that was disconnected would hold the loop for ever."""
_POLL_S = 0.25
_SILENCES = 4
"""Polls without a message after which an answered run counts as lost."""
_LOADER = f"import {scratch_child.MODULE} as _b; _b.load_variables({{folder!r}}, {{manifest!r}})"

Ending = Literal["finished", "interrupted", "killed", "died"]
"""How a run ended: by itself, at its time limit, by us after that, or with its kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScratchLimits:
    """Limits of one scratch kernel.

    Parameters
    ----------
    run_s : float
        Longest run of one piece of code; seconds.
    interrupt_s : float
        What an interrupted run has to end before it is killed; seconds.
    start_s : float
        Longest start, and longest loading of variables; seconds.
    memory_bytes : int
        Address space of each process; Linux only.
    """

    run_s: float = 60.0
    interrupt_s: float = 2.0
    start_s: float = 30.0
    memory_bytes: int = 4 * GIB


@dataclass(frozen=True, slots=True, kw_only=True)
class ScratchRun:
    """One run of code: how it ended, what it gave, how long it took."""

    ending: Ending
    output: ScratchOutput
    duration_s: float


class ScratchKernel:
    """A running scratch kernel; made by `start`, ended by `aclose`."""

    def __init__(self, sandbox: Sandbox, limits: ScratchLimits) -> None:
        self._sandbox, self._limits = sandbox, limits
        self._process = ScratchProcess(sandbox, limits.memory_bytes)
        self._lock = asyncio.Lock()
        self._client: Any = None
        self._context: Any = None
        self._is_closed = False

    @classmethod
    async def start(
        cls, *, sandbox: Sandbox | None = None, limits: ScratchLimits | None = None
    ) -> Self:
        """Start a kernel and wait until it answers.

        Parameters
        ----------
        sandbox : Sandbox or None
            None: the best that works here.
        limits : ScratchLimits or None
            None: the defaults.

        Returns
        -------
        ScratchKernel
            Ready, with an empty namespace.

        Raises
        ------
        MissingDependencyError
            If jupyter_client or ipykernel is not installed.
        RunError
            If the kernel does not start in time.
        """
        await asyncio.to_thread(_import_client)
        chosen = sandbox or await asyncio.to_thread(find_sandbox)
        # Folder and process are made without a wait: a cancelled wait would lose them.
        kernel = cls(chosen, limits or ScratchLimits())
        try:
            await kernel._launch()
        except BaseException:
            await kernel.aclose()
            raise
        return kernel

    @property
    def isolation(self) -> str:
        """How far it is shut in, for people."""
        return self._sandbox.sentence

    @property
    def memory(self) -> str:
        """How much memory it may take, for people."""
        if sys.platform != "linux":
            return "memory not limited on this system"
        return f"memory limited to {self._limits.memory_bytes / GIB:.3g} GiB"

    @property
    def folder(self) -> Path:
        """Its working folder."""
        return self._process.folder

    @property
    def pid(self) -> int | None:
        """Process id of the guardian, above all that came of the kernel."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can still run code."""
        return not self._is_closed and self._process.is_alive

    async def load(self, variables: Mapping[str, object]) -> Copies:
        """Copy variables into the kernel under their names.

        Parameters
        ----------
        variables : mapping of str to object
            Values of the user's kernel; they are not changed.

        Returns
        -------
        Copies
            What arrived, and why the rest did not.
        """
        if not variables:
            return Copies(names=(), notes={}, size_bytes=0)
        target = self._process.inbox
        copies = await asyncio.to_thread(copy_variables, variables, target)
        code = _LOADER.format(folder=str(target), manifest=MANIFEST)
        run = await self._run(code, self._limits.start_s, is_silent=True)
        failures = _failures(run.output.printed)
        if run.ending != "finished" or failures is None:
            failures = dict.fromkeys(copies.names, "the kernel did not load it")
        notes = {name: f"not copied: {why}" for name, why in failures.items()}
        names = tuple(name for name in copies.names if name not in failures)
        return Copies(names=names, notes={**copies.notes, **notes}, size_bytes=copies.size_bytes)

    async def warm(self, modules: tuple[str, ...]) -> None:
        """Import libraries ahead of need; one that fails to import is no error."""
        lines = [f"try: import {name} as _m\nexcept Exception: pass" for name in modules]
        code = "\n".join([*lines, "_m = None; del _m"])
        await self._run(code, self._limits.start_s, is_silent=True)

    async def run(self, code: str) -> ScratchRun:
        """Run code; what it defines stays for the next run.

        Parameters
        ----------
        code : str
            Plain Python: no magics, no shell escapes.

        Returns
        -------
        ScratchRun
            Never an exception for what the code does; after ``killed`` and ``died`` it is over.
        """
        return await self._run(code, self._limits.run_s, is_silent=False)

    async def aclose(self) -> None:
        """End the kernel with every process that came of it, and delete its folder."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._client is not None:
            self._client.stop_channels()
        if self._context is not None:
            self._context.destroy(linger=0)
        await asyncio.shield(asyncio.to_thread(self._process.end))

    async def _launch(self) -> None:
        connection = self._process.start()
        zmq_asyncio, client = import_module("zmq.asyncio"), import_module("jupyter_client")
        self._context = zmq_asyncio.Context()
        zmq = import_module("zmq")
        self._context.setsockopt(zmq.MAXMSGSIZE, _MAX_MESSAGE_BYTES)
        self._context.setsockopt(zmq.SNDTIMEO, _SEND_MS)
        self._client = client.AsyncKernelClient(context=self._context)
        self._client.load_connection_file(str(connection))
        self._client.start_channels(stdin=False, hb=False)
        try:
            async with asyncio.timeout(self._limits.start_s):
                await self._wait_until_ready()
        except TimeoutError:
            raise RunError(
                f"The scratch kernel did not answer within {self._limits.start_s:g} s.",
                hint=f"Its last words: {self._process.last_words()}",
            ) from None

    async def _wait_until_ready(self) -> None:
        """Ask until the kernel has answered on both channels: subscriptions take a moment."""
        while True:
            asked = self._client.kernel_info()
            if await self._hears(asked):
                return
            if not self.is_alive:
                raise RunError(
                    "The scratch kernel ended before it answered.",
                    hint=f"Its last words: {self._process.last_words()}",
                )

    async def _hears(self, asked: str) -> bool:
        try:
            await self._client.get_shell_msg(timeout=_POLL_S)
        except queue.Empty:
            return False
        return await self._next_of(asked) is not None

    async def _run(self, code: str, limit_s: float, *, is_silent: bool) -> ScratchRun:
        async with self._lock:
            started, output = time.monotonic(), ScratchOutput()
            ending: Ending = "died"
            try:
                if self.is_alive:
                    ending = await self._run_within(code, limit_s, output, is_silent=is_silent)
            except asyncio.CancelledError:
                await self.aclose()
                raise
            if ending in {"killed", "died"}:
                await self.aclose()
            return ScratchRun(ending=ending, output=output, duration_s=time.monotonic() - started)

    async def _run_within(
        self, code: str, limit_s: float, output: ScratchOutput, *, is_silent: bool
    ) -> Ending:
        zmq_error = import_module("zmq").ZMQError
        try:
            asked = self._client.execute(
                code, silent=is_silent, store_history=False, allow_stdin=False, stop_on_error=False
            )
        except zmq_error:
            return "died"
        try:
            async with asyncio.timeout(limit_s):
                return await self._collect(asked, output)
        except TimeoutError:
            pass
        if sys.platform == "win32":
            return "killed"
        try:
            self._interrupt()
            async with asyncio.timeout(self._limits.interrupt_s):
                ending = await self._collect(asked, output)
        except (TimeoutError, zmq_error):
            return "killed"
        return "interrupted" if ending == "finished" else ending

    def _interrupt(self) -> None:
        session, channel = self._client.session, self._client.control_channel
        session.send(channel.socket, session.msg("interrupt_request", {}))

    async def _collect(self, asked: str, output: ScratchOutput) -> Ending:
        """Take messages of one request until it is done."""
        silences = 0
        while True:
            message = await self._next_of(asked)
            if message is not None:
                if output.take(message):
                    return "finished"
                continue
            if not self.is_alive:
                return "died"
            if silences or await self._is_answered(asked):
                silences += 1
            if silences > _SILENCES:  # it is done, but its messages no longer come through
                return "killed"

    async def _next_of(self, asked: str) -> Mapping[str, object] | None:
        """Return the next published message of one request; None if there is none for a moment."""
        try:
            message = await self._client.get_iopub_msg(timeout=_POLL_S)
            return message if message["parent_header"].get("msg_id") == asked else {}
        except queue.Empty:
            return None
        except (ValueError, TypeError, KeyError, AttributeError):
            return {}  # a forged or broken message counts as none

    async def _is_answered(self, asked: str) -> bool:
        with contextlib.suppress(queue.Empty, ValueError, TypeError, KeyError, AttributeError):
            while True:
                reply = await self._client.get_shell_msg(timeout=0)
                if reply["parent_header"].get("msg_id") == asked:
                    return True
        return False


def _import_client() -> None:
    try:
        for name in ("zmq.asyncio", "jupyter_client", "ipykernel", "psutil"):
            import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"A scratch kernel needs {error.name}, which is not installed.",
            hint="pip install 'braincode_jupyter[data]'",
        ) from None


def _failures(printed: str) -> dict[str, str] | None:
    """Return the reply of the loader; None if it is none."""
    try:
        found = json.loads(printed or "null")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType] - checked by its use as text
