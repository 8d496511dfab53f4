"""Texts of the listing subcommands: sessions, roles, Brains, models, references."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from braincode_jupyter.brain.presets import preset_ids, resolve_preset
from braincode_jupyter.brain.roles import INTERNAL_ROLES, ROLES
from braincode_jupyter.home import load_home
from braincode_jupyter.journal import list_sessions
from braincode_jupyter.models import ModelRegistry
from braincode_jupyter.notebook.tables import first_line, table
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from pathlib import Path

_ID_CHARS = 8
_PROMPT_CHARS = 40
"""A session takes one line."""
_SESSIONS = 25


def sessions_text(home: Path) -> str:
    """List the newest sessions, newest first."""
    entries = list_sessions(home, limit=_SESSIONS)
    if not entries:
        return f"No sessions yet in {home / 'sessions'}."
    rows = [
        (
            entry.session_id[:_ID_CHARS],
            _when(entry.updated_ms),
            entry.facts.detail or entry.facts.status,
            first_line(entry.facts.prompt or "", limit_chars=_PROMPT_CHARS),
        )
        for entry in entries
    ]
    return clean_text(table(rows) + "\n%braincode show ID shows one; @@ID refers to it in a cell.")


def roles_text() -> str:
    """List the roles that can be asked for."""
    rows = [
        (name, role.responsibility) for name, role in ROLES.items() if name not in INTERNAL_ROLES
    ]
    return table(rows) + "\n%%braincode --roles A,B asks exactly these; the first one answers."


def brains_text(home: Path) -> str:
    """List the Brain presets, built-in and own."""
    documents = load_home(home)
    rows: list[tuple[str, str, str]] = []
    for preset_id in preset_ids(documents.presets):
        preset = resolve_preset(preset_id, documents.presets)
        rows.append((preset_id, preset.name, preset.description))
    return clean_text(table(rows) + "\n%%braincode --brain ID plans with one.")


def models_text(home: Path) -> str:
    """List the configured models, and which of them can be used."""
    documents = load_home(home)
    models = ModelRegistry(
        models=documents.models.models, auth=documents.auth.providers, environ=os.environ
    )
    rows: list[tuple[str, str]] = []
    for model_id in models.known():
        resolution = models.resolve([model_id], thinking="", vision=False)
        refusal = next(iter(resolution.refusals), None)
        rows.append((model_id, "ready" if refusal is None else f"no: {refusal.reason}"))
    return clean_text(table(rows) + "\nA key is read from the environment or from auth.json.")


def _when(updated_ms: int) -> str:
    moment = datetime.fromtimestamp(updated_ms / 1000, tz=UTC).astimezone()
    return f"{moment:%Y-%m-%d %H:%M}"
