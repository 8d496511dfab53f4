"""Records that say what is to be done: request, references, plan, todos, a question to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views.clean import clean_line, clean_text, clip_text
from braincode_jupyter.views.recorded import recorded
from braincode_jupyter.views.roster import AgentKey, AgentKind, get_agent, put_agent
from braincode_jupyter.views.run_view import (
    ClarificationView,
    ReferenceView,
    ReviewView,
    TodoView,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.plan import (
        AgentTodoDependency,
        AgentTodoItem,
        RuntimePlan,
        RuntimeWorker,
    )
    from braincode_jupyter.protocol.records import (
        ClarificationRequested,
        ContextPlanned,
        ReferenceUsed,
        RunOptions,
        RunStart,
        TodosUpdated,
    )
    from braincode_jupyter.protocol.sentence import Said, Sentence
    from braincode_jupyter.views.run_view import AgentView, RunView

MAX_REQUEST_CHARS = 4_000
"""Characters of the request that a card keeps."""
MAX_GOAL_CHARS = 2_000
"""Characters of a goal."""
DEMO_PROVIDER = "local"
"""Provider id of the embedded model."""
MAX_SUMMARY_CHARS = 16_000
"""Characters of what a worker reports."""
MAX_TODO_CHARS = 600
"""Characters of what came of a todo; its worker's entry says more."""
MAX_TODOS = 128
"""Todos in one view."""
MAX_REFERENCES = 128
"""References in one view; a cell may name 64."""


def note_start(view: RunView, record: RunStart) -> RunView:
    """Take what was asked for, and the plan when the record carries one."""
    request = clean_text(record.prompt[:MAX_REQUEST_CHARS])
    view = view.model_copy(
        update={
            "run_id": clean_line(record.run_id or "") or view.run_id,
            "request": request,
            "title": title_of(record.prompt),
        }
    )
    if record.options is not None:
        view = _note_options(view, record.options)
    return view if record.plan is None else note_plan(view, record.plan, record.timestamp)


def note_context(view: RunView, record: ContextPlanned) -> RunView:
    """Take the Brain's context; ours carries the plan, the original's only the ids of workers."""
    return view if record.plan is None else note_plan(view, record.plan, record.timestamp)


def title_of(prompt: str) -> str:
    """Return the first line that says something."""
    for line in prompt[:MAX_REQUEST_CHARS].splitlines():
        if title := clean_line(line):
            return title
    return ""


def note_reference(view: RunView, record: ReferenceUsed) -> RunView:
    """Take what one reference gave; the same token again replaces the earlier entry."""
    reason = None if record.reason is None else clean_line(record.reason, 400)
    reference = ReferenceView(
        token=clean_line(record.token, 400),
        kind=record.kind,
        state=record.state,
        label=recorded("references", clean_line(record.label, 400)),
        reason=None if reason is None else recorded("references", reason),
        uri=clean_line(record.uri, 1_000),
    )
    others = tuple(known for known in view.references if known.token != reference.token)
    if len(others) >= MAX_REFERENCES:
        return view
    return view.model_copy(update={"references": (*others, reference)})


def note_plan(view: RunView, plan: RuntimePlan, timestamp: int) -> RunView:
    """Take the plan: Brain, routing, todos, and one queued agent for each worker."""
    confidence = plan.routing.confidence
    routed = sentence("said.routedOnly")
    if confidence is not None:
        routed = sentence("said.routed", confidence=f"{confidence:.2f}")
    if plan.routing.source == "heuristic":
        routed = sentence("said.heuristic")
    reason = plan.routing.reason or plan.agent_plan.reason
    view = view.model_copy(
        update={
            "brain_id": clean_line(plan.brain.id),
            "mode": plan.mode,
            "routing": routed,
            "routing_reason": recorded("plans", clip_text(reason, MAX_GOAL_CHARS)),
            "phase": "working" if view.phase in {"starting", "routing"} else view.phase,
        }
    )
    if plan.model is not None and plan.model.provider == DEMO_PROVIDER:
        view = view.model_copy(update={"model_note": demo_note(clean_line(plan.model.name, 200))})
    if not view.todos:
        view = note_todos(view, plan.todos, plan.dependencies)
    for worker in plan.workers:
        view = _note_worker(view, worker, primary_role=plan.role, timestamp=timestamp)
    return _note_review_need(link_upstream(view))


def demo_note(name: str) -> Sentence:
    """Say plainly which small model answers."""
    model = name.removesuffix(" (local demo model)") or sentence("said.demoModel")
    return sentence("said.demoNote", name=model)


def note_todos(
    view: RunView,
    todos: Iterable[AgentTodoItem],
    dependencies: Iterable[AgentTodoDependency],
) -> RunView:
    """Take the todos and their edges; states that are known already stay."""
    items = tuple(todos)[:MAX_TODOS]
    known = {todo.id: todo for todo in view.todos}
    positions = {clean_line(item.id): number for number, item in enumerate(items, start=1)}
    needs: dict[str, list[str]] = {}
    for edge in dependencies:
        upstream, downstream = clean_line(edge.from_todo_id), clean_line(edge.to_todo_id)
        if upstream in positions and upstream not in needs.setdefault(downstream, []):
            needs[downstream].append(upstream)
    drawn: list[TodoView] = []
    for item in items:
        todo = _todo(item)
        edges = tuple(needs.get(todo.id, ()))
        if todo.state == "pending" and todo.id in known:
            todo = todo.model_copy(
                update={"state": known[todo.id].state, "summary": known[todo.id].summary}
            )
        numbers = tuple(sorted(positions[edge] for edge in edges))
        drawn.append(todo.model_copy(update={"needs": edges, "needs_numbers": numbers}))
    return link_upstream(view.model_copy(update={"todos": tuple(drawn)}))


