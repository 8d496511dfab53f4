"""Which sessions there are, which one a reference means, and opening one for writing.

Listing and resolution follow the original's rules, with one exception: ids that begin with a dot
do not exist. Listing creates nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal.files import make_private_folder
from braincode_jupyter.journal.lines import LineError, decode
from braincode_jupyter.journal.lock import SessionLock
from braincode_jupyter.journal.reader import read_bytes
from braincode_jupyter.journal.writer import SessionWriter
from braincode_jupyter.views.session_context import (
    FACT_TYPES,
    USAGE_TYPE,
    SessionFacts,
    summarise,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pydantic import JsonValue

DEFAULT_LIMIT: Final = 25
"""Sessions of a listing, unless told otherwise."""
RESOLVE_LIMIT: Final = 100
"""Newest sessions among which a prefix is looked up."""
NEWEST: Final = "last"
"""The reference that means the newest session."""

_FACT_MARK: Final = re.compile(rb'"type"\s*:\s*"(?:run_|clarification_request")')
_USAGE_MARK: Final = re.compile(rb'"type"\s*:\s*"(?:run_|clarification_request"|token_usage")')
_SUFFIX: Final = ".jsonl"
_MAX_ID_CHARS: Final = 200
_SESSION_ID: Final = re.compile(r"(?!\.)[A-Za-z0-9._-]+")
# Device names that Windows reserves in every folder, whatever the suffix.
_RESERVED: Final = re.compile(r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEntry:
    """One session of a listing."""

    path: Path
    facts: SessionFacts

    @property
    def session_id(self) -> str:
        """Full id."""
        return self.facts.session_id

    @property
    def updated_ms(self) -> int:
        """Last change of the file; milliseconds since the epoch."""
        return self.facts.updated_ms


def is_session_id(text: str) -> bool:
    """Tell whether a text can name a session: the original's characters, no leading dot."""
    return (
        len(text) <= _MAX_ID_CHARS
        and _SESSION_ID.fullmatch(text) is not None
        and _RESERVED.fullmatch(text) is None
    )


def session_path(home: Path, session_id: str) -> Path:
    """Return where a session's file is, or would be.

    Parameters
    ----------
    home : Path
        The home folder.
    session_id : str
        Full id.

    Returns
    -------
    Path
        ``<home>/sessions/<id>.jsonl``.

    Raises
    ------
    JournalError
        If the id could not be one.
    """
    if not is_session_id(session_id):
        raise JournalError(
            f"{session_id[:_MAX_ID_CHARS]!r} is no session id.",
            hint="Ids are letters, digits, '.', '_' and '-', without a leading dot.",
        )
    return home / "sessions" / f"{session_id}{_SUFFIX}"


def list_sessions(
    home: Path, *, limit: int = DEFAULT_LIMIT, project_root: Path | str | None = None
) -> tuple[SessionEntry, ...]:
    """List sessions, newest first.

    Parameters
    ----------
    home : Path
        The home folder; a missing one has no sessions.
    limit : int
        Greatest number, at least one.
    project_root : Path or str or None
        Only sessions of exactly this project.

    Returns
    -------
    tuple of SessionEntry
        An unreadable file is listed too, as incomplete.
    """
    limit = max(1, limit)
    candidates = find_candidates(home)
    if project_root is None:
        return tuple(read_entry(candidate) for candidate in candidates[:limit])
    entries = (read_entry(candidate) for candidate in candidates)
    root = str(project_root)
    found: list[SessionEntry] = []
    for entry in entries:
        if entry.facts.project_root == root:
            found.append(entry)
            if len(found) == limit:
                break
    return tuple(found)


