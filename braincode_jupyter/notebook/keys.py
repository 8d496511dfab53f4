"""Refuse API keys in cells: cells and IPython's history are stored in plain text."""

from __future__ import annotations

from typing import NoReturn

from braincode_jupyter.brain.key_shapes import has_key_shape
from braincode_jupyter.errors import UsageError

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
    if has_key_shape(text):
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
