"""``exec_command`` and ``shell``: run a program, by its words or through one known shell.

``exec_command`` runs exactly the words that were read, without a shell; what would need one is
refused. ``shell`` hands its text as it is to ``/bin/sh -c``, which reads no profile; Windows has no
shell that reads text as the rules do, so there it is not offered. Both get no input and no keys,
and are ended with everything they started when time or output is used up.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pydantic import Field

from braincode_jupyter.brain.command_words import MAX_COMMAND_CHARS, read_command
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.programs import (
    Limits,
    Outcome,
    child_environment,
    find_program,
    run_program,
)
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arguments import (
    MAX_PATH_CHARS,
    Arguments,
    also,
    read_arguments,
    schema_of,
)
from braincode_jupyter.tools.files import find_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.machine.paths import Located

MAX_MS = 120_000
"""Longest that a command may run; milliseconds (security, section 15)."""
DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES = 32_000, 48_000
"""Of each of the two streams; both together fit into one return."""
_STOP_S = 15.0
_SHELL = "/bin/sh"
HAS_SHELL = os.name == "posix"
"""Whether there is a shell that reads text as the rules do."""
_WINDOWS_SCRIPTS = (".bat", ".cmd")


class CommandArguments(Arguments):
    """Arguments of ``exec_command`` and ``shell``."""

    cmd: str = Field(
        min_length=1, max_length=MAX_COMMAND_CHARS, validation_alias=also("cmd", "command")
    )
    """Command line."""
    workdir: str = Field(
        default=".", max_length=MAX_PATH_CHARS, validation_alias=also("workdir", "cwd")
    )
    """Folder inside the project."""
    timeout_ms: int = Field(
        default=MAX_MS,
        ge=1_000,
        le=MAX_MS,
        validation_alias=also("timeoutMs", "timeout_ms", "timeout"),
    )
    """Milliseconds until it is ended."""
    max_output_bytes: int = Field(
        default=DEFAULT_OUTPUT_BYTES,
        ge=1_000,
        le=MAX_OUTPUT_BYTES,
        validation_alias=also("maxOutputBytes", "max_output_bytes"),
    )
    """End of the output that is given back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What would be run, exactly."""

    words: tuple[str, ...]
    folder: Located
    text: str
    program: str
    is_inside: bool
    asked: CommandArguments


_Planner: TypeAlias = "Callable[[CommandArguments, Located], _Plan]"


class Command:
    """A tool that runs what it was given, as its way of reading the command line says.

    Parameters
    ----------
    root : Path
        The project's folder.
    name : str
        Name of the tool.
    description : str
        For the model.
    plan : callable
        Makes of checked arguments and a folder what would be run; raises `UsageError`.
    """

    def __init__(self, root: Path, *, name: str, description: str, plan: _Planner) -> None:
        self.spec = ToolSpec(
            name=name,
            description=description,
            parameters=schema_of(CommandArguments),
            effect="execute",
            is_sequential=True,
            timeout_s=MAX_MS / 1_000 + _STOP_S,
        )
        self._root = root
        self._planned = plan

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the command line, the program that was found for it, and the folder."""
        return _target(self.spec.name, self._plan(arguments))

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Run it."""
        return await _run(self._plan(arguments), target)

    def _plan(self, arguments: Mapping[str, JsonValue]) -> _Plan:
        asked = read_arguments(CommandArguments, arguments)
        return self._planned(asked, find_folder(asked.workdir, root=self._root))


def exec_command(root: Path) -> Command:
    """Return the tool that runs one program by its words.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    Command
        Without a shell.
    """
    return Command(
        root,
        name="exec_command",
        description=(
            "Run one program with its arguments, without a shell: no pipes, redirections, "
            "variables or wildcards. Input is closed."
        ),
        plan=_plan_words,
    )


def shell(root: Path) -> Command:
    """Return the tool that runs a text through the one known shell.

    Parameters
    ----------
    root : Path
        The project's folder.

    Returns
    -------
    Command
        For systems that have that shell.
    """
    return Command(
        root,
        name="shell",
        description=(
            "Run a command line through /bin/sh. Input is closed. Prefer exec_command where it is "
            "enough."
        ),
        plan=_plan_text,
    )


def _plan_words(asked: CommandArguments, folder: Located) -> _Plan:
    read = read_command(asked.cmd)
    if read.words is None:
        raise UsageError(
            f"That needs a shell ({read.not_simple}): give one program and its arguments, "
            "quoted where needed, or use the tool shell if you have it.",
            hint="",
        )
    found = find_program(read.words[0], root=folder.root, folder=folder.path)
    if found is None:
        raise UsageError(f"There is no program {read.words[0]!r} here.", hint="")
    if not HAS_SHELL and found.path.suffix.casefold() in _WINDOWS_SCRIPTS:
        raise UsageError("Windows runs scripts by its shell; name a program.", hint="")
    return _Plan(
        words=(str(found.path), *read.words[1:]),
        folder=folder,
        text=asked.cmd,
        program=str(found.path),
        is_inside=found.is_inside,
        asked=asked,
    )


def _plan_text(asked: CommandArguments, folder: Located) -> _Plan:
    if "\0" in asked.cmd:
        raise UsageError("The command has a NUL character.", hint="")
    words = read_command(asked.cmd).words
    found = None
    if words is not None:
        found = find_program(words[0], root=folder.root, folder=folder.path)
    return _Plan(
        words=(_SHELL, "-c", asked.cmd),
        folder=folder,
        text=asked.cmd,
        program="" if found is None else str(found.path),
        is_inside=found is None or found.is_inside,
        asked=asked,
    )


def _target(name: str, plan: _Plan) -> ToolTarget:
    place = plan.folder.relative
    program = f"program: {plan.program}" if plan.program else ""
    note = " (inside the project)" if plan.program and plan.is_inside else ""
    shown = "\n".join(filter(None, [plan.text, f"folder: {place}", program + note]))
    return ToolTarget(
        action=f"{name} in {place}",
        shown=shown,
        command=plan.text,
        program=None if plan.is_inside else plan.program,
    )


async def _run(plan: _Plan, target: ToolTarget) -> ToolReturn:
    outcome = await run_program(
        plan.words,
        folder=plan.folder.path,
        limits=Limits(
            time_s=plan.asked.timeout_ms / 1_000, kept_bytes=plan.asked.max_output_bytes // 2
        ),
        environment=child_environment(),
    )
    return ToolReturn(
        text=_told(outcome, plan.asked),
        is_error=outcome.ended != "itself",
        details={
            "exitCode": outcome.status,
            "ended": outcome.ended,
            "elapsedMs": round(outcome.elapsed_s * 1_000),
            "cutBytes": outcome.cut_bytes,
            "program": target.program,
        },
    )


def _told(outcome: Outcome, asked: CommandArguments) -> str:
    ends = {
        "itself": f"exit status {outcome.status}",
        "time": f"ended after {asked.timeout_ms / 1_000:g} s, with all that it had started",
        "output": "ended because it wrote too much",
    }
    cut = f"; the first {outcome.cut_bytes:,} bytes were left out" if outcome.cut_bytes else ""
    parts = [f"[{ends[outcome.ended]}{cut}]", outcome.output.decode("utf-8", "replace").rstrip()]
    if outcome.errors:
        parts += ["[errors]", outcome.errors.decode("utf-8", "replace").rstrip()]
    return "\n".join(part for part in parts if part)
