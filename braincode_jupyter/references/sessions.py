"""Sessions as references: the text is looked up by whoever reads session files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.references import limits
from braincode_jupyter.references.content import Content, Missing
from braincode_jupyter.references.text import clip

if TYPE_CHECKING:
    from braincode_jupyter.brain.grammar import Reference

_SESSION_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionText:
    """The compact snapshot, or the fresh handoff brief, of a session.

    Parameters
    ----------
    session_id : str
        Full id of the session that was found.
    text : str
        What may be shown of it.
    uri : str
        Pointer to it.
    cut : str or None
        What the text leaves out.
    """

    session_id: str
    text: str
    uri: str
    cut: str | None = None


SessionLookup = Callable[[str], SessionText | None]
"""Takes an id, a prefix of one, or ``last``; None if there is no such session."""


def resolve_session(reference: Reference, *, lookup: SessionLookup | None) -> Content | Missing:
    """Return the snapshot of the session that a reference names.

    Parameters
    ----------
    reference : Reference
        Of kind ``session``.
    lookup : callable or None
        None where no sessions are kept.

    Returns
    -------
    Content or Missing
        Missing if there is no such session or the target is no session id.
    """
    target = reference.target
    found = lookup(target) if lookup and _SESSION_ID.fullmatch(target) else None
    if found is None:
        return Missing(kind="session", uri=target, reason="session not found")
    text, dropped = clip(found.text, limits.MAX_SNAPSHOT_CHARS)
    cuts = [found.cut] if found.cut else []
    if dropped:
        cuts.append(f"{dropped:,} characters left out")
    return Content(
        kind="session",
        uri=found.uri,
        label=f"session {found.session_id}, snapshot",
        text=text,
        cut="; ".join(cuts) or None,
    )
