"""What of the notebook a run may look at: the variables and cells that its request referenced.

Nothing that was not referenced reaches a model. So the tools on data get their names from here and
not from the notebook, and a worker cannot learn even the name of another variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from braincode_jupyter.protocol.tools import ToolRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from braincode_jupyter.protocol.ports import CellSnapshot, VariableSource
    from braincode_jupyter.protocol.run_records import ReferenceUsed

_ROWS = "!rows"
_LISTED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What was referenced.

    Parameters
    ----------
    variables : tuple of str
        Names, in order of reference.
    with_rows : frozenset of str
        Those of them whose first rows may be shown.
    cells : frozenset of str
        Cells, by what their reference resolved to: id, else label, else execution count.
    outputs : frozenset of str
        Cells whose outputs alone may be shown.
    is_open : bool
        The user allowed this run to see names and types of all variables, besides.
    """

    variables: tuple[str, ...] = ()
    with_rows: frozenset[str] = frozenset()
    cells: frozenset[str] = frozenset()
    outputs: frozenset[str] = frozenset()
    is_open: bool = False

    def values(self, source: VariableSource | None) -> dict[str, object]:
        """Return the referenced variables that still exist, as they are."""
        found: dict[str, object] = {}
        for name in self.variables if source is not None else ():
            try:
                found[name] = source.get(name) if source is not None else None
            except KeyError:
                continue
        return found


def granted_by(references: Iterable[ReferenceUsed], *, is_open: bool = False) -> Granted:
    """Return what the resolved references of a request grant.

    Parameters
    ----------
    references : iterable of ReferenceUsed
        The journal's records of them.
    is_open : bool
        Names and types of all variables may be listed.

    Returns
    -------
    Granted
        References that gave nothing grant nothing.
    """
    used = [reference for reference in references if reference.state != "missing"]
    variables = [(_target(item), item.token) for item in used if item.kind == "variable"]
    return Granted(
        variables=tuple(dict.fromkeys(name for name, _ in variables)),
        with_rows=frozenset(name for name, token in variables if token.endswith(_ROWS)),
        cells=frozenset(_target(item) for item in used if item.kind == "cell"),
        outputs=frozenset(_target(item) for item in used if item.kind == "output"),
        is_open=is_open,
    )


def cell_key(cell: CellSnapshot) -> str:
    """Return what a reference to this cell resolves to."""
    return str(cell.cell_id or cell.label or cell.execution_count)


def text_argument(arguments: Mapping[str, JsonValue], name: str, *, limit: int) -> str:
    """Return an argument that must be text.

    Parameters
    ----------
    arguments : mapping
        Of the call, as the model gave them.
    name : str
        Which one.
    limit : int
        Greatest length; characters.

    Returns
    -------
    str
        Not blank.

    Raises
    ------
    ToolRefused
        If it is missing, no text, blank or too long.
    """
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ToolRefused(f"The argument {name!r} is missing: give it as text.")
    if len(value) > limit:
        raise ToolRefused(
            f"The argument {name!r} has {len(value):,} characters (limit {limit:,}); shorten it."
        )
    return value


def text_schema(**properties: str) -> dict[str, JsonValue]:
    """Return a JSON schema of required texts, from their descriptions."""
    described = {
        name: {"type": "string", "description": words} for name, words in properties.items()
    }
    return {
        "type": "object",
        "properties": cast("JsonValue", described),
        "required": list[JsonValue](properties),
        "additionalProperties": False,
    }


def one_of(names: Iterable[str]) -> str:
    """Return a list of names for a hint."""
    known = list(names)
    more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
    return f"{', '.join(known[:_LISTED])}{more}" or "none"


def _target(reference: ReferenceUsed) -> str:
    return reference.uri.partition(":")[2]
