"""Where things are under the home folder, and making what is missing.

Only `ensure_home` creates anything, and only a run that is about to write a session calls it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import create_json

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

SETTINGS: Final = "settings.json"
AUTH: Final = "auth.json"
BRAINS: Final = "brains.json"
MODELS: Final = "models.json"
TOOLS: Final = "tools.json"
HOOKS: Final = "hooks.json"
MCP: Final = "mcp.json"
AGENTS: Final = "AGENTS.md"
SKILLS: Final = "skills"

FOLDER_MODE: Final = 0o700

_FOLDERS: Final = ("sessions", "logs", "cache")
# Brains, models and tools are left out: each program has built-in ones for a missing file, and the
# original writes its own full defaults only where none is.
_DEFAULTS: Final[dict[str, JsonValue]] = {
    SETTINGS: {
        "version": 1,
        "mode": "auto",
        "configServer": {"host": "127.0.0.1", "port": 14580},
        "defaultBrainId": "brain",
        "features": {"hooks": True, "dynamicDispatch": True},
    },
    AUTH: {"providers": {}},
    HOOKS: {"hooks": {}},
}


def ensure_home(home: Path) -> tuple[str, ...]:
    """Make the folders and the default files that are missing.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    tuple of str
        Notices for the user: permissions that were tightened.

    Raises
    ------
    ConfigurationError
        If something cannot be made, or the folder is another user's.
    """
    notices: list[str] = []
    try:
        home.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        _refuse_foreign(home)
        notices += _tightened(home)
        for name in _FOLDERS:
            (home / name).mkdir(mode=FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {str(home)!r} cannot be used: {error.strerror}.",
            hint="Check its permissions, and that no file is in its place.",
        ) from error
    for name, value in _DEFAULTS.items():
        create_json(home / name, value)
    return tuple(notices)


def _refuse_foreign(folder: Path) -> None:
    """Raise if the folder is somebody else's, who could read and change what is put there."""
    if sys.platform != "win32" and folder.stat().st_uid != os.geteuid():
        raise ConfigurationError(
            f"The folder {str(folder)!r} belongs to another user.",
            hint="Use a home folder of your own.",
        )


def _tightened(folder: Path) -> list[str]:
    """Close a folder of ours to others; somebody else's is left alone."""
    if sys.platform == "win32" or not folder.stat().st_mode & 0o077:
        return []
    before = stat.S_IMODE(folder.stat().st_mode)
    with contextlib.suppress(PermissionError):
        folder.chmod(FOLDER_MODE)
        return [f"{folder} was open to others (mode {before:o}) and is now yours alone."]
    return []
