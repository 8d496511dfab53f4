"""Undoing the edits of a run from its session file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.protocol.edit_records import EditKept
from braincode_jupyter.protocol.records import RunStart
from braincode_jupyter.runtime.reading import read_run
from braincode_jupyter.tools.undo import PastEdit, undo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.runtime.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneRun:
    """What undoing a run did.

    Parameters
    ----------
    session_id : str
        Its session.
    restored : tuple of str
        Files that stand as before.
    removed : tuple of str
        Files that the run had made, and that are gone again.
    left : tuple of str
        Files that were changed since, or cannot be written; they stay as they are.
    """

    session_id: str
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def undo_run(
    session_id: str, home: Path | None = None, *, project_root: Path | None = None
) -> UndoneRun:
    """Undo the edits of the newest run of a session.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``.
    home : Path or None
        None: ``~/.braincode``.
    project_root : Path or None
        The project; None: the working directory. Files elsewhere are never touched.

    Returns
    -------
    UndoneRun
        Empty if the run changed no files. A file that somebody changed since is left alone.

    Raises
    ------
    UsageError
        If there is no such session, the run goes on, or it was made in another project.
    JournalError
        If the session file cannot be read.
    """
    run = read_run(session_id, home)
    if run.status in {"queued", "running"}:
        raise UsageError(
            f"Session {run.session_id[:8]} is going on.", hint="Stop it first: %braincode stop."
        )
    kept = [record for record in run.records if isinstance(record, EditKept)]
    if not kept:
        return UndoneRun(session_id=run.session_id)
    root = (project_root or Path.cwd()).resolve()
    _check_project(run, root)
    past, broken = _past_edits(kept)
    undone = undo(past, root=root)
    left = dict.fromkeys((*undone.left, *broken))
    # The oldest record of a file says whether it was there before the run.
    made = {edit.path: edit.before is None for edit in reversed(past)}
    back = [path for path in undone.restored if path not in left]
    return UndoneRun(
        session_id=run.session_id,
        restored=tuple(path for path in back if not made[path]),
        removed=tuple(path for path in back if made[path]),
        left=tuple(left),
    )


def _past_edits(kept: Sequence[EditKept]) -> tuple[list[PastEdit], list[str]]:
    """Return what can be undone, and files whose record does not hold what it says."""
    past: list[PastEdit] = []
    broken: list[str] = []
    for record in kept:
        try:
            before = record.content()
        except ValueError:
            broken.append(record.path)
            continue
        edit = PastEdit(
            path=record.path, before=before, after_sha256=record.after_sha256, mode=record.mode
        )
        if edit.before_sha256 == record.before_sha256:
            past.append(edit)
        else:
            broken.append(record.path)
    return [edit for edit in past if edit.path not in broken], broken


def _check_project(run: Run, root: Path) -> None:
    """Refuse to write into another project than the one that the run worked in."""
    for record in run.records:
        support = record.project_support if isinstance(record, RunStart) else None
        place = support.get("root") if isinstance(support, Mapping) else None
        if isinstance(place, str) and os.path.realpath(place) != str(root):
            raise UsageError(
                f"The run changed files of {place!r}, and this notebook is in {str(root)!r}.",
                hint="Go there first: %cd and the folder.",
            )
