"""Brain presets: which model chain each role has, and how the Brain routes.

The built-in presets are data (``data/presets.json``): ``brain`` is the original's, ``notebook``
extends it for data work and is the default in notebooks, ``local`` runs on the embedded model.
Presets of the user's ``brains.json`` come first and may extend any of them.

Known trade-off: what a person set for a role in their own ``brain`` is kept by the built-in
``notebook`` too. The original's rule would put the built-in chain over it, and a request would go
to a provider that the person had turned away from.
"""

from __future__ import annotations

import math
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

from pydantic import BeforeValidator, JsonValue, TypeAdapter, ValidationError

from braincode_jupyter.brain.roles import NOTEBOOK_ROLES, ROLES
from braincode_jupyter.errors import ConfigurationError, UnknownNameError
from braincode_jupyter.protocol.packet import Packet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_NOTEBOOK_PRESET = "notebook"
"""Preset that a notebook uses unless told otherwise."""
MAX_AGENTS = 64
"""Upper bound of any number of workers."""

_SHOWN_CHARS = 40
_REQUIRED_KEYS = ("name", "description", "planner", "roles", "routing", "context")
_LOOK_ALIKES = {"analyst": "backend", "statistician": "oracle", "visualizer": "frontend"}
"""Whose chain a notebook role takes where the user's own ``brain`` changed that one."""

ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]


def _whole_count(value: object) -> object:
    """Return a count: floored; whatever is no finite number above zero counts as one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 1
    if not math.isfinite(value) or value <= 0:
        return 1
    return min(math.floor(value), MAX_AGENTS)


class ModelPolicy(Packet):
    """The chain of one role."""

    model_id: str = ""
    """First model, ``provider/modelId``; empty means not configured."""
    fallback_model_ids: tuple[str, ...] = ()
    """Further models, in order."""
    thinking_level: ThinkingLevel = "off"
    """Reasoning effort that is asked for."""
    system_prompt: str | None = None
    """If it is not blank it replaces the built-in role prompt."""

    @property
    def chain(self) -> tuple[str, ...]:
        """All models in order, without blanks and duplicates."""
        ids = (model_id.strip() for model_id in (self.model_id, *self.fallback_model_ids))
        return tuple(dict.fromkeys(model_id for model_id in ids if model_id))


class Routing(Packet):
    """How the Brain routes."""

    max_parallel_agents: Annotated[int, BeforeValidator(_whole_count)] = 2
    """Workers at once, before the mode's minimum."""
    prefer_cheap_model_for_simple_tasks: bool = True
    """Kept for the original; nothing reads it."""
    escalate_on_uncertainty: bool = True
    """Kept for the original; nothing reads it."""
    require_review_for_file_edits: bool = True
    """Whether words of editing ask for a review."""
    router: Literal["model", "heuristic"] = "model"
    """``heuristic`` never asks a router model; ours."""
    review: Literal["auto", "never"] = "auto"
    """``never`` reviews only when the user asks for it; ours."""


DEFAULT_INPUT_TOKENS: Final = 120_000
"""Input of one call, where the Brain says nothing usable."""


class ContextPolicy(Packet):
    """Limits of what a role reads."""

    max_input_tokens: int = DEFAULT_INPUT_TOKENS
    """Input of one call."""
    compaction: str = "auto"
    """``auto``, ``aggressive``; anything else shortens only what the model could not take."""
    isolation: str = "strict"
    """Kept for the original; isolation is always strict here."""

    @property
    def soft_input_tokens(self) -> int | None:
        """From how many tokens on a conversation is shortened; None: only when the model needs it.

        The shares are those of the original: all of the limit, or 70 % of it.
        """
        limit = self.max_input_tokens if self.max_input_tokens > 0 else DEFAULT_INPUT_TOKENS
        match self.compaction:
            case "auto":
                return limit
            case "aggressive":
                return limit * 7 // 10
            case _:
                return None


