"""The tool ``run_python``: code of a worker in a scratch kernel of its own.

The kernel is taken from the pool at the first call, filled with copies of the referenced variables,
and closed with the worker. It is an *execute* tool: the exact code is what a person approves. A
kernel that had to be killed is replaced at the next call, with fresh copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.protocol.tools import (
    Artifact,
    ToolRefused,
    ToolReturn,
    ToolSpec,
    ToolTarget,
)
from braincode_jupyter.tools.granted import Granted, one_of, text_argument, text_schema
from braincode_jupyter.tools.scratch import ScratchLimits
from braincode_jupyter.tools.tables import table_artifact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.ports import VariableSource
    from braincode_jupyter.tools.scratch import ScratchKernel, ScratchRun
    from braincode_jupyter.tools.scratch_output import ScratchOutput
    from braincode_jupyter.tools.scratch_pool import ScratchPool
    from braincode_jupyter.tools.transfer import Copies

MAX_CODE_CHARS = 65_536
"""Code of one call."""
MAX_TEXT_CHARS = 65_536
"""Text of one answer to the model."""
_SHOWN_SHARE = 2
"""Values of last lines may take one part in so many; what is printed gets the rest."""
_DESCRIPTION = (
    "Run plain Python (no magics, no `!`, no input) in a scratch kernel of your own. It holds "
    "copies of the referenced variables: {names}. What you define stays for your next call; "
    "nothing reaches the user's notebook. End with an expression, or print. The user is shown "
    "matplotlib plots, and data frames that end your code, under their variable's name. Limit: "
    "{seconds:g} s a call. Files that you write are deleted."
)


class PythonTools:
    """The tool ``run_python``; a `Toolset`.

    Parameters
    ----------
    pool : ScratchPool
        Where its kernel comes from; not closed here.
    variables : VariableSource or None
        None where there are none.
    granted : Granted
        What the request referenced.
    owner : str
        Context id of the worker, part of the uris of its plots and tables.
    limits : ScratchLimits or None
        Those of the pool, for the description.
    """

    def __init__(
        self,
        pool: ScratchPool,
        variables: VariableSource | None,
        *,
        granted: Granted,
        owner: str,
        limits: ScratchLimits | None = None,
    ) -> None:
        self._pool, self._variables, self._granted = pool, variables, granted
        self._owner, self._limits = owner, limits or ScratchLimits()
        self._kernel: ScratchKernel | None = None
        self._plots = self._tables = 0
        self._was_lost = self._is_closed = False

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tool."""
        description = _DESCRIPTION.format(
            names=one_of(self._granted.variables), seconds=self._limits.run_s
        )
        return (
            ToolSpec(
                name="run_python",
                description=description,
                parameters=text_schema(code="Plain Python."),
                effect="execute",
                is_sequential=True,
                timeout_s=2 * self._limits.start_s + self._limits.run_s + 30.0,
            ),
        )

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the exact code that would run.

        Returns
        -------
        ToolTarget
            With the code as it is.

        Raises
        ------
        ToolRefused
            If it is no text or too long.
        """
        if name != "run_python":
            raise ToolRefused(f"There is no tool {name!r} here.")
        code = text_argument(arguments, "code", limit=MAX_CODE_CHARS)
        return ToolTarget(action="run_python in a scratch kernel", shown=code)

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Run the code.

        Returns
        -------
        ToolReturn
            Value, printed text and error; plots and tables as artifacts.

        Raises
        ------
        ToolRefused
            If the code is no longer what it was, or the worker is over.
        """
        if self.target(name, arguments) != target:
            raise ToolRefused("The code has changed since it was allowed; make the call again.")
        if self._is_closed:
            raise ToolRefused("This worker is over; nothing is run for it any more.")
        notes: list[str] = []
        try:
            kernel = await self._running(notes)
        except BraincodeError as error:
            return ToolReturn(text=f"{error} Go on without run_python.", is_error=True)
        run = await kernel.run(target.shown)
        if run.ending in {"killed", "died"}:
            self._kernel, self._was_lost = None, True
            await kernel.aclose()
        return self._answer(kernel, run, notes)

    async def aclose(self) -> None:
        """End the kernel with everything that it started; a second call does nothing."""
        self._is_closed = True
        kernel, self._kernel = self._kernel, None
        if kernel is not None:
            await kernel.aclose()

    async def _running(self, notes: list[str]) -> ScratchKernel:
        """Return the kernel of this worker, with its variables; take one if there is none."""
        if self._kernel is not None and self._kernel.is_alive:
            return self._kernel
        kernel = await self._pool.acquire()
        try:
            copies = await kernel.load(self._granted.values(self._variables))
        except BaseException:
            await kernel.aclose()
            raise
        if self._is_closed:  # while it was loading
            await kernel.aclose()
        self._kernel = kernel
        if self._was_lost:
            notes.append("A fresh kernel was started: define again what you had defined.")
        notes += _copy_notes(copies, self._granted)
        return kernel

    def _answer(self, kernel: ScratchKernel, run: ScratchRun, notes: list[str]) -> ToolReturn:
        output = run.output
        artifacts = self._artifacts(output)
        told = [*notes, *_output_notes(run)]
        if artifacts:
            told.append(f"Shown to the user: {', '.join(item.label for item in artifacts)}.")
        parts = [_values(run), *(f"Note: {note}" for note in told)]
        text = "\n".join(part for part in parts if part)
        return ToolReturn(
            text=text or "It ran and printed nothing. End with an expression to see its value.",
            is_error=bool(output.error) or run.ending != "finished",
            artifacts=tuple(artifacts),
            details={
                "ending": run.ending,
                "isolation": kernel.isolation,
                "memory": kernel.memory,
                "duration_s": round(run.duration_s, 3),
                "plots": len(output.pictures),
                "tables": len(output.tables),
                "chars": len(output.shown) + len(output.printed),
            },
        )

    def _artifacts(self, output: ScratchOutput) -> list[Artifact]:
        place = f"scratch:{self._owner}"
        made = [
            Artifact(uri=f"{place}/plot-{number}", label=f"plot {number}", image=image)
            for number, image in enumerate(output.pictures, start=self._plots + 1)
        ]
        self._plots += len(made)
        for name, table in output.tables:
            self._tables += 0 if name else 1
            fallback = f"table {self._tables}"
            made.append(table_artifact(table, name, place=place, fallback=fallback))
        return made


