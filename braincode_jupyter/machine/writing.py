"""The one way to change a file of the project.

A place is looked up first: resolved, inside the project, no link, no secret, no special file; what
stands there is read from the descriptor that was checked. A change is then made on exactly that
place: it is refused if anything else stands there by now. The new text goes to a temporary file in
the same folder, is forced to the disk and takes the name at once, so a reader sees the old or the
new text, and a failure leaves the old one. Folders are opened one after the other without following
links, where the system can do that; elsewhere the resolved folder is compared again.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.paths import (
    OPENS_BENEATH,
    Located,
    check_new,
    locate,
    open_folder,
    open_located,
)

if TYPE_CHECKING:
    from collections.abc import Generator

MAX_EDIT_BYTES = 2 * 1024 * 1024
"""Largest file that is changed, before and after (security, section 15)."""
_NEW_MODE = 0o666
_FLAGS: int = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_KEPT_MODE = 0o777


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a file is or will be, and what stood there when it was looked up.

    Parameters
    ----------
    root : Path
        The project's folder, resolved.
    path : Path
        Resolved path inside it.
    before : bytes or None
        Content; None: there is no file.
    mode : int or None
        Permissions of the file.
    names : int
        Hard links of the file; more than one: another path changes with it, or is left behind.
    """

    root: Path
    path: Path
    before: bytes | None
    mode: int | None = None
    names: int = 1

    @property
    def relative(self) -> str:
        """Path inside the project with ``/``."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def before_sha256(self) -> str | None:
        """Digest of the content; None: there is no file."""
        return None if self.before is None else sha256(self.before).hexdigest()


def find_place(target: str, *, root: Path) -> Place:
    """Look up where a write would go.

    Parameters
    ----------
    target : str
        Path as typed; relative to the project, or absolute and inside it.
    root : Path
        The project's folder.

    Returns
    -------
    Place
        With what stands there.

    Raises
    ------
    UsageError
        If it is a link, a folder, a secret, too large, no regular file, or outside the project.
    OSError
        If it cannot be read.
    """
    resolved = check_new(target, root=root)
    located = locate(target, root=root)
    if located is None:
        return Place(root=Path(os.path.realpath(root)), path=resolved, before=None)
    if located.is_folder:
        raise UsageError(f"{target!r} is a folder.", hint="Name a file.")
    with open_located(located) as file:
        info = os.fstat(file.fileno())
        before = file.read(MAX_EDIT_BYTES + 1)
    if len(before) > MAX_EDIT_BYTES:
        raise UsageError(
            f"{target!r} is larger than {MAX_EDIT_BYTES:,} bytes.", hint="Change it by hand."
        )
    return Place(
        root=located.root,
        path=located.path,
        before=before,
        mode=stat.S_IMODE(info.st_mode),
        names=info.st_nlink,
    )


def replace(place: Place, content: bytes) -> None:
    """Put new content at a place.

    Parameters
    ----------
    place : Place
        As `find_place` gave it.
    content : bytes
        The whole new content.

    Raises
    ------
    UsageError
        If something else stands there by now, or the content is too large.
    OSError
        If it cannot be written; the old content stays.
    """
    if len(content) > MAX_EDIT_BYTES:
        raise UsageError(
            f"The new text of {place.relative!r} is larger than {MAX_EDIT_BYTES:,} bytes.",
            hint="Write less.",
        )
    with _folder(place) as folder:
        temporary = f".{place.path.name[:100]}.{secrets.token_hex(6)}.tmp"
        try:
            _write_new(_named(place, temporary, folder), content, mode=place.mode, folder=folder)
            _check_unchanged(place)
            _take_name(place, temporary, folder=folder)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(_named(place, temporary, folder), dir_fd=folder)
        if folder is not None:
            _sync(folder)


def remove(place: Place) -> None:
    """Remove the file at a place.

    Parameters
    ----------
    place : Place
        As `find_place` gave it.

    Raises
    ------
    UsageError
        If something else stands there by now.
    OSError
        If it cannot be removed.
    """
    with _folder(place) as folder:
        _check_unchanged(place)
        os.unlink(_named(place, place.path.name, folder), dir_fd=folder)


def _check_unchanged(place: Place) -> None:
    now = locate(str(place.path), root=place.root)
    content = None
    if now is not None and not now.is_folder:
        with open_located(now) as file:
            content = file.read(MAX_EDIT_BYTES + 1)
    is_other = now is not None and (now.is_folder or now.path != place.path)
    if is_other or content != place.before:
        raise UsageError(
            f"{place.relative!r} was changed meanwhile and is left as it is.",
            hint="Read it again and make the change anew.",
        )


@contextlib.contextmanager
def _folder(place: Place) -> Generator[int | None]:
    """Open the folder of a place, made if need be; None where paths have to do."""
    parts = place.path.parent.relative_to(place.root).parts
    if not OPENS_BENEATH:
        place.path.parent.mkdir(parents=True, exist_ok=True)
        if os.path.realpath(place.path.parent) != str(place.path.parent):
            raise UsageError(f"The folder of {place.relative!r} is a link now.", hint="Try again.")
        yield None
        return
    descriptor = open_folder(Located(root=place.root, path=place.path), parts, makes=True)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _named(place: Place, name: str, folder: int | None) -> str:
    return name if folder is not None else str(place.path.with_name(name))


def _write_new(name: str, content: bytes, *, mode: int | None, folder: int | None) -> None:
    descriptor = os.open(name, _FLAGS, _NEW_MODE if mode is None else 0o600, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as file:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode & _KEPT_MODE)
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _take_name(place: Place, temporary: str, *, folder: int | None) -> None:
    """Give the temporary file its name; a new file never takes the place of another."""
    source, name = _named(place, temporary, folder), _named(place, place.path.name, folder)
    if place.before is not None or os.link not in os.supports_dir_fd:
        os.replace(source, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    try:
        os.link(source, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise UsageError(
            f"{place.relative!r} was made by somebody else meanwhile.", hint="Read it first."
        ) from None
    except OSError:  # file systems without hard links
        os.rename(source, name, src_dir_fd=folder, dst_dir_fd=folder)


def _sync(folder: int) -> None:
    """Force the names of a folder to the disk, where it can be done."""
    with contextlib.suppress(OSError):
        descriptor = os.open(".", os.O_RDONLY, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
