"""Running a worker again: which one is meant, and what a new run goes on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.going_on import take_up
from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.journal import read_lines
from braincode_jupyter.protocol.records import PromptManifest, ReferenceUsed, RunStart
from braincode_jupyter.protocol.sections import Section
from braincode_jupyter.runtime.preparation import prepare
from braincode_jupyter.views.session_context import SessionFacts, read_context
from braincode_jupyter.views.snapshot import compact_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.journal import SessionEntry
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.runtime.preparation import Preparation
    from braincode_jupyter.runtime.settings import RunArguments, Sources
    from braincode_jupyter.views.run_view import AgentView, RunView

RETRY_HINT = "%braincode show tells the state of each worker."


def find_worker(view: RunView, name: str) -> AgentView:
    """Return the worker that a person names.

    Parameters
    ----------
    view : RunView
        The run.
    name : str
        Context id, or role; a second one of a role is ``role-2``. A role alone means the first of
        its workers that can be run again, else the first.

    Returns
    -------
    AgentView
        The worker.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    workers = [agent for agent in view.agents if agent.kind == "worker"]
    named = {agent.context_id: agent for agent in workers}
    seen: dict[str, int] = {}
    for agent in workers:
        seen[agent.role] = seen.get(agent.role, 0) + 1
        tail = f"-{seen[agent.role]}" if seen[agent.role] > 1 else ""
        named.setdefault(f"{agent.role}{tail}", agent)
        if not tail or (agent.can_retry and not named[agent.role].can_retry):
            named[agent.role] = agent
    found = named.get(name.strip())
    if found is None:
        raise UnknownNameError("worker", name[:64], sorted(seen))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRun:
    """A run that has ended, and which of its workers is run again."""

    session: SessionEntry
    records: Sequence[AnyRecord]
    worker: AgentView


def prepare_again(
    earlier: EarlierRun,
    arguments: RunArguments,
    *,
    sources: Sources,
    clock: Clock,
    new_id: Callable[[], str],
) -> Preparation:
    """Resolve what a run starts from that goes on from an earlier one of its session.

    Parameters
    ----------
    earlier : EarlierRun
        Where it goes on from.
    arguments : RunArguments
        Where things are, who answers and what is allowed.
    sources : Sources
        Where typed references look.
    clock : Clock
        Time.
    new_id : callable
        Gives the id of the run.

    Returns
    -------
    Preparation
        Ready to run.

    Raises
    ------
    UsageError
        If the worker cannot be run again, or what the request refers to is gone.
    ConfigurationError
        When no model can be used.
    """
    records, role = earlier.records, earlier.worker.role
    taken = take_up(records, earlier.worker.context_id)
    if isinstance(taken, str):
        raise UsageError(f"{role!r} cannot be run again: {taken}", hint=RETRY_HINT)
    first = next(record for record in records if isinstance(record, RunStart))
    ids = iter((earlier.session.session_id,))
    preparation = prepare(
        first.prompt,
        _as_asked(first, records, arguments),
        sources=sources,
        clock=clock,
        new_id=lambda: next(ids, None) or new_id(),
    )
    request = preparation.request
    kept = len(taken.results)
    told = f"{role} is run again; results that are kept from the run before: {kept}."
    return replace(
        preparation,
        request=replace(
            request,
            sections=(*request.sections, *_continuity(records, earlier.session)),
            taken_up=taken,
            warnings=(*request.warnings, told, *_changed(records, request.references)),
        ),
    )


def _as_asked(
    first: RunStart, records: Sequence[AnyRecord], arguments: RunArguments
) -> RunArguments:
    """Return the arguments with what the earlier run was asked for."""
    asked = first.options
    # A run that sent no reference may have been told to send none.
    sent = any(isinstance(record, ReferenceUsed) for record in records)
    same = replace(arguments, expand_references=sent, continue_session=None)
    if asked is None:
        return same
    return replace(
        same,
        mode=asked.mode,
        brain=asked.brain_id,
        roles=asked.force_roles,
        review=asked.review,
        max_workers=asked.max_workers,
        max_tokens=asked.max_tokens,
        max_cost=asked.max_cost_usd,
        heuristic=asked.heuristic,
        need_to_know=asked.need_to_know,
    )


def _changed(records: Sequence[AnyRecord], now: Sequence[ReferenceUsed]) -> tuple[str, ...]:
    """Return a sentence for each reference that gives something else than it did."""
    before = {one.token: one.sha256 for one in records if isinstance(one, ReferenceUsed)}
    return tuple(
        f"{one.token} has changed since: kept results were found with what it was before."
        for one in now
        if one.token in before and before[one.token] != one.sha256
    )


def _continuity(records: Sequence[AnyRecord], session: SessionEntry) -> tuple[Section, ...]:
    """Return what the earlier run was told of the runs before it, and nothing of itself."""
    had_any = any(
        pointer.kind == "continuity"
        for record in records
        if isinstance(record, PromptManifest)
        for pointer in record.sections
    )
    first = next((one.run_id for one in records if isinstance(one, RunStart)), None)
    if not had_any or first is None:
        return ()
    facts = SessionFacts(session_id=session.session_id, updated_ms=session.updated_ms)
    context = read_context(facts, _lines_before(read_lines(session.path).lines, first))
    return (
        Section(
            kind="continuity",
            owner="user",
            source=f"session:{session.session_id}",
            title="Conversation so far",
            text=mask_keys(compact_snapshot(context))[0],
        ),
    )


def _lines_before(
    lines: Sequence[Mapping[str, JsonValue]], run_id: str
) -> Sequence[Mapping[str, JsonValue]]:
    """Return the lines before a run; one that goes on from another begins where that one did."""
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.get("type") != "run_start" or line.get("runId") != run_id or "plan" in line:
            continue
        origin = line.get("goesOn")
        earlier = origin.get("runId") if isinstance(origin, Mapping) else None
        if not isinstance(earlier, str):
            return lines[:index]
        run_id = earlier
    return ()
