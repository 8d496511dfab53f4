"""Containers, estimators, functions and everything else as references.

Only exact builtin types are opened, to a bounded depth and number of items. Of a scikit-learn
estimator the parameters are read from its instance dictionary, without calling ``get_params``. Of
any other object only the name of its type is told; no method or attribute of it is touched.
"""

from __future__ import annotations

import types
from itertools import islice
from typing import TYPE_CHECKING, cast

from braincode_jupyter.references import limits
from braincode_jupyter.references.arrays import array_brief, is_array
from braincode_jupyter.references.frames import Description, frame_brief
from braincode_jupyter.references.kinds import is_defined_in, type_name
from braincode_jupyter.references.scalars import label_text, scalar_text
from braincode_jupyter.references.text import clip, clip_line, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEQUENCES = frozenset({list, tuple, set, frozenset})


def describe_value(value: object) -> Description:
    """Describe any object that is no frame and no array.

    Parameters
    ----------
    value : object
        Any object; its own code is not run.

    Returns
    -------
    Description
        Type, size, and what of it is plain.
    """
    kind = type(value)
    if kind is str:
        return _describe_text(cast("str", value))
    if kind is dict or kind in _SEQUENCES:
        return _describe_container(value)
    if is_defined_in(value, "sklearn"):
        return _describe_estimator(value)
    text = brief(value)
    if scalar_text(value, limits.NAME_CHARS) is not None:
        return Description(text=f"{type_name(value)}: {text}", label=f"{type_name(value)}, value")
    return Description(
        text=f"{text}\nObjects of this type are not looked into.", label=f"type {type_name(value)}"
    )


def brief(value: object) -> str:
    """Return a value in a few words, as an item of a container is shown."""
    plain = scalar_text(value, limits.CONTAINER_TEXT_CHARS)
    if plain is not None:
        return plain
    if is_array(value):
        return array_brief(value)
    frame = frame_brief(value)
    if frame is not None:
        return frame
    if type(value) is dict or type(value) in _SEQUENCES:
        return f"{type_name(cast('object', value))} of {len(cast('list[object]', value)):,}"
    if type(value) is types.FunctionType:
        return _function_text(value)
    return f"<{type_name(value)}>"


def outline(value: object) -> str:
    """Return type and shape of a value in a few words, and never what it holds."""
    if is_array(value):
        return array_brief(value)
    frame = frame_brief(value)
    if frame is not None:
        return frame
    if type(value) in {str, bytes, dict, *_SEQUENCES}:
        return f"{type_name(value)} of {len(cast('list[object]', value)):,}"
    return type_name(value)


def _describe_text(text: str) -> Description:
    shown, dropped = clip(text, limits.TEXT_CHARS, keep_end=True)
    return Description(
        text=f"str, {len(text):,} characters:\n{shown}",
        label=f"text, {len(text):,} characters",
        cut=f"{dropped:,} characters left out" if dropped else None,
    )


def _describe_container(value: object) -> Description:
    size = len(cast("list[object]", value))
    cuts: list[str] = []
    lines = [f"{type_name(value)} of {size:,}:"]
    try:
        lines += _item_lines(value, depth=1, cuts=cuts)
    except RuntimeError:
        lines.append("[… it was changed while it was read …]")
        cuts.append("changed while it was read")
    return Description(
        text="\n".join(lines),
        label=f"{type_name(value)} of {size:,}",
        cut="items or levels left out" if cuts else None,
    )


def _item_lines(value: object, *, depth: int, cuts: list[str]) -> list[str]:
    """Return one line per item, nested containers indented below."""
    indent = "  " * (depth - 1)
    lines: list[str] = []
    for name, item in islice(_items(value), limits.CONTAINER_ITEMS):
        lines.append(f"{indent}- {name}{brief(item)}")
        if (type(item) is dict or type(item) in _SEQUENCES) and item:
            if depth < limits.CONTAINER_DEPTH:
                lines += _item_lines(cast("object", item), depth=depth + 1, cuts=cuts)
            else:
                cuts.append("levels")
    left = len(cast("list[object]", value)) - limits.CONTAINER_ITEMS
    if left > 0:
        cuts.append("items")
        lines.append(f"{indent}- [… {left:,} more …]")
    return lines


def _items(value: object) -> Iterable[tuple[str, object]]:
    if type(value) is dict:
        pairs = cast("dict[object, object]", value).items()
        return ((f"{label_text(key)}: ", item) for key, item in pairs)
    return (("", item) for item in cast("Iterable[object]", value))


def _describe_estimator(value: object) -> Description:
    """Describe an object of scikit-learn: parameters of plain types, names of what was learned."""
    try:
        state = cast("object", object.__getattribute__(value, "__dict__"))
    except AttributeError:
        state = None
    fields = cast("dict[object, object]", state) if type(state) is dict else {}
    names = [name for name in fields if type(name) is str]
    parameters = [name for name in names if not name.startswith("_") and not name.endswith("_")]
    learned = [name for name in names if name.endswith("_") and not name.startswith("_")]
    lines = [f"scikit-learn object {type_name(value)}", "Parameters:"]
    shown = parameters[: limits.ESTIMATOR_PARAMETERS]
    lines += [f"- {clip_line(name, limits.NAME_CHARS)}: {brief(fields[name])}" for name in shown]
    if learned:
        listed = ", ".join(clip_line(name, limits.NAME_CHARS) for name in learned[:40])
        lines.append(f"Fitted; learned attributes, names only: {listed}")
    else:
        lines.append("Not fitted.")
    left = len(parameters) - len(shown)
    cut = f"{left} parameters left out" if left else None
    return Description(
        text="\n".join(lines),
        label=f"{type_name(value)}, {counted(len(shown), 'parameter')}",
        cut=cut,
    )


def _function_text(function: types.FunctionType) -> str:
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = ", ".join(label_text(name) for name in code.co_varnames[: min(count, 20)])
    return f"function {label_text(code.co_name)}({names})"
