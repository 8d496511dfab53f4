"""Contexts and the two packets that cross the border between Brain and agent."""

from __future__ import annotations

from typing import Literal

from braincode_jupyter.protocol.packet import Packet

TaskStatus = Literal["pending", "running", "completed", "blocked", "failed"]
ResultStatus = Literal["completed", "blocked", "failed"]


class ContextRef(Packet):
    """A pointer to content, never the content."""

    kind: Literal["file", "thread", "summary", "artifact"]
    """What the pointer names."""
    uri: str
    """Where it is: an absolute path, or what a model returned."""
    label: str | None = None
    """A short name for people."""


class TaskProgress(Packet):
    """How far a task is."""

    status: TaskStatus
    """State of the task."""
    summary: str | None = None
    """One sentence on the state."""
    current_step: str | None = None
    """What is being done now."""
    completed_steps: tuple[str, ...] | None = None
    """What has been done, in order."""
    percent: float | None = None
    """Share done, 0 to 100."""


class BrainTaskContext(Packet):
    """The Brain's own context: one per run, its id is the session id."""

    id: str
    """Session id."""
    layer: Literal["brain"] = "brain"
    """Direction layer."""
    goal: str
    """The request as typed."""
    progress: TaskProgress
    """State of the plan."""
    child_context_ids: tuple[str, ...] = ()
    """Context ids of the planned workers, in worker order."""
    context_refs: tuple[ContextRef, ...] = ()
    """Pointers of the Brain itself; empty in plans."""


class AgentTaskContext(Packet):
    """The isolated task context of one agent."""

    id: str
    """Context id of the agent."""
    parent_id: str
    """Context id of the Brain."""
    layer: Literal["agent"] = "agent"
    """Direction layer."""
    agent_role: str
    """Role that acts."""
    goal: str
    """What is to be done."""
    progress: TaskProgress
    """State of the task."""
    context_refs: tuple[ContextRef, ...] = ()
    """Pointers to the support files."""


class HandoffPacket(Packet):
    """All that the Brain hands to one worker."""

    from_layer: Literal["brain"] = "brain"
    """Direction tag."""
    to_layer: Literal["agent"] = "agent"
    """Direction tag."""
    id: str
    """Handoff id."""
    task: AgentTaskContext
    """The task."""
    constraints: tuple[str, ...]
    """The six rules of a handoff."""
    expected_result: str
    """One sentence naming the keys of the reply."""


class WorkerResult(Packet):
    """All that comes back from a worker."""

    from_layer: Literal["agent"] = "agent"
    """Direction tag."""
    to_layer: Literal["brain"] = "brain"
    """Direction tag."""
    handoff_id: str
    """Id of the handoff that was answered; set by the Brain."""
    task_id: str
    """Context id of the worker; set by the Brain."""
    parent_id: str
    """Context id of the Brain; set by the Brain."""
    progress: TaskProgress
    """State that the worker reports."""
    summary: str
    """Findings."""
    artifacts: tuple[ContextRef, ...] = ()
    """Pointers to what was made."""
    risks: tuple[str, ...] = ()
    """What may be wrong."""
    next_questions: tuple[str, ...] = ()
    """What is still open."""
