"""Walking through the files of a project: sorted, without what is ignored, never out of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from braincode_jupyter.brain.globs import Glob, read_glob, read_ignore_lines
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.machine.paths import (
    RECORDING_SUFFIX,
    Located,
    is_plain_name,
    locate,
    open_located,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from braincode_jupyter.tools.group import Halt

IGNORED_FOLDERS = frozenset({
    ".git", "node_modules", "dist", "build", "coverage", ".next", ".nuxt", ".turbo", ".cache",
    "vendor", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache",
    ".ruff_cache", ".ipynb_checkpoints", ".hypothesis", ".eggs", "site-packages",
})  # fmt: skip
"""Never walked into: the original's list, and those of Python."""
MAX_WALKED = 50_000
"""Entries looked at in one walk."""
MAX_WALK_DEPTH = 64
_IGNORE_FILES = (".gitignore", ".ignore")
_MAX_IGNORE_BYTES = 64 * 1024


@dataclass(slots=True)
class Walk:
    """One walk.

    Parameters
    ----------
    start : Located
        Folder to walk through.
    halt : Halt
        When to end.
    """

    start: Located
    halt: Halt
    looked_at: int = field(default=0, init=False)
    was_cut: bool = field(default=False, init=False)
    """It ended before all was looked at."""

    def paths(self, glob: str) -> Iterator[str]:
        """Yield the paths in the project of regular files that a glob means; empty: all.

        They are sorted by folder.
        """
        parts = self.start.path.relative_to(self.start.root).parts
        pattern = read_glob(glob) if glob else None
        for inner in self._folder(parts, self._ignores_above(parts)):
            if pattern is None or pattern.matches(inner[len(parts) :]):
                yield "/".join(inner)

    def _folder(
        self, parts: tuple[str, ...], ignores: tuple[tuple[int, Glob], ...]
    ) -> Iterator[tuple[str, ...]]:
        ignores += self._ignores_in(parts)
        folders: list[tuple[str, ...]] = []
        for entry in self._entries(parts):
            inner = (*parts, entry.name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if self._is_left_out(inner, ignores, is_folder=is_folder):
                continue
            if is_folder:
                folders.append(inner)
            elif entry.is_file(follow_symlinks=False) or self._leads_to_file(inner, entry):
                yield inner
        for folder in folders:
            if len(folder) <= MAX_WALK_DEPTH and not self.was_cut:
                yield from self._folder(folder, ignores)

    def _entries(self, parts: tuple[str, ...]) -> list[os.DirEntry[str]]:
        found: list[os.DirEntry[str]] = []
        try:
            with os.scandir(self.start.root.joinpath(*parts)) as entries:
                for entry in entries:
                    self.looked_at += 1
                    if self.looked_at > MAX_WALKED or self.halt.is_due():
                        self.was_cut = True
                        break
                    found.append(entry)
        except OSError:
            return []
        return sorted(found, key=lambda entry: entry.name)

    def _is_left_out(
        self, parts: tuple[str, ...], ignores: tuple[tuple[int, Glob], ...], *, is_folder: bool
    ) -> bool:
        name = parts[-1]
        if not is_plain_name(name) or name.endswith(RECORDING_SUFFIX):
            return True
        if is_folder and name in IGNORED_FOLDERS:
            return True
        for depth, glob in reversed(ignores):
            if glob.matches(parts[depth:], is_folder=is_folder):
                return not glob.is_negated
        return False

    def _leads_to_file(self, parts: tuple[str, ...], entry: os.DirEntry[str]) -> bool:
        """Whether a link leads to a file of the project; links to folders are not walked."""
        if not entry.is_symlink():
            return False
        try:
            found = locate("/".join(parts), root=self.start.root)
        except UnresolvedReferenceError:
            return False
        return found is not None and not found.is_folder

    def _ignores_above(self, parts: tuple[str, ...]) -> tuple[tuple[int, Glob], ...]:
        return tuple(
            pair for depth in range(len(parts)) for pair in self._ignores_in(parts[:depth])
        )

    def _ignores_in(self, parts: tuple[str, ...]) -> tuple[tuple[int, Glob], ...]:
        """Read the ignore files of a folder; each pattern knows how deep its folder is."""
        lines: list[str] = []
        for name in _IGNORE_FILES:
            lines += _lines("/".join((*parts, name)), self.start.root)
        return tuple((len(parts), glob) for glob in read_ignore_lines(lines))


def _lines(target: str, root: Path) -> list[str]:
    try:
        found = locate(target, root=root)
        if found is None or found.is_folder:
            return []
        with open_located(found) as file:
            return file.read(_MAX_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
    except (UnresolvedReferenceError, OSError):
        return []
