"""The request below a magic line: what is sent, and what is refused before anything is."""

from __future__ import annotations

from braincode_jupyter.errors import UsageError
from braincode_jupyter.notebook.keys import refuse_keys

SHORT_USAGE = (
    "%%braincode [options]          %braincode help lists them\n"
    "why did Q3 fall? @var:sales    the request: as many lines as you like"
)
"""Two lines that follow the message about an empty cell."""


def read_request(body: str) -> str:
    """Return the request of a cell, byte for byte as typed.

    Parameters
    ----------
    body : str
        What IPython hands to a cell magic: the cell below its first line. IPython ends it with a
        line break that nobody typed; that one is taken off.

    Returns
    -------
    str
        The request.

    Raises
    ------
    UsageError
        If there is none, or if it holds an API key.
    """
    if not body.strip():
        raise UsageError("There is nothing below the magic line.", hint=SHORT_USAGE)
    refuse_keys(body, where="The cell")
    return body.removesuffix("\n")