def resolve_session(home: Path, ref: str, *, exclude: Collection[str] = ()) -> SessionEntry | None:
    """Find the session that a reference means.

    Parameters
    ----------
    home : Path
        The home folder.
    ref : str
        ``last`` or ``@@last``, a full id, or the beginning of one among the 100 newest.
    exclude : collection of str
        Ids that ``last`` and prefixes pass over, such as the session that is asking.

    Returns
    -------
    SessionEntry or None
        None if there is none.
    """
    ref = ref.strip().removeprefix("@@")
    if not is_session_id(ref):
        return None
    newest = find_candidates(home)[:RESOLVE_LIMIT]
    others = [candidate for candidate in newest if candidate.session_id not in exclude]
    if ref == NEWEST:
        return read_entry(others[0]) if others else None
    for candidate in newest:
        if candidate.session_id == ref:
            return read_entry(candidate)
    for candidate in others:
        if candidate.session_id.startswith(ref):
            return read_entry(candidate)
    return _exact_file(home, ref)


def open_session(home: Path, session_id: str, *, writer_id: str | None = None) -> SessionWriter:
    """Open a session for writing; close it to let others write.

    Parameters
    ----------
    home : Path
        The home folder; it and ``sessions`` are made for the owner alone.
    session_id : str
        Full id, new or old.
    writer_id : str or None
        Names the writer in its lines; None: a fresh one.

    Returns
    -------
    SessionWriter
        The only writer of ours; the file is made with its first record.

    Raises
    ------
    JournalError
        If the id could not be one, the folder cannot be made, or another writer is at work.
    """
    path = session_path(home, session_id)
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise JournalError(
            f"Folder {str(path.parent)!r} cannot be used: {error}.",
            hint="Check the permissions of your .braincode folder.",
        ) from error
    lock = SessionLock(path)
    return SessionWriter(path, writer_id=writer_id or uuid.uuid4().hex[:12], lock=lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A session file that was seen and not yet read."""

    session_id: str
    path: Path
    updated_ms: int
    size_bytes: int


def find_candidates(home: Path) -> list[Candidate]:
    """Return the session files of a home, newest first; none is opened."""
    try:
        with os.scandir(home / "sessions") as items:
            found = [candidate for item in items if (candidate := _candidate(item))]
    except OSError:
        return []
    found.sort(key=lambda item: (item.updated_ms, item.session_id), reverse=True)
    return found


def _candidate(item: os.DirEntry[str]) -> Candidate | None:
    session_id = item.name.removesuffix(_SUFFIX)
    if session_id == item.name or not is_session_id(session_id):
        return None
    try:
        if not item.is_file(follow_symlinks=False):
            return None
        info = item.stat(follow_symlinks=False)
    except OSError:
        return None
    return Candidate(
        session_id=session_id,
        path=Path(item.path),
        updated_ms=info.st_mtime_ns // 1_000_000,
        size_bytes=info.st_size,
    )


def read_entry(candidate: Candidate, *, with_usage: bool = False) -> SessionEntry:
    """Read what a listing tells of one session.

    Parameters
    ----------
    candidate : Candidate
        Its file.
    with_usage : bool
        Also read models, tokens and cost, which stand in many more lines.

    Returns
    -------
    SessionEntry
        An unreadable file is incomplete.
    """
    mark = _USAGE_MARK if with_usage else _FACT_MARK
    types = FACT_TYPES | {USAGE_TYPE} if with_usage else FACT_TYPES
    try:
        lines = _fact_lines(read_bytes(candidate.path), mark, types)
    except JournalError:
        lines = iter(())
    facts = summarise(lines, session_id=candidate.session_id, updated_ms=candidate.updated_ms)
    return SessionEntry(path=candidate.path, facts=facts)


def _fact_lines(
    content: bytes, mark: re.Pattern[bytes], types: Collection[str]
) -> Iterator[dict[str, JsonValue]]:
    """Decode only the lines that can be of a type that a listing looks at."""
    found = mark.search(content)
    while found is not None:
        at = found.start()
        begin = content.rfind(b"\n", 0, at) + 1
        end = content.find(b"\n", at)
        end = end if end >= 0 else len(content)
        with contextlib.suppress(LineError):
            line = decode(content[begin:end])
            if line.get("type") in types:
                yield line
        found = mark.search(content, end)


def _exact_file(home: Path, session_id: str) -> SessionEntry | None:
    path = session_path(home, session_id)
    try:
        info = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode):
        return None
    facts = SessionFacts(session_id=session_id, updated_ms=info.st_mtime_ns // 1_000_000)
    return SessionEntry(path=path, facts=facts)
