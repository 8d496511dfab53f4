"""A plan in words: what ``--dry-run`` and `%braincode plan` show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.notebook.tables import first_line, table
from braincode_jupyter.views.clean import clean_text

if TYPE_CHECKING:
    from braincode_jupyter.protocol.plan import RuntimePlan

_GOAL_CHARS = 300


def plan_text(plan: RuntimePlan) -> str:
    """Describe a plan; nothing of it has run.

    Parameters
    ----------
    plan : RuntimePlan
        The plan.

    Returns
    -------
    str
        Plain text without terminal controls.
    """
    routing = plan.routing
    by = "a router model" if routing.source == "router-brain" else "word lists, no model asked"
    lines = [
        f"Plan by Brain {plan.brain.id!r}, mode {plan.mode}, made by {by}. Nothing has run.",
        f"Answer by {plan.role}; up to {routing.max_parallel_agents} workers at once.",
    ]
    question = plan.agent_plan.clarification
    if question is not None:
        lines.append(f"It would ask you first: {question.question}")
    numbers = {todo.id: number for number, todo in enumerate(plan.todos, 1)}
    needs: dict[str, list[int]] = {}
    for edge in plan.dependencies:
        if edge.from_todo_id in numbers:
            needs.setdefault(edge.to_todo_id, []).append(numbers[edge.from_todo_id])
    if plan.todos:
        lines += ["", "Todos"]
        rows = [
            (str(numbers[todo.id]), todo.role, todo.title + _after(needs.get(todo.id, [])))
            for todo in plan.todos
        ]
        lines.append(table(rows, indent="  "))
    if plan.workers:
        lines += ["", "Workers"]
        rows = [
            (
                worker.role,
                worker.model.name if worker.model is not None else "no usable model",
                first_line(worker.goal, limit_chars=_GOAL_CHARS),
            )
            for worker in plan.workers
        ]
        lines.append(table(rows, indent="  "))
    return clean_text("\n".join(lines))


def _after(numbers: list[int]) -> str:
    return f" (after {', '.join(map(str, sorted(numbers)))})" if numbers else ""
