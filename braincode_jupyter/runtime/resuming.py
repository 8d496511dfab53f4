"""Resuming: which run is meant, whether it can go on, and where its records leave it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.going_on import take_up
from braincode_jupyter.brain.replaying import newest, replay
from braincode_jupyter.errors import UsageError
from braincode_jupyter.journal import is_being_written, list_sessions, read_records
from braincode_jupyter.runtime.going_on import other_text, prepare_from
from braincode_jupyter.runtime.resumed import Resumed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.brain.state import RunRequest
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.runtime.going_on import EarlierRun
    from braincode_jupyter.runtime.preparation import Preparation
    from braincode_jupyter.runtime.settings import RunArguments, Sources
    from braincode_jupyter.views.run_view import RunView

RESUMABLE = frozenset({"interrupted", "cancelled", "failed"})
"""States of a run that can go on; a session's listing says the same of its newest run."""
_LOOKED_AT = 100
"""Newest sessions among which one that can be resumed is looked for."""


def newest_resumable(home: Path) -> str:
    """Return the id of the newest session that can be resumed.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    str
        Session id.

    Raises
    ------
    UsageError
        If there is none.
    """
    for entry in list_sessions(home, limit=_LOOKED_AT):
        if entry.facts.detail in RESUMABLE and not is_being_written(entry.path):
            return entry.session_id
    raise UsageError(
        "No session can be resumed: each of the newest came to its end, or is going on.",
        hint="%braincode sessions lists them.",
    )


def check_resumable(view: RunView) -> None:
    """Raise the error that says why a run cannot be resumed.

    Parameters
    ----------
    view : RunView
        The run.

    Raises
    ------
    UsageError
        If it completed, asks something, or goes on.
    """
    session = view.session_id[:8]
    if view.state in {"queued", "running"}:
        raise UsageError(
            f"Session {session} is going on.",
            hint="Wait for its end, or stop it where it runs with %braincode stop.",
        )
    if view.state == "needs_clarification":
        raise UsageError(
            f"Session {session} asked you a question.",
            hint=f"Answer it in a cell that begins with %%braincode --continue {session}.",
        )
    if view.state not in RESUMABLE:
        raise UsageError(
            f"Session {session} came to its end: there is nothing to resume.",
            hint=f"Ask more in a cell that begins with %%braincode --continue {session}.",
        )


def prepare_rest(
    earlier: EarlierRun,
    arguments: RunArguments,
    *,
    sources: Sources,
    clock: Clock,
    new_id: Callable[[], str],
) -> Preparation:
    """Resolve what a run starts from that does what an earlier one did not come to.

    Parameters
    ----------
    earlier : EarlierRun
        The run that is resumed.
    arguments : RunArguments
        Where things are, who answers and what is allowed.
    sources, clock, new_id
        As in `prepare`; an id is only taken if the earlier run has an end.

    Returns
    -------
    Preparation
        Ready to run.

    Raises
    ------
    UsageError
        If it cannot go on, or what the request refers to is gone.
    ConfigurationError
        When no model can be used.
    """
    view, records = earlier.view, tuple(earlier.records)
    check_resumable(view)
    has_end = view.state != "interrupted"
    # A run has one end: what goes on without one keeps its id.
    next_id = new_id if has_end else lambda: view.run_id
    preparation = prepare_from(earlier, arguments, sources=sources, clock=clock, new_id=next_id)
    request = _with_origin(preparation.request, earlier)
    replayed = replay(request, records)
    if has_end and replayed.ended is not None:
        raise UsageError(
            f"Session {view.session_id[:8]} cannot be resumed: {replayed.ended.error}",
            hint=replayed.ended.hint or "%braincode show tells what it came to.",
        )
    other = other_text(records, request.references)
    origin = replayed.to_origin(view.run_id, has_failed=view.state == "failed").model_copy(
        update={"changed": other.changed, "missing": other.missing}
    )
    return replace(
        preparation,
        request=request,
        resumed=Resumed(records=records, replayed=replayed, origin=origin),
    )


def _with_origin(request: RunRequest, earlier: EarlierRun) -> RunRequest:
    """Return the request with what the run itself went on from, if it ran a worker again."""
    origin = earlier.first.goes_on
    if origin is None or origin.context_id is None:
        return request
    whole = read_records(earlier.session.path)
    before = whole[: whole.index(earlier.first)]
    taken = take_up(newest(before), origin.context_id)
    if isinstance(taken, str):
        raise UsageError(
            f"What this run went on from is no longer there: {taken}",
            hint="%braincode retry runs a worker of it again.",
        )
    return replace(request, taken_up=taken)
