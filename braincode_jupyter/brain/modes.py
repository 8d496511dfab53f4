"""The two modes and the caps that they give a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from braincode_jupyter.brain.presets import BrainPreset

Mode = Literal["auto", "radical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeLimits:
    """Caps of one run.

    Parameters
    ----------
    strategy : str
        ``focused`` or ``expansive``.
    description : str
        What the mode means, for people and for the router.
    asks_before_risk : bool
        Whether risky actions need an explicit approval.
    max_todos : int
        Todos of a plan.
    configured_max_parallel_agents : int
        As the Brain preset says.
    max_parallel_agents : int
        Workers that run at once.
    max_worker_agents : int
        Workers, primary included; a reviewer added by policy comes on top.
    asked_max_workers : int or None
        The user's own cap; it also binds plans of the heuristics.
    max_fix_iterations : int
        Rounds of mending after a review.
    max_dynamic_dispatches : int
        Specialists that the primary may call.
    """

    strategy: str
    description: str
    asks_before_risk: bool
    max_todos: int
    configured_max_parallel_agents: int
    max_parallel_agents: int
    max_worker_agents: int
    asked_max_workers: int | None = None
    max_fix_iterations: int
    max_dynamic_dispatches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Policy:
    strategy: str
    description: str
    asks_before_risk: bool
    max_todos: int
    min_agents: int
    max_fix_iterations: int
    max_dynamic_dispatches: int


_POLICIES: dict[Mode, _Policy] = {
    "auto": _Policy(
        strategy="focused",
        description="Auto: the smallest set of roles that serves the request; risky actions ask.",
        asks_before_risk=True,
        max_todos=6,
        min_agents=1,
        max_fix_iterations=1,
        max_dynamic_dispatches=2,
    ),
    "radical": _Policy(
        strategy="expansive",
        description="Radical: many independent specialists at once; risky actions do not ask.",
        asks_before_risk=False,
        max_todos=8,
        min_agents=4,
        max_fix_iterations=2,
        max_dynamic_dispatches=4,
    ),
}


def limits_for(mode: Mode, preset: BrainPreset, *, max_workers: int | None = None) -> ModeLimits:
    """Return the caps of a run.

    Parameters
    ----------
    mode : {"auto", "radical"}
        The mode.
    preset : BrainPreset
        The Brain; its ``routing.max_parallel_agents`` is raised to the mode's minimum.
    max_workers : int or None
        The user's cap on workers, primary included, >= 1. It stands in for what preset and mode
        say: both the number of workers and how many run at once.

    Returns
    -------
    ModeLimits
        The caps.

    References
    ----------
    Braincode, modes and effective limits.
    """
    policy = _POLICIES[mode]
    configured = preset.routing.max_parallel_agents
    agents = max(configured, policy.min_agents) if max_workers is None else max(1, max_workers)
    return ModeLimits(
        strategy=policy.strategy,
        description=policy.description,
        asks_before_risk=policy.asks_before_risk,
        max_todos=policy.max_todos,
        configured_max_parallel_agents=configured,
        max_parallel_agents=agents,
        max_worker_agents=agents,
        asked_max_workers=None if max_workers is None else agents,
        max_fix_iterations=policy.max_fix_iterations,
        max_dynamic_dispatches=policy.max_dynamic_dispatches,
    )
