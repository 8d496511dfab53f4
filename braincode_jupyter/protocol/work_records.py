"""Records of planned work: contexts, todos, packets and workers."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.contexts import BrainTaskContext, HandoffPacket
from braincode_jupyter.protocol.message import AgentMessage
from braincode_jupyter.protocol.plan import (
    AgentTodoDependency,
    AgentTodoItem,
    ExecutedWorkerResult,
    RuntimePlan,
)
from braincode_jupyter.protocol.record import Phase, Record
from braincode_jupyter.protocol.usage import ReasonCode

MAX_RETRIES = 3
"""How often one worker may be taken up again, later runs that go on from a run included."""


class ContextPlanned(Record):
    """The Brain's context with the ids of its children."""

    type: Literal["context_plan"] = "context_plan"
    """Record type."""
    context: BrainTaskContext
    """The context."""
    plan: RuntimePlan | None = None
    """The whole plan, so that a view knows every worker before one starts; ours."""


class TodosPlanned(Record):
    """Todos and their edges."""

    type: Literal["todo_plan"] = "todo_plan"
    """Record type."""
    todos: tuple[AgentTodoItem, ...]
    """Todos, in order."""
    dependencies: tuple[AgentTodoDependency, ...]
    """Edges."""
    reason: str | None = None
    """Only when policy changed an earlier plan."""


class TodosUpdated(Record):
    """Todos that changed state, after the change."""

    type: Literal["todo_update"] = "todo_update"
    """Record type."""
    phase: Phase
    """Phase."""
    role: str | None = None
    """Role that owns them."""
    status: Literal["pending", "running", "completed", "blocked", "failed"]
    """New state."""
    todo_ids: tuple[str, ...]
    """Which ones."""
    todos: tuple[AgentTodoItem, ...]
    """The changed items."""
    summary: str | None = None
    """What came of them."""
    error: str | None = None
    """Reason, for blocked and failed ones."""


class MessageSent(Record):
    """A packet crossed the border."""

    type: Literal["agent_message"] = "agent_message"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    message: AgentMessage
    """The envelope."""
    attempt: int | None = None
    """On results of a concrete attempt."""


class WorkerStarted(Record):
    """A worker's model is asked."""

    type: Literal["worker_start"] = "worker_start"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    goal: str
    """What it is to do."""
    handoff: HandoffPacket
    """Its packet."""
    model: str
    """Model id."""
    agent_session_id: str
    """``<context id>-<attempt>``."""
    attempt: int
    """Candidate, from 1."""


class WorkerEnded(Record):
    """A worker's final result, whatever its state."""

    type: Literal["worker_end"] = "worker_end"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    result: ExecutedWorkerResult
    """The result."""
    attempt: int | None = None
    """Candidate that answered."""
    from_run: str | None = None
    """Run that found it, where this one goes on from that; ours."""


class RetryRequested(Record):
    """Somebody asked for a worker to be taken up again; ours."""

    type: Literal["worker_retry"] = "worker_retry"
    """Record type."""
    context_id: str  # pyright: ignore[reportGeneralTypeIssues, reportIncompatibleVariableOverride] - a worker always has one
    """Context of the worker."""
    worker: str
    """Its role."""
    number: int
    """How often it was taken up again, this time included."""
    also: tuple[str, ...] = ()
    """Contexts of workers that are taken up with it: they lacked its result, or it theirs."""
    from_run: str | None = None
    """Earlier run that this one goes on from to do it; None: asked for while this one goes on."""


class WorkerFailed(Record):
    """An attempt of a worker failed."""

    type: Literal["worker_error"] = "worker_error"
    """Record type."""
    phase: Phase
    """Phase."""
    worker: str
    """Role."""
    error: str
    """The provider's words, redacted."""
    code: ReasonCode | None = None
    """Why, from the closed list; ours."""
    handoff: HandoffPacket | None = None
    """Only when no model was usable."""
    attempt: int | None = None
    """Candidate, from 1."""
    will_fallback: bool | None = None
    """Whether another candidate is tried."""
