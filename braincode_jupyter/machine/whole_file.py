"""Write a file that a person named: all of it or nothing, and over another only if asked to."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError, without_home

if TYPE_CHECKING:
    from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_whole(path: Path, content: bytes, *, may_replace: bool = False) -> None:
    """Write a file in one step.

    Parameters
    ----------
    path : Path
        Where; its folder must exist.
    content : bytes
        All of it.
    may_replace : bool
        Take the place of a file that is there; a link is replaced, not followed.

    Raises
    ------
    UsageError
        If something stands there, the folder is missing, or it cannot be written.
    """
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if may_replace:
            temporary.replace(path)
        else:
            _take_free_name(temporary, path)
    except FileExistsError:
        raise UsageError(
            f"{_shown(path)} is there already.", hint="Name another file, or add --force."
        ) from None
    except OSError as error:
        raise UsageError(
            f"{_shown(path)} cannot be written: {error.strerror or type(error).__name__}.",
            hint="Name a file in a folder that exists and is yours.",
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _take_free_name(temporary: Path, path: Path) -> None:
    """Give the finished file its name, unless the name is taken."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here, as on FAT: the name is made first, and taken over then.
        os.close(os.open(path, _NEW, 0o666))
        temporary.replace(path)


def _shown(path: Path) -> str:
    return without_home(repr(str(path)))
