"""What API keys look like, to keep them out of cells and out of what is sent.

A shape is a guess: it finds keys that nobody registered, in files and outputs. It is the second
wall behind the redaction of known keys, and it errs on the side of masking.
"""

from __future__ import annotations

import re

_SHAPES = re.compile(
    r"""
    -----BEGIN[ ](?:[A-Z0-9]+[ ]){0,3}PRIVATE[ ]KEY-----
      (?:(?!-----END)[\s\S]){0,20000}(?:-----END[ ](?:[A-Z0-9]+[ ]){0,3}PRIVATE[ ]KEY-----)?
    | \b(?:
        sk-(?=(?:[A-Za-z_-]{0,200}[0-9]){3})[A-Za-z0-9_-]{30,}  # OpenAI, Anthropic and others
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
MASK = "[masked: looks like a key]"
"""What stands in place of a masked value."""


def has_key_shape(text: str) -> bool:
    """Say whether a text holds something with the shape of an API key."""
    return _SHAPES.search(text) is not None


def mask_keys(text: str) -> tuple[str, int]:
    """Replace everything with the shape of an API key or a private key.

    Parameters
    ----------
    text : str
        Text of a file, an output or a session.

    Returns
    -------
    tuple of (str, int)
        The text with marks, and how many were put in.
    """
    return _SHAPES.subn(MASK, text)
