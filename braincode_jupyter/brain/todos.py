"""Todos of a plan: unique ids, one owner each, and edges that can be executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.roles import REVIEW_ROLE, ROLES
from braincode_jupyter.brain.text import MAX_TITLE_CHARS, clip, slug, unused
from braincode_jupyter.protocol.plan import AgentTodoDependency, AgentTodoItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.plan import AgentWorkerPlan


def normal_todos(todos: Iterable[AgentTodoItem]) -> tuple[AgentTodoItem, ...]:
    """Return the todos that have a title, each with a unique slug.

    Parameters
    ----------
    todos : iterable of AgentTodoItem
        As planned; the place of one without id gives it a number.

    Returns
    -------
    tuple of AgentTodoItem
        In the same order.
    """
    normal: list[AgentTodoItem] = []
    for number, todo in enumerate(todos, start=1):
        title = clip(todo.title, MAX_TITLE_CHARS)
        if not title:
            continue
        wanted = slug(todo.id) or slug(f"todo-{number:02d}-{todo.role}")
        normal.append(
            todo.having(
                id=unused(wanted, (other.id for other in normal)),
                title=title,
                reason=(todo.reason or "").strip() or None,
                summary=(todo.summary or "").strip() or None,
            )
        )
    return tuple(normal)


def bind_todos(
    workers: tuple[AgentWorkerPlan, ...], todos: tuple[AgentTodoItem, ...]
) -> tuple[tuple[AgentWorkerPlan, ...], tuple[AgentTodoItem, ...]]:
    """Give each worker the todos that it lists, else those of its role, else a new one.

    Parameters
    ----------
    workers : tuple of AgentWorkerPlan
        Workers in plan order.
    todos : tuple of AgentTodoItem
        Normal todos.

    Returns
    -------
    workers : tuple of AgentWorkerPlan
        Each with at least one todo.
    todos : tuple of AgentTodoItem
        The todos, new ones at the end.
    """
    bound: list[AgentWorkerPlan] = []
    known = list(todos)
    for index, worker in enumerate(workers):
        ids = {todo.id for todo in known}
        owned = tuple(dict.fromkeys(i for i in worker.todo_ids or () if i in ids))
        owned = owned or tuple(todo.id for todo in known if todo.role == worker.role)
        if not owned:
            todo = AgentTodoItem(
                id=unused(slug(f"todo-{(len(known) or index) + 1:02d}-{worker.role}"), ids),
                title=clip(worker.goal, MAX_TITLE_CHARS) or generic_goal(worker.role),
                role=worker.role,
                reason=worker.reason.strip() or None,
            )
            known.append(todo)
            owned = (todo.id,)
        bound.append(worker.having(todo_ids=owned))
    return tuple(bound), tuple(known)


def adopt_orphans(
    workers: tuple[AgentWorkerPlan, ...], todos: tuple[AgentTodoItem, ...], *, primary: str
) -> tuple[tuple[AgentWorkerPlan, ...], tuple[AgentTodoItem, ...]]:
    """Give a todo that nobody owns to the worker of its role, else to the primary.

    Parameters
    ----------
    workers : tuple of AgentWorkerPlan
        Bound workers, the primary among them.
    todos : tuple of AgentTodoItem
        Normal todos.
    primary : str
        The primary role.

    Returns
    -------
    workers : tuple of AgentWorkerPlan
        With what they adopted.
    todos : tuple of AgentTodoItem
        Each owned by somebody.
    """
    owned = {todo_id for worker in workers for todo_id in worker.todo_ids or ()}
    roles = {worker.role for worker in workers}
    adopted: dict[str, list[str]] = {}
    settled: list[AgentTodoItem] = []
    for todo in todos:
        if todo.id not in owned:
            role = todo.role if todo.role in roles else primary
            adopted.setdefault(role, []).append(todo.id)
            settled.append(todo.having(role=role))
        else:
            settled.append(todo)
    keepers: list[AgentWorkerPlan] = []
    for worker in workers:
        more = adopted.pop(worker.role, [])
        update = {"todo_ids": (*(worker.todo_ids or ()), *more)}
        keepers.append(worker.model_copy(update=update) if more else worker)
    return tuple(keepers), tuple(settled)


def normal_edges(
    edges: Iterable[AgentTodoDependency], todos: tuple[AgentTodoItem, ...], *, primary: str
) -> tuple[AgentTodoDependency, ...]:
    """Return the edges that can be executed, and those that the order of phases implies.

    Parameters
    ----------
    edges : iterable of AgentTodoDependency
        As planned; they come first, with their reasons.
    todos : tuple of AgentTodoItem
        Normal todos.
    primary : str
        The primary role.

    Returns
    -------
    tuple of AgentTodoDependency
        One edge for each pair.

    References
    ----------
    Braincode, dependency normalisation.
    """
    roles = {todo.id: todo.role for todo in todos}
    kept: dict[tuple[str, str], AgentTodoDependency] = {}
    for edge in edges:
        pair = (edge.from_todo_id, edge.to_todo_id)
        is_known = pair[0] in roles and pair[1] in roles and pair[0] != pair[1]
        if is_known and _is_executable(roles[pair[0]], roles[pair[1]], primary=primary):
            kept.setdefault(pair, edge)
    for pair in _implied_edges(todos, primary=primary):
        kept.setdefault(pair, AgentTodoDependency(from_todo_id=pair[0], to_todo_id=pair[1]))
    return tuple(kept.values())


def generic_goal(role: str) -> str:
    """Return a goal for a role that was given none.

    Parameters
    ----------
    role : str
        Role name.

    Returns
    -------
    str
        One sentence.
    """
    label = ROLES[role].label if role in ROLES else role
    return f"Work on the request as {label}."


def _is_executable(source: str, target: str, *, primary: str) -> bool:
    """Tell whether an edge fits the order support, primary, review."""
    if target == REVIEW_ROLE:
        return True
    if source == REVIEW_ROLE:
        return False
    return target == primary or source != primary


def _implied_edges(todos: tuple[AgentTodoItem, ...], *, primary: str) -> Iterable[tuple[str, str]]:
    support = [t.id for t in todos if t.role not in {primary, REVIEW_ROLE}]
    answer = [t.id for t in todos if t.role == primary]
    yield from ((one, other) for one in support for other in answer)
    if primary != REVIEW_ROLE:
        review = [t.id for t in todos if t.role == REVIEW_ROLE]
        yield from ((one, other) for one in answer or support for other in review)
