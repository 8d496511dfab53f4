"""Refuse API keys in cells: cells and IPython's history are stored in plain text."""

from __future__ import annotations

import re
from typing import NoReturn

from braincode_jupyter.errors import UsageError

_KEY_SHAPES = re.compile(
    r"""
    \b(?:
        sk-(?=(?:[A-Za-z_-]*[0-9]){3})[A-Za-z0-9_-]{30,}  # OpenAI, Anthropic and others
      | AIza[A-Za-z0-9_-]{35}           # Google
      | (?:gsk|xai|hf|nvapi|pplx)[_-][A-Za-z0-9_-]{24,}
      | gh[pousr]_[A-Za-z0-9]{36,}      # GitHub
      | github_pat_[A-Za-z0-9_]{40,}
      | AKIA[A-Z0-9]{16}                # Amazon
      | xox[abprs]-[A-Za-z0-9-]{20,}    # Slack
    )
    """,
    re.VERBOSE | re.ASCII,
)

KEY_OPTIONS = frozenset({"--api-key", "--apikey", "--key", "--token", "--password", "--secret"})
"""Options that other tools have and that we refuse by name."""


def refuse_keys(text: str, *, where: str) -> None:
    """Raise if a text holds something with the shape of an API key.

    Parameters
    ----------
    text : str
        What the user typed.
    where : str
        For the message, for example ``"The cell"``.

    Raises
    ------
    UsageError
        Without any part of the key.
    """
    if _KEY_SHAPES.search(text) is not None:
        refuse_key(where)


def refuse_key(where: str) -> NoReturn:
    """Raise the `UsageError` that says where keys belong."""
    raise UsageError(
        f"{where} holds what looks like an API key; nothing was sent.",
        hint=(
            "Cells and IPython's history are stored: take it out, and set the provider's "
            "environment variable instead (`%braincode doctor` names them)."
        ),
    )
