"""What the Brain has planned: todos, their edges, workers, and a question back to the user."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.contexts import ResultStatus, TaskStatus, WorkerResult
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.review import ReviewDecision


class AgentTodoItem(Packet):
    """One todo of a plan."""

    id: str
    """Slug, unique in the plan."""
    title: str
    """What is to be done."""
    role: str
    """Role that owns it."""
    status: TaskStatus = "pending"
    """State."""
    reason: str | None = None
    """Why it is there."""
    summary: str | None = None
    """What came of it, or the error."""


class AgentTodoDependency(Packet):
    """An edge from an upstream todo to a downstream one."""

    from_todo_id: str
    """Upstream todo."""
    to_todo_id: str
    """Downstream todo."""
    reason: str | None = None
    """Why the edge is there."""


class AgentWorkerPlan(Packet):
    """One worker of a plan; the primary is one of them."""

    role: str
    """Role that acts."""
    goal: str
    """What it is to do."""
    reason: str
    """Why it was chosen."""
    todo_ids: tuple[str, ...] | None = None
    """Todos that it owns."""
    model_id: str | None = None
    """Model of the role's own chain that the router asked for."""


class ClarificationOption(Packet):
    """One way to go on."""

    id: str
    """Slug."""
    label: str
    """Short name."""
    description: str
    """One sentence."""


class Clarification(Packet):
    """A question to the user that stops a run before any worker."""

    required: Literal[True] = True
    """Always true; anything else is dropped."""
    reason: str
    """Why the request is too vague."""
    question: str
    """What to ask."""
    missing: tuple[str, ...] = ()
    """What is missing, at most 6."""
    options: tuple[ClarificationOption, ...] = ()
    """Ways to go on, at most 3."""


class AgentRoutingPlan(Packet):
    """A normalised plan, before it is bound to contexts and models."""

    primary_role: str
    """Role that writes the answer."""
    workers: tuple[AgentWorkerPlan, ...]
    """Workers, primary included, in plan order."""
    todos: tuple[AgentTodoItem, ...]
    """Todos, in order."""
    dependencies: tuple[AgentTodoDependency, ...] = ()
    """Edges between todos."""
    requires_review: bool = False
    """Whether a reviewer has to look at the answer."""
    reason: str = ""
    """Why this plan."""
    clarification: Clarification | None = None
    """Set when the user has to be asked first."""
    confidence: float | None = None
    """What the router said of itself, 0 to 1."""
    model_id: str | None = None
    """Model that the router asked for the primary, from that role's own chain."""


class BrainSummary(Packet):
    """Which Brain planned."""

    id: str
    """Preset id."""
    name: str
    """Preset name."""
    description: str = ""
    """What it is for."""


class ModelSummary(Packet):
    """A model entry without addresses, headers or keys (design 12.8, security R126)."""

    id: str
    """``provider/modelId``."""
    provider: str
    """Provider id."""
    name: str
    """Name for people."""


class RuntimeWorker(AgentWorkerPlan):
    """A planned worker bound to its context and its first model."""

    context_id: str
    """Stable id of its context."""
    model: ModelSummary | None = None
    """First candidate; absent when the role has no usable model."""


class RoutingSummary(Packet):
    """Where a plan came from, and its limits."""

    source: Literal["router-brain", "heuristic"]
    """Who planned."""
    confidence: float | None = None
    """Router's own confidence, 0 to 1."""
    reason: str | None = None
    """Why this source."""
    configured_max_parallel_agents: int
    """As the Brain preset says."""
    max_parallel_agents: int
    """Workers that run at once."""
    max_worker_agents: int
    """Workers, primary included."""
    max_todos: int
    """Todos."""


class RuntimePlan(Packet):
    """A plan ready to run; also what ``--dry-run`` shows."""

    mode: Literal["auto", "radical"]
    """Mode of the run."""
    mode_description: str
    """What the mode means."""
    brain: BrainSummary
    """Which Brain."""
    role: str
    """Primary role."""
    agent_plan: AgentRoutingPlan
    """The normalised plan."""
    todos: tuple[AgentTodoItem, ...]
    """Todos, a policy-added review included."""
    dependencies: tuple[AgentTodoDependency, ...]
    """Edges."""
    workers: tuple[RuntimeWorker, ...]
    """Workers, primary and review included."""
    routing: RoutingSummary
    """Source and limits."""
    model: ModelSummary | None = None
    """First candidate of the primary."""
    tool_execution: Literal["parallel"] = "parallel"
    """As the original writes it."""


class ExecutedWorkerResult(WorkerResult):
    """A worker's result with what the Brain knows of it; never sent to a worker."""

    role: str
    """Role that acted."""
    goal: str
    """What it was to do."""
    todo_ids: tuple[str, ...] = ()
    """Todos that it owned."""
    status: ResultStatus
    """Final state; a failed worker is a result."""
    unstructured: bool | None = None
    """True when the reply was not the asked JSON and its text was kept as the summary."""
    error: str | None = None
    """Reason code, for failed and blocked workers."""
    review_decision: ReviewDecision | None = None
    """In the review phase only."""
    model_id: str | None = None
    """Model that answered."""
    provider: str | None = None
    """Its provider."""
