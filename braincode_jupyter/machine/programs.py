"""The one way to run a program to its end: no shell of ours, no input, bounded, nothing left.

The program gets an allow-listed environment without keys and tokens, closed input and a process
group of its own. Both its streams are always drained; the end of each is kept. What may start
further programs runs under ``child_guard``, which ends the whole tree when the program has ended,
when time or output is used up, when the call is cancelled, and when this process is gone. On
Windows the guard ends the program itself; what that started and detached is out of its reach.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.child_guard import guard_command

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping, Sequence

MAX_SEEN_BYTES = 64 * 1024 * 1024
"""A program that writes more is ended: nobody reads it, and it costs the processor."""
STOP_WAIT_S = 3.0
"""How long a guarded tree may take to end before the guard itself is killed."""

_CHUNK = 64 * 1024
_KEPT_NAMES = frozenset({
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER", "VIRTUAL_ENV",
    "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH",
    "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
    "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME",
    "USERPROFILE", "WINDIR",
})  # fmt: skip
_SET = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat"}
_SET_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "PYTHONIOENCODING": "utf-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one program may use.

    Parameters
    ----------
    time_s : float
        Until it is ended; seconds.
    kept_bytes : int
        End of each stream that is kept.
    """

    time_s: float
    kept_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a program ended.

    Parameters
    ----------
    status : int or None
        Exit status; None if it was ended by us.
    output, errors : bytes
        End of what it wrote.
    cut_bytes : int
        What was left out of both.
    ended : {"itself", "time", "output"}
        Why it ended.
    elapsed_s : float
        Seconds.
    """

    status: int | None
    output: bytes
    errors: bytes
    cut_bytes: int = 0
    ended: Literal["itself", "time", "output"] = "itself"
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that was found.

    Parameters
    ----------
    path : Path
        Absolute; links are kept, since some programs look at their own name.
    is_inside : bool
        It, or what it links to, is inside the project or the folder it would run in: whoever wrote
        those files wrote it.
    """

    path: Path
    is_inside: bool


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a child: names of an allow list, no keys, no tokens.

    Parameters
    ----------
    more : mapping or None
        What is set on top.

    Returns
    -------
    dict
        The search path holds absolute folders alone, that of our own interpreter first.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _KEPT_NAMES or name.startswith("LC_")
    }
    own = os.path.dirname(sys.executable)
    folders = [own, *kept.get("PATH", os.defpath).split(os.pathsep)]
    path = os.pathsep.join(dict.fromkeys(folder for folder in folders if os.path.isabs(folder)))
    return {**kept, "PATH": path, **_SET, **_SET_QUIET, **(more or {})}


def find_program(name: str, *, root: Path, folder: Path | None = None) -> Program | None:
    """Find a program as it would be run.

    Parameters
    ----------
    name : str
        Name, looked for on the search path, or a path.
    root : Path
        The project's folder.
    folder : Path or None
        Where it would run; None: in the project.

    Returns
    -------
    Program or None
        None if there is none. The current folder is never searched.
    """
    if not name or "\0" in name:
        return None
    here = root if folder is None else folder
    separators = tuple(filter(None, (os.sep, os.altsep)))
    if any(separator in name for separator in separators):
        candidates = [os.path.join(here, name)]
    else:
        path = child_environment()["PATH"]
        candidates = [os.path.join(entry, name) for entry in path.split(os.pathsep)]
    found = next(filter(None, map(shutil.which, candidates)), None)
    if found is None:
        return None
    inside = [Path(os.path.realpath(place)) for place in (root, here)]
    places = [Path(os.path.abspath(found)), Path(os.path.realpath(found))]
    is_inside = any(place.is_relative_to(base) for place in places for base in (*inside, root))
    return Program(path=places[0], is_inside=is_inside)


async def run_program(
    words: Sequence[str],
    *,
    folder: Path,
    limits: Limits,
    environment: Mapping[str, str],
    is_guarded: bool = True,
) -> Outcome:
    """Run a program to its end.

    Parameters
    ----------
    words : sequence of str
        Absolute path of the program, and its arguments.
    folder : Path
        Where it runs.
    limits : Limits
        What it may use.
    environment : mapping
        The whole environment, usually of `child_environment`.
    is_guarded : bool
        False for programs that start no others.

    Returns
    -------
    Outcome
        Nothing of it is alive any more.

    Raises
    ------
    UsageError
        If it cannot be started.
    """
    guard = guard_command("closed", limit_bytes=MAX_SEEN_BYTES) if is_guarded else []
    started = time.monotonic()
    try:
        process = await asyncio.create_subprocess_exec(
            *guard,
            *words,
            cwd=folder,
            env=dict(environment),
            stdin=PIPE if is_guarded else DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
    except NotImplementedError:
        raise UsageError(
            "The event loop of this session cannot start programs.",
            hint="Use the loop that is the system's default.",
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{words[0]!r} cannot be started: {error}.", hint="Check it.") from error
    tails = _Tails(process, limits.kept_bytes)
    try:
        ended = await tails.read(limits.time_s)
    finally:
        await _end(process, is_guarded=is_guarded)
        await tails.rest()
    return Outcome(
        status=process.returncode if ended == "itself" else None,
        output=bytes(tails.output),
        errors=bytes(tails.errors),
        cut_bytes=tails.cut_bytes,
        ended=ended,
        elapsed_s=time.monotonic() - started,
    )


class _FullError(Exception):
    """A program wrote too much."""


class _Tails:
    """The end of what a program writes to its two streams."""

    def __init__(self, process: Process, kept_bytes: int) -> None:
        self._process, self._kept = process, kept_bytes
        self._seen = 0
        self.output, self.errors = bytearray(), bytearray()
        self.cut_bytes = 0

    async def read(self, time_s: float) -> Literal["itself", "time", "output"]:
        """Read until the program ends, or one of its limits is reached."""
        try:
            async with asyncio.timeout(time_s):
                is_full = await self._drain()
                if not is_full:
                    await self._process.wait()
        except TimeoutError:
            return "time"
        return "output" if is_full else "itself"

    async def rest(self) -> None:
        """Read what stands in the pipes of a program that has ended; never for long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._drain()

    async def _drain(self) -> bool:
        """Read both streams to their ends; return whether it was too much."""
        is_full = False
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow(self._process.stdout, self.output))
                group.create_task(self._follow(self._process.stderr, self.errors))
        except* _FullError:
            is_full = True
        return is_full

    async def _follow(self, stream: asyncio.StreamReader | None, kept: bytearray) -> None:
        while stream is not None:
            data = await stream.read(_CHUNK)
            if not data:
                return
            self._seen += len(data)
            if self._seen >= MAX_SEEN_BYTES:
                raise _FullError
            kept += data
            surplus = len(kept) - self._kept
            if surplus > 0:
                del kept[:surplus]
                self.cut_bytes += surplus


async def _end(process: Process, *, is_guarded: bool) -> None:
    """End a program; a guard that was told to ends the whole tree by itself."""
    if is_guarded and process.stdin is not None:
        process.stdin.close()
    else:
        _kill(process)
    try:
        async with asyncio.timeout(STOP_WAIT_S):
            await process.wait()
    except TimeoutError:
        _kill(process)


def _kill(process: Process) -> None:
    """Kill the group that the process leads; only while it is known not to be collected."""
    if process.returncode is not None:
        return
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
