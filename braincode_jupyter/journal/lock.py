"""One of our writers per session: a whole-file lock beside the session file.

``<id>.lock`` is locked and stays, since removing it would let two writers lock two files of one
name; the system frees the lock when its process dies. ``<id>.holder`` only says who holds it, and
may be stale. Where the file system has no such locks, a lock by exclusive creation takes its place;
one that a killed process left behind has to be deleted by hand, and the error says which.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import JournalError, SessionInUseError
from braincode_jupyter.journal.files import FILE_MODE, read_whole, write_private

if TYPE_CHECKING:
    from pathlib import Path

    from filelock import BaseFileLock

_MAX_HOLDER_BYTES: Final = 4096


def is_being_written(session_file: Path) -> bool:
    """Tell whether a run of this or another process holds the session.

    Parameters
    ----------
    session_file : Path
        The ``.jsonl`` file.

    Returns
    -------
    bool
        False also for what a killed process left behind.
    """
    import filelock  # noqa: PLC0415 - 50 ms to import

    if not session_file.with_suffix(".holder").exists():
        return False
    path = session_file.with_suffix(".lock")
    if not path.exists():
        return session_file.with_suffix(".lock-file").exists()
    try:
        with filelock.FileLock(path, timeout=0, mode=FILE_MODE, thread_local=False):
            return False
    except filelock.Timeout:
        return True
    except (OSError, NotImplementedError):
        return session_file.with_suffix(".lock-file").exists()


class SessionLock:
    """The right to write one session file.

    Parameters
    ----------
    session_file : Path
        The ``.jsonl`` file; its folder exists.

    Raises
    ------
    SessionInUseError
        If another writer has it; the message names process and time.
    JournalError
        If there can be no lock.
    """

    def __init__(self, session_file: Path) -> None:
        self._session_file = session_file
        self._holder_file = session_file.with_suffix(".holder")
        self.is_exclusive_create = False
        """True where the file system has no whole-file locks."""
        self._lock: BaseFileLock | None = self._acquire()
        self._write_holder()

    @property
    def path(self) -> Path:
        """The file that is locked or, without locks, whose being there is the lock."""
        suffix = ".lock-file" if self.is_exclusive_create else ".lock"
        return self._session_file.with_suffix(suffix)

    def release(self) -> None:
        """Give the right back; a second call does nothing."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        with contextlib.suppress(OSError):
            self._holder_file.unlink()
        lock.release()

    def _acquire(self) -> BaseFileLock:
        import filelock  # noqa: PLC0415 - 50 ms to import

        path = self._session_file.with_suffix(".lock")
        try:
            lock = filelock.FileLock(path, timeout=0, mode=FILE_MODE, thread_local=False)
            lock.acquire()
        except filelock.Timeout as error:
            raise self._in_use(path) from error
        except (OSError, NotImplementedError):
            return self._acquire_by_creation()
        return lock

    def _acquire_by_creation(self) -> BaseFileLock:
        import filelock  # noqa: PLC0415 - 50 ms to import

        path = self._session_file.with_suffix(".lock-file")
        try:
            lock = filelock.SoftFileLock(path, timeout=0, mode=FILE_MODE, thread_local=False)
            lock.acquire()
        except filelock.Timeout as error:
            raise self._in_use(path) from error
        except OSError as error:
            raise JournalError(
                f"Session {self._session_file.stem!r} cannot be locked: {error}.",
                hint=f"Check the permissions of {str(self._session_file.parent)!r}.",
            ) from error
        self.is_exclusive_create = True
        return lock

    def _write_holder(self) -> None:
        holder = {"pid": os.getpid(), "since": time.time_ns() // 1_000_000}
        with contextlib.suppress(OSError):
            write_private(self._holder_file, json.dumps(holder).encode(), durable=False)

    def _in_use(self, lock_file: Path) -> SessionInUseError:
        message = f"Session {self._session_file.stem!r} is in use by {self._describe_holder()}."
        hint = "Stop that run, or start a new session that refers to this one with @@."
        if lock_file.suffix == ".lock-file":
            hint += f" If no run is left, delete {str(lock_file)!r}."
        return SessionInUseError(message, hint=hint)

    def _describe_holder(self) -> str:
        try:
            holder = json.loads(read_whole(self._holder_file, _MAX_HOLDER_BYTES))
            pid, since = int(holder["pid"]), int(holder["since"])
            moment = datetime.fromtimestamp(since / 1000, UTC)
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return "another process"
        who = "this process" if pid == os.getpid() else f"process {pid}"
        return f"{who} since {moment:%Y-%m-%d %H:%M:%S} UTC"
