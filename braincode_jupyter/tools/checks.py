"""``run_script``: runs the checks of a project that were chosen; for the host, never for a model.

It is a tool so that checks go through the same gate as everything that runs code: what is asked is
the exact words, one approval holds for one set of them, and the decision is on record before the
first begins. Each check is ended with everything it started when its time is used up.
"""

from __future__ import annotations

import os
import shlex
import signal
import sys
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.programs import (
    Limits,
    child_environment,
    find_program,
    run_program,
)
from braincode_jupyter.protocol.change_records import CheckResult
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.brain.checks import CheckCommand, CheckConfig, CheckSelection
    from braincode_jupyter.machine.programs import Outcome, Program

NAME = "run_script"
_STOP_S = 15.0
"""How long the end of one check may take beyond its own time."""
_PYTHON = frozenset({"python", "python3"})
_QUIET = {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1"}
"""No byte code beside the sources, and no runner that waits for changes."""


class CheckTools:
    """The checks of one change as one tool.

    Parameters
    ----------
    root : Path
        The project's folder.
    selection : CheckSelection
        What was chosen.
    config : CheckConfig
        Time and output of each.
    hide : callable
        Takes keys out of what checks write.
    """

    def __init__(
        self,
        root: Path,
        selection: CheckSelection,
        *,
        config: CheckConfig,
        hide: Callable[[str], str],
    ) -> None:
        self._root, self._selection, self._config, self._hide = root, selection, config, hide
        self.results: list[CheckResult] = []

    def specs(self) -> Sequence[ToolSpec]:
        """Return the one tool."""
        each_s = self._config.timeout_ms / 1_000 + _STOP_S
        return (
            ToolSpec(
                name=NAME,
                description="Run the checks of the project.",
                parameters={"type": "object"},
                effect="execute",
                is_sequential=True,
                timeout_s=each_s * len(self._selection.commands),
            ),
        )

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the exact words of every check."""
        del name, arguments
        commands = self._selection.commands
        alone = self._find(commands[0]) if len(commands) == 1 else None
        return ToolTarget(
            action=f"{NAME} {', '.join(one.name for one in commands)}",
            shown="\n".join([*map(_shown, commands), "folder: ."]),
            command=" && ".join(shlex.join(one.words) for one in commands),
            program=None if alone is None or alone.is_inside else str(alone.path),
            asks_because=self._selection.asks_because,
        )

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Run them, one after the other."""
        del name, arguments, target
        self.results = [await self._run(command) for command in self._selection.commands]
        told = ", ".join(f"{one.name} {one.status}" for one in self.results)
        return ToolReturn(
            text=told, details={"checks": {one.name: one.status for one in self.results}}
        )

    async def aclose(self) -> None:
        """Do nothing: no check is left running."""

    async def _run(self, command: CheckCommand) -> CheckResult:
        program = self._find(command)
        if program is None:
            return self._result(command, stderr=f"There is no program {command.words[0]!r} here.")
        try:
            outcome = await run_program(
                (str(program.path), *command.words[1:]),
                folder=self._root,
                limits=Limits(
                    time_s=self._config.timeout_ms / 1_000,
                    kept_bytes=self._config.max_output_bytes,
                ),
                environment=child_environment(_QUIET),
            )
        except UsageError as error:
            return self._result(command, stderr=error.message)
        return self._result(command, outcome)

    def _find(self, command: CheckCommand) -> Program | None:
        """Return the program; the Python that runs us stands for any ``python``."""
        word = sys.executable if command.words[0] in _PYTHON else command.words[0]
        return find_program(word, root=self._root)

    def _result(
        self, command: CheckCommand, outcome: Outcome | None = None, *, stderr: str = ""
    ) -> CheckResult:
        status = None if outcome is None else outcome.status
        return CheckResult(
            name=command.name,
            command=command.words[0],
            args=command.words[1:],
            status="passed" if status == 0 else "failed",
            exit_code=status if status is not None and status >= 0 else None,
            signal=_signal_of(status),
            duration_ms=0 if outcome is None else round(outcome.elapsed_s * 1_000),
            stdout="" if outcome is None else self._text(outcome.output),
            stderr=stderr if outcome is None else self._text(outcome.errors),
            timed_out=outcome is not None and outcome.ended == "time",
        )

    def _text(self, data: bytes) -> str:
        return self._hide(data.decode("utf-8", "replace"))


def _shown(command: CheckCommand) -> str:
    line = shlex.join(command.words)
    if command.text:
        return f"{line}\n  {command.origin} says: {command.text}"
    return line


def _signal_of(status: int | None) -> str | None:
    if status is None or status >= 0 or os.name != "posix":
        return None
    try:
        return signal.Signals(-status).name
    except ValueError:
        return str(-status)
