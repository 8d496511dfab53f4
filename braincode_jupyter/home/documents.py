"""All documents of the home folder in one reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.home.auth import Auth, read_auth
from braincode_jupyter.home.brains import read_presets
from braincode_jupyter.home.models_file import ModelsFile, read_models
from braincode_jupyter.home.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """What the user configured."""

    path: Path
    settings: Settings
    presets: tuple[Mapping[str, JsonValue], ...]
    """Raw Brain presets; empty: the built-in ones."""
    models: ModelsFile
    """Raw model entries; empty: the built-in ones."""
    auth: Auth
    notices: tuple[str, ...] = ()
    """What the user should know: permissions that were tightened."""


def load_home(home: Path) -> Home:
    """Read settings, Brains, models and keys.

    Parameters
    ----------
    home : Path
        The home folder; a missing one gives the defaults.

    Returns
    -------
    Home
        Nothing was created or changed but the permissions of a key file open to others.

    Raises
    ------
    ConfigurationError
        If a file is broken; names file, line and column.
    """
    auth = read_auth(home)
    return Home(
        path=home,
        settings=read_settings(home),
        presets=read_presets(home),
        models=read_models(home),
        auth=auth,
        notices=auth.notices,
    )
