"""`Run`: what a person holds in hand after a run, and gets back from a session id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from braincode_jupyter.errors import UsageError
from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.protocol.contexts import HandoffPacket
from braincode_jupyter.protocol.records import MessageSent, PromptManifest, RunStart, WorkerEnded
from braincode_jupyter.runtime.artifacts import Artifacts, artifacts_of
from braincode_jupyter.views.bundle import to_bundle
from braincode_jupyter.views.matrix import isolation_report
from braincode_jupyter.views.text import to_brief

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.errors import BraincodeError
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimePlan
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.views.matrix import ContextRow
    from braincode_jupyter.views.run_view import ReviewView, RunView, TodoView, UsageView


class Again(Protocol):
    """A run that goes on from this one; a `PreparedRun` is one."""

    async def execute(self) -> Run:
        """Carry it out."""
        ...


class Later(Protocol):
    """Prepares runs that go on from this one."""

    def retry(self, session_id: str, worker: str) -> Again:
        """Prepare to run a worker again."""
        ...

    def resume(self, session_id: str) -> Again:
        """Prepare to do what the run did not come to."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFiles:
    """The files of a run, as far as there are any."""

    session: Path | None = None
    recording: Path | None = None


class Run:
    """A finished run.

    Parameters
    ----------
    view : RunView
        The folded view.
    records : sequence of AnyRecord
        All records of the run, in order.
    calls : sequence of ModelCall
        The model calls with their prompts; empty for a run that was read from a session file, since
        prompts are kept in memory only.
    error : BraincodeError or None
        Why it failed or was stopped.
    later : Later or None
        Prepares runs that go on from this one; None for a run that was read from a session file.
    files : RunFiles or None
        What it wrote; None: nothing.
    """

    def __init__(
        self,
        view: RunView,
        records: Sequence[AnyRecord],
        *,
        calls: Sequence[ModelCall] = (),
        error: BraincodeError | None = None,
        later: Later | None = None,
        files: RunFiles | None = None,
    ) -> None:
        self._later = later
        self.view = view
        self.records = tuple(records)
        self.calls = tuple(calls)
        self.error = error
        self._files = files or RunFiles()

    async def retry(self, worker: str) -> Run:
        """Run a worker again that failed or came to nothing, and write a new answer with it.

        What the other workers found is kept and costs nothing. References are read anew; what a
        tool would have to ask is denied, unless the run was allowed it ahead of time.

        Parameters
        ----------
        worker : str
            Its role; a second one of a role is ``role-2``.

        Returns
        -------
        Run
            The new run of the same session; ``run.error`` says why it failed, if it did.

        Raises
        ------
        UnknownNameError
            If the run had no such worker.
        UsageError
            If the worker cannot be run again, or this run was read from a session file.
        """
        later = self._known_later(f"retry {self._short_id} {worker[:64]}")
        return await later.retry(self.session_id, worker).execute()

    async def resume(self) -> Run:
        """Do what this run did not come to: it was cut off, stopped, or failed.

        Plan and results are kept and cost nothing; only what has no outcome is asked. References
        are read anew; what a tool would have to ask is denied, unless the run was allowed it ahead
        of time.

        Returns
        -------
        Run
            The whole run with its new end; ``run.error`` says why it failed, if it did. The same
            run where there is nothing left to do.

        Raises
        ------
        UsageError
            If it cannot go on, or was read from a session file.
        """
        if self.status == "completed":
            return self
        later = self._known_later(f"resume {self._short_id}")
        return await later.resume(self.session_id).execute()

    def _known_later(self, line: str) -> Later:
        if self._later is None:
            raise UsageError(
                "This run was read from its session file, which does not say who answers.",
                hint=f"In a notebook: %braincode {line}",
            )
        return self._later

    @property
    def _short_id(self) -> str:
        return self.session_id.split("-", 1)[0]

    @property
    def session_id(self) -> str:
        """Id of the session; ``@@<id>`` refers to it."""
        return self.view.session_id

    @property
    def run_id(self) -> str:
        """Id of this run inside its session."""
        return self.view.run_id

    @property
    def path(self) -> Path | None:
        """The session file, one record a line; None if none could be written."""
        return self._files.session

    @property
    def recording(self) -> Path | None:
        """The file in which ``--record`` kept the model calls of this run; None if it did not."""
        return self._files.recording

    @property
    def status(self) -> str:
        """completed, needs_clarification, failed, cancelled, interrupted; or queued, running."""
        return self.view.state

    @property
    def answer(self) -> str:
        """The answer as Markdown; empty if there is none."""
        return self.view.answer.text

    @property
    def review(self) -> ReviewView:
        """The review; its ``state`` says whether there was one."""
        return self.view.review

    @property
    def todos(self) -> tuple[TodoView, ...]:
        """The todos in order."""
        return self.view.todos

    @property
    def usage(self) -> UsageView:
        """Tokens and cost of the whole run, failed attempts included."""
        return self.view.usage

    @property
    def plan(self) -> RuntimePlan | None:
        """The plan; None if the run ended before there was one."""
        plans = [r.plan for r in self.records if isinstance(r, RunStart) and r.plan is not None]
        return plans[-1] if plans else _planned(self.records)

    @property
    def workers(self) -> Mapping[str, ExecutedWorkerResult]:
        """Final result of each worker, by role; a second one of a role is ``role-2``."""
        results = {
            record.result.task_id: record.result
            for record in self.records
            if isinstance(record, WorkerEnded) and record.phase != "review"
        }
        found: dict[str, ExecutedWorkerResult] = {}
        for result in results.values():
            found[_free_name(found, result.role)] = result
        return found

    @property
    def artifacts(self) -> Artifacts:
        """Tables and plots that tools made, by name; ``["revenue"].frame()`` is a data frame."""
        return artifacts_of(self.view, self.records)

    @property
    def packets(self) -> Mapping[str, HandoffPacket]:
        """The handoff packet of each worker, by role; all that it was handed beside the request."""
        packets: dict[str, tuple[str, HandoffPacket]] = {}
        for record in self.records:
            if isinstance(record, MessageSent) and isinstance(
                record.message.payload, HandoffPacket
            ):
                packet = record.message.payload
                packets[packet.task.id] = record.worker, packet
        found: dict[str, HandoffPacket] = {}
        for role, packet in packets.values():
            found[_free_name(found, role)] = packet
        return found

    @property
    def contexts(self) -> tuple[ContextRow, ...]:
        """One row per agent and section: kind, owner, source, size, and seen or withheld and why.

        Made from the ``prompt_manifest`` records, not from guesses.
        """
        manifests = [r for r in self.records if isinstance(r, PromptManifest)]
        return isolation_report(manifests)

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        return to_bundle(self.view, spoken_language())

    def __str__(self) -> str:
        return to_brief(self.view, spoken_language())

    def __repr__(self) -> str:
        return f"Run({self.session_id!r}, status={self.status!r}, workers={list(self.workers)})"


def _planned(records: Sequence[AnyRecord]) -> RuntimePlan | None:
    return next((plan for r in records if (plan := getattr(r, "plan", None)) is not None), None)


def _free_name(taken: Mapping[str, object], role: str) -> str:
    if role not in taken:
        return role
    number = 2
    while f"{role}-{number}" in taken:
        number += 1
    return f"{role}-{number}"
