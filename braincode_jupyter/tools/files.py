"""``list_files`` and ``read_file``: what there is in the project, and the bytes of one file."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from braincode_jupyter.brain.globs import MAX_GLOB_CHARS
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.paths import Located, is_secret, locate, names_near, open_located
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arguments import (
    MAX_PATH_CHARS,
    Arguments,
    FilePath,
    also,
    read_arguments,
    schema_of,
)
from braincode_jupyter.tools.group import MAX_RETURN_BYTES, Halt, in_thread
from braincode_jupyter.tools.walking import Walk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue

MAX_LISTED = 2_000
MAX_WINDOW_BYTES = MAX_RETURN_BYTES - 1024
"""Largest window of one call, its header left room."""
WALK_S = 10.0
_LARGE_FILE_BYTES = 24_000
_SMALL_WINDOW_BYTES = 32_000
_NEAR = 5
_CONTINUED = range(0x80, 0xC0)


class ListArguments(Arguments):
    """Arguments of ``list_files``."""

    directory: str = Field(
        default=".", max_length=MAX_PATH_CHARS, validation_alias=also("directory", "dir", "path")
    )
    """Folder inside the project."""
    glob: str = Field(
        default="", max_length=MAX_GLOB_CHARS, validation_alias=also("glob", "pattern")
    )
    """Only files of this pattern, such as *.py or src/**/*.md."""
    max_files: int = Field(
        default=200, ge=1, le=MAX_LISTED, validation_alias=also("maxFiles", "max_files", "limit")
    )
    """Most files to list."""


class ReadArguments(Arguments):
    """Arguments of ``read_file``."""

    path: FilePath
    """File inside the project."""
    offset: int = Field(default=0, ge=0, le=2**53)
    """First byte."""
    limit: int = Field(
        default=MAX_WINDOW_BYTES,
        ge=1,
        le=2**31,
        validation_alias=also("limit", "maxBytes", "max_bytes"),
    )
    """Most bytes."""
    encoding: Literal["utf8", "utf-8"] = "utf8"
    """Only utf8."""


class ListFiles:
    """Lists files of the project.

    Parameters
    ----------
    root : Path
        The project's folder.
    """

    spec = ToolSpec(
        name="list_files",
        description="List files of the project, sorted, without ignored ones.",
        parameters=schema_of(ListArguments),
        timeout_s=WALK_S + 5,
    )

    def __init__(self, root: Path) -> None:
        self._root = root

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the folder that would be listed."""
        found = find_folder(read_arguments(ListArguments, arguments).directory, root=self._root)
        return ToolTarget.at("list_files", found.relative)

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Walk through the folder and name what fits."""
        asked = read_arguments(ListArguments, arguments)
        folder = find_folder(target.paths[0], root=self._root)
        return await in_thread(lambda halt: _list(folder, asked, halt=halt), time_s=WALK_S)


class ReadFile:
    """Reads a window of one file.

    Parameters
    ----------
    root : Path
        The project's folder.
    """

    spec = ToolSpec(
        name="read_file",
        description=(
            "Read a text file of the project, or a window of it by bytes. The first line of the "
            "reply says which window it is and where the next one starts."
        ),
        parameters=schema_of(ReadArguments),
        timeout_s=20.0,
    )

    def __init__(self, root: Path) -> None:
        self._root = root

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the file that would be read."""
        found = find_file(read_arguments(ReadArguments, arguments).path, root=self._root)
        return ToolTarget.at("read_file", found.relative)

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Read the window from the file that was checked."""
        asked = read_arguments(ReadArguments, arguments)
        found = find_file(target.paths[0], root=self._root)
        was_asked = "limit" in asked.model_fields_set
        return await in_thread(lambda _: _read(found, asked, was_asked=was_asked), time_s=20.0)


def find_file(target: str, *, root: Path) -> Located:
    """Find a file that may be read.

    Parameters
    ----------
    target : str
        Path as given.
    root : Path
        The project's folder.

    Returns
    -------
    Located
        A regular file.

    Raises
    ------
    UsageError
        If there is none, or it is refused; names near ones.
    """
    found = locate(target, root=root)
    if found is None:
        near = ", ".join(_near(target, root=root)) or "use list_files"
        raise UsageError(f"There is no file {target!r}. Near: {near}.", hint="")
    if found.is_folder:
        raise UsageError(f"{target!r} is a folder: use list_files.", hint="")
    return found


def find_folder(target: str, *, root: Path) -> Located:
    """Find a folder that may be listed.

    Parameters
    ----------
    target : str
        Path as given.
    root : Path
        The project's folder.

    Returns
    -------
    Located
        A folder.

    Raises
    ------
    UsageError
        If there is none, or it is refused.
    """
    found = locate(target or ".", root=root)
    if found is None or not found.is_folder:
        raise UsageError(f"There is no folder {target!r}. Use '.' for the project.", hint="")
    return found


def _near(target: str, *, root: Path) -> list[str]:
    folder = os.path.dirname(target)
    name = os.path.basename(target).casefold()
    try:
        if folder:
            find_folder(folder, root=root)
        names = names_near(target, root=root)
    except UsageError:
        return []
    alike = [n for n in names if name[:3] in n.casefold() and not is_secret(n.split("/"))]
    return [repr(path) for path in (alike or list(names))[:_NEAR]]


def _list(folder: Located, asked: ListArguments, *, halt: Halt) -> ToolReturn:
    walk = Walk(folder, halt)
    paths = walk.paths(asked.glob)
    found = list(islice(paths, asked.max_files))
    was_cut = next(paths, None) is not None or walk.was_cut
    lines = [*found] if found else ["No file matches."]
    if was_cut:
        lines.append(f"[cut after {len(found):,} files; name a folder or a glob]")
    return ToolReturn(text="\n".join(lines), details={"files": len(found), "cut": was_cut})


def _read(found: Located, asked: ReadArguments, *, was_asked: bool) -> ToolReturn:
    with open_located(found) as file:
        size = os.fstat(file.fileno()).st_size
        wanted = min(asked.limit, MAX_WINDOW_BYTES)
        is_raised = was_asked and size >= _LARGE_FILE_BYTES and wanted < _SMALL_WINDOW_BYTES
        limit = _SMALL_WINDOW_BYTES if is_raised else wanted
        file.seek(asked.offset)
        data = file.read(limit + 4)
    if b"\0" in data:
        raise UsageError(f"{found.relative!r} is no text: it has NUL bytes.", hint="")
    start, end = _aligned(data, limit, is_first=asked.offset == 0)
    first, last = asked.offset + start, asked.offset + end
    more = f"; next offset {last}" if last < size else ""
    text = data[start:end].decode("utf-8", "replace")
    header = f"[{found.relative}: bytes {first} to {last} of {size}{more}]"
    return ToolReturn(
        text=f"{header}\n{text}",
        details={
            "totalChars": size,
            "offset": first,
            "limit": limit,
            "requestedLimit": asked.limit,
            "limitExpanded": is_raised,
            "truncated": last < size,
            **({"nextOffset": last} if last < size else {}),
        },
    )


def _aligned(data: bytes, limit: int, *, is_first: bool) -> tuple[int, int]:
    """Return start and end of whole characters in a window of at most ``limit`` bytes."""
    start = 0
    while not is_first and start < min(3, len(data)) and data[start] in _CONTINUED:
        start += 1
    end = min(limit, len(data))
    back = 0
    while end < len(data) and end - back > start and data[end - back] in _CONTINUED and back < 3:  # noqa: PLR2004 - bytes of a character
        back += 1
    return start, max(end - back, start + 1 if end > start else end)
