"""Variables of the user as references, looked up by plain name; nothing is ever evaluated."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

from braincode_jupyter.brain.grammar import format_reference
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.references import limits
from braincode_jupyter.references.arrays import describe_array
from braincode_jupyter.references.content import Content
from braincode_jupyter.references.frames import Description, describe_frame
from braincode_jupyter.references.kinds import type_name
from braincode_jupyter.references.text import clip, near_hint
from braincode_jupyter.references.values import describe_value

if TYPE_CHECKING:
    from braincode_jupyter.brain.grammar import Reference
    from braincode_jupyter.protocol.ports import VariableSource

_ROWS = "rows"


def resolve_variable(reference: Reference, *, source: VariableSource | None) -> Content:
    """Return a snapshot of the variable that a reference names.

    Parameters
    ----------
    reference : Reference
        Of kind ``variable``.
    source : VariableSource or None
        None where there are no variables.

    Returns
    -------
    Content
        At most `limits.MAX_SNAPSHOT_CHARS` of text.

    Raises
    ------
    UnresolvedReferenceError
        If there is no such variable, the name is no plain name, or the option is unknown.
    """
    name = reference.target
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UnresolvedReferenceError(
            f"{reference.token} does not name a variable: {name!r} is no plain name.",
            hint="Expressions are not evaluated; give the value a name first: x = …, then @var:x.",
        )
    if reference.option not in {"", _ROWS}:
        raise UnresolvedReferenceError(
            f"{reference.token} has the unknown option {reference.option!r}.",
            hint=f"Did you mean @var:{name}!{_ROWS}? It adds the first rows.",
        )
    value = _look_up(reference, source)
    description = describe(value, rows=reference.option == _ROWS)
    text, dropped = clip(f"{name}: {description.text}", limits.MAX_SNAPSHOT_CHARS)
    cuts = [description.cut] if description.cut else []
    if dropped:
        cuts.append(f"{dropped:,} characters left out")
    return Content(
        kind="variable",
        uri=f"var:{name}",
        label=description.label,
        text=text,
        cut="; ".join(cuts) or None,
    )


def describe(value: object, *, rows: bool = False) -> Description:
    """Describe any object without running code of its own.

    Parameters
    ----------
    value : object
        Any object.
    rows : bool
        Add the first rows or values of frames and arrays.

    Returns
    -------
    Description
        Type, shape, schema, statistics; the type name alone for unknown types.
    """
    try:
        found = describe_frame(value, rows=rows) or describe_array(value, rows=rows)
        return found or describe_value(value)
    except Exception as error:  # a broken frame must not end the run
        name = type_name(value)
        return Description(
            text=f"{name}\nIt could not be described ({type(error).__name__}).",
            label=f"type {name}",
            cut="it could not be described",
        )


def _look_up(reference: Reference, source: VariableSource | None) -> object:
    if source is None:
        raise UnresolvedReferenceError(
            f"{reference.token} points at a variable, but there is no notebook here.",
            hint="Use it in a notebook cell, or name a file.",
        )
    try:
        return source.get(reference.target)
    except KeyError:
        tokens = (format_reference("variable", name) for name in source.names())
        raise UnresolvedReferenceError(
            f"There is no variable {reference.token}.",
            hint=near_hint(f"@var:{reference.target}", (token for token in tokens if token))
            or "Run the cell that makes it first.",
        ) from None
