"""The home folder ``~/.braincode`` and the support files of a project.

Owns every file there but the sessions: settings, Brain presets, model entries, keys, and the
AGENTS.md, skills, MCP server names, hooks and checks of user and project. The files are shared
with the original program and stay in its formats.

Invariants
    Reading writes nothing and creates nothing; older documents are brought up in memory alone.
    Files are read strictly, with limits on size and depth, and an error names file, line and
    column. A write replaces the whole file at once and keeps what it does not know. Keys are in no
    text that we make. Whatever a project's files say, nothing outside its folder is read for it,
    and nothing of it runs.

Imports ``brain``, ``machine``, ``protocol`` and ``errors``; of the rest of the world the file
system alone.
"""

from __future__ import annotations

from braincode_jupyter.home.auth import Auth, ProviderAuth, read_auth
from braincode_jupyter.home.brains import read_presets
from braincode_jupyter.home.documents import Home, load_home
from braincode_jupyter.home.json_files import read_json, update_json, write_json
from braincode_jupyter.home.models_file import ModelsFile, read_models
from braincode_jupyter.home.paths import ensure_home
from braincode_jupyter.home.settings import Settings, read_settings
from braincode_jupyter.home.support import ProjectSupport, SupportPiece, load_support

__all__ = [
    "Auth",
    "Home",
    "ModelsFile",
    "ProjectSupport",
    "ProviderAuth",
    "Settings",
    "SupportPiece",
    "ensure_home",
    "load_home",
    "load_support",
    "read_auth",
    "read_json",
    "read_models",
    "read_presets",
    "read_settings",
    "update_json",
    "write_json",
]
