"""Reading session files: ours and the original's, whole and damaged.

A file is split on the line feed alone and never rewritten. A bad line costs that line only; it is
reported with its place. Lines of ours that appear twice with one number count once, and a gap in
the numbers of one writer is reported.
"""

from __future__ import annotations

import gc
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal.files import read_whole
from braincode_jupyter.journal.lines import LineError, decode
from braincode_jupyter.journal.spill import restore
from braincode_jupyter.protocol.records import parse_record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.records import AnyRecord

MAX_SESSION_BYTES: Final = 512 * 1024 * 1024
"""Larger session files are not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPiece:
    """A part of the file that gave no record; a gap has no size."""

    at_byte: int
    size_bytes: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLines:
    """The lines of a session file as raw JSON objects, and what could not be read."""

    lines: tuple[Mapping[str, JsonValue], ...]
    bad: tuple[BadPiece, ...]


def read_lines(path: Path, *, types: Collection[str] | None = None) -> SessionLines:
    """Read a session file.

    Parameters
    ----------
    path : Path
        The file.
    types : collection of str or None
        Record types of interest: lines that clearly are of another one may be passed over unread,
        damage and gaps included. None: all.

    Returns
    -------
    SessionLines
        Lines in file order.

    Raises
    ------
    JournalError
        If the file cannot be read at all, is no regular file, or exceeds `MAX_SESSION_BYTES`.
    """
    collected = _Collected(path=path, counts_gaps=types is None)
    return collected.take_all(read_bytes(path).split(b"\n"), is_wanted=_head_filter(types))


def read_last_run(path: Path) -> SessionLines:
    """Read the newest run of a session file; what came before it is only looked at for its ends.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    SessionLines
        Lines in file order, from the start of the newest run; gaps and places count from there.

    Raises
    ------
    JournalError
        As `read_lines`.
    """
    pieces = read_bytes(path).split(b"\n")
    collected = _Collected(path=path, counts_gaps=False)
    return collected.take_all(pieces[_start_of_last_run(pieces) :], is_wanted=bool)


def read_records(path: Path) -> tuple[AnyRecord, ...]:
    """Read a session file as typed records.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    tuple of AnyRecord
        In file order; types and shapes that we do not know are `OpaqueRecord`.

    Raises
    ------
    JournalError
        As `read_lines`.
    """
    lines = read_lines(path).lines
    with _collection_paused():
        return tuple([parse_record(line) for line in lines])


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a session file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    bytes
        All of it.

    Raises
    ------
    JournalError
        As `read_lines`.
    """
    try:
        return read_whole(path, MAX_SESSION_BYTES)
    except OSError as error:
        raise JournalError(
            f"Session file {str(path)!r} cannot be read: {error}.",
            hint="Check that it is there, is a plain file, and is yours.",
        ) from error


def _head_filter(types: Collection[str] | None) -> Callable[[bytes], object]:
    """Return a test that only lines fail whose first keys name another type."""
    if types is None:
        return bool
    names = "|".join(re.escape(name) for name in sorted(types))
    other = rf'(?!\{{"timestamp":[0-9]+,"type":"(?!(?:{names})")[a-z_]+")(?s:.)'
    return re.compile(other.encode()).match


def _start_of_last_run(pieces: Sequence[bytes]) -> int:
    """Return where the newest run begins: after an end, or where a start without plan stands."""
    is_bound = _head_filter({"run_start", "run_end", "run_error"})
    start = first = 0
    is_over = False
    for index, raw in enumerate(pieces):
        if not raw or raw.isspace():
            continue
        if is_over:
            start, is_over = index, False
        if not is_bound(raw):
            continue
        with suppress(LineError):
            line = decode(raw)
            kind = line.get("type")
            if kind == "run_start" and "plan" not in line:
                # A run that was resumed begins where it did at first.
                first = first if _resumes(line) else index
                start = first
            is_over = kind == "run_end" or (
                kind == "run_error" and line.get("willFallback") is not True
            )
    return start


def _resumes(line: Mapping[str, JsonValue]) -> bool:
    origin = line.get("goesOn")
    return isinstance(origin, dict) and "contextId" not in origin


@dataclass(slots=True)
class _Collected:
    path: Path
    counts_gaps: bool
    lines: list[Mapping[str, JsonValue]] = field(default_factory=list["Mapping[str, JsonValue]"])
    bad: list[BadPiece] = field(default_factory=list[BadPiece])
    last_seq: dict[JsonValue, int] = field(default_factory=dict["JsonValue", int])
    bad_before: dict[JsonValue, int] = field(default_factory=dict["JsonValue", int])

    def take_all(
        self, pieces: Sequence[bytes], *, is_wanted: Callable[[bytes], object]
    ) -> SessionLines:
        at_byte = 0
        with _collection_paused():
            for raw in pieces:
                if is_wanted(raw) and not raw.isspace():
                    self.take(raw, at_byte)
                at_byte += len(raw) + 1
        return SessionLines(lines=tuple(self.lines), bad=tuple(self.bad))

    def take(self, raw: bytes, at_byte: int) -> None:
        try:
            line = decode(raw)
        except LineError as error:
            self.bad.append(BadPiece(at_byte=at_byte, size_bytes=len(raw), reason=str(error)))
            return
        if "seq" in line and self._is_repeated(line, at_byte):
            return
        if "spilled" in line:
            missing = restore(line, self.path)
            if missing is not None:
                self.bad.append(BadPiece(at_byte=at_byte, size_bytes=len(raw), reason=missing))
        self.lines.append(line)

    def _is_repeated(self, line: Mapping[str, JsonValue], at_byte: int) -> bool:
        seq, writer = line["seq"], line.get("writer")
        if not isinstance(seq, int) or not isinstance(writer, str):
            return False
        last = self.last_seq.get(writer, 0)
        if seq == last:
            return True
        # A bad line since this writer's last good one explains the gap already.
        if self.counts_gaps and seq > last + 1 and self.bad_before.get(writer, 0) == len(self.bad):
            reason = f"{seq - last - 1} lines of writer {writer!r} are missing before this one"
            self.bad.append(BadPiece(at_byte=at_byte, size_bytes=0, reason=reason))
        self.last_seq[writer] = seq
        self.bad_before[writer] = len(self.bad)
        return False


@contextmanager
def _collection_paused() -> Generator[None]:
    """Keep the cycle collector from walking a growing heap of plain JSON: a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
