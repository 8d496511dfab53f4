"""Undoing edits: every file gets back what stood in it, unless somebody changed it since."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from braincode_jupyter.tools.changes import put_back

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from braincode_jupyter.tools.changes import Undoable


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEdit:
    """A change as it stands on the record.

    Parameters
    ----------
    path : str
        Relative to the project.
    before : bytes or None
        Content before; None: there was no file.
    after_sha256 : str or None
        Digest of the content after; None: the file was removed.
    mode : int or None
        Permissions of the file before.
    """

    path: str
    before: bytes | None
    after_sha256: str | None
    mode: int | None = None

    @property
    def before_sha256(self) -> str | None:
        """Digest of the content before."""
        return None if self.before is None else sha256(self.before).hexdigest()


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


def undo(records: Iterable[Undoable], *, root: Path) -> Undone:
    """Undo edits, newest first.

    Parameters
    ----------
    records : iterable of Undoable
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