class BrainPreset(Packet):
    """A Brain with all inheritance resolved."""

    id: str
    """Preset id."""
    extends: str | None = None
    """Parent that it was made from."""
    name: str
    """Name for people."""
    description: str
    """What it is for."""
    planner: ModelPolicy
    """Chain of the router."""
    roles: dict[str, ModelPolicy]
    """Chain of each role."""
    routing: Routing
    """How it routes."""
    context: ContextPolicy
    """Limits of what a role reads."""

    @property
    def has_data_roles(self) -> bool:
        """Whether data work has roles of its own here."""
        return "analyst" in self.roles


Raw = dict[str, JsonValue]

BUILT_IN_PRESETS: tuple[Mapping[str, JsonValue], ...] = tuple(
    TypeAdapter(list[Raw]).validate_json(
        files("braincode_jupyter.brain").joinpath("data/presets.json").read_bytes()
    )
)
"""``brain``, ``notebook`` and ``local``, as they would stand in ``brains.json``."""


def preset_ids(presets: Sequence[Mapping[str, JsonValue]]) -> tuple[str, ...]:
    """Return the ids that can be chosen, the built-in ones first.

    Parameters
    ----------
    presets : sequence of mapping
        The user's presets.

    Returns
    -------
    tuple of str
        Ids without duplicates.
    """
    return tuple(_table(presets))


def resolve_preset(preset_id: str, presets: Sequence[Mapping[str, JsonValue]]) -> BrainPreset:
    """Return a preset with everything that it inherits.

    Parameters
    ----------
    preset_id : str
        Id of a preset of the user, or of a built-in one.
    presets : sequence of mapping
        The presets of ``brains.json``; they win over built-in ones of the same id.

    Returns
    -------
    BrainPreset
        The resolved preset.

    Raises
    ------
    UnknownNameError
        If no preset has this id.
    ConfigurationError
        If a parent is unknown, presets extend each other in a circle, a preset without parent
        lacks a part, or a value has the wrong type.

    References
    ----------
    Braincode, preset inheritance.
    """
    table = _table(presets)
    if preset_id not in table:
        raise UnknownNameError("Brain preset", preset_id, table)
    raw = _resolve(preset_id, table, stack=())
    try:
        return BrainPreset.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(
            f"Brain preset {preset_id!r} has a value that does not fit at {where!r}.",
            hint=f"{first['msg']}; mend it in brains.json.",
        ) from None


def unknown_roles(
    preset: BrainPreset, presets: Sequence[Mapping[str, JsonValue]]
) -> tuple[str, ...]:
    """Return a sentence for each role that a preset of the user names and does not have.

    Parameters
    ----------
    preset : BrainPreset
        The resolved preset.
    presets : sequence of mapping
        The presets of ``brains.json``.

    Returns
    -------
    tuple of str
        What is wrong with the name, and what to write.
    """
    raw = next((one for one in presets if one.get("id") == preset.id), None)
    if raw is None:
        return ()
    return tuple(
        f"Brain {preset.id!r} in brains.json: {_wrong_role(role, preset)}"
        for role in _object(raw.get("roles"))
        if role not in ROLES or role not in preset.roles
    )


def _wrong_role(role: str, preset: BrainPreset) -> str:
    if role in ROLES:
        return f"it has no role {role!r}; a Brain that extends 'notebook' has all of them."
    error = UnknownNameError("role", role[:_SHOWN_CHARS], ROLES)
    return f"{error.message} {error.hint}"


def policy_for(preset: BrainPreset, role: str) -> ModelPolicy:
    """Return the chain of a role, or of ``rush`` where the preset has none for it.

    Parameters
    ----------
    preset : BrainPreset
        The Brain.
    role : str
        Role name.

    Returns
    -------
    ModelPolicy
        The chain; empty if the preset has neither.
    """
    return preset.roles.get(role) or preset.roles.get("rush") or ModelPolicy()


def router_policy(preset: BrainPreset) -> ModelPolicy:
    """Return the chain of the router: the planner's, else that of ``routeBrain``.

    Parameters
    ----------
    preset : BrainPreset
        The Brain.

    Returns
    -------
    ModelPolicy
        The chain.
    """
    return preset.planner if preset.planner.chain else policy_for(preset, "routeBrain")


