"""Undoing edits: every file gets back what stood in it, unless somebody changed it since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.tools.changes import EditRecord, put_back

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo did.

    Parameters
    ----------
    restored : tuple of str
        Files that stand as before.
    left : tuple of str
        Files that were changed since, or cannot be written; they stay as they are.
    """

    restored: tuple[str, ...]
    left: tuple[str, ...]


def undo(records: Iterable[EditRecord], *, root: Path) -> Undone:
    """Undo edits, newest first.

    Parameters
    ----------
    records : iterable of EditRecord
        In the order in which they were made; several may speak of one file.
    root : Path
        The project's folder.

    Returns
    -------
    Undone
        A file of which any record stays is among those left.
    """
    made = list(records)
    left = tuple(dict.fromkeys(put_back(made, root=root)))
    paths = dict.fromkeys(record.path for record in made)
    return Undone(restored=tuple(path for path in paths if path not in left), left=left)
