"""More runs to look at: how many workers there are, and each state that an agent can be in."""

from __future__ import annotations

from card_parts import T0, todos_of
from card_samples import cut_off, finished, running

from braincode_jupyter.views.change_view import (
    ChangedFileView,
    ChangesView,
    ChecksState,
    CheckView,
)
from braincode_jupyter.views.exact import to_exact
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.run_view import AgentState, AgentView, ApprovalView, RunView

CODE = (
    "from scipy import stats\n"
    'q2, q3 = (sales[sales.quarter == q].groupby("week").revenue.sum() for q in ("Q2", "Q3"))\n'
    "print(stats.mannwhitneyu(q2, q3))"
)


PYTEST = (
    "F.                                                              [100%]\n"
    "FAILED tests/test_clean.py::test_dates - assert 1204 == 0\n"
    "1 failed, 1 passed in 0.42s"
)


def edited(checks_state: ChecksState = "passed") -> RunView:
    """Return a run that changed files; failing checks leave it unapproved."""
    base = finished()
    is_failed = checks_state == "failed"
    files = (
        ChangedFileView(path="src/clean.py", state="changed", added=6, removed=3),
        ChangedFileView(path="tests/test_clean.py", state="new", added=12, removed=0),
        ChangedFileView(path="old.py", state="removed", added=0, removed=40, is_by_command=True),
    )
    checks = (
        CheckView(
            name="ruff",
            command="ruff check .",
            state="passed",
            exit_code=0,
            duration_ms=120,
            output="All checks passed!",
        ),
        CheckView(
            name="pytest",
            command="python -m pytest -q",
            state="failed" if is_failed else "passed",
            exit_code=1 if is_failed else 0,
            duration_ms=3_200,
            output=PYTEST if is_failed else "2 passed in 0.42s",
        ),
    )
    changes = ChangesView(
        files=files,
        added=18,
        removed=43,
        kind="backend",
        risk_tier="medium",
        checks_state=checks_state,
        checks_reason="Chosen for a change of kind backend.",
        checks=checks,
        fix_iteration=1,
        fix_trigger="checks_failed",
    )
    review = base.review
    if is_failed:
        review = review.model_copy(update={"state": "changes_requested"})
    return base.model_copy(update={"changes": changes, "review": review})


def approval() -> RunView:
    base = running()
    exact = to_exact(CODE)
    asked = ApprovalView(
        approval_id="call:1",
        context_id="s",
        role="statistician",
        tool="run_python",
        effect="execute",
        action="run_python, 3 lines",
        shown=exact.shown,
        whole=exact.whole,
        reason=recorded("rules", "it runs code"),
        deadline_ms=T0 + 593_000,
    )
    agents = tuple(
        agent.model_copy(update={"state": "waiting_for_approval"})
        if agent.state == "running"
        else agent
        for agent in base.agents
    )
    return base.model_copy(update={"approvals": (asked,), "agents": agents})


def _only(view: RunView, *roles: str) -> RunView:
    agents = tuple(a for a in view.agents if a.kind != "worker" or a.role in roles)
    todos = tuple(t for t in view.todos if t.role in {*roles, "primary"})
    return view.model_copy(update={"agents": agents, "todos": todos})


def one_worker() -> RunView:
    return _only(running(), "analyst")


def _worker(number: int, role: str, state: AgentState) -> AgentView:
    is_begun = state not in {"queued", "waiting"}
    is_over = is_begun and state not in {"running", "waiting_for_approval"}
    return AgentView(
        context_id=f"w{number}",
        kind="worker",
        role=role,
        state=state,
        goal=f"Part {number + 1} of the question, with evidence",
        queued_ms=T0 + 2_100,
        started_ms=T0 + 2_200 + 1_000 * number if is_begun else None,
        ended_ms=T0 + 16_000 + 2_000 * number if is_over else None,
        waiting_for="librarian" if state == "waiting" else None,
        model_id="acme/large-4",
    )


def six_workers() -> RunView:
    base = running()
    roles = ("librarian", "analyst", "statistician", "visualizer", "backend", "frontend")
    states: tuple[AgentState, ...] = (
        *("completed", "completed", "running", "running", "waiting", "queued"),
    )
    workers = tuple(
        _worker(n, role, state) for n, (role, state) in enumerate(zip(roles, states, strict=True))
    )
    return base.model_copy(update={"agents": (base.agents[0], *workers)})


def every_state() -> RunView:
    base = running()
    states: tuple[AgentState, ...] = (
        *("queued", "waiting", "running", "waiting_for_approval", "completed", "unstructured"),
        *("blocked", "failed", "cancelled", "cut_off", "interrupted"),
    )
    workers = tuple(_worker(n, f"analyst {n + 1}", state) for n, state in enumerate(states))
    todos = todos_of("completed", "running", "pending", "blocked", "failed", "pending")
    return base.model_copy(update={"agents": (base.agents[0], *workers), "todos": todos})


def blocked() -> RunView:
    base = finished()
    reason = "A worker that it depends on did not complete."
    agents = tuple(
        a.model_copy(update={"state": "blocked", "reason": reason, "started_ms": None})
        if a.role == "statistician"
        else a
        for a in base.agents
    )
    todos = todos_of("completed", "completed", "completed", "blocked", "completed", "completed")
    return base.model_copy(update={"agents": agents, "todos": todos})


def interrupted() -> RunView:
    view = cut_off()
    agents = tuple(a.model_copy(update={"state": "interrupted"}) for a in view.agents)
    return view.model_copy(
        update={
            "state": "interrupted",
            "agents": agents,
            "error": "The session file ends without an end record.",
            "hint": "What was found is kept, and is not paid for twice.",
        }
    )


STATES = {
    "approval": approval,
    "one-worker": one_worker,
    "six-workers": six_workers,
    "every-state": every_state,
    "blocked": blocked,
    "interrupted": interrupted,
    "edited": edited,
    "edited-failing": lambda: edited("failed"),
}