def _table(presets: Sequence[Mapping[str, JsonValue]]) -> dict[str, Mapping[str, JsonValue]]:
    table = {str(preset["id"]): preset for preset in BUILT_IN_PRESETS}
    seen: set[str] = set()
    for preset in presets:
        name = preset.get("id")
        if isinstance(name, str) and name not in seen:
            seen.add(name)
            table[name] = preset
    return table


def _resolve(
    preset_id: str, table: Mapping[str, Mapping[str, JsonValue]], *, stack: tuple[str, ...]
) -> Raw:
    child = table[preset_id]
    parent_id = _parent_of(child)
    if parent_id is None:
        return _root(preset_id, child)
    if preset_id in stack:
        raise ConfigurationError(
            f"Brain presets extend each other in a circle: {' > '.join((*stack, preset_id))}.",
            hint="Let one of them stand alone or extend 'brain'.",
        )
    if parent_id not in table:
        raise ConfigurationError(
            f"Brain preset {preset_id!r} extends {parent_id!r}, which does not exist.",
            hint=f"Known presets: {', '.join(table)}.",
        )
    parent = _resolve(parent_id, table, stack=(*stack, preset_id))
    if child in BUILT_IN_PRESETS:
        return _extend_built_in(child, parent)
    return _merge(child, parent)


def _parent_of(preset: Mapping[str, JsonValue]) -> str | None:
    parent = preset.get("extends")
    return parent.strip() or None if isinstance(parent, str) else None


def _root(preset_id: str, preset: Mapping[str, JsonValue]) -> Raw:
    missing = [key for key in _REQUIRED_KEYS if not preset.get(key)]
    if missing:
        raise ConfigurationError(
            f"Brain preset {preset_id!r} extends nothing and lacks {', '.join(missing)}.",
            hint="Add what is missing, or let it extend 'brain'.",
        )
    return dict(preset)


def _merge(child: Mapping[str, JsonValue], parent: Raw) -> Raw:
    merged = {**parent, **child}
    for key in ("name", "description"):
        merged[key] = child.get(key) or parent[key]
    for key in ("planner", "routing", "context"):
        merged[key] = _shallow(child.get(key), parent[key])
    own, inherited = _object(child.get("roles")), _object(parent["roles"])
    merged["roles"] = {role: _shallow(own.get(role), inherited[role]) for role in inherited}
    return merged


def _extend_built_in(child: Mapping[str, JsonValue], parent: Raw) -> Raw:
    """Merge one of our own presets, which may add roles, over what its parent became."""
    merged = _merge(child, parent)
    own, inherited = _object(child.get("roles")), _object(parent["roles"])
    roles = {**_object(merged["roles"]), **{r: own[r] for r in own if r not in inherited}}
    if child["id"] == DEFAULT_NOTEBOOK_PRESET:
        standard = _object(BUILT_IN_PRESETS[0]["roles"])
        changed = {r for r in inherited if r in standard and _differ(inherited[r], standard[r])}
        roles |= {r: inherited[r] for r in changed}
        roles |= {
            r: inherited[_LOOK_ALIKES[r]] for r in NOTEBOOK_ROLES if _LOOK_ALIKES[r] in changed
        }
        if _differ(parent["planner"], BUILT_IN_PRESETS[0]["planner"]):
            merged["planner"] = parent["planner"]
    return {**merged, "roles": roles}


def _differ(one: JsonValue, other: JsonValue) -> bool:
    """Tell whether two policies differ in more than keys that say nothing."""
    left, right = (
        {k: v for k, v in _object(policy).items() if v not in (None, "", [])}
        for policy in (one, other)
    )
    return left != right


def _shallow(child: JsonValue, parent: JsonValue) -> JsonValue:
    """Lay the keys of an object over another; a value that is no object is kept for validation."""
    if child is None:
        return parent
    if not isinstance(child, dict) or not isinstance(parent, dict):
        return child
    return {**parent, **child}


def _object(value: JsonValue) -> Raw:
    return value if isinstance(value, dict) else cast("Raw", {})
