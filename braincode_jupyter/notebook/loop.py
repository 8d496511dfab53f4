"""One daemon thread with one event loop for all runs of this process, and ways to wait for it.

Runs live beside the cell, never on the kernel's own loop: clicks and other cells go on. Three ways
to wait: `follow` from an awaiting cell, `wait` from any thread without a loop of its own to serve,
and not at all (``--background``). A first interrupt asks the run to stop and waits for its end
record; a second one ends the wait at once.

References
----------
Why an awaiting cell needs a tick: ipykernel hands SIGINT over with ``add_callback``, which does not
wake a selector that sleeps, so the interrupt is seen when something else wakes the loop.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import threading
import time
from concurrent.futures import CancelledError as FutureCancelledError
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures import wait as wait_for_futures
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from braincode_jupyter.errors import RunCancelledError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator
    from types import FrameType

    from braincode_jupyter.notebook.prompting import PromptDesk

T = TypeVar("T")

TICK_S = 0.1
"""How often a wait looks for an interrupt."""
STOP_WAIT_S = 5.0
"""How long an interrupted run may take to write its end record."""
SHUTDOWN_WAIT_S = 3.0
"""How long running runs may take when the process ends; a kernel is killed after five seconds."""

_KEPT = "What was done is kept: %braincode sessions lists it."


class Job(Generic[T]):
    """A coroutine on the loop thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T]) -> None:
        self._loop = loop
        self._task: asyncio.Task[T] | None = None
        self._reason: str | None = None
        self.future: Future[T] = asyncio.run_coroutine_threadsafe(self._run(coroutine), loop)

    async def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        self._task = asyncio.ensure_future(coroutine)
        if self._reason is not None:
            self._task.cancel(self._reason)
        return await self._task

    def cancel(self, reason: str = "interrupt") -> None:
        """Ask the coroutine to stop; safe from every thread, returns at once.

        Parameters
        ----------
        reason : str
            ``"interrupt"`` or ``"shutdown"``; becomes the argument of its `CancelledError`.
        """
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing runs any more
            self._loop.call_soon_threadsafe(self._cancel, reason)

    def _cancel(self, reason: str) -> None:
        self._reason = reason
        if self._task is not None:
            self._task.cancel(reason)

    def is_over(self) -> bool:
        """Return whether the coroutine has ended, in whatever way."""
        return self.future.done()


class RunLoop:
    """The loop thread; started by the first job, stopped when the process ends."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._jobs: set[Job[Any]] = set()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Job[T]:
        """Start a coroutine.

        Parameters
        ----------
        coroutine : coroutine
            Its context variables are the caller's, so that what it displays goes to the cell that
            started it.

        Returns
        -------
        Job
            To wait for.
        """
        job = Job(self.loop(), coroutine)
        self._jobs.add(job)
        job.future.add_done_callback(lambda _: self._jobs.discard(job))
        return job

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the event loop, running."""
        self._leave_parent()
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="braincode-loop", daemon=True
                )
                self._thread.start()
                atexit.register(self.shut_down)
            return self._loop

    def shut_down(self) -> None:
        """Cancel what runs, wait for the end records, and stop the thread; bounded."""
        self._leave_parent()
        with self._lock:
            loop, self._loop = self._loop, None
            thread, self._thread = self._thread, None
        if loop is None or thread is None:
            return
        atexit.unregister(self.shut_down)
        jobs = list(self._jobs)
        for job in jobs:
            job.cancel("shutdown")
        wait_for_futures([job.future for job in jobs], timeout=SHUTDOWN_WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=SHUTDOWN_WAIT_S)
        if not thread.is_alive():
            loop.close()

    def _leave_parent(self) -> None:
        """Start anew in a process that was forked: threads are not copied, so the loop stands."""
        if self._pid != os.getpid():
            self._begin()


async def follow(job: Job[T], desk: PromptDesk | None = None) -> T:
    """Await a job from another event loop, for example the kernel's.

    Parameters
    ----------
    job : Job
        What to wait for.
    desk : PromptDesk or None
        Where the job leaves questions for the prompt; asked here.

    Returns
    -------
    object
        Its result.

    Raises
    ------
    RunCancelledError
        After an interrupt; the job has ended, or was given up after `STOP_WAIT_S`.
    """
    waiter = asyncio.wrap_future(job.future)
    try:
        with _serving(desk):
            while not waiter.done():
                await asyncio.wait({waiter}, timeout=TICK_S)
                if desk is not None:
                    desk.serve()
    except (asyncio.CancelledError, KeyboardInterrupt):
        job.cancel()
        with _second_interrupt() as was_again, contextlib.suppress(asyncio.CancelledError):
            await _settle(waiter, was_again)
        raise RunCancelledError(_how_it_ended(job), hint=_KEPT) from None
    try:
        return waiter.result()
    except asyncio.CancelledError:
        raise RunCancelledError(_how_it_ended(job), hint=_KEPT) from None


def _serving(desk: PromptDesk | None) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext() if desk is None else desk.serving()


async def _settle(waiter: asyncio.Future[Any], was_again: threading.Event) -> None:
    deadline = time.monotonic() + STOP_WAIT_S
    while not waiter.done() and not was_again.is_set() and time.monotonic() < deadline:
        await asyncio.wait({waiter}, timeout=TICK_S)
    if waiter.done() and not waiter.cancelled():
        waiter.exception()  # retrieved: the interrupt is what the cell reports


@contextlib.contextmanager
def _second_interrupt() -> Generator[threading.Event]:
    """Watch for SIGINT while stopping: the kernel's own handler acts once per cell."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def note(number: int, frame: FrameType | None) -> None:
        del number, frame
        event.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


def wait(job: Job[T], desk: PromptDesk | None = None) -> T:
    """Wait for a job from a plain thread; Ctrl-C and a kernel interrupt stop it.

    Parameters
    ----------
    job : Job
        What to wait for.
    desk : PromptDesk or None
        Where the job leaves questions for the prompt; asked here.

    Returns
    -------
    object
        Its result.

    Raises
    ------
    RunCancelledError
        After an interrupt.
    """
    try:
        with _serving(desk):
            return _poll(job, timeout_s=None, desk=desk)
    except KeyboardInterrupt:
        job.cancel()
        with contextlib.suppress(KeyboardInterrupt, FutureCancelledError, Exception):
            _poll(job, timeout_s=STOP_WAIT_S)
        raise RunCancelledError(_how_it_ended(job), hint=_KEPT) from None
    except FutureCancelledError:
        raise RunCancelledError(_how_it_ended(job), hint=_KEPT) from None


def _poll(job: Job[T], *, timeout_s: float | None, desk: PromptDesk | None = None) -> T:
    """Wait in short steps: on Windows a long wait would not see Ctrl-C."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        try:
            return job.future.result(timeout=TICK_S)
        except FutureTimeoutError:
            if job.is_over():
                raise  # the job's own time-out
            if desk is not None:
                desk.serve()
            if deadline is not None and time.monotonic() > deadline:
                raise


def _how_it_ended(job: Job[Any]) -> str:
    if job.is_over():
        return "The run was interrupted."
    return "The run was interrupted and did not end in time; what still comes of it is dropped."
