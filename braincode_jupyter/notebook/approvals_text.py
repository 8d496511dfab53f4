"""Texts of `%braincode approvals`: what waits for an answer, and what a run may do again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.tables import table
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.views.words import asking_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.notebook.state import ActiveRun
    from braincode_jupyter.views.approval_view import GrantView

_ID_CHARS = 8
_HOW = "%braincode approvals revoke NUMBER takes one back, revoke all takes all back."
_NOTHING = "No run that goes on asks for anything, and nothing is allowed for the rest of one."


def approvals_text(running: Mapping[str, ActiveRun]) -> str:
    """List what the runs that go on ask for, and what they may do again.

    Parameters
    ----------
    running : mapping
        Runs by session id.

    Returns
    -------
    str
        Grants are numbered for `revoke_text`.
    """
    waiting = [
        (session_id[:_ID_CHARS], asking_words(speaker(), asked))
        for session_id, run in running.items()
        for asked in run.view.approvals
    ]
    granted = [
        (str(number), session_id[:_ID_CHARS], f"{grant.role}: {grant.action}{_uses(grant)}")
        for number, (session_id, grant) in enumerate(_grants(running), start=1)
    ]
    parts: list[str] = []
    if waiting:
        parts += [
            "Waiting for your answer, on the card or at the prompt",
            table(waiting, indent="  "),
        ]
    if granted:
        parts += ["Allowed for the rest of the run", table(granted, indent="  "), _HOW]
    return "\n".join(parts) or _NOTHING


def revoke_text(running: Mapping[str, ActiveRun], which: str) -> str:
    """Take back what was allowed for the rest of a run.

    Parameters
    ----------
    running : mapping
        Runs by session id.
    which : str
        A number of the listing, or ``all``.

    Returns
    -------
    str
        What was taken back.

    Raises
    ------
    UsageError
        If nothing is allowed.
    UnknownNameError
        If there is no such number.
    """
    grants = _grants(running)
    if not grants:
        raise UsageError("Nothing is allowed for the rest of a run.", hint="There is no need to.")
    numbered = {str(number): one for number, one in enumerate(grants, start=1)}
    if which != "all" and which not in numbered:
        raise UnknownNameError("number", which[:64], [*numbered, "all"])
    chosen = grants if which == "all" else [numbered[which]]
    for session_id, grant in chosen:
        running[session_id].revoke(grant.approval_id)
    return "\n".join(f"Revoked: {grant.role}: {grant.action}" for _, grant in chosen)


def _grants(running: Mapping[str, ActiveRun]) -> list[tuple[str, GrantView]]:
    return [(session_id, one) for session_id, run in running.items() for one in run.view.grants]


def _uses(grant: GrantView) -> str:
    return f" (used {grant.uses} more times)" if grant.uses else ""
