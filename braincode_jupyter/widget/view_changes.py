"""What changed between two views, as a message: agents one by one, plots and tables once.

Other fields are sent whole. Views share what did not change, so identity settles most comparisons;
only what is new is turned into JSON. This keeps the bytes of a run in proportion to its content: 64
workers are not sent again because one of them went on.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from pydantic.alias_generators import to_camel

from braincode_jupyter.views.run_view import RunView

if TYPE_CHECKING:
    from braincode_jupyter.protocol.packet import Packet
    from braincode_jupyter.views.run_view import AgentView

Patch = dict[str, object]
GROWING = ("plots", "tables")
"""Fields of which only what is new is sent."""
_FIELDS = {name: field.alias or to_camel(name) for name, field in RunView.model_fields.items()}


def changes_between(before: RunView, after: RunView) -> Patch | None:
    """Return the patch that turns ``before`` into ``after``, or None when they are equal.

    Parameters
    ----------
    before, after : RunView
        What the browser has, and what it shall have.

    Returns
    -------
    dict or None
        ``set`` holds changed fields by their wire names, ``unset`` names of fields that are now
        absent, ``agents`` pairs of position and agent, ``plots`` and ``tables`` a position and
        what follows from there on.
    """
    if before is after:
        return None
    changed = {name for name in _FIELDS if _differs(getattr(before, name), getattr(after, name))}
    patch: Patch = {}
    if "agents" in changed and _is_same_cast(before.agents, after.agents):
        changed.discard("agents")
        patch["agents"] = [
            [index, agent.to_wire()]
            for index, agent in enumerate(after.agents)
            if _differs(before.agents[index], agent)
        ]
    for name in changed.intersection(GROWING):
        known: tuple[Packet, ...] = getattr(before, name)
        made: tuple[Packet, ...] = getattr(after, name)
        if _only_grew(known, made):
            changed.discard(name)
            patch[name] = [len(known), [one.to_wire() for one in made[len(known) :]]]
    gone = sorted(name for name in changed if getattr(after, name) is None)
    if gone:
        patch["unset"] = [_FIELDS[name] for name in gone]
    if present := changed.difference(gone):
        patch["set"] = after.model_dump(
            mode="json", by_alias=True, exclude_none=True, include=present
        )
    return patch or None


def _differs(before: object, after: object) -> bool:
    return before is not after and before != after


def _only_grew(before: tuple[Packet, ...], after: tuple[Packet, ...]) -> bool:
    return len(before) <= len(after) and all(map(operator.is_, before, after))


def _is_same_cast(before: tuple[AgentView, ...], after: tuple[AgentView, ...]) -> bool:
    return [agent.context_id for agent in before] == [agent.context_id for agent in after]
