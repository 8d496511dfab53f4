"""Which files may be read, and the one way to open them.

A path is resolved first, links included, and must stay inside the project, compared part by part.
It is then opened along the resolved parts without following any further link, and the open
descriptor must be a regular file: a link that is exchanged between check and use is refused. Where
the system cannot open relative to a folder (Windows), identity and resolved path are compared again
after opening. Opening never blocks: FIFOs, sockets and devices are refused before and after.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from braincode_jupyter.brain.text import visible
from braincode_jupyter.errors import UnresolvedReferenceError

if TYPE_CHECKING:
    from collections.abc import Sequence

DIRECTORY_ENTRIES = 5_000
"""Entries of a folder looked at for near names and other Unicode forms."""

_SECRET_NAME = re.compile(
    r"\.env(?:rc|\..*)?|\.?_?netrc|.*\.(?:pem|key|p12|pfx|ppk|jks|keystore|kdbx)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|auth\.json|\.?credentials(?:\.(?:json|toml|db))?"
    r"|\.git-credentials|\.pgpass|\.my\.cnf|\.pypirc|\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|pip\.ini"
    r"|\.condarc|\.boto|\.s3cfg|\.databrickscfg|\.dockercfg|\.htpasswd|\.vault-token|\.terraformrc"
    r"|application_default_credentials\.json|client_secret.*\.json|service[_-]account.*\.json"
    r"|secrets\.toml|jupyter_cookie_secret|(?:kernel|nbserver|jpserver)-[0-9a-f-]+\.(?:json|html)",
    re.IGNORECASE,
)
RECORDING_SUFFIX = ".braincode.json"
"""End of the name of a file with recorded model calls. It stands beside a notebook, and no tool
lists, searches or reports it: it holds what agents were answered, each for itself."""
_SECRET_FOLDERS = frozenset({
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".gcloud", "gcloud", ".password-store",
})  # fmt: skip
_SECRET_PAIRS = frozenset({(".docker", "config.json"), ("jupyter", "runtime")})
_SYSTEM_FOLDERS = frozenset({"proc", "sys", "dev"})
_WINDOWS_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?", re.I)
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_ESCAPE_HINT = "Write \\@ if it was meant as text."
_FLAGS: int = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: int = (
    getattr(os, "O_PATH", os.O_RDONLY)
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | _NO_FOLLOW
)
OPENS_BENEATH = os.open in os.supports_dir_fd and bool(_NO_FOLLOW)
"""Whether this system opens a name inside an open folder without following links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """An existing file or folder inside the project.

    Parameters
    ----------
    root : Path
        The project's folder, resolved.
    path : Path
        Resolved path, inside ``root``.
    is_folder : bool
        It is a folder.
    """

    root: Path
    path: Path
    is_folder: bool = False

    @property
    def relative(self) -> str:
        """Path inside the project with ``/``."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def uri(self) -> str:
        """Path inside the project as text that can be written down, whatever its bytes."""
        return os.fsencode(self.relative).decode("utf-8", errors="replace")


def exists(target: str, *, root: Path) -> bool:
    """Whether there is anything at this path below the project."""
    try:
        return os.path.lexists(os.path.join(root, target))
    except (OSError, ValueError):
        return False


def locate(target: str, *, root: Path) -> Located | None:
    """Find the file that a path names.

    Parameters
    ----------
    target : str
        Path as typed; relative to the project, or absolute and inside it.
    root : Path
        The project's folder.

    Returns
    -------
    Located or None
        None if there is nothing. A name in another Unicode normal form is found too.

    Raises
    ------
    UnresolvedReferenceError
        If the path leaves the project, names a secret, or is no file or folder.
    """
    _check_spelling(target)
    home = Path(os.path.realpath(root))
    path = _resolve(home, target)
    if not path.exists():
        other = _other_form(home, target)
        if other is None:
            return None
        path = _resolve(home, other)
    _check_secret(target, (*path.parts,))
    mode = path.lstat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        _refuse_special(target, mode)
    return Located(root=home, path=path, is_folder=stat.S_ISDIR(mode))


def check_new(target: str, *, root: Path) -> Path:
    """Resolve a path that may be written, whether or not there is something.

    Parameters
    ----------
    target : str
        Path as typed.
    root : Path
        The project's folder.

    Returns
    -------
    Path
        Resolved, inside the project.

    Raises
    ------
    UnresolvedReferenceError
        If it leaves the project, is a link itself, is the project, or names a secret.
    """
    _check_spelling(target)
    home = Path(os.path.realpath(root))
    path = _resolve(home, target)
    folder, name = os.path.split(os.path.join(home, target))
    if path == home or name in {"", ".", ".."}:
        raise UnresolvedReferenceError(
            f"The file {target!r} is refused: it names a folder.", hint="Name a file."
        )
    if os.path.islink(os.path.join(os.path.realpath(folder), name)):
        raise UnresolvedReferenceError(
            f"The file {target!r} is refused: it is a link to {str(path)!r}, and a link is never "
            "written through.",
            hint=f"Name {path.relative_to(home).as_posix()!r} if that is meant.",
        )
    _check_secret(target, (*path.parts,))
    return path


def open_located(located: Located) -> BinaryIO:
    """Open a file that was located, if it is still that.

    Parameters
    ----------
    located : Located
        What `locate` gave; no folder.

    Returns
    -------
    file
        Opened for reading bytes; close it.

    Raises
    ------
    UnresolvedReferenceError
        If a link or a special file has taken its place.
    OSError
        If it cannot be read.
    """
    try:
        descriptor = _open_beneath(located) if OPENS_BENEATH else _open_and_compare(located)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}:
            _refuse_exchanged(located)
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        _refuse_special(located.relative, mode)
    return os.fdopen(descriptor, "rb")


def names_near(target: str, *, root: Path) -> tuple[str, ...]:
    """Return paths in the folder that a path points into, sorted; a bounded number."""
    home = Path(os.path.realpath(root))
    typed = target.replace("\\", "/") if os.name == "nt" else target
    folder, slash, _ = typed.rpartition("/")
    return tuple(f"{folder}{slash}{name}" for name in _listing(home / (folder or "."), root=home))


def is_secret(parts: Sequence[str]) -> bool:
    """Whether a path is of the secret class: keys, credentials, environment files."""
    lowered = [part.casefold() for part in parts]
    pairs = pairwise(lowered)
    return bool(
        (lowered and _SECRET_NAME.fullmatch(lowered[-1]))
        or _SECRET_FOLDERS.intersection(lowered)
        or _SECRET_PAIRS.intersection(pairs)
    )


def is_plain_name(name: str) -> bool:
    """Whether a name has no control, direction or zero-width character in it."""
    return visible(name) == name


def _check_spelling(target: str) -> None:
    shown = visible(target)
    if "\0" in target or shown != target:
        what = "has invisible characters in its name"
    elif target.startswith("~"):
        what = "starts at a home folder"
    elif os.name == "nt" and _is_odd_on_windows(target):
        what = "is a device, share or stream name"
    else:
        return
    raise UnresolvedReferenceError(
        f"The file {shown!r} is refused: it {what}.",
        hint=f"Name a file inside the project. {_ESCAPE_HINT}",
    )


def _is_odd_on_windows(target: str) -> bool:
    tail = target[2:] if re.match(r"[A-Za-z]:[\\/]", target) else target
    parts = re.split(r"[\\/]", tail)
    return (
        target.startswith(("\\\\", "//"))
        or ":" in tail
        or any(_WINDOWS_RESERVED.fullmatch(part.rstrip(" .")) for part in parts)
    )


def _resolve(home: Path, target: str) -> Path:
    """Return the resolved path, which is inside the project."""
    path = Path(os.path.realpath(home / target))
    is_system = os.name != "nt" and len(path.parts) > 1 and path.parts[1] in _SYSTEM_FOLDERS
    if not path.is_relative_to(home) or (is_system and not _SYSTEM_FOLDERS & {*home.parts[1:2]}):
        raise UnresolvedReferenceError(
            f"The file {target!r} is refused: it leads to {str(path)!r}, outside the project "
            f"{str(home)!r}.",
            hint=f"Copy it into the project, or start there. {_ESCAPE_HINT}",
        )
    return path


def _check_secret(target: str, parts: tuple[str, ...]) -> None:
    typed = tuple(re.split(r"[\\/]", target))
    if is_secret(parts) or is_secret(typed):
        raise UnresolvedReferenceError(
            f"The file {target!r} is refused: {parts[-1]!r} is of the kind that holds secrets, "
            "and it would be sent to the model's provider.",
            hint="Copy what is no secret into another file and name that.",
        )


def _refuse_special(target: str, mode: int) -> NoReturn:
    kind = _KINDS.get(stat.S_IFMT(mode), "no regular file")
    raise UnresolvedReferenceError(
        f"The file {target!r} is refused: it is {kind}.", hint="Name a regular file."
    )


def _refuse_exchanged(located: Located) -> NoReturn:
    raise UnresolvedReferenceError(
        f"The file {located.relative!r} is refused: {str(located.path)!r} was exchanged for a "
        "link while it was being opened.",
        hint="Run the cell again if that was you.",
    )


def open_folder(located: Located, parts: Sequence[str], *, makes: bool = False) -> int:
    """Open a folder part by part, following no link.

    Parameters
    ----------
    located : Located
        Something in the project.
    parts : sequence of str
        Folders from the project down.
    makes : bool
        Make those that are missing.

    Returns
    -------
    int
        Descriptor; close it.

    Raises
    ------
    OSError
        If a part is missing, a link, or no folder.
    """
    folder = os.open(located.root, _FOLDER)
    try:
        for part in parts:
            if makes:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder


def _open_beneath(located: Located) -> int:
    """Open part by part, following no link."""
    *folders, name = located.path.relative_to(located.root).parts
    folder = open_folder(located, folders)
    try:
        return os.open(name, _FLAGS | _NO_FOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _open_and_compare(located: Located) -> int:
    """Open by path, then see that the path still leads to the file that is open."""
    descriptor = os.open(located.path, _FLAGS)
    try:
        same = os.path.samestat(os.fstat(descriptor), located.path.stat())
        resolved = os.path.realpath(located.path) == str(located.path)
    except OSError:
        os.close(descriptor)
        raise
    if not (same and resolved):
        os.close(descriptor)
        _refuse_exchanged(located)
    return descriptor


def _other_form(home: Path, target: str) -> str | None:
    """Return the same path in the Unicode normal form in which it exists, if it does."""
    if target.isascii():
        return None
    found = Path()
    for part in Path(target).parts:
        if exists(str(found / part), root=home) or part in {"..", os.sep}:
            found /= part
            continue
        wanted = unicodedata.normalize("NFC", part)
        names = _listing(home / found, root=home)
        matches = [name for name in names if unicodedata.normalize("NFC", name) == wanted]
        if len(matches) != 1:
            return None
        found /= matches[0]
    return str(found)


def _listing(folder: Path, *, root: Path) -> tuple[str, ...]:
    """Return names in a folder of the project, sorted, a bounded number of them."""
    try:
        if not Path(os.path.realpath(folder)).is_relative_to(root):
            return ()
        with os.scandir(folder) as entries:
            names = [
                entry.name for _, entry in zip(range(DIRECTORY_ENTRIES), entries, strict=False)
            ]
    except (OSError, ValueError):
        return ()
    return tuple(sorted(names))


def folds_case(folder: Path) -> bool:
    """Whether the file system of a folder takes upper and lower case for the same.

    Parameters
    ----------
    folder : Path
        An existing folder.

    Returns
    -------
    bool
        Told by the folder's own name, or the nearest one above it with letters; nothing is written.
        True where it cannot be told, so that rules reach further.
    """
    for place in (folder, *folder.parents):
        swapped = place.name.swapcase()
        if swapped == place.name:
            continue
        try:
            return place.samefile(place.with_name(swapped))
        except FileNotFoundError:
            return False
        except OSError:
            return True
    return True
