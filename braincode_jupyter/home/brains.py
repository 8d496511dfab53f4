"""``brains.json``: the user's Brain presets as they stand, older ones brought up in memory.

Presets stay raw JSON objects here; inheritance and defaults are decided in `brain`. Stored prompts
that the original would un-pin are kept: harmless, and the original does it itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import read_object
from braincode_jupyter.home.paths import BRAINS

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

_GONE_ROLES: Final = frozenset({"coding", "fastReply", "research"})
_IMAGE_MAKER: Final[Mapping[str, JsonValue]] = {
    "modelId": "openai/gpt-image-2",
    "thinkingLevel": "off",
}


def read_presets(home: Path) -> tuple[Mapping[str, JsonValue], ...]:
    """Read the Brain presets of the user.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    tuple of mapping
        Raw presets in file order; empty when the built-in ones are to be used.

    Raises
    ------
    ConfigurationError
        If the file is broken, or holds no list of objects under ``brains``.
    """
    path = home / BRAINS
    document = read_object(path)
    if document is None:
        return ()
    presets = document.get("brains")
    if not isinstance(presets, list):
        raise ConfigurationError(
            f"{str(path)!r} has no list under 'brains'.", hint='Write {"brains": [ … ]}.'
        )
    return tuple(_brought_up(preset, path, index) for index, preset in enumerate(presets))


def _brought_up(preset: JsonValue, path: Path, index: int) -> Mapping[str, JsonValue]:
    if not isinstance(preset, Mapping) or not isinstance(preset.get("id"), str):
        raise ConfigurationError(
            f"Brain number {index + 1} in {str(path)!r} is no object with an 'id'.",
            hint="Give each Brain an id, or remove it from the list.",
        )
    changed = dict(preset)
    for key in ("id", "extends"):
        if changed.get(key) == "default":
            changed[key] = "brain"
    if changed.get("name") == "Default Brain":
        changed["name"] = "Brain"
    roles = changed.get("roles")
    if isinstance(roles, Mapping):
        changed["roles"] = _roles(roles)
    return changed


def _roles(roles: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    kept = {name: policy for name, policy in roles.items() if name not in _GONE_ROLES}
    source = roles.get("summarize", roles.get("rush"))
    if "pet" not in kept and isinstance(source, Mapping):
        policy = {key: value for key, value in source.items() if key != "systemPrompt"}
        kept["pet"] = policy | {"thinkingLevel": "minimal"}
    if "imageMaker" not in kept:
        kept["imageMaker"] = dict(_IMAGE_MAKER)
    return kept
