"""Session files: append, read, list, search, lock; the only writer of ``<home>/sessions``.

One file per session, one JSON object per line, in the original's format with four members of ours
(``v``, ``seq``, ``writer``, ``crc``), so that both programs read and append to the same files.

Invariants
    A record is one line, written in one append and never glued to a torn one. A file is never
    truncated or rewritten. What is durable is on the disk before the caller goes on. Reading
    creates nothing, follows no link, waits for no pipe, and loses a bad line only. One writer of
    ours per session; the original takes no lock and its whole lines are welcome. Files are 0600,
    folders 0700. No index: deleting anything but a session file loses nothing but spilled texts.

Imports ``views`` (facts of a listing), ``protocol`` and ``errors``; of the rest of the world the
file system, and filelock on first use.
"""

from __future__ import annotations

from braincode_jupyter.journal.listing import (
    SessionEntry,
    is_session_id,
    list_sessions,
    open_session,
    resolve_session,
    session_path,
)
from braincode_jupyter.journal.lock import is_being_written
from braincode_jupyter.journal.reader import (
    BadPiece,
    SessionLines,
    read_last_run,
    read_lines,
    read_records,
)
from braincode_jupyter.journal.shelf import SessionShelf
from braincode_jupyter.journal.writer import SessionWriter

__all__ = [
    "BadPiece",
    "SessionEntry",
    "SessionLines",
    "SessionShelf",
    "SessionWriter",
    "is_being_written",
    "is_session_id",
    "list_sessions",
    "open_session",
    "read_last_run",
    "read_lines",
    "read_records",
    "resolve_session",
    "session_path",
]
