"""Two ways to read an answer on the main thread: the front end's input box, and a terminal.

Both end by an answer, a time-out, the end of the question, or an interrupt of the reader.

References
----------
An ipykernel waits for input in short steps, so a signal reaches it at once. While a cell awaits,
its own handler of SIGINT would only mark the cell as cancelled and leave the input box open.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from _thread import interrupt_main
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from braincode_jupyter.notebook.prompting import CannotAsk

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from braincode_jupyter.notebook.prompting import Question
    from braincode_jupyter.notebook.shell import ShellAccess

TICK_S = 0.1
"""How often a prompt looks whether it is over."""


def reader_for(access: ShellAccess | None) -> Callable[[Question], str | None]:
    """Return what asks where this process can be asked: its kernel's front end, or a terminal."""
    if access is None or not access.has_kernel:
        return read_in_terminal
    return partial(read_in_kernel, read_line=access.read_line)


def read_in_kernel(prompt: Question, read_line: Callable[[str], str]) -> str | None:
    """Ask through the front end's input box.

    Parameters
    ----------
    prompt : Question
        The question.
    read_line : callable
        Blocks until the reader has answered; raises `NotImplementedError` where nobody can.

    Returns
    -------
    str or None
        The answer; None if there was none in time.

    Raises
    ------
    CannotAsk
        If the front end takes no input, as with nbclient and papermill.
    KeyboardInterrupt
        On a kernel interrupt.
    """
    cutter = _Cutter(prompt)
    cutter.start()
    try:
        return read_line(prompt.text)
    except KeyboardInterrupt:
        if cutter.has_cut.is_set():
            return None
        raise
    except EOFError:
        return None
    except NotImplementedError as error:
        raise CannotAsk from error
    finally:
        cutter.stop()


class _Cutter:
    """Ends a blocking read of the main thread when its question is over."""

    def __init__(self, prompt: Question) -> None:
        self.has_cut = threading.Event()
        self._prompt = prompt
        self._is_read = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="braincode-prompt", daemon=True)
        self._before: Any = None

    def start(self) -> None:
        self._before = signal.signal(signal.SIGINT, self._on_interrupt)
        self._thread.start()

    def stop(self) -> None:
        self._is_read.set()
        self._thread.join()
        signal.signal(signal.SIGINT, self._before)

    def _watch(self) -> None:
        deadline = time.monotonic() + self._prompt.timeout_s
        while not self._is_read.wait(TICK_S):
            if self._prompt.over.is_set() or time.monotonic() > deadline:
                self.has_cut.set()
                _wake_main_thread()
                return

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise in the read; after it, an interrupt is none of ours."""
        if not self._is_read.is_set():
            raise KeyboardInterrupt
        if not self.has_cut.is_set() and callable(self._before):
            self._before(number, frame)


def _wake_main_thread() -> None:
    """Let the main thread see SIGINT; there its handler decides."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        interrupt_main()


def read_in_terminal(prompt: Question) -> str | None:
    """Ask at the terminal.

    Parameters
    ----------
    prompt : Question
        The question.

    Returns
    -------
    str or None
        The answer; None if there was none in time.

    Raises
    ------
    CannotAsk
        If standard input is no terminal.
    KeyboardInterrupt
        On Ctrl-C.
    """
    if sys.stdin is None or not sys.stdin.isatty():  # pyright: ignore[reportUnnecessaryComparison] - None under pythonw
        raise CannotAsk
    sys.stdout.write(prompt.text)
    sys.stdout.flush()
    poll = _poll_console() if sys.platform == "win32" else _poll_stream
    deadline = time.monotonic() + prompt.timeout_s
    while not prompt.over.is_set() and time.monotonic() < deadline:
        line = poll()
        if line is not None:
            return line.rstrip("\r\n")
    sys.stdout.write("\n")
    return None


def _poll_stream() -> str | None:
    """Wait a tick for a line of standard input."""
    ready: tuple[list[Any], list[Any], list[Any]]
    ready = import_module("select").select([sys.stdin], [], [], TICK_S)
    return sys.stdin.readline() if ready[0] else None


def _poll_console() -> Callable[[], str | None]:
    """Return a function that waits a tick for a line of a Windows console."""
    console: Any = import_module("msvcrt")
    typed: list[str] = []

    def poll() -> str | None:
        if not console.kbhit():
            time.sleep(TICK_S)
            return None
        key: str = console.getwche()
        if key == "\x03":
            raise KeyboardInterrupt
        typed.append(key)
        return "".join(typed) if key in "\r\n" else None

    return poll
