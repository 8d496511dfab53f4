"""Finding the support files of one scope, project or user: AGENTS.md, skills, MCP server names.

Only regular files inside their own root are read, from the descriptor that was checked, up to a
limit, and never waited for. What is left out, and why, is a notice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import parse_json, read_plain_file

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

MAX_SUPPORT_BYTES: Final = 1024 * 1024
"""Larger instruction and skill files are left out."""
MAX_SKILLS_READ: Final = 200
"""Skills of one scope; further ones are left out."""
MAX_SERVER_NAMES: Final = 64
"""MCP server names of one scope."""

_MAX_ENTRIES: Final = 2000
_MAX_NAME_CHARS: Final = 120
_SKILL_FILE: Final = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportFile:
    """AGENTS.md or a skill, with its text."""

    id: str
    path: Path
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class McpNames:
    """An MCP configuration: where it is and which servers it names, nothing else of it."""

    path: Path
    server_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeFiles:
    """The support files of one scope."""

    agents: SupportFile | None = None
    mcp: McpNames | None = None
    skills: tuple[SupportFile, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing of use."""
        return self.agents is None and self.mcp is None and not self.skills


def find_scope(root: Path, *, agents: Path, skills: Path, mcp: Path) -> ScopeFiles:
    """Read the support files of one scope.

    Parameters
    ----------
    root : Path
        Folder that no file may lead out of.
    agents, skills, mcp : Path
        Where the instructions, the skills folder and the MCP configuration would be.

    Returns
    -------
    ScopeFiles
        What is there, and notices on what was left out.
    """
    finder = _Finder(root)
    instructions = finder.text_file(agents, name=agents.name)
    found = finder.skills(skills)
    servers = finder.mcp(mcp)
    return ScopeFiles(agents=instructions, mcp=servers, skills=found, notices=tuple(finder.notices))


class _Finder:
    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.notices: list[str] = []

    def text_file(self, path: Path, *, name: str) -> SupportFile | None:
        """Return a file with text in it; a blank one counts as absent."""
        content = self._read(path)
        text = "" if content is None else content.decode("utf-8-sig", errors="replace")
        return SupportFile(id=name, path=path, text=text) if text.strip() else None

    def skills(self, folder: Path) -> tuple[SupportFile, ...]:
        if self._resolved(folder) is None:
            return ()
        try:
            with os.scandir(folder) as items:
                listed = [item for item, _ in zip(items, range(_MAX_ENTRIES), strict=False)]
        except OSError:
            return ()
        named = [found for item in listed if (found := _skill_path(item, folder))]
        named.sort(key=lambda found: (found[0].casefold(), found[0]))
        if len(named) > MAX_SKILLS_READ:
            left_out = len(named) - MAX_SKILLS_READ
            self.notices.append(f"{folder}: {left_out} skills beyond {MAX_SKILLS_READ} left out.")
        found = [self.text_file(path, name=name) for name, path in named[:MAX_SKILLS_READ]]
        return tuple(skill for skill in found if skill is not None)

    def mcp(self, path: Path) -> McpNames | None:
        content = self._read(path)
        if content is None:
            return None
        try:
            document = parse_json(content, path)
        except ConfigurationError as error:
            self.notices.append(f"{error.message} It is left out.")
            return None
        if not isinstance(document, Mapping):
            self.notices.append(f"{path} does not hold a JSON object and is left out.")
            return None
        return McpNames(path=path, server_names=_server_names(document))

    def _read(self, path: Path) -> bytes | None:
        resolved = self._resolved(path)
        if resolved is None:
            return None
        try:
            return read_plain_file(resolved, limit_bytes=MAX_SUPPORT_BYTES)
        except ConfigurationError as error:
            self.notices.append(f"{error.message} It is left out.")
            return None

    def _resolved(self, path: Path) -> Path | None:
        """Return where a path leads, or None if there is nothing or it leads out of the root."""
        try:
            resolved = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return None
        if not resolved.is_relative_to(self.root):
            self.notices.append(f"{path} is a link that leads out of {self.root}; left out.")
            return None
        return resolved


def _skill_path(item: os.DirEntry[str], folder: Path) -> tuple[str, Path] | None:
    """Return id and file of a skill; hidden entries, links and other files are none."""
    try:
        if item.name.startswith(".") or item.is_symlink():
            return None
        if item.is_dir(follow_symlinks=False):
            path = folder / item.name / _SKILL_FILE
            return None if path.is_symlink() else (item.name, path)
        if item.is_file(follow_symlinks=False) and item.name.lower().endswith(".md"):
            return item.name[: -len(".md")], folder / item.name
    except OSError:
        return None
    return None


def _server_names(document: Mapping[str, JsonValue]) -> tuple[str, ...]:
    servers = document.get("mcpServers", document.get("servers"))
    if not isinstance(servers, Mapping):
        return ()
    return tuple(_shown(name) for name in list(servers)[:MAX_SERVER_NAMES])


def _shown(name: str) -> str:
    """Return a name on one line, without characters that do not print."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name[:_MAX_NAME_CHARS])
