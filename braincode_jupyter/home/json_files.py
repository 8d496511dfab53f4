"""Strict reading and careful writing of the JSON files of the home folder.

Reading never writes. A file is read whole from one descriptor that was checked first: a regular
file, ours, not writable by everybody, of bounded size. Trailing commas, comments, duplicate keys,
NaN and deep nesting are errors that name file, line and column.

Writing goes to a temporary file in the same folder that then takes the target's name, so a reader
sees the old or the new file. There is no lock: the last writer wins on the whole file, and
`update_json` keeps that window short by reading just before it writes.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import sys
import uuid
from typing import TYPE_CHECKING, Final, NoReturn, cast

from braincode_jupyter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic import JsonValue

MAX_FILE_BYTES: Final = 256 * 1024
"""Larger files are refused."""
MAX_DEPTH: Final = 16
"""Deeper nesting is refused."""
MAX_DIGITS: Final = 300
"""Longer numbers are refused."""
PRIVATE_MODE: Final = 0o600

_OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
_TOKEN: Final = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*)"(?P<colon>\s*:)?'
    r"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<constant>NaN|Infinity)"
    rf"|(?P<digits>[0-9]{{{MAX_DIGITS + 1},}})"
)


def read_plain_file(path: Path, *, limit_bytes: int = MAX_FILE_BYTES) -> bytes | None:
    """Return the bytes of a regular file without ever waiting for it.

    Parameters
    ----------
    path : Path
        The file.
    limit_bytes : int
        Greatest size.

    Returns
    -------
    bytes or None
        None if there is no such file.

    Raises
    ------
    ConfigurationError
        If it is no regular file, too large, unreadable, or not safely the user's own.
    """
    try:
        content = _read_at_most(path, limit_bytes)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigurationError(
            f"{str(path)!r} cannot be read: {error.strerror}.", hint="Check its permissions."
        ) from error
    if len(content) > limit_bytes:
        _refuse_size(path, limit_bytes)
    return content


def _read_at_most(path: Path, limit_bytes: int) -> bytes:
    """Return the content of a checked file, or one byte more than the limit."""
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        _check(os.fstat(descriptor), path, limit_bytes)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit_bytes + 1)
    finally:
        os.close(descriptor)


def _check(info: os.stat_result, path: Path, limit_bytes: int) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise ConfigurationError(
            f"{str(path)!r} is not a regular file.", hint="Replace it by a plain file."
        )
    if info.st_size > limit_bytes:
        _refuse_size(path, limit_bytes)
    if sys.platform == "win32":
        return
    if info.st_uid != os.geteuid():
        raise ConfigurationError(
            f"{str(path)!r} belongs to another user.", hint="Use a copy of your own."
        )
    if info.st_mode & stat.S_IWOTH:
        raise ConfigurationError(
            f"Everybody on this machine can change {str(path)!r}.",
            hint=f"Run chmod o-w on it after checking what it says: {path}",
        )


def _refuse_size(path: Path, limit_bytes: int) -> NoReturn:
    raise ConfigurationError(
        f"{str(path)!r} is larger than {limit_bytes:,} bytes.", hint="Make it smaller."
    )


def read_json(path: Path) -> JsonValue | None:
    """Read a JSON file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    JsonValue or None
        None if the file is missing or blank.

    Raises
    ------
    ConfigurationError
        If it cannot be read or is not strict JSON; names the place.
    """
    content = read_plain_file(path)
    return None if content is None else parse_json(content, path)


def read_object(path: Path) -> dict[str, JsonValue] | None:
    """Read a JSON file that holds an object.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    dict or None
        None if the file is missing or blank.

    Raises
    ------
    ConfigurationError
        As `read_json`, and if it holds something else.
    """
    value = read_json(path)
    if value is not None and not isinstance(value, dict):
        raise ConfigurationError(
            f"{str(path)!r} does not hold a JSON object.", hint="It has to begin with '{'."
        )
    return value


def parse_json(content: bytes, path: Path) -> JsonValue | None:
    """Parse strict JSON.

    Parameters
    ----------
    content : bytes
        UTF-8, with or without a byte order mark.
    path : Path
        Where it came from; for the error.

    Returns
    -------
    JsonValue or None
        None if it is blank.

    Raises
    ------
    ConfigurationError
        If it is not strict JSON; names file, line and column.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(errors="replace")
        _refuse_place(path, before, position=len(before), reason="this is not UTF-8")
    if not text.strip():
        return None
    _refuse_traps(text, path)
    try:
        value: JsonValue = json.loads(text)
    except json.JSONDecodeError as error:
        _refuse_place(path, text, position=error.pos, reason=error.msg)
    if "\\u" in text and not _is_encodable(value):
        raise ConfigurationError(
            f"{str(path)!r} holds half of a character (a lone surrogate).",
            hint="Look for \\ud8 to \\udf in it and write the character itself.",
        )
    return value


