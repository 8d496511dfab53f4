"""Tokens that can be offered while a reference is being typed; nothing is opened or evaluated.

A file is offered only in a form that parses back to exactly that file. Files that a reference would
be refused (secrets, names with invisible characters, links out of the project, special files) are
not offered.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from braincode_jupyter.brain.grammar import format_reference
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.machine.paths import is_plain_name, is_secret, locate, names_near
from braincode_jupyter.references import limits

if TYPE_CHECKING:
    from pathlib import Path


def file_tokens(partial: str, *, root: Path) -> tuple[str, ...]:
    """Return tokens of files and folders whose path starts with what was typed.

    Parameters
    ----------
    partial : str
        Path typed so far, without marker and quotes.
    root : Path
        The project's folder.

    Returns
    -------
    tuple of str
        Folders end in ``/``, and their quotes stay open, so that typing goes on. At most
        `limits.OFFERED_NAMES`.
    """
    try:
        names = names_near(partial, root=root)
    except UnresolvedReferenceError:
        return ()
    typed = partial.replace("\\", "/") if os.name == "nt" else partial
    leaf = typed.rpartition("/")[2]
    tokens: list[str] = []
    for path in names:
        name = path.rpartition("/")[2]
        is_hidden = name.startswith(".") and not leaf.startswith(".")
        if is_hidden or not name.casefold().startswith(leaf.casefold()):
            continue
        token = _token(path, root)
        if token is not None:
            tokens.append(token)
        if len(tokens) >= limits.OFFERED_NAMES:
            break
    return tuple(tokens)


def _token(path: str, root: Path) -> str | None:
    """Return the token of one entry, or None if it is not to be offered."""
    if not is_plain_name(path) or is_secret(path.split("/")):
        return None
    try:
        located = locate(path, root=root)
    except (OSError, ValueError, UnresolvedReferenceError):
        return None
    if located is None:
        return None
    if not located.is_folder:
        return format_reference("file", path)
    token = format_reference("file", f"{path}/")
    return token.removesuffix('"') if token and token.startswith('@"') else token