def note_todo_update(view: RunView, record: TodosUpdated) -> RunView:
    """Take the new states of todos; one that was never planned is added at the end."""
    changed = {
        todo.id: todo.model_copy(
            update={
                "state": record.status,
                "summary": todo.summary or _summary(record.summary or record.error),
            }
        )
        for todo in map(_todo, record.todos[:MAX_TODOS])
    }
    for todo_id in record.todo_ids[:MAX_TODOS]:
        known = next((todo for todo in view.todos if todo.id == todo_id), None)
        if known is not None and todo_id not in changed:
            changed[todo_id] = known.model_copy(update={"state": record.status})
    todos = [_merged(todo, changed.pop(todo.id, None)) for todo in view.todos]
    todos.extend(list(changed.values())[: max(0, MAX_TODOS - len(todos))])
    return view.model_copy(update={"todos": tuple(todos)})


def note_question(view: RunView, record: ClarificationRequested) -> RunView:
    """Take the question for which the run stops."""
    asked = record.clarification
    options = [
        (
            recorded("plans", clean_line(option.label)),
            recorded("plans", clip_text(option.description, MAX_GOAL_CHARS)),
        )
        for option in asked.options[:6]
    ]
    question = ClarificationView(
        question=recorded("plans", clip_text(asked.question, MAX_GOAL_CHARS)),
        reason=recorded("plans", clip_text(asked.reason, MAX_GOAL_CHARS)),
        missing=tuple(recorded("plans", clean_line(item)) for item in asked.missing[:12]),
        options=tuple(options),
    )
    return view.model_copy(update={"clarification": question, "state": "needs_clarification"})


def link_upstream(view: RunView) -> RunView:
    """Return the view with the upstream contexts of each agent, from the edges between todos."""
    owners = {
        todo_id: agent.context_id
        for agent in view.agents
        if agent.kind != "router"
        for todo_id in agent.todo_ids
    }
    needs = {todo.id: todo.needs for todo in view.todos}
    everyone = tuple(agent.context_id for agent in view.agents if agent.kind == "worker")
    primary = tuple(agent.context_id for agent in view.agents if agent.kind == "primary")
    linked: list[AgentView] = []
    for agent in view.agents:
        upstream: tuple[str, ...] = ()
        if agent.kind == "primary":
            upstream = everyone
        elif agent.kind == "review":
            upstream = primary
        elif agent.kind == "worker":
            found = [owners.get(need) for todo in agent.todo_ids for need in needs.get(todo, ())]
            upstream = tuple(dict.fromkeys(one for one in found if one and one != agent.context_id))
        same = upstream == agent.upstream
        linked.append(agent if same else agent.model_copy(update={"upstream": upstream}))
    return view.model_copy(update={"agents": tuple(linked)})


def _note_options(view: RunView, options: RunOptions) -> RunView:
    review = view.review
    if options.review is False:
        review = ReviewView(reason=sentence("said.noReviewAsked"))
    return view.model_copy(
        update={
            "mode": options.mode,
            "brain_id": clean_line(options.brain_id),
            "max_tokens": options.max_tokens,
            "max_cost_usd": options.max_cost_usd,
            "review": review,
        }
    )


def _note_worker(
    view: RunView, worker: RuntimeWorker, *, primary_role: str, timestamp: int
) -> RunView:
    kind: AgentKind = "worker"
    if worker.role == primary_role:
        kind = "primary"
    elif worker.role == "review":
        kind = "review"
    key = AgentKey(kind=kind, role=worker.role, context_id=worker.context_id)
    agent = get_agent(view, key, timestamp)
    planned = agent.having(
        is_planned=True,
        goal=recorded("plans", clip_text(worker.goal, MAX_GOAL_CHARS)),
        todo_ids=tuple(clean_line(todo) for todo in worker.todo_ids or ()),
        model_id=agent.model_id or (None if worker.model is None else clean_line(worker.model.id)),
    )
    return put_agent(view, planned)


def _note_review_need(view: RunView) -> RunView:
    is_planned = any(agent.kind == "review" for agent in view.agents)
    if not is_planned or view.review.state != "not_required":
        return view
    return view.model_copy(update={"review": ReviewView(state="pending")})


def _todo(item: AgentTodoItem) -> TodoView:
    return TodoView(
        id=clean_line(item.id),
        title=recorded("plans", clean_line(item.title, 400)),
        role=clean_line(item.role),
        state=item.status,
        summary=_summary(item.summary),
    )


def _summary(text: str | None) -> Said | None:
    return recorded("plans", clean_line(text, MAX_TODO_CHARS)) if text else None


def _merged(known: TodoView, changed: TodoView | None) -> TodoView:
    if changed is None:
        return known
    return changed.model_copy(
        update={
            "needs": known.needs,
            "needs_numbers": known.needs_numbers,
            "summary": changed.summary or (None if changed.state == "pending" else known.summary),
        }
    )
