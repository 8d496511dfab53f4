"""Scratch kernels started ahead of need, so that a worker does not wait for the start.

A kernel that was given out is never given out again: what one worker left in it would reach
another. Its owner closes it; the pool closes what it started and nobody took.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING

from braincode_jupyter.errors import RunError
from braincode_jupyter.tools.scratch import ScratchKernel, ScratchLimits

if TYPE_CHECKING:
    from braincode_jupyter.tools.sandbox import Sandbox

_WARMED = ("numpy", "pandas", "pyarrow", "polars", "matplotlib.pyplot")
"""Libraries that are imported ahead, where the user's kernel has them imported too."""


class ScratchPool:
    """One warm kernel at a time; made for one run and closed with it.

    Parameters
    ----------
    sandbox : Sandbox or None
        None: the best that works here.
    limits : ScratchLimits or None
        None: the defaults.
    """

    def __init__(
        self, *, sandbox: Sandbox | None = None, limits: ScratchLimits | None = None
    ) -> None:
        self._sandbox, self._limits = sandbox, limits
        self._warming: asyncio.Task[ScratchKernel] | None = None
        self._is_closed = False

    def prepare(self) -> None:
        """Begin to start a kernel, if none is warm; returns at once."""
        if self._warming is None and not self._is_closed:
            self._warming = asyncio.create_task(self._start(), name="braincode-scratch-start")

    async def acquire(self) -> ScratchKernel:
        """Give out a kernel that nobody had before, and start the next one ahead.

        Returns
        -------
        ScratchKernel
            The caller owns it and closes it.

        Raises
        ------
        RunError
            If the pool is closed.
        """
        if self._is_closed:
            raise RunError("The run is over; no scratch kernel is started any more.")
        self.prepare()
        warming, self._warming = self._warming, None
        kernel = await self._taken(warming) if warming is not None else None
        if kernel is not None and not kernel.is_alive:  # it died while it waited
            await kernel.aclose()
            kernel = None
        kernel = kernel or await self._start()
        self.prepare()
        return kernel

    async def aclose(self) -> None:
        """Stop what was started and not given out; a second call does nothing."""
        self._is_closed = True
        warming, self._warming = self._warming, None
        if warming is not None:
            await _dispose(warming)

    async def _taken(self, warming: asyncio.Task[ScratchKernel]) -> ScratchKernel:
        try:
            return await warming
        finally:
            if warming.cancelled() or not warming.done():
                await _dispose(warming)

    async def _start(self) -> ScratchKernel:
        kernel = await ScratchKernel.start(sandbox=self._sandbox, limits=self._limits)
        try:
            await kernel.warm(tuple(name for name in _WARMED if name in sys.modules))
        except BaseException:
            await kernel.aclose()
            raise
        return kernel


async def _dispose(warming: asyncio.Task[ScratchKernel]) -> None:
    """Cancel a start; close its kernel if it had just been made."""
    warming.cancel()
    with contextlib.suppress(asyncio.CancelledError, Exception):  # nobody waits for it any more
        kernel = await warming
        await kernel.aclose()
