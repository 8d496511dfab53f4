"""Which files of a project a command names.

A word names a file when it is one, taken from the project's root: as a path, after ``=``, as a word
inside a shell line, or as a dotted module. A folder stands for the files by which an interpreter
starts it. Links are not followed here, so that a link that is turned elsewhere is another file.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MAX_WORD_CHARS: Final = 4096
_FOLDER_STARTS: Final = ("__main__.py", "__init__.py", "package.json", "index.js", "pyproject.toml")
_SHELL_SIGNS: Final = ";&|()<>"


def named_files(root: Path, words: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield the existing files of a project that a command names, once each.

    Parameters
    ----------
    root : Path
        The project, resolved.
    words : iterable of str
        Command and arguments; one of them may be a whole shell line.

    Yields
    ------
    tuple of (str, Path)
        Project-relative path with ``/``, and the path; in the order of the words.
    """
    seen: set[str] = set()
    for word in words:
        for text in _texts(word):
            for name in _files(root, text):
                if name not in seen:
                    seen.add(name)
                    yield name, root / name


def _texts(word: str) -> Iterator[str]:
    if not word or "\0" in word or len(word) > _MAX_WORD_CHARS:
        return
    for piece in (word, *_split(word)):
        for text in (piece, piece.partition("=")[2]):
            bare = text.strip(_SHELL_SIGNS)
            if bare:
                yield bare
            if bare.replace(".", "_").isidentifier():  # `python -m package.module`
                yield bare.replace(".", "/")
                yield bare.replace(".", "/") + ".py"


def _split(word: str) -> list[str]:
    try:
        return shlex.split(word)
    except ValueError:
        return word.split()


def _files(root: Path, text: str) -> Iterator[str]:
    try:
        path = root / os.path.normpath(root / text)
        if path == root or not path.is_relative_to(root):
            return
        starts = [path / name for name in _FOLDER_STARTS] if path.is_dir() else [path]
        found = [start for start in starts if start.exists() and not start.is_dir()]
    except (OSError, ValueError):
        return
    yield from (start.relative_to(root).as_posix() for start in found)
