"""What hooks mean for a run: they may add context or block it, and never allow anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.ending import end_completed, end_failed
from braincode_jupyter.brain.working import ask_worker
from braincode_jupyter.protocol.sections import Section

if TYPE_CHECKING:
    from braincode_jupyter.brain.transition import Transition
    from braincode_jupyter.protocol.outside_records import (
        HookReport,
        PromptHooksRan,
        SessionStartHooksRan,
        StopHooksRan,
        SubagentStartHooksRan,
    )


def hook_section(report: HookReport, *, owner: str) -> Section | None:
    """Return what hooks said for a prompt, as data; None if they said nothing.

    Parameters
    ----------
    report : HookReport
        What came of the hooks of one event.
    owner : str
        ``"user"`` for the effective prompt, a context id for one worker.

    Returns
    -------
    Section or None
        Of kind ``hook``.
    """
    reason = report.blocked_reason if owner != "user" else None
    lines = [*report.additional_context, *((reason,) if reason else ())]
    if not lines:
        return None
    return Section(
        kind="hook",
        owner=owner,
        source=f"hook:{report.event_name}",
        title="Context from a hook",
        text="\n".join(f"- {line}" for line in lines),
    )


def take_prompt_hooks(t: Transition, record: SessionStartHooksRan | PromptHooksRan) -> None:
    """Keep what the hooks of the prompt said, or end the run that they blocked."""
    section = hook_section(record, owner="user")
    if section is not None:
        t.set(hook_sections=(*t.state.hook_sections, section))
    if record.blocked_reason is not None:
        end_failed(
            t,
            "blocked_by_hook",
            error=f"A hook of {record.event_name} stopped the run: {record.blocked_reason}",
            hint="%braincode hooks lists them; hooks.json in ~/.braincode holds yours.",
        )


def take_worker_hooks(t: Transition, record: SubagentStartHooksRan) -> None:
    """Let a worker go on that waited for its hooks; a block is told to it and no more."""
    worker = t.state.held.get(record.context_id or "")
    if worker is None:
        return
    held = {key: w for key, w in t.state.held.items() if key != worker.context_id}
    section = hook_section(record, owner=worker.context_id)
    told = t.state.worker_hooks
    if section is not None:
        told = {**told, worker.context_id: section}
    t.set(held=held, worker_hooks=told)
    ask_worker(t, worker, attempt=1)


def take_stop_hooks(t: Transition, record: StopHooksRan) -> None:
    """End the run; what the hooks of its end said stands beside the answer."""
    for line in (*record.additional_context, record.blocked_reason):
        if line:
            t.warn(f"A hook says: {line}")
    end_completed(t)
