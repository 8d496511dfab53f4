"""`SessionPage`: the one JSON shape in which the sessions panel gets its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.run_view import RunState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.views.session_context import SessionFacts

PROMPT_CHARS = 240
"""Characters of a request that a row holds."""

_STATES: Mapping[str, RunState] = {
    "completed": "completed",
    "asks back": "needs_clarification",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}


class SessionRow(Packet):
    """One session of the panel."""

    session_id: str
    """Full id."""
    prompt: str = ""
    """Beginning of its first request, on one line."""
    state: RunState = "interrupted"
    """State of its last run."""
    updated_ms: int = 0
    """Last change of its file."""
    brain_id: str = ""
    """Brain preset."""
    models: tuple[str, ...] = ()
    """Models that answered in any of its runs."""
    tokens: int = 0
    """What all its runs spent."""
    cost_usd: float | None = None
    """The same in money; None when any price is unknown."""


class SessionPage(Packet):
    """Rows of one answer, newest first."""

    rows: tuple[SessionRow, ...] = ()
    """Sessions."""
    next_start: int | None = None
    """Where to go on; None at the end."""
    looked_at: int = 0
    """Sessions that were passed so far, shown or not."""
    total: int = 0
    """Sessions that there are."""


def to_row(facts: SessionFacts, *, is_running: bool) -> SessionRow:
    """Return the row of a session; what comes from its file is cleaned and cut.

    Parameters
    ----------
    facts : SessionFacts
        What its file tells.
    is_running : bool
        A run is writing it at this moment.

    Returns
    -------
    SessionRow
        For the panel.
    """
    return SessionRow(
        session_id=facts.session_id,
        prompt=clean_line(facts.prompt or "", PROMPT_CHARS),
        state="running" if is_running else _STATES.get(facts.detail or facts.status, "interrupted"),
        updated_ms=facts.updated_ms,
        brain_id=clean_line(facts.brain_id or "", 60),
        models=tuple(clean_line(model, 80) for model in facts.models),
        tokens=facts.tokens,
        cost_usd=facts.cost_usd,
    )
