"""Patterns of paths: those of rules, and those of listings and ignore files.

A rule's pattern is anchored; ``**`` stands for anything and ``*`` for anything but ``/``. A
listing's pattern is read as git reads ignore files: without an inner slash it names a file or
folder at any depth. Model text may be such a pattern, so matching is done part by part, in time
proportional to pattern times path, whatever they are.

References
----------
Braincode, permission grammar: path match. gitignore(5), pattern format.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_GLOB_CHARS = 256
"""Longest pattern that a model may give."""
MAX_IGNORE_LINES = 1_000
"""Lines read of one ignore file."""


@lru_cache(maxsize=512)
def rule_pattern(pattern: str) -> re.Pattern[str]:
    """Return the anchored expression of a rule's glob."""
    parts = re.split(r"(\*\*|\*)", pattern)
    known = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts), re.DOTALL)


def rule_path(path: str) -> str:
    """Return a path or path pattern in the form in which rules compare it.

    Parameters
    ----------
    path : str
        Relative to the project.

    Returns
    -------
    str
        With single slashes and without a leading ``./``.

    References
    ----------
    Braincode, permission grammar: path normalise.
    """
    text = path.strip().strip('"').replace("\\", "/")
    text = re.sub(r"/{2,}", "/", text)
    while text.startswith("./"):
        text = text[2:]
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    """One pattern of a listing or an ignore file.

    Parameters
    ----------
    parts : tuple of str
        Parts between slashes.
    is_negated : bool
        It takes back what an earlier pattern named.
    is_folder_only : bool
        It names folders alone.
    """

    parts: tuple[str, ...]
    is_negated: bool = False
    is_folder_only: bool = False

    def matches(self, path: Sequence[str], *, is_folder: bool = False) -> bool:
        """Whether it names this path, given by its parts."""
        if self.is_folder_only and not is_folder:
            return False
        return _match_parts(self.parts, tuple(path))


def read_glob(text: str) -> Glob:
    """Read one pattern; one without an inner slash is looked for at any depth.

    Parameters
    ----------
    text : str
        As in an ignore file.

    Returns
    -------
    Glob
        The pattern.
    """
    is_negated = text.startswith("!")
    body = text[1:] if is_negated else text
    is_folder_only = body.endswith("/")
    stripped = body.strip("/")
    is_anchored = "/" in body.rstrip("/")
    parts = tuple(part for part in stripped.split("/") if part)
    return Glob(
        parts=parts if is_anchored else ("**", *parts),
        is_negated=is_negated,
        is_folder_only=is_folder_only,
    )


def read_ignore_lines(lines: Iterable[str]) -> tuple[Glob, ...]:
    """Read the patterns of an ignore file; blank lines and comments are none."""
    found: list[Glob] = []
    for line, _ in zip(lines, range(MAX_IGNORE_LINES), strict=False):
        text = line.rstrip()
        if text and not text.startswith("#") and len(text) <= MAX_GLOB_CHARS:
            found.append(read_glob(text.removeprefix("\\")))
    return tuple(found)


def _match_parts(pattern: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Match part by part; ``reached`` holds the numbers of path parts used up so far."""
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(path) + 1))
        else:
            expression = _part_pattern(part)
            reached = {
                used + 1
                for used in reached
                if used < len(path) and expression.match(path[used]) is not None
            }
        if not reached:
            return False
    return len(path) in reached


@lru_cache(maxsize=512)
def _part_pattern(part: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(part))
