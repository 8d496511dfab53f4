"""Large runs to look at: 64 workers and 200 todos, going on, done, and with trouble."""

from __future__ import annotations

from typing import TYPE_CHECKING

from card_parts import SAW, T0, WITHHELD, paragraph, usage
from card_samples import finished, running

from braincode_jupyter.views.run_view import (
    AgentView,
    MatrixColumn,
    MatrixRow,
    MatrixView,
    RunView,
    TodoView,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.views.run_view import AgentState

WORKERS = 64
TODOS = 200
_TODO_STATES: dict[AgentState, str] = {
    "completed": "completed",
    "unstructured": "completed",
    "running": "running",
    "failed": "failed",
    "cut_off": "failed",
    "blocked": "blocked",
}
_STEPS = ("Load the rows", "Sum by month", "Look for lost rows", "Compare with the year before")
_REASONS: dict[AgentState, str] = {
    "failed": "Every model of its chain failed: the provider is limiting requests.",
    "blocked": "A worker that it depends on did not complete.",
    "cut_off": "The reply reached the limit of the model.",
    "unstructured": "The reply was not the JSON that was asked for.",
}


def worker(number: int, state: AgentState) -> AgentView:
    """Give one of the workers; those that begin later also end later."""
    is_begun = state not in {"queued", "waiting", "blocked"}
    is_over = is_begun and state != "running"
    upstream = (number + 31) % WORKERS
    begin = T0 + 2_200 + 450 * (number // 2) + 130 * (number % 5)
    return AgentView(
        context_id=f"w{number}",
        kind="worker",
        role=f"analyst {number + 1}",
        state=state,
        goal=f"Revenue of region {number + 1} by month, product and channel, with lost rows",
        queued_ms=T0 + 2_100,
        started_ms=begin if is_begun else None,
        ended_ms=begin + 5_000 + 2_700 * (number * 7 % 5) if is_over else None,
        usage=usage(1_200 + 31 * number, 0.002) if is_begun else usage(0, None, 0),
        model_id="haiku",
        summary_blocks=(paragraph(f"Region {number + 1} lost no row."),) if is_over else (),
        saw=SAW if is_begun else (),
        withheld=WITHHELD if is_begun else (),
        is_critical=number == 44,
        waiting_for=f"analyst {upstream + 1}" if state == "waiting" else None,
        reason=_REASONS.get(state),
        upstream=(f"w{upstream}",) if state in {"waiting", "blocked"} or number % 9 == 8 else (),
        is_planned=True,
    )


def _todos(workers: tuple[AgentView, ...]) -> tuple[TodoView, ...]:
    found: list[TodoView] = []
    for number in range(TODOS):
        owner, step = workers[number * len(workers) // TODOS], _STEPS[number % len(_STEPS)]
        found.append(
            TodoView(
                id=f"t{number}",
                title=f"{step}, region {owner.context_id[1:]}",
                role=owner.role,
                state=_TODO_STATES.get(owner.state, "pending"),  # pyright: ignore[reportArgumentType] - words of the sample
                needs_numbers=(number - 1, number) if number % 5 == 4 else (),
            )
        )
    return tuple(found)


def _matrix(agents: tuple[AgentView, ...]) -> MatrixView:
    workers = [agent for agent in agents if agent.kind == "worker"]
    owned = [(one.context_id, kind) for one in workers for kind in ("private", "result")]
    names = {one.context_id: one.role for one in agents}
    shared = ("request", "@var:sales", "AGENTS.md")
    columns = [MatrixColumn(key=label, label=label) for label in shared]
    columns += [MatrixColumn(key=f"{k}:{c}", label=f"{names[c]} {k}") for c, k in owned]

    def cell(agent: AgentView, owner: str, kind: str) -> str:
        if not agent.saw:
            return "not_called"
        if agent.context_id == owner:
            return "own"
        is_reader = agent.kind in {"primary", "review"} or owner in agent.upstream
        return "seen" if kind == "result" and is_reader else "withheld"

    rows = [
        MatrixRow(
            context_id=one.context_id,
            label=one.role,
            cells=(  # pyright: ignore[reportArgumentType] - words of the sample
                *["seen" if one.saw else "not_called"] * len(shared),
                *(cell(one, owner, kind) for owner, kind in owned),
            ),
        )
        for one in agents
    ]
    return MatrixView(columns=tuple(columns), rows=tuple(rows))


def _large(base: RunView, counts: Mapping[AgentState, int]) -> RunView:
    states: list[AgentState] = [state for state, count in counts.items() for _ in range(count)]
    # Neighbours differ, as they do in a run: 27 has no divisor in common with 64.
    workers = tuple(worker(n, states[n * 27 % WORKERS]) for n in range(WORKERS))
    others = [agent for agent in base.agents if agent.kind != "worker"]
    calls = (others[0], *workers, *others[1:])
    return base.model_copy(
        update={
            "agents": calls,
            "matrix": _matrix(calls),
            "todos": _todos(workers),
            "usage": usage(212_000, 0.161, 65),
            "max_tokens": None,
        }
    )


def large_running() -> RunView:
    return _large(running(), {"completed": 22, "running": 26, "waiting": 12, "queued": 4})


def large_done() -> RunView:
    return _large(finished(), {"completed": WORKERS})


def large_failing() -> RunView:
    return _large(
        running(),
        {
            "completed": 30,
            "running": 14,
            "waiting": 6,
            "failed": 6,
            "blocked": 4,
            "unstructured": 3,
            "cut_off": 1,
        },
    )


LARGE = {
    "large-running": large_running,
    "large-done": large_done,
    "large-failing": large_failing,
}
