"""What is installed, configured and reachable, in words; shared by the magic and the command.

Of a key only the name of its place is told, never any part (security R71). A local server that is
found is offered, not used.
"""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from braincode_jupyter.errors import BraincodeError, ConfigurationError
from braincode_jupyter.home import load_home
from braincode_jupyter.journal import list_sessions
from braincode_jupyter.models.weights import WEIGHTS, installed
from braincode_jupyter.notebook.shell import version_note
from braincode_jupyter.notebook.tables import table
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable

LOCAL_SERVERS = (
    ("Ollama", "http://127.0.0.1:11434/v1/models"),
    ("LM Studio", "http://127.0.0.1:1234/v1/models"),
)
"""Usual addresses of model servers on this machine."""
PROBE_TIMEOUT_S = 0.7
"""How long a local server may take to answer."""
MAX_LIST_BYTES = 256 * 1024
"""Longest list of models that is read."""
LABEXTENSION = "braincode-jupyter-labextension"

_PACKAGES = (
    "braincode_jupyter",
    "ipython",
    "ipykernel",
    "jupyterlab",
    "notebook",
    "ipywidgets",
    "anywidget",
    "pydantic-ai-slim",
    "xllamacpp",
)
_MAX_MODELS = 5


def doctor_text(home: Path, *, has_kernel: bool, probe: Callable[[str], list[str] | None]) -> str:
    """Examine this installation.

    Parameters
    ----------
    home : Path
        The home folder; nothing is created in it.
    has_kernel : bool
        The question comes from a kernel, whose version counts then.
    probe : callable
        Asks a local address for its models; None if nothing answers there.

    Returns
    -------
    str
        Plain text; a section for versions, models, local servers, weights, front end and home.
    """
    sections = (
        ("Versions", _versions(has_kernel)),
        ("Keys", _keys(home)),
        ("Local servers", _servers(probe)),
        ("Embedded model", _weights()),
        ("JupyterLab extension", _labextension()),
        ("Home folder", _home(home)),
    )
    return clean_text("\n".join(f"{title}\n{text}" for title, text in sections))


def probe_server(url: str) -> list[str] | None:
    """Ask a model server on this machine for the names of its models.

    Parameters
    ----------
    url : str
        Address of its list.

    Returns
    -------
    list of str or None
        At most a few names; None if nothing answers as such a server does.
    """
    import httpx  # noqa: PLC0415 - loaded when it is needed

    try:
        with (
            httpx.Client(timeout=PROBE_TIMEOUT_S, trust_env=False) as client,
            client.stream("GET", url) as answer,
        ):
            answer.raise_for_status()
            text = next(answer.iter_bytes(MAX_LIST_BYTES), b"")
            listed = _ModelList.model_validate_json(text)
    except (httpx.HTTPError, ValueError):
        return None
    return [model.id for model in listed.data[:_MAX_MODELS]]


class _ListedModel(BaseModel):
    id: str


class _ModelList(BaseModel):
    """What a server of the usual kind says under ``/v1/models``."""

    data: list[_ListedModel]


def _versions(has_kernel: bool) -> str:  # noqa: FBT001 - a fact, not a mode
    rows = [("Python", platform.python_version()), *((name, _version(name)) for name in _PACKAGES)]
    note = version_note(has_kernel=has_kernel, version_of=_version)
    return table(rows, indent="  ") + (f"\n  ! {note}" if note else "\n  All new enough.")


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _keys(home: Path) -> str:
    from braincode_jupyter.models import ModelRegistry  # noqa: PLC0415 - loaded when it is needed

    try:
        documents = load_home(home)
        models = ModelRegistry(
            models=documents.models.models, auth=documents.auth.providers, environ=os.environ
        )
    except ConfigurationError as error:
        return f"  ! {error.message} {error.hint}"
    found = [status for status in models.status() if status.key not in {"missing", "not needed"}]
    missing = [status for status in models.status() if status.key == "missing"]
    rows = [(status.provider, f"found in {status.key}: {status.detail}") for status in found]
    lines = [table(rows, indent="  ")] if rows else ["  None found."]
    if missing:
        lines.append(f"  Not configured: {', '.join(status.provider for status in missing)}.")
    if not rows:
        lines.append(
            "  Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_API_KEY before Jupyter starts."
        )
    return "\n".join(lines)


def _servers(probe: Callable[[str], list[str] | None]) -> str:
    lines: list[str] = []
    for name, url in LOCAL_SERVERS:
        models = probe(url)
        if models is None:
            lines.append(f"  {name}: no answer at {url.removesuffix('/models')}")
        else:
            listed = ", ".join(models) or "no model loaded"
            lines.append(f"  {name}: answers ({listed}); not used unless models.json names it")
    return "\n".join(lines)


def _weights() -> str:
    lines: list[str] = []
    if _version("xllamacpp") == "not installed":
        lines.append("  Not available: pip install 'braincode_jupyter[local]' brings it.")
    try:
        path = installed()
    except ConfigurationError as error:
        return f"  ! {error.message} {error.hint}"
    names = [name for name in WEIGHTS if installed(name, {}) is not None]
    if names:
        lines.append(f"  Weights installed: {', '.join(names)}.")
    if path is None:
        lines.append("  No weights installed: %braincode local install fetches them.")
    else:
        lines.append(f"  Used: {path.name}.")
    return "\n".join(lines)


def _labextension() -> str:
    try:
        from jupyter_core.paths import jupyter_path  # noqa: PLC0415 - optional
    except ImportError:
        return "  No Jupyter in this environment."
    if not any((Path(folder) / LABEXTENSION).is_dir() for folder in jupyter_path("labextensions")):
        return "  Not found: JupyterLab shows saved cards as plain HTML."
    return "  Installed; after a first install reload the page."


def _home(home: Path) -> str:
    if not home.is_dir():
        return f"  {home} does not exist yet; the first run makes it."
    try:
        count = len(list_sessions(home, limit=1_000))
        documents = load_home(home)
    except BraincodeError as error:
        return f"  ! {error.message} {error.hint}"
    except OSError as error:
        return f"  ! {home} cannot be read: {error.strerror}."
    lines = [f"  {home}: {count:,} session{'' if count == 1 else 's'}, settings in order."]
    lines += [f"  ! {notice}" for notice in documents.notices]
    return "\n".join(lines)
