"""Where the code that asks is running."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the code that asks is running.

    Parameters
    ----------
    has_kernel : bool
        There is an ipykernel, not a terminal.
    has_page : bool
        A front end that draws widgets and can be clicked sent the request.
    cell_id : str or None
        Id of the running cell, where the front end tells it.
    """

    has_kernel: bool = False
    has_page: bool = False
    cell_id: str | None = None
