"""Appending records to a session file.

A line is written in one append, and only after a line feed: a torn piece that somebody left at the
end is closed first, and reported by a ``recovered`` record. The file is never truncated, since the
original program may have appended to it meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal.files import (
    disk_sync,
    make_private_folder,
    open_for_append,
    sync_folder,
)
from braincode_jupyter.journal.lines import LineError, encode, stamp
from braincode_jupyter.journal.spill import MAX_INLINE_BYTES, spill
from braincode_jupyter.protocol.records import Recovered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.journal.lock import SessionLock
    from braincode_jupyter.protocol.records import AnyRecord

_WRITER_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SCAN_BYTES: Final = 65_536
_UNFINISHED_CHECKS: Final = 5
_UNFINISHED_WAIT_S: Final = 0.001


class SessionWriter:
    """Writer of one session file, and the `JournalPort` of a run.

    The file is made with the first record. One thread appends; `open_session` makes sure that no
    other writer of ours does.

    Parameters
    ----------
    path : Path
        The session file.
    writer_id : str
        Names this writer in its lines; a fresh one for each writer.
    lock : SessionLock or None
        Released by `close`.
    sync : callable
        Brings a descriptor's file to the disk, or raises `OSError`.

    Raises
    ------
    JournalError
        If ``writer_id`` has other characters than letters, digits, ``.``, ``_`` and ``-``.
    """

    def __init__(
        self,
        path: Path,
        *,
        writer_id: str,
        lock: SessionLock | None = None,
        sync: Callable[[int], None] = disk_sync,
    ) -> None:
        if not _WRITER_ID.fullmatch(writer_id):
            raise JournalError(
                f"{writer_id!r} is no writer id.", hint="Use letters, digits, '.', '_' and '-'."
            )
        self.path = path
        self.writer_id = writer_id
        self._lock = lock
        self._sync = sync
        self._seq = 0
        self._descriptor: int | None = None
        self._is_folder_unsynced = False
        self._is_closed = False

    @property
    def session_id(self) -> str:
        """Id of the session."""
        return self.path.stem

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should know of this disk."""
        if self._lock is None or not self._lock.is_exclusive_create:
            return ()
        return (
            f"The disk of {self.path.parent} has no file locks: a run that is killed may leave "
            f"{self._lock.path.name} there, which has to be deleted by hand.",
        )

    def append(self, record: AnyRecord, *, durable: bool = False) -> None:
        """Write one record.

        Parameters
        ----------
        record : AnyRecord
            What happened.
        durable : bool
            On the disk when this returns.

        Raises
        ------
        JournalError
            If it could not be written; records before it are safe, and the next append may work.
        """
        if self._is_closed:
            raise JournalError(
                f"Session file {str(self.path)!r} is closed.", hint="Open the session again."
            )
        try:
            descriptor = self._open()
            body = encode(record)
            if len(body) > MAX_INLINE_BYTES:
                body = spill(body, self.path)
            seal = self._seal(descriptor, record.timestamp)
            seq = self._seq + (2 if seal else 1)
            line = stamp(body, seq=seq, writer_id=self.writer_id)
            self._write(descriptor, seal + line)
            self._seq = seq
            if durable:
                self._flush(descriptor, line)
        except (OSError, LineError) as error:
            raise JournalError(
                f"Session file {str(self.path)!r} could not be written: {error}.",
                hint="Check free space and permissions; what was written before is safe.",
            ) from error

    def close(self) -> None:
        """Release file and lock; a second call does nothing."""
        self._is_closed = True
        self._drop_descriptor()
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _open(self) -> int:
        if self._descriptor is None:
            make_private_folder(self.path.parent)
            self._descriptor, is_new = open_for_append(self.path)
            self._is_folder_unsynced = self._is_folder_unsynced or is_new
        return self._descriptor

    def _drop_descriptor(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _seal(self, descriptor: int, timestamp: int) -> bytes:
        """Return what has to go before the next line: nothing, or the end of a torn one."""
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size == 0 or _read_at(descriptor, size - 1, 1) == b"\n":
            return b""
        # Another program may be in the middle of one long write, which shows as it grows.
        for _ in range(_UNFINISHED_CHECKS):
            time.sleep(_UNFINISHED_WAIT_S)
            size = os.lseek(descriptor, 0, os.SEEK_END)
            if _read_at(descriptor, size - 1, 1) == b"\n":
                return b""
        start = _start_of_last_line(descriptor, size)
        recovered = Recovered(timestamp=timestamp, at_byte=start, size_bytes=size - start)
        line = stamp(encode(recovered), seq=self._seq + 1, writer_id=self.writer_id)
        return b"\n" + line

    def _write(self, descriptor: int, data: bytes) -> None:
        written = os.write(descriptor, data)
        if written == len(data):
            return
        try:
            while written < len(data):
                # The rest of a short write; normally this meets the full disk that caused it.
                written += os.write(descriptor, data[written:])
        except OSError:
            with contextlib.suppress(OSError):
                os.write(descriptor, b"\n")
            raise

    def _flush(self, descriptor: int, line: bytes) -> None:
        try:
            self._sync(descriptor)
        except OSError:
            # After a failed sync the system may call lost pages clean: asking again would lie.
            # The same line goes in anew over a new descriptor; readers skip a repeated number.
            self._drop_descriptor()
            descriptor = self._open()
            self._write(descriptor, line)
            self._sync(descriptor)
        if self._is_folder_unsynced:
            sync_folder(self.path.parent)
            self._is_folder_unsynced = False


def _read_at(descriptor: int, offset: int, size: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(descriptor, size, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def _start_of_last_line(descriptor: int, size: int) -> int:
    """Return the offset of the first byte after the last line feed."""
    end = size
    while end > 0:
        begin = max(0, end - _SCAN_BYTES)
        at = _read_at(descriptor, begin, end - begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0
