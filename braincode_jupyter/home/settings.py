"""``settings.json``: mode, default Brain, switches. Migrations happen in memory alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import read_object
from braincode_jupyter.home.paths import SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user set, or the defaults."""

    mode: Literal["auto", "radical"] = "auto"
    default_brain_id: str = "brain"
    are_hooks_on: bool = True
    is_dynamic_dispatch_on: bool = True
    raw: Mapping[str, JsonValue] = field(default_factory=dict["str", "JsonValue"])
    """The whole document, unknown keys included."""


def read_settings(home: Path) -> Settings:
    """Read the settings.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    Settings
        Defaults where the file is missing, blank or silent.

    Raises
    ------
    ConfigurationError
        If the file is broken, or a value that we use is none of the possible ones.
    """
    path = home / SETTINGS
    raw = read_object(path) or {}
    mode = raw.get("mode", "auto")
    if mode not in ("auto", "radical"):
        raise ConfigurationError(
            f"'mode' in {str(path)!r} is {mode!r}.", hint='Use "auto" or "radical".'
        )
    brain_id = raw.get("defaultBrainId", "brain")
    if not isinstance(brain_id, str) or not brain_id.strip():
        raise ConfigurationError(
            f"'defaultBrainId' in {str(path)!r} is {brain_id!r}.", hint="Use the id of a Brain."
        )
    brain_id = "brain" if brain_id.strip() == "default" else brain_id.strip()
    features = raw.get("features")
    switches = features if isinstance(features, Mapping) else {}
    return Settings(
        mode=mode,
        default_brain_id=brain_id,
        are_hooks_on=switches.get("hooks") is not False,
        is_dynamic_dispatch_on=switches.get("dynamicDispatch") is not False,
        raw=raw,
    )
