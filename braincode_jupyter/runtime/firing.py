"""Which point of a run an order to fire hooks means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.hooks import stop, subagent_start, subagent_stop

if TYPE_CHECKING:
    from braincode_jupyter.brain.effects import FireHooks
    from braincode_jupyter.hooks import HookPoint


def point_of(effect: FireHooks) -> HookPoint:
    """Return the hook point of an order.

    Parameters
    ----------
    effect : FireHooks
        The order.

    Returns
    -------
    HookPoint
        With what its hooks are told.
    """
    match effect.event:
        case "SubagentStart":
            return subagent_start(effect.role, agent_id=effect.context_id)
        case "SubagentStop":
            return subagent_stop(effect.role, agent_id=effect.context_id, last_message=effect.text)
        case _:
            return stop(effect.text)
