"""``search_files``: paths or contents of the project that hold what is asked for.

Where ripgrep is installed outside the project, contents are searched by it for a regular
expression, without a configuration file, with the expression after ``--regexp=`` so that it is
never an option, and with a time limit. Without it, or without a hit, the text is looked for
letter by letter; a regular expression of a model is never run by Python's own engine, which has no
time limit. Either way only files that a reference could read are shown.

References
----------
ripgrep, ``rg --help``: ``--no-config``, ``--regexp``, ``--pre`` (off unless asked for).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from braincode_jupyter.brain.globs import MAX_GLOB_CHARS
from braincode_jupyter.brain.text import visible
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.machine.paths import Located, is_secret, locate, open_located
from braincode_jupyter.machine.programs import (
    Limits,
    Outcome,
    child_environment,
    find_program,
    run_program,
)
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arguments import Arguments, also, read_arguments, schema_of
from braincode_jupyter.tools.files import find_folder
from braincode_jupyter.tools.group import Halt, in_thread
from braincode_jupyter.tools.walking import IGNORED_FOLDERS, Walk

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

MAX_RESULTS = 1_000
MAX_QUERY_CHARS = 1_000
MAX_FILE_BYTES = 512_000
"""Larger files are skipped and counted."""
MAX_LINE_CHARS = 500
MAX_PATHS_LOOKED_AT = 5_000
SEARCH_S = 20.0
_RIPGREP_S = 10.0
_RIPGREP_BYTES = 4 * 1024 * 1024
_NO_HIT, _HIT = 1, 0


class SearchArguments(Arguments):
    """Arguments of ``search_files``."""

    query: str = Field(
        default="",
        max_length=MAX_QUERY_CHARS,
        validation_alias=also("query", "pattern", "text"),
    )
    """What to look for; empty lists paths."""
    mode: Literal["content", "path"] = "content"
    """content: a regular expression, or plain text; path: part of a path."""
    glob: str = Field(default="", max_length=MAX_GLOB_CHARS)
    """Only files of this pattern, such as *.py."""
    max_results: int = Field(
        default=100,
        ge=1,
        le=MAX_RESULTS,
        validation_alias=also("maxResults", "max_results", "limit"),
    )
    """Most hits."""


@dataclass(slots=True, kw_only=True)
class _Found:
    """Hits, and what was left out."""

    lines: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    skipped: int = 0
    was_cut: bool = False


class SearchFiles:
    """Searches the project.

    Parameters
    ----------
    root : Path
        The project's folder.
    """

    spec = ToolSpec(
        name="search_files",
        description=(
            "Search the project's files. mode content finds lines (file:line:text) by regular "
            "expression or plain text; mode path finds paths by a part of them."
        ),
        parameters=schema_of(SearchArguments),
        timeout_s=SEARCH_S + _RIPGREP_S + 5,
    )

    def __init__(self, root: Path) -> None:
        self._root = root

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return what would be looked for."""
        asked = read_arguments(SearchArguments, arguments)
        shown = f"{asked.query} in {asked.glob or 'all files'}"
        return ToolTarget(action="search_files", shown=shown, paths=(".",))

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Search by ripgrep where it can be used, else letter by letter."""
        asked = read_arguments(SearchArguments, arguments)
        folder = find_folder(".", root=self._root)
        if asked.mode == "path" or not asked.query:
            found = await in_thread(lambda halt: _paths(folder, asked, halt=halt), time_s=SEARCH_S)
            return _given(found, asked)
        found = await self._by_ripgrep(folder, asked)
        if not found.lines:
            plain = await in_thread(
                lambda halt: _literal(folder, asked, halt=halt), time_s=SEARCH_S
            )
            plain.notes += found.notes
            found = plain
        return _given(found, asked)

    async def _by_ripgrep(self, folder: Located, asked: SearchArguments) -> _Found:
        program = find_program("rg", root=folder.root)
        if program is None or program.is_inside:
            return _Found(notes=["ripgrep is not installed: searched for plain text"])
        outcome = await run_program(
            [str(program.path), *_ripgrep_arguments(asked)],
            folder=folder.path,
            limits=Limits(time_s=_RIPGREP_S, kept_bytes=_RIPGREP_BYTES),
            environment=child_environment(),
            is_guarded=False,
        )
        return _from_ripgrep(outcome, folder=folder, asked=asked)


def _ripgrep_arguments(asked: SearchArguments) -> Sequence[str]:
    ignored = [f"--glob=!**/{name}/**" for name in sorted(IGNORED_FOLDERS)]
    chosen = [f"--glob={asked.glob}"] if asked.glob else []
    return (
        "--no-config",
        "--no-messages",
        "--no-follow",
        "--no-require-git",
        "--hidden",
        "--line-number",
        "--with-filename",
        "--no-heading",
        "--null",
        "--color=never",
        "--sort=path",
        f"--max-columns={MAX_LINE_CHARS}",
        "--max-columns-preview",
        f"--max-count={asked.max_results}",
        f"--max-filesize={MAX_FILE_BYTES}",
        *chosen,
        *ignored,
        f"--regexp={asked.query}",
        "--",
        ".",
    )


def _from_ripgrep(outcome: Outcome, *, folder: Located, asked: SearchArguments) -> _Found:
    found = _Found()
    if outcome.ended != "itself":
        found.notes.append("the regular expression took too long: searched for plain text")
        return found
    if outcome.status not in (_HIT, _NO_HIT):
        reason = visible(outcome.errors.decode("utf-8", "replace").strip().split("\n")[-1])[:200]
        found.notes.append(f"no regular expression ({reason}): searched for plain text")
        return found
    allowed: dict[str, bool] = {}
    for line in outcome.output.decode("utf-8", "replace").splitlines():
        path, _, hit = line.partition("\0")
        name = path.removeprefix("./").replace("\\", "/")
        if name not in allowed:
            allowed[name] = bool(hit) and _may_show(name, folder.root)
        if not allowed[name]:
            continue
        if len(found.lines) == asked.max_results:
            found.was_cut = True
            break
        found.lines.append(f"{name}:{hit}")
    return found


def _may_show(name: str, root: Path) -> bool:
    try:
        located = locate(name, root=root)
    except UnresolvedReferenceError:
        return False
    return located is not None and not located.is_folder


def _paths(folder: Located, asked: SearchArguments, *, halt: Halt) -> _Found:
    found, walk, wanted = _Found(), Walk(folder, halt), asked.query.casefold()
    for count, path in enumerate(walk.paths(asked.glob)):
        if count == MAX_PATHS_LOOKED_AT or len(found.lines) == asked.max_results:
            found.was_cut = True
            break
        if wanted in path.casefold():
            found.lines.append(path)
    found.was_cut = found.was_cut or walk.was_cut
    return found


def _literal(folder: Located, asked: SearchArguments, *, halt: Halt) -> _Found:
    found, walk = _Found(), Walk(folder, halt)
    for path in walk.paths(asked.glob):
        if halt.is_due() or len(found.lines) >= asked.max_results:
            found.was_cut = True
            break
        content = None if is_secret(path.split("/")) else _content(path, folder.root)
        if content is None:
            found.skipped += 1
        elif asked.query in content:
            found.lines += _hits(path, content, asked.query)
    found.was_cut = found.was_cut or walk.was_cut or len(found.lines) > asked.max_results
    del found.lines[asked.max_results :]
    return found


def _content(path: str, root: Path) -> str | None:
    """Return the text of a file; None if it is too large, binary or refused."""
    try:
        located = locate(path, root=root)
        if located is None or located.is_folder:
            return None
        with open_located(located) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (UnresolvedReferenceError, OSError):
        return None
    if len(data) > MAX_FILE_BYTES or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")


def _hits(path: str, content: str, query: str) -> list[str]:
    lines = content.split("\n")
    found = [(number, line) for number, line in enumerate(lines, 1) if query in line]
    if not found:  # the text goes over several lines
        number = content[: content.find(query)].count("\n") + 1
        found = [(number, lines[number - 1])]
    return [f"{path}:{number}:{line.rstrip()[:MAX_LINE_CHARS]}" for number, line in found]


def _given(found: _Found, asked: SearchArguments) -> ToolReturn:
    lines = list(found.lines) or ["Nothing was found."]
    if found.was_cut:
        lines.append(f"[cut after {len(found.lines):,} of at most {asked.max_results:,} hits]")
    lines += [f"[{note}]" for note in found.notes]
    return ToolReturn(
        text="\n".join(lines),
        details={
            "hits": len(found.lines),
            "skippedFiles": found.skipped,
            "cut": found.was_cut,
        },
    )
