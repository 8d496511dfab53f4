"""Lines that go on from a run: what a reader types into a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import AgentView, RunView
    from braincode_jupyter.views.speaker import Speaker

_ID_CHARS = 12
"""Characters of a session id that are enough to find it."""


def retry_words(say: Speaker, view: RunView, agent: AgentView) -> str:
    """Return how a worker is run again after its run; empty where it cannot be."""
    if not agent.can_retry or view.state in {"queued", "running"}:
        return ""
    same = [
        one.context_id for one in view.agents if one.kind == "worker" and one.role == agent.role
    ]
    place = same.index(agent.context_id) if agent.context_id in same else 0
    name = f"{agent.role}-{place + 1}" if place else agent.role
    return say("words.retryWith") + " ".join(("%braincode retry", *_short_id(view), name))


def resume_words(say: Speaker, view: RunView) -> str:
    """Return how a run is gone on with that has no answer; empty where it cannot be."""
    if view.state not in {"interrupted", "cancelled", "failed"}:
        return ""
    return say("words.resumeWith") + " ".join(("%braincode resume", *_short_id(view)))


def _short_id(view: RunView) -> tuple[str, ...]:
    """Return enough of a session id to find it; nothing where the view has none."""
    start = view.session_id.split("-", 1)[0][:_ID_CHARS]
    return (start,) if start else ()
