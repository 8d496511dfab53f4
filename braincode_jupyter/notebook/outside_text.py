"""Texts of the subcommands on what runs beside models: MCP servers, hooks, skills.

Files are read and nothing is started. Values of variables and headers are never shown.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from braincode_jupyter.home import load_home, load_support
from braincode_jupyter.home.hooks_file import read_hooks
from braincode_jupyter.home.mcp_file import read_mcp_servers
from braincode_jupyter.home.support import MAX_SKILLS_SHOWN
from braincode_jupyter.home.trust import read_approvals
from braincode_jupyter.models import known_secrets
from braincode_jupyter.notebook.tables import first_line, table
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from braincode_jupyter.home import Home
    from braincode_jupyter.protocol.outside import HookHandler, McpServerEntry

_COMMAND_CHARS = 300
_USER_SKILL = "user-skill:"
_PROJECT_SKILL = "skill:"
_TRUST = "%braincode trust shows what the project asks for, and approves it."


def mcp_text(home: Path, root: Path) -> str:
    """List the MCP servers of user and project.

    Parameters
    ----------
    home : Path
        The home folder.
    root : Path
        The project.

    Returns
    -------
    str
        One row each: whose, which, whether it would be started, and what.
    """
    documents = load_home(home)
    found = read_mcp_servers(
        home, root, approvals=read_approvals(home), api_keys=documents.auth.providers
    )
    rows = [
        (f"{server.scope}:{server.name}", f"trusted: starts with a run ({_server(server)})")
        for server in found.servers
    ]
    rows += [(f"{one.scope}:{one.name}", f"inert: {one.reason}") for one in found.skipped]
    return _listing(
        rows,
        found.notices,
        nothing="No MCP servers: neither ~/.braincode/mcp.json nor .mcp.json of the project names "
        "one.",
        hint=_TRUST,
        redact=_redactor(documents),
    )


def hooks_text(home: Path, root: Path) -> str:
    """List the hooks of user and project.

    Parameters
    ----------
    home : Path
        The home folder.
    root : Path
        The project.

    Returns
    -------
    str
        One row each: whose, when, whether it would run, and its command.

    Raises
    ------
    ConfigurationError
        If a file is broken.
    """
    documents = load_home(home)
    handlers = read_hooks(home, root, approvals=read_approvals(home))
    is_off = not documents.settings.are_hooks_on
    return _listing(
        [(f"{one.scope}:{one.event}", _hook(one)) for one in handlers],
        ("Hooks are switched off in settings.json: none runs.",) if is_off else (),
        nothing="No hooks: neither ~/.braincode/hooks.json nor .agents/hooks.json of the project "
        "names one.",
        hint=_TRUST,
        redact=_redactor(documents),
    )


def skills_text(home: Path, root: Path) -> str:
    """List the skills of user and project.

    Parameters
    ----------
    home : Path
        The home folder.
    root : Path
        The project.

    Returns
    -------
    str
        One row each: whose, which, whether agents are told of it, and where it is.
    """
    support = load_support(home, root)
    rows: list[tuple[str, str]] = []
    for prefix, scope in ((_PROJECT_SKILL, "project"), (_USER_SKILL, "user")):
        found = [
            (label.removeprefix(prefix), ref.uri)
            for ref in support.context_refs
            if (label := ref.label or "").startswith(prefix)
        ]
        for number, (name, uri) in enumerate(found):
            is_sent = number < MAX_SKILLS_SHOWN
            state = "sent as text" if is_sent else f"not sent: beyond {MAX_SKILLS_SHOWN} skills"
            rows.append((f"{scope}:{name}", f"{state} ({uri})"))
    return _listing(
        rows,
        support.notices,
        nothing="No skills: neither ~/.braincode/skills nor .agents/skills of the project has one.",
        hint="A skill is text for the agents; nothing of it is run.",
        redact=str,
    )


def _server(server: McpServerEntry) -> str:
    return server.url or first_line(
        " ".join((server.command, *server.args)), limit_chars=_COMMAND_CHARS
    )


def _hook(handler: HookHandler) -> str:
    state = f"inert: {handler.skip_reason}" if handler.skip_reason else "trusted: runs"
    matcher = f", for {handler.matcher}" if handler.matcher else ""
    command = first_line(handler.command, limit_chars=_COMMAND_CHARS)
    return f"{state}{matcher} ({command})"


def _redactor(documents: Home) -> Callable[[str], str]:
    return known_secrets(documents.models.models, documents.auth.providers, dict(os.environ)).redact


def _listing(
    rows: Sequence[Sequence[str]],
    notices: Iterable[str],
    *,
    nothing: str,
    hint: str,
    redact: Callable[[str], str],
) -> str:
    body = f"{table(rows)}\n{hint}" if rows else nothing
    return clean_text(redact("\n".join((body, *notices))))
