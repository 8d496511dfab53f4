"""Questions at the input prompt, for places where no card can be clicked.

A run lives on its own thread; a prompt belongs to the main thread, which waits for the run. So a
question is put on a desk, and whoever waits serves it. A prompt ends by an answer, by its time-out,
by the end of the question (Stop) or by an interrupt; it never outlives the run.

Known trade-off: a prompt blocks the main thread, so one that nobody answers keeps other cells
waiting until its time-out.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class CannotAsk(Exception):  # noqa: N818 - a signal between two modules, never seen by the user
    """Nobody can be asked at a prompt here."""


class Question:
    """One question.

    Parameters
    ----------
    text : str
        What to print.
    timeout_s : float
        How long to wait, from the moment it is shown; seconds.
    reply : callable
        Takes the answer, None for no answer, or `CannotAsk`; safe from every thread.
    """

    def __init__(
        self, text: str, timeout_s: float, *, reply: Callable[[str | CannotAsk | None], None]
    ) -> None:
        self.text = text
        self.timeout_s = timeout_s
        self.reply = reply
        self.over = threading.Event()


class PromptDesk:
    """Where a run leaves its questions.

    Parameters
    ----------
    read : callable
        Asks one `Question` on the main thread and returns the answer, or None if there was none;
        raises `CannotAsk`.
    """

    def __init__(self, read: Callable[[Question], str | None]) -> None:
        self._read = read
        self._waiting: queue.SimpleQueue[Question] = queue.SimpleQueue()
        self.is_served = False

    async def ask(self, text: str, *, timeout_s: float) -> str | None:
        """Ask a question; on the loop of the run.

        Parameters
        ----------
        text : str
            What to print.
        timeout_s : float
            How long to wait once it is shown; seconds.

        Returns
        -------
        str or None
            The answer; None if there was none in time.

        Raises
        ------
        CannotAsk
            If nobody can be asked.
        """
        if not self.is_served:
            raise CannotAsk
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str | CannotAsk | None] = loop.create_future()
        prompt = Question(text, timeout_s, reply=lambda said: hand_over(loop, future, said))
        self._waiting.put(prompt)
        try:
            said = await future
        finally:
            prompt.over.set()
        if isinstance(said, CannotAsk):
            raise said
        return said

    def serve(self) -> None:
        """Ask what waits, on the main thread; returns at once if nothing does.

        Raises
        ------
        KeyboardInterrupt
            If the reader interrupted the prompt; the question is unanswered then.
        """
        while (prompt := self._next()) is not None:
            said: str | CannotAsk | None = None
            try:
                said = self._read(prompt)
            except CannotAsk as refusal:
                said = refusal
            finally:
                prompt.reply(said)

    def expect(self) -> None:
        """Say that somebody is about to serve: questions wait for it from now on."""
        self.is_served = True

    @contextlib.contextmanager
    def serving(self) -> Generator[None]:
        """Say that this thread will `serve`; only the main thread can."""
        self.is_served = threading.current_thread() is threading.main_thread()
        try:
            if not self.is_served:
                self._refuse()
            yield
        finally:
            self.is_served = False
            self._refuse()

    def _refuse(self) -> None:
        while (prompt := self._next()) is not None:
            prompt.reply(CannotAsk())

    def _next(self) -> Question | None:
        with contextlib.suppress(queue.Empty):
            while True:
                prompt = self._waiting.get_nowait()
                if not prompt.over.is_set():
                    return prompt
        return None


def hand_over(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], result: object) -> None:
    """Give a future of another thread its result, if it still waits."""

    def settle() -> None:
        if not future.done():
            future.set_result(result)

    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(settle)
