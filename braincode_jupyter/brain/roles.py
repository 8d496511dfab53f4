"""The role catalogue: who can be asked, for what, within which limits.

The texts are data (``data/roles.json``); here is their shape and how they become a system prompt.
Roles are data only: a role has no tools and no model of its own, a Brain preset gives it a chain.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic.alias_generators import to_camel

from braincode_jupyter.brain.text import bullets
from braincode_jupyter.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REVIEW_ROLE = "review"
"""The role that reviews."""
ROUTER_ROLE = "routeBrain"
"""The role that plans."""
STATUS_ROLE = "pet"
"""The role that narrates a run for an interface."""


class Role(BaseModel):
    """What a role is, owns, may and must not do."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel)

    name: str
    """Identifier, camelCase."""
    label: str
    """Name for people."""
    identity: str
    """Who the agent is."""
    responsibility: str
    """What it owns, in one sentence; the line of the catalogue."""
    capabilities: tuple[str, ...]
    """What it can do."""
    boundaries: tuple[str, ...]
    """What it must not do."""
    output: str
    """What its answer holds."""
    working_rules: tuple[str, ...]
    """How it works."""


class _Catalogue(BaseModel):
    """The data file."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel)

    routed: tuple[str, ...]
    notebook: tuple[str, ...]
    internal: tuple[str, ...]
    roles: dict[str, Role]
    product: str
    context_contract: tuple[str, ...]
    core_directives: tuple[str, ...]

    @field_validator("roles", mode="before")
    @classmethod
    def _name(cls, roles: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
        return {name: {"name": name, **entry} for name, entry in roles.items()}


_DATA = _Catalogue.model_validate_json(
    files("braincode_jupyter.brain").joinpath("data/roles.json").read_bytes()
)

ROLES: Mapping[str, Role] = _DATA.roles
"""All roles by name: the original's fifteen, and ours for notebooks."""
ROUTED_ROLES: tuple[str, ...] = _DATA.routed
"""The original's roles that can be primary or worker, in catalogue order."""
NOTEBOOK_ROLES: tuple[str, ...] = _DATA.notebook
"""Roles that the Brain preset ``notebook`` adds."""
INTERNAL_ROLES: tuple[str, ...] = _DATA.internal
"""Roles that are never routed."""


def role_catalogue(roles: Iterable[str]) -> str:
    """Return one line per role: ``- <role> (<label>): <responsibility>``.

    Parameters
    ----------
    roles : iterable of str
        Known role names, in the order of the lines.

    Returns
    -------
    str
        Lines joined by newlines.

    Raises
    ------
    UnknownNameError
        If a name is no role.
    """
    found = map(find_role, roles)
    return "\n".join(f"- {role.name} ({role.label}): {role.responsibility}" for role in found)


def find_role(name: str) -> Role:
    """Return the role of this name.

    Parameters
    ----------
    name : str
        Role name.

    Returns
    -------
    Role
        The role.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    try:
        return ROLES[name]
    except KeyError:
        raise UnknownNameError("role", name, ROLES) from None


def role_prompt(role: str, override: str | None = None) -> str:
    """Return the system prompt of a role.

    Parameters
    ----------
    role : str
        Role name.
    override : str or None
        A configured system prompt; if it is not blank it replaces the built-in one as a whole.

    Returns
    -------
    str
        The prompt.

    Raises
    ------
    UnknownNameError
        If the name is no role.

    References
    ----------
    Braincode, system prompt assembly: identity, owned work, capabilities, boundaries, output
    contract, context contract, core directives, working rules.
    """
    found = find_role(role)
    if override is not None and override.strip():
        return override
    if role == ROUTER_ROLE:
        return _router_prompt(found)
    if role == STATUS_ROLE:
        return _status_prompt(found)
    return _agent_prompt(found)


def _agent_prompt(role: Role) -> str:
    parts = [
        _DATA.product.replace("{label}", role.label),
        f"Identity: {role.identity}",
        f"Owns: {role.responsibility}",
        bullets("You can:", role.capabilities),
        bullets("Hard boundaries:", role.boundaries),
        f"Output: {role.output}",
        bullets("Context:", _DATA.context_contract),
        bullets("## Core directives", _DATA.core_directives),
        bullets(f"## How {role.label} works", role.working_rules),
    ]
    return "\n".join(parts)


def _router_prompt(role: Role) -> str:
    parts = [
        _DATA.product.replace("{label}", role.label),
        f"Identity: {role.identity}",
        f"Your single job: {role.responsibility}",
        bullets("You can:", role.capabilities),
        bullets("Hard boundaries:", role.boundaries),
        f"Role catalogue:\n{role_catalogue([*ROUTED_ROLES, *NOTEBOOK_ROLES, *INTERNAL_ROLES])}",
        "A request may allow fewer roles than the catalogue holds; the request decides.",
        bullets("## Routing contract", role.working_rules),
    ]
    return "\n".join(parts)


def _status_prompt(role: Role) -> str:
    parts = [
        f"Identity: {role.identity}",
        f"Owns: {role.responsibility}",
        bullets("You can:", role.capabilities),
        bullets("Hard boundaries:", role.boundaries),
        f"Output: {role.output}",
        bullets("## Contract", role.working_rules),
    ]
    return "\n".join(parts)
