"""From records to a `RunView`: one pure function, used live, on replay and for saved cards.

`fold` is total: odd, late, repeated and unknown records never raise, and records of the original's
journals are taken as far as they go. A file may hold several runs; the view is that of the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.approval_records import (
    ApprovalGranted,
    ApprovalRequested,
    ApprovalRevoked,
    ArtifactMade,
)
from braincode_jupyter.protocol.outside_records import (
    McpConnected,
    ToolApprovalDecided,
    ToolExecuted,
    ToolProgressed,
)
from braincode_jupyter.protocol.records import (
    BudgetChecked,
    ChangesCollected,
    ChecksRan,
    ClarificationRequested,
    ContextPlanned,
    FinalReported,
    FixStarted,
    MessageSent,
    ModelFailed,
    ModelReplied,
    OpaqueRecord,
    PatchSummed,
    PromptManifest,
    Recovered,
    ReferenceUsed,
    RetryRequested,
    ReviewArtifactsSummed,
    ReviewDecided,
    RunCancelled,
    RunEnded,
    RunFailed,
    RunStart,
    TodosPlanned,
    TodosUpdated,
    UsageRecorded,
    Warned,
    WorkerEnded,
    WorkerFailed,
    WorkerStarted,
)
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.views import (
    fold_calls,
    fold_changes,
    fold_end,
    fold_plan,
    fold_resume,
    fold_retries,
    fold_tools,
    fold_workers,
)
from braincode_jupyter.views.fold_end import close_view
from braincode_jupyter.views.run_view import RunView
from braincode_jupyter.views.salvage import salvage
from braincode_jupyter.views.timeline import has_moved, settle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.records import AnyRecord

__all__ = ["close_view", "fold", "fold_all", "fold_many", "start_view"]


def start_view(session_id: str) -> RunView:
    """Return the view of a session before its first record."""
    return RunView(session_id=session_id)


def fold(view: RunView, record: AnyRecord) -> RunView:
    """Return the view after one more record.

    Parameters
    ----------
    view : RunView
        View so far.
    record : AnyRecord
        The next record of the same session.

    Returns
    -------
    RunView
        A new view; ``view`` itself where the record says nothing that is drawn.
    """
    return fold_many(view, (record,))


def fold_many(view: RunView, records: Iterable[AnyRecord]) -> RunView:
    """Return the view after some more records, as if they were folded one by one.

    What follows from all agents together is found out once, after the last of them.

    Parameters
    ----------
    view : RunView
        View so far.
    records : iterable of AnyRecord
        The next records of the same session, in order.

    Returns
    -------
    RunView
        A new view; ``view`` itself where the records say nothing that is drawn.
    """
    is_moved = False
    for record in records:
        after = _taken(view, record)
        is_moved = is_moved or has_moved(view, after)
        view = after
    return settle(view) if is_moved else view


def fold_all(session_id: str, records: Iterable[AnyRecord]) -> RunView:
    """Return the view of a whole session; a run without end record is ``interrupted``.

    Parameters
    ----------
    session_id : str
        Session id.
    records : iterable of AnyRecord
        All records, in file order.

    Returns
    -------
    RunView
        View of the last run of the file.
    """
    return close_view(fold_many(start_view(session_id), records))


def _taken(view: RunView, record: AnyRecord) -> RunView:
    """Return the view with what a record says, not yet settled."""
    if isinstance(record, OpaqueRecord):
        record = salvage(record)
    if isinstance(record, OpaqueRecord):
        return view
    if _opens_run(view, record):
        view = start_view(view.session_id)
    view = _begun(view, record)
    after = _fold_work(view, record)
    if after is None:
        after = _fold_call(view, record)
    if after is None:
        after = _fold_tool(view, record)
    if after is None:
        after = _fold_change(view, record)
    if after is None:
        after = _fold_run(view, record)
    return view if after is None else after


def _fold_call(view: RunView, record: AnyRecord) -> RunView | None:
    match record:
        case PromptManifest():
            after = fold_calls.note_manifest(view, record)
        case ModelReplied():
            after = fold_calls.note_reply(view, record)
        case ModelFailed():
            after = fold_calls.note_failure(view, record)
        case UsageRecorded():
            after = fold_calls.note_usage(view, record)
        case BudgetChecked():
            after = fold_calls.note_budget(view, record)
        case Warned():
            after = fold_calls.note_warning(view, record.said or record.message)
        case Recovered():
            after = fold_calls.note_warning(view, sentence("said.recovered"))
        case _:
            after = None
    return after


def _fold_change(view: RunView, record: AnyRecord) -> RunView | None:
    match record:
        case ChangesCollected():
            after = fold_changes.note_changes(view, record)
        case ChecksRan():
            after = fold_changes.note_checks(view, record)
        case ReviewArtifactsSummed():
            after = fold_changes.note_artifacts(view, record)
        case PatchSummed():
            after = fold_changes.note_patch(view, record)
        case FixStarted():
            after = fold_changes.note_fix(view, record)
        case _:
            after = None
    return after


def _fold_work(view: RunView, record: AnyRecord) -> RunView | None:
    match record:
        case MessageSent():
            after = fold_workers.note_message(view, record)
        case WorkerStarted():
            after = fold_workers.note_worker_start(view, record)
        case WorkerEnded():
            after = fold_workers.note_worker_end(view, record)
        case WorkerFailed():
            after = fold_workers.note_worker_failure(view, record)
        case RetryRequested():
            after = fold_retries.note_retry(view, record)
        case TodosUpdated():
            after = fold_workers.note_todos_changed(view, record)
        case ReviewDecided():
            after = fold_workers.note_decision(view, record)
        case ClarificationRequested():
            after = fold_plan.note_question(view, record)
        case _:
            after = None
    return after


def _fold_tool(view: RunView, record: AnyRecord) -> RunView | None:
    match record:
        case ApprovalRequested():
            after = fold_tools.note_request(view, record)
        case ApprovalGranted():
            after = fold_tools.note_grant(view, record)
        case ApprovalRevoked():
            after = fold_tools.note_revoked(view, record)
        case ToolApprovalDecided():
            after = fold_tools.note_approval(view, record)
        case ToolExecuted():
            after = fold_tools.note_execution(view, record)
        case ToolProgressed():
            after = fold_tools.note_progress(view, record)
        case McpConnected():
            after = fold_tools.note_servers(view, record)
        case ArtifactMade():
            after = fold_tools.note_artifact(view, record)
        case _:
            after = None
    return after


def _fold_run(view: RunView, record: AnyRecord) -> RunView | None:
    match record:
        case RunStart():
            seen = fold_resume.note_resume(view) if record.resumes else view
            after = fold_plan.note_start(seen, record)
        case ReferenceUsed():
            after = fold_plan.note_reference(view, record)
        case ContextPlanned():
            after = fold_plan.note_context(view, record)
        case TodosPlanned():
            after = fold_plan.note_todos(view, record.todos, record.dependencies)
        case FinalReported():
            after = fold_end.note_report(view, record)
        case RunEnded():
            after = fold_end.note_end(view, record)
        case RunFailed():
            after = fold_end.note_run_failure(view, record)
        case RunCancelled():
            after = fold_end.note_cancel(view, record)
        case _:
            after = None
    return after


def _opens_run(view: RunView, record: AnyRecord) -> bool:
    """Tell whether this record belongs to another run than the view.

    Ours begin with ``run_start``. The original's begin with the router's tokens or the plan, and
    write ``run_start`` late and once for each candidate of the primary.

    Returns
    -------
    bool
        True if the view has to begin anew.
    """
    match record:
        case RunStart():
            if record.goes_on is not None and record.resumes:
                return record.goes_on.run_id != view.run_id
            is_same = record.run_id is not None and record.run_id == view.run_id
            if view.run_id and record.run_id:
                return not is_same
            return fold_end.is_over(view)
        case ContextPlanned() | TodosPlanned():
            has_plan = isinstance(record, ContextPlanned) and bool(view.todos)
            return fold_end.is_over(view) or (has_plan and not view.run_id)
        case UsageRecorded():
            return fold_end.is_over(view) and record.phase == "router"
        case _:
            return False


def _begun(view: RunView, record: AnyRecord) -> RunView:
    """Return the view as running, from its first record on, or again after a resume."""
    if isinstance(record, Recovered | Warned | OpaqueRecord):
        return view
    is_resumed = isinstance(record, RunStart) and fold_end.is_over(view)
    if view.state != "queued" and not is_resumed:
        return view
    return view.model_copy(
        update={
            "state": "running",
            "started_ms": view.started_ms or record.timestamp,
            "ended_ms": None,
            "error": None,
            "hint": None,
        }
    )