def _refuse_traps(text: str, path: Path) -> None:
    """Refuse what a lenient parser would let through; strings are skipped as whole tokens."""
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token["open"]:
            keys.append(set())
            if len(keys) > MAX_DEPTH:
                _refuse_place(
                    path, text, position=token.start(), reason=f"more than {MAX_DEPTH} levels"
                )
        elif token["close"]:
            del keys[-1:]
        elif token["constant"] or token["digits"]:
            _refuse_place(path, text, position=token.start(), reason="this is not a JSON number")
        elif token["colon"] and keys:
            key = _unescaped(token["string"])
            if key in keys[-1]:
                _refuse_place(
                    path, text, position=token.start(), reason=f"the key {key!r} is there twice"
                )
            keys[-1].add(key)


def _unescaped(string: str) -> str:
    with contextlib.suppress(ValueError):
        return str(json.loads(f'"{string}"'))
    return string


def _is_encodable(value: JsonValue) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_place(path: Path, text: str, *, position: int, reason: str) -> NoReturn:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    raise ConfigurationError(
        f"{str(path)!r} is broken at line {line}, column {column}: {reason}.",
        hint="Mend it there; the file was left as it is.",
    )


def write_json(path: Path, value: JsonValue, *, mode: int | None = None) -> None:
    """Replace a JSON file.

    Parameters
    ----------
    path : Path
        The file; its folder exists.
    value : JsonValue
        What it is to hold.
    mode : int or None
        Permissions; None keeps those of the old file, or 0600 for a new one.

    Raises
    ------
    ConfigurationError
        If it cannot be written; the old file stays.
    """
    content = (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex}.tmp")
    try:
        _write_new(temporary, content, mode if mode is not None else _mode_of(path))
        temporary.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f"{str(path)!r} cannot be written: {error.strerror}.",
            hint="Check free space and permissions; the old file is unchanged.",
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return PRIVATE_MODE


def _write_new(path: Path, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), PRIVATE_MODE)
    with open(descriptor, "wb") as file:
        if sys.platform != "win32":
            os.fchmod(descriptor, mode)
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def update_json(
    path: Path,
    change: Callable[[dict[str, JsonValue]], dict[str, JsonValue]],
    *,
    mode: int | None = None,
) -> None:
    """Change a JSON object on its freshest copy; keys that ``change`` leaves alone stay in place.

    Parameters
    ----------
    path : Path
        The file; missing or blank counts as ``{}``.
    change : callable
        Gets the object, returns the new one; the file is left alone when they are equal.
    mode : int or None
        As in `write_json`.

    Raises
    ------
    ConfigurationError
        If the file is broken, which leaves it as it is, or cannot be written.
    """
    before = read_object(path)
    copied = cast("dict[str, JsonValue]", json.loads(json.dumps(before or {})))
    after = change(copied)
    if before is None or json.dumps(after) != json.dumps(before):
        write_json(path, after, mode=mode)


def create_json(path: Path, value: JsonValue) -> bool:
    """Make a file with mode 0600 unless something of its name is there.

    Parameters
    ----------
    path : Path
        The file.
    value : JsonValue
        What it is to hold.

    Returns
    -------
    bool
        Whether it was made.

    Raises
    ------
    ConfigurationError
        If it cannot be written.
    """
    try:
        _write_new(path, (json.dumps(value, indent=2) + "\n").encode(), PRIVATE_MODE)
    except FileExistsError:
        return False
    except OSError as error:
        raise ConfigurationError(
            f"{str(path)!r} cannot be written: {error.strerror}.",
            hint="Check free space and permissions of the folder.",
        ) from error
    return True
