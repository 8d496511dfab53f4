"""Lines of the original's journals that our stricter types do not take as they are.

The original stores whole model entries and its own plan fields, so one odd field would make a whole
line opaque. `salvage` leaves out what does not fit and reads the rest.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

from pydantic import TypeAdapter, ValidationError

from braincode_jupyter.protocol.records import OpaqueRecord, RecordUnion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from braincode_jupyter.protocol.records import AnyRecord

MAX_ROUNDS = 6
"""How often a line is read again after something was left out of it."""
MAX_FAULTS = 200
"""Faults of one line beyond which it stays opaque."""
_KNOWN = frozenset(
    {
        "run_start",
        "context_plan",
        "todo_plan",
        "todo_update",
        "clarification_request",
        "agent_message",
        "worker_start",
        "worker_end",
        "worker_error",
        "token_usage",
        "review_decision",
        "final_report",
        "run_end",
        "run_error",
    }
)


@lru_cache(maxsize=1)
def _adapter() -> TypeAdapter[RecordUnion]:
    # Made on first use: it takes a quarter of a second, and few sessions need it.
    return TypeAdapter(RecordUnion)


def salvage(record: OpaqueRecord) -> AnyRecord:
    """Return a typed record made of what fits, or ``record`` itself.

    Parameters
    ----------
    record : OpaqueRecord
        A line that could not be read.

    Returns
    -------
    AnyRecord
        Typed, if its type is one of the original's and its required fields are sound.
    """
    if record.type not in _KNOWN:
        return record
    line = _with_options(record.data)
    for _ in range(MAX_ROUNDS):
        try:
            return _adapter().validate_python(line)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
        if len(faults) > MAX_FAULTS:
            return record
        places = sorted({_place(fault["type"], fault["loc"]) for fault in faults}, key=_depth)
        if () in places:
            return record
        for place in places:
            _drop(line, place)
    return record


def _with_options(data: Mapping[str, JsonValue]) -> object:
    """Return a copy of a line; which Brain ran is kept, should its plan be lost."""
    line = {key: _copied(value) for key, value in data.items()}
    plan = data.get("plan")
    if isinstance(plan, dict) and data.get("options") is None:
        brain = plan.get("brain")
        brain_id = brain.get("id") if isinstance(brain, dict) else None
        if isinstance(brain_id, str):
            mode = "radical" if plan.get("mode") == "radical" else "auto"
            line["options"] = {"mode": mode, "brainId": brain_id}
    return line


def _place(kind: str, location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return what to leave out: the value, or what holds it if the value is missing."""
    inside = location[1:]
    return inside[:-1] if kind == "missing" else inside


def _depth(place: tuple[int | str, ...]) -> tuple[int, list[str]]:
    """Sort deep places first, and late list items before early ones."""
    return -len(place), [f"{9_999_999 - p:07d}" if isinstance(p, int) else p for p in place]


def _drop(line: object, place: tuple[int | str, ...]) -> None:
    """Leave out one value."""
    holder = line
    for step in place[:-1]:
        if isinstance(holder, dict):
            holder = cast("dict[int | str, object]", holder).get(step)
        elif isinstance(holder, list) and isinstance(step, int):
            items = cast("list[object]", holder)
            holder = items[step] if step < len(items) else None
    last = place[-1]
    if isinstance(holder, dict):
        cast("dict[int | str, object]", holder).pop(last, None)
    elif isinstance(holder, list) and isinstance(last, int):
        items = cast("list[object]", holder)
        del items[last : last + 1]


def _copied(value: object) -> object:
    """Copy lists and objects, so that nothing of the record is changed."""
    if isinstance(value, dict):
        items = cast("Mapping[str, object]", value).items()
        return {key: _copied(item) for key, item in items}
    if isinstance(value, list):
        return [_copied(item) for item in cast("list[object]", value)]
    return value
