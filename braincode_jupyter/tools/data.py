"""Tools that look at the notebook, read-only: variables and cells that the request referenced.

``list_variables`` names the referenced variables and no others; only where the user allowed this
run more does it add names and types of the rest, and even then their content stays out of reach.
``describe_variable``, ``read_cell`` and ``search_cells`` know the referenced ones alone: anything
else does not exist for them. No expression is evaluated and no code of the user's objects is run.
Describing and rendering are passed in, as ``references`` and ``tools`` do not know each other.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.granted import (
    Granted,
    cell_key,
    one_of,
    text_argument,
    text_schema,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.ports import CellSnapshot, CellSource, VariableSource

MAX_TEXT_CHARS = 24_576
"""One answer."""
MAX_VARIABLES = 200
"""Variables that are listed."""
MAX_FOUND = 40
"""Lines that a search gives."""
_LINE_CHARS = 200
_NAME_CHARS = 200
_QUERY_CHARS = 200
_TIMEOUT_S = 20.0


class Described(Protocol):
    """Text about something."""

    @property
    def text(self) -> str:
        """The text."""
        ...


class Describe(Protocol):
    """Describes a value without running its code; `references.describe` is one."""

    def __call__(self, value: object, *, rows: bool = False) -> Described:
        """Return type, shape, schema, statistics, and the first rows if asked."""
        ...


class RenderCell(Protocol):
    """Renders a cell as text; `references.cells.render_cell` is one."""

    def __call__(
        self, cell: CellSnapshot, *, outputs_only: bool = False, vision: bool
    ) -> Described:
        """Return source and outputs, or the outputs alone."""
        ...


class DataTools:
    """Read-only views on referenced variables and cells; a `Toolset`.

    Parameters
    ----------
    variables : VariableSource or None
        None where there are none.
    cells : CellSource or None
        None where there is no notebook.
    granted : Granted
        What the request referenced.
    describe : Describe
        How a value is described.
    render_cell : RenderCell
        How a cell is rendered.
    """

    def __init__(
        self,
        variables: VariableSource | None,
        cells: CellSource | None,
        *,
        granted: Granted,
        describe: Describe,
        render_cell: RenderCell,
    ) -> None:
        self._variables, self._cells, self._granted = variables, cells, granted
        self._describe, self._render_cell = describe, render_cell

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that have something to look at."""
        specs: list[ToolSpec] = []
        if self._granted.variables or self._granted.is_open:
            specs += [_LIST, _DESCRIBE]
        if self._granted.cells or self._granted.outputs:
            specs += [_READ, _SEARCH]
        return specs

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return what a call looks at.

        Returns
        -------
        ToolTarget
            The tool and the name in it.

        Raises
        ------
        ToolRefused
            If an argument is wrong, or names what was not referenced.
        """
        match name:
            case "list_variables":
                return ToolTarget(action=name, shown=name)
            case "describe_variable":
                wanted = self._variable(arguments)
            case "read_cell":
                wanted = cell_key(self._cell(arguments))
            case "search_cells":
                wanted = text_argument(arguments, "text", limit=_QUERY_CHARS)
            case _:
                raise ToolRefused(f"There is no tool {name!r} here.")
        return ToolTarget(action=f"{name} {wanted!r}", shown=f"{name} {wanted!r}")

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Look.

        Returns
        -------
        ToolReturn
            At most `MAX_TEXT_CHARS` of text.

        Raises
        ------
        ToolRefused
            If the call is no longer what it was.
        """
        if self.target(name, arguments) != target:
            raise ToolRefused("The arguments have changed since; make the call again.")
        work: dict[str, Callable[[], str]] = {
            "list_variables": self._list,
            "describe_variable": lambda: self._describe_one(self._variable(arguments)),
            "read_cell": lambda: self._read(self._cell(arguments)),
            "search_cells": lambda: self._search(str(arguments["text"])),
        }
        text = await asyncio.to_thread(work[name])
        return ToolReturn(text=_cut(text), details={"chars": len(text)})

    async def aclose(self) -> None:
        """Do nothing: nothing was started."""

    def _variable(self, arguments: Mapping[str, JsonValue]) -> str:
        name = text_argument(arguments, "name", limit=_NAME_CHARS).strip().removeprefix("@var:")
        if name not in self._granted.variables:
            raise ToolRefused(
                f"No variable {name!r} was referenced. "
                f"Referenced: {one_of(self._granted.variables)}."
            )
        return name

    def _value(self, name: str) -> object:
        try:
            if self._variables is not None:
                return self._variables.get(name)
        except KeyError:
            pass
        raise ToolRefused(f"The variable {name!r} no longer exists; go on without it.")

    def _list(self) -> str:
        granted, source = self._granted, self._variables
        lines = [f"- {name}: {self._kind(name)}" for name in granted.variables[:MAX_VARIABLES]]
        if granted.is_open and source is not None:
            others = [name for name in source.names() if name not in granted.variables]
            lines += [
                f"- {name}: {type(source.get(name)).__name__} (not referenced: name and type only)"
                for name in others[: max(0, MAX_VARIABLES - len(lines))]
            ]
        return "\n".join(lines) or "No variable was referenced in the request."

    def _kind(self, name: str) -> str:
        try:
            return self._describe(self._value(name)).text.split("\n", 1)[0]
        except ToolRefused:
            return "no longer exists"

    def _describe_one(self, name: str) -> str:
        shown = self._describe(self._value(name), rows=name in self._granted.with_rows)
        return f"{name}: {shown.text}"

    def _known_cells(self) -> list[CellSnapshot]:
        wanted = self._granted.cells | self._granted.outputs
        cells = self._cells.cells() if self._cells is not None else ()
        return [cell for cell in cells if cell_key(cell) in wanted]

    def _cell(self, arguments: Mapping[str, JsonValue]) -> CellSnapshot:
        name = text_argument(arguments, "cell", limit=_NAME_CHARS).strip()
        name = name.removeprefix("@").removeprefix("cell:").removeprefix("out:")
        known = self._known_cells()
        for cell in known:
            if name in {cell.cell_id, cell.label, f"[{cell.execution_count}]"} - {""}:
                return cell
        names = one_of(cell.label or cell_key(cell) for cell in known)
        raise ToolRefused(f"No cell {name!r} was referenced. Referenced: {names}.")

    def _read(self, cell: CellSnapshot) -> str:
        outputs_only = cell_key(cell) not in self._granted.cells
        return self._render_cell(cell, outputs_only=outputs_only, vision=False).text

    def _search(self, wanted: str) -> str:
        found = list(self._matches(wanted.casefold()))
        if not found:
            return f"No referenced cell holds {wanted!r}. Try fewer or other words."
        more = f"\n[… {len(found) - MAX_FOUND} further lines …]" if len(found) > MAX_FOUND else ""
        return "\n".join(found[:MAX_FOUND]) + more

    def _matches(self, wanted: str) -> Iterator[str]:
        for cell in self._known_cells():
            name = cell.label or cell_key(cell)
            for number, line in enumerate(self._read(cell).splitlines(), start=1):
                if wanted in line.casefold():
                    yield f"{name}, line {number}: {line.strip()[:_LINE_CHARS]}"


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    return f"{text[:MAX_TEXT_CHARS]}\n[… {len(text) - MAX_TEXT_CHARS:,} characters cut …]"


_LIST = ToolSpec(
    name="list_variables",
    description="List the variables that the request referenced, with type and shape.",
    parameters=text_schema(),
    timeout_s=_TIMEOUT_S,
)
_DESCRIBE = ToolSpec(
    name="describe_variable",
    description="Describe one referenced variable: type, shape, schema, statistics.",
    parameters=text_schema(name="Name of the variable."),
    timeout_s=_TIMEOUT_S,
)
_READ = ToolSpec(
    name="read_cell",
    description="Read source and text outputs of one referenced cell.",
    parameters=text_schema(cell="Label or id of the cell, or its number as [3]."),
    timeout_s=_TIMEOUT_S,
)
_SEARCH = ToolSpec(
    name="search_cells",
    description="Find lines of the referenced cells that hold a text; case does not matter.",
    parameters=text_schema(text="Literal text to look for."),
    timeout_s=_TIMEOUT_S,
)
