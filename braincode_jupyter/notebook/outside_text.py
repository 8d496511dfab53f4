"""Texts of the subcommands on what stands beside models: hooks and skills; and how they are listed.

Files are read and nothing is started. Values of variables and headers are never shown.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from braincode_jupyter.home import load_home, load_support
from braincode_jupyter.home.hooks_file import read_hooks
from braincode_jupyter.home.support import MAX_SKILLS_SHOWN
from braincode_jupyter.home.trust import read_approvals
from braincode_jupyter.models import known_secrets
from braincode_jupyter.notebook.tables import first_line, table
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from braincode_jupyter.home import Home
    from braincode_jupyter.protocol.outside import HookHandler

_COMMAND_CHARS = 300
_USER_SKILL = "user-skill:"
_PROJECT_SKILL = "skill:"
_TRUST = "%braincode trust shows what the project asks for, and approves it."


def hooks_text(home: Path, root: Path) -> str:
    """List the hooks of user and project.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.

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
    return listing(
        [(f"{one.scope}:{one.event}", _hook(one)) for one in handlers],
        ("Hooks are switched off in settings.json: none runs.",) if is_off else (),
        nothing="No hooks: neither ~/.braincode/hooks.json nor .agents/hooks.json of the project "
        "names one.",
        hint=_TRUST,
        redact=redactor(documents),
    )


def skills_text(home: Path, root: Path) -> str:
    """List the skills of user and project.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.

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
    return listing(
        rows,
        support.notices,
        nothing="No skills: neither ~/.braincode/skills nor .agents/skills of the project has one.",
        hint="A skill is text for the agents; nothing of it is run.",
        redact=str,
    )


def _hook(handler: HookHandler) -> str:
    state = f"inert: {handler.skip_reason}" if handler.skip_reason else "trusted: runs"
    matcher = f", for {handler.matcher}" if handler.matcher else ""
    command = first_line(handler.command, limit_chars=_COMMAND_CHARS)
    return f"{state}{matcher} ({command})"


def redactor(documents: Home) -> Callable[[str], str]:
    """Return what takes configured keys out of a text.

    Parameters
    ----------
    documents : Home
        What the user configured.

    Returns
    -------
    callable
        From a text to one without them.
    """
    return known_secrets(documents.models.models, documents.auth.providers, dict(os.environ)).redact


def listing(
    rows: Sequence[Sequence[str]],
    notices: Iterable[str],
    *,
    nothing: str,
    hint: str,
    redact: Callable[[str], str],
) -> str:
    """Return a listing without keys and hidden characters.

    Parameters
    ----------
    rows : sequence of sequence of str
        Name and what is said of it.
    notices : iterable of str
        Sentences at the end.
    nothing : str
        What stands there without rows.
    hint : str
        What stands below the rows.
    redact : callable
        Takes keys out of a text.

    Returns
    -------
    str
        To be printed.
    """
    body = f"{table(rows)}\n{hint}" if rows else nothing
    return clean_text(redact("\n".join((body, *notices))))