def _values(run: ScratchRun) -> str:
    """Return value, printed text and error within the limit, the value first."""
    output = run.output
    hint = _syntax_hint(output.error)
    error = f"{output.error}\n{hint}".strip()
    room = MAX_TEXT_CHARS - len(error)
    shown = _cut(output.shown, room // _SHOWN_SHARE)
    printed = _cut(output.printed, room - len(shown))
    if shown and printed:
        printed = f"Printed:\n{printed}"
    return "\n".join(part for part in (shown, printed.rstrip("\n"), error) if part)


def _syntax_hint(error: str) -> str:
    if not error.startswith("SyntaxError"):
        return ""
    return "Only plain Python runs here: magics and ! are off."


def _output_notes(run: ScratchRun) -> list[str]:
    output = run.output
    notes = {
        "interrupted": f"It was interrupted after {run.duration_s:.0f} s; variables are kept. "
        "Make it faster, or work on a sample.",
        "killed": f"The kernel was stopped after {run.duration_s:.0f} s, as it did not end or "
        "flooded its output. Its variables are lost; the next call starts a fresh one.",
        "died": "The kernel ended, perhaps for want of memory. Its variables are lost; the next "
        "call starts a fresh one. Work on fewer columns or rows.",
    }
    told = [notes[run.ending]] if run.ending in notes else []
    if output.dropped_chars:
        told.append(f"{output.dropped_chars:,} characters of output were dropped; print less.")
    if output.dropped_pictures:
        told.append(f"{output.dropped_pictures} pictures were dropped; make fewer or smaller ones.")
    return told


def _copy_notes(copies: Copies, granted: Granted) -> list[str]:
    notes = [f"{name}: {why}." for name, why in copies.notes.items()]
    known = {*copies.names, *copies.notes}
    return notes + [f"{name}: no longer exists." for name in granted.variables if name not in known]


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = max(0, limit - 80) // 2
    return (
        f"{text[:half]}\n[… {len(text) - 2 * half:,} characters cut …]\n{text[len(text) - half :]}"
    )
