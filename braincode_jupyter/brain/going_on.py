"""Going on from a run that has ended: one worker is run again, what the others found is kept.

`take_up` reads the records of the earlier run; `go_on_from` begins the new one with them. The new
run has the same plan and the same contexts. Its own records tell all of it: a kept result stands
in it once more, marked with the run that found it, and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from braincode_jupyter.brain.handoff import envelope
from braincode_jupyter.brain.prompts import private_section
from braincode_jupyter.brain.retrying import IS_GOOD, NOT_PLANNED, USED_UP, is_good, taken_up
from braincode_jupyter.brain.schedule import support_workers
from braincode_jupyter.brain.state import TakenUp
from braincode_jupyter.protocol.contexts import BrainTaskContext, HandoffPacket, TaskProgress
from braincode_jupyter.protocol.records import (
    ContextPlanned,
    GoesOn,
    MessageSent,
    ModelFailed,
    ModelReplied,
    RetryRequested,
    RunStart,
    TodosPlanned,
    UsageRecorded,
    WorkerEnded,
)
from braincode_jupyter.protocol.work_records import MAX_RETRIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.plan import AgentTodoItem, ExecutedWorkerResult, RuntimePlan
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import Section

NO_PLAN = "The run ended before there was a plan."
ASKED_BACK = "The run asked you a question: answer it with %%braincode --continue."


@dataclass(slots=True)
class _Found:
    """What the records of a run tell."""

    run_id: str = ""
    plan: RuntimePlan | None = None
    spent_tokens: int = 0
    spent_usd: float = 0.0
    handoffs: dict[str, HandoffPacket] = field(default_factory=dict[str, HandoffPacket])
    results: dict[str, ExecutedWorkerResult] = field(
        default_factory=dict[str, "ExecutedWorkerResult"]
    )
    retries: dict[str, int] = field(default_factory=dict[str, int])
    cut_off: set[str] = field(default_factory=set[str])
    privates: list[Section] = field(default_factory=list["Section"])
    measured: set[str] = field(default_factory=set[str])

    def take(self, record: AnyRecord) -> None:
        match record:
            case RunStart():
                self._begin(record)
            case ContextPlanned():
                self.plan = record.plan or self.plan
            case UsageRecorded():
                self._book(record)
            case MessageSent() if isinstance(record.message.payload, HandoffPacket):
                self.handoffs[record.message.payload.task.id] = record.message.payload
            case WorkerEnded():
                self.results[record.result.task_id] = record.result
            case RetryRequested():
                self.retries[record.context_id] = record.number
                for context_id in (record.context_id, *record.also):
                    self.results.pop(context_id, None)
            case ModelReplied() | ModelFailed():
                self._book(record)
                self._keep_private(record)
            case _:
                pass

    def _begin(self, record: RunStart) -> None:
        self.run_id = record.run_id or self.run_id
        self.plan = record.plan or self.plan
        if record.goes_on is None:
            return
        # What was spent before a resume is on the records that were taken already.
        self.spent_tokens = record.goes_on.spent_tokens
        self.spent_usd = record.goes_on.spent_usd
        self.retries.update(record.goes_on.retries)

    def _book(self, record: UsageRecorded | ModelReplied | ModelFailed) -> None:
        """Book a call once: what its reply says of it stands on a record of its own, too."""
        if isinstance(record, ModelFailed) or record.usage is None:
            return
        if record.call_id not in self.measured:
            self.spent_tokens += max(0, record.usage.total)
            self.spent_usd += max(0.0, record.cost_usd or 0.0)
        if record.call_id is not None:
            self.measured.add(record.call_id)

    def _keep_private(self, record: ModelReplied | ModelFailed) -> None:
        text = record.text if isinstance(record, ModelReplied) else record.partial
        if record.call_kind != "worker" or record.context_id is None:
            return
        if isinstance(record, ModelReplied) and record.finish_reason == "length":
            self.cut_off.add(record.context_id)
        if text:
            self.privates.append(private_section(record.context_id, record.role, text))


def take_up(records: Iterable[AnyRecord], context_id: str) -> TakenUp | str:
    """Return what a new run goes on from, to run one worker again.

    Parameters
    ----------
    records : iterable of AnyRecord
        All records of a run that has ended.
    context_id : str
        The worker.

    Returns
    -------
    TakenUp or str
        A sentence on why it cannot be.
    """
    found = _Found()
    for record in records:
        found.take(record)
    plan = found.plan
    if plan is None:
        return NO_PLAN
    if plan.agent_plan.clarification is not None:
        return ASKED_BACK
    planned = tuple(worker.context_id for worker in support_workers(plan))
    refusal = _why_not(found, context_id, planned)
    if refusal is not None:
        return refusal
    again = set(taken_up(plan, found.results, context_id))
    # What was stopped, or had no turn, is no result that could be kept.
    again |= {key for key in planned if _had_no_turn(found.results.get(key))}
    kept = {key: found.results[key] for key in planned if key not in again}
    return TakenUp(
        origin=GoesOn(
            run_id=found.run_id,
            context_id=context_id,
            spent_tokens=found.spent_tokens,
            spent_usd=found.spent_usd,
            retries={**found.retries, context_id: found.retries.get(context_id, 0) + 1},
        ),
        plan=_with_open_todos(plan, kept),
        also=tuple(key for key in planned if key in again and key != context_id),
        handoffs={key: found.handoffs[key] for key in kept if key in found.handoffs},
        results=kept,
        privates=tuple(found.privates),
    )


def _why_not(found: _Found, context_id: str, planned: tuple[str, ...]) -> str | None:
    if context_id not in planned:
        return NOT_PLANNED
    result = found.results.get(context_id)
    if result is not None and is_good(result) and context_id not in found.cut_off:
        return IS_GOOD
    return USED_UP if found.retries.get(context_id, 0) >= MAX_RETRIES else None


def _had_no_turn(result: ExecutedWorkerResult | None) -> bool:
    return result is None or result.error == "cancelled"


def go_on_from(t: Transition, taken: TakenUp) -> None:
    """Begin a run with the plan and the kept results of an earlier one."""
    request, plan = t.state.request, taken.plan
    t.set(
        plan=plan,
        at="working",
        handoffs=taken.handoffs,
        results=taken.results,
        privates=taken.privates,
        retries=taken.origin.retries,
        spent_tokens=taken.origin.spent_tokens,
        spent_usd=taken.origin.spent_usd,
    )
    t.write(
        ContextPlanned(
            timestamp=t.timestamp,
            context_id=request.session_id,
            context=BrainTaskContext(
                id=request.session_id,
                goal=request.prompt,
                progress=TaskProgress(status="pending", summary="Goes on from an earlier run."),
                child_context_ids=tuple(worker.context_id for worker in plan.workers),
            ),
            plan=plan,
        )
    )
    t.write(TodosPlanned(timestamp=t.timestamp, todos=plan.todos, dependencies=plan.dependencies))
    for worker in support_workers(plan):
        result = taken.results.get(worker.context_id)
        if result is not None:
            _write_kept(t, result, taken)
    worker = next(w for w in plan.workers if w.context_id == taken.origin.context_id)
    t.write(
        RetryRequested(
            timestamp=t.timestamp,
            context_id=worker.context_id,
            worker=worker.role,
            number=taken.origin.retries[worker.context_id],
            also=taken.also,
            from_run=taken.origin.run_id,
        )
    )


def _write_kept(t: Transition, result: ExecutedWorkerResult, taken: TakenUp) -> None:
    packet = taken.handoffs.get(result.task_id)
    for content in (packet, result):
        if content is not None:
            t.write(
                MessageSent(
                    timestamp=t.timestamp,
                    context_id=result.task_id,
                    phase="support",
                    worker=result.role,
                    message=envelope(content, run_id=taken.origin.run_id),
                )
            )
    t.write(
        WorkerEnded(
            timestamp=t.timestamp,
            context_id=result.task_id,
            phase="support",
            worker=result.role,
            result=result,
            from_run=taken.origin.run_id,
        )
    )


def _with_open_todos(plan: RuntimePlan, kept: dict[str, ExecutedWorkerResult]) -> RuntimePlan:
    """Return the plan with the todos of kept results in their state, and all others pending."""
    states = {
        todo_id: kept[worker.context_id]
        for worker in support_workers(plan)
        if worker.context_id in kept
        for todo_id in worker.todo_ids or ()
    }
    todos = tuple(_todo(todo, states.get(todo.id)) for todo in plan.todos)
    agent_plan = plan.agent_plan.model_copy(update={"todos": todos})
    return plan.model_copy(update={"todos": todos, "agent_plan": agent_plan})


def _todo(todo: AgentTodoItem, result: ExecutedWorkerResult | None) -> AgentTodoItem:
    if result is None:
        return todo.model_copy(update={"status": "pending", "summary": None})
    summary = result.error or result.summary
    return todo.model_copy(update={"status": result.status, "summary": summary})
