"""Text of `%braincode undo`: what was put back, and what was left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.runtime import UndoneRun


def undo_text(undone: UndoneRun) -> str:
    """Say what an undo did.

    Parameters
    ----------
    undone : UndoneRun
        What was done.

    Returns
    -------
    str
        One line for each file.
    """
    session = undone.session_id[:8]
    lines = [
        *_part("Restored as before the run:", undone.restored),
        *_part("Removed, since the run had made them:", undone.removed),
        *_part("Left alone, changed since or not to be written:", undone.left),
    ]
    if not lines:
        return f"The newest run of session {session} edited no files."
    lines.append("What commands of the run changed is not on record and stays.")
    return "\n".join(lines)


def _part(title: str, paths: Iterable[str]) -> list[str]:
    listed = [f"  {clean_line(path)}" for path in paths]
    return [title, *listed] if listed else []
