"""Opening, reading and flushing files of a session folder, never through a link.

A check is made on the descriptor that is then used, so that nothing can be swapped in between.
Windows lacks the flags and modes; there the link check goes first and modes are left alone.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700

_SAFE_FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOINHERIT", 0)
    | getattr(os, "O_BINARY", 0)
)


def make_private_folder(path: Path) -> None:
    """Create a folder for its owner alone, or tighten one that exists.

    Parameters
    ----------
    path : Path
        The folder; missing parents are made the same way.

    Raises
    ------
    OSError
        If it cannot be made, or a link or a file is in its place.
    """
    if not path.parent.exists():
        make_private_folder(path.parent)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=FOLDER_MODE)
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise OSError(f"{str(path)!r} is not a folder of its own")
    if sys.platform != "win32" and info.st_mode & 0o077 and info.st_uid == os.geteuid():
        path.chmod(FOLDER_MODE)


def open_for_append(path: Path) -> tuple[int, bool]:
    """Open a file for appending and for reading it back.

    Parameters
    ----------
    path : Path
        The file; created with mode 0600 whatever the umask.

    Returns
    -------
    tuple of int and bool
        The descriptor, and whether the file is new.

    Raises
    ------
    OSError
        If it cannot be opened, or is a link, no regular file, or somebody else's.
    """
    flags = os.O_RDWR | os.O_APPEND | _SAFE_FLAGS
    _refuse_link(path)
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, FILE_MODE)
        is_new = True
    except FileExistsError:
        descriptor = os.open(path, flags)
        is_new = False
    try:
        _tighten(descriptor, path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor, is_new


def _tighten(descriptor: int, path: Path) -> None:
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode):
        raise OSError(f"{str(path)!r} is not a regular file")
    if sys.platform == "win32":
        return
    if info.st_uid != os.geteuid():
        raise PermissionError(f"{str(path)!r} belongs to another user")
    if stat.S_IMODE(info.st_mode) != FILE_MODE:
        os.fchmod(descriptor, FILE_MODE)


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(f"{str(path)!r} is a link")


def read_whole(path: Path, limit_bytes: int) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path : Path
        The file; neither a link nor a pipe is followed or waited for.
    limit_bytes : int
        Greatest size that is read.

    Returns
    -------
    bytes
        The content, at most ``limit_bytes`` long.

    Raises
    ------
    OSError
        If it cannot be read, is no regular file, or is larger than the limit.
    """
    _refuse_link(path)
    descriptor = os.open(path, os.O_RDONLY | _SAFE_FLAGS)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(f"{str(path)!r} is not a regular file")
        if info.st_size > limit_bytes:
            raise OSError(f"{str(path)!r} is larger than {limit_bytes:,} bytes")
        with open(descriptor, "rb", closefd=False) as file:
            # What is appended meanwhile belongs to the next reading.
            return file.read(limit_bytes)
    finally:
        os.close(descriptor)


def disk_sync(descriptor: int) -> None:
    """Bring a file to the disk itself, not only to the drive's cache where the system can tell."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - not on Windows

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def sync_folder(path: Path) -> None:
    """Bring a folder's entries to the disk; Windows cannot and need not."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_private(path: Path, content: bytes, *, durable: bool) -> None:
    """Write a file whole: it appears complete or not at all.

    Parameters
    ----------
    path : Path
        The file; replaced when it exists.
    content : bytes
        What it is to hold.
    durable : bool
        On the disk when this returns.

    Raises
    ------
    OSError
        If it cannot be written; the old file stays.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE_FLAGS, FILE_MODE)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                disk_sync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_folder(path.parent)
