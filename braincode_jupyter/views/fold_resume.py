"""A run that is resumed: what came to an outcome stays, all else waits for its turn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.views.fold_tools import end_calls
from braincode_jupyter.views.roster import OPEN_STATES
from braincode_jupyter.views.run_view import AnswerView, ReviewView

if TYPE_CHECKING:
    from braincode_jupyter.views.run_view import AgentView, RunView

_STOPPED = OPEN_STATES | {"cancelled", "interrupted"}
_ALWAYS_ASKED = frozenset({"router", "primary", "review"})


def note_resume(view: RunView) -> RunView:
    """Take that the run goes on from here; a tool call without end has an unknown outcome."""
    has_review = any(agent.kind == "review" for agent in view.agents)
    is_judged = view.review.state in {"approved", "changes_requested", "blocked"}
    review = view.review if is_judged or not has_review else ReviewView(state="pending")
    is_answered = view.answer.state in {"completed", "cut_off"}
    return view.model_copy(
        update={
            "agents": tuple(_waiting(end_calls(one, were_stopped=False)) for one in view.agents),
            "approvals": (),
            "grants": (),
            "answer": view.answer if is_answered else AnswerView(),
            "review": review,
            "phase": "working" if view.todos else "starting",
        }
    )


def _waiting(agent: AgentView) -> AgentView:
    """Return an agent as queued that came to nothing, or failed where everything hung on it."""
    has_failed = agent.kind in _ALWAYS_ASKED and agent.state in {"failed", "blocked"}
    if agent.state not in _STOPPED and not has_failed:
        return agent
    return agent.model_copy(
        update={
            "state": "queued",
            "started_ms": None,
            "ended_ms": None,
            "waiting_for": None,
            "partial": "",
            "reason": None,
            "hint": None,
        }
    )
