"""What all cells of one process share: the loop, the runs on it, and the models that answer."""

from __future__ import annotations

from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from braincode_jupyter.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from braincode_jupyter.notebook.loop import Job, RunLoop
    from braincode_jupyter.notebook.news import News
    from braincode_jupyter.protocol.ports import CellSource, ModelClient, VariableSource
    from braincode_jupyter.runtime.settings import Sources
    from braincode_jupyter.views.approval_view import ApprovalView
    from braincode_jupyter.views.run_view import RunView


RETRY_WAIT_S = 5.0
"""How long a run may take to say whether a worker is taken up again."""


class ActiveRun(Protocol):
    """A run that goes on."""

    @property
    def view(self) -> RunView:
        """Its newest view."""
        ...

    def revoke(self, grant_id: str) -> None:
        """Take back what was allowed for the rest of it; safe from every thread."""
        ...

    def stop(self) -> None:
        """Stop it; safe from every thread."""
        ...

    async def retry(self, worker: str) -> None:
        """Take a worker up again; on the loop of the run."""
        ...


class Answerable(Protocol):
    """Questions of one run, such as those of its card."""

    def answer_here(self, approval_id: str, *, digest: str, decision: str) -> bool:
        """Answer one from the kernel; False if it does not wait, or is another one by now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that waits, as it was when it was looked at."""

    session_id: str
    approval_id: str
    digest: str


class Notebook:
    """Shared by every magic and by the Python API of this process.

    Attributes
    ----------
    models : ModelClient or None
        Who answers; None: the configured models.
    cells : CellSource or None
        Cells of the notebook, once the extension is loaded.
    variables : VariableSource or None
        Variables of the user, once the extension is loaded.
    look : callable or None
        Sets ``cells`` and ``variables``, which a freshly loaded extension has not yet done.
    active : dict
        Runs that have not ended, by session id, oldest first.
    news : News or None
        Tells of background runs, once there was one.
    shown_to_approve : list of Asked
        What `%braincode approve` showed; nothing else can be approved by number.
    shown_to_trust : set of str
        Digests of what `%braincode trust` showed; nothing else can be approved.
    """

    def __init__(self) -> None:
        self.models: ModelClient | None = None
        self.cells: CellSource | None = None
        self.variables: VariableSource | None = None
        self.look: Callable[[], None] | None = None
        self.active: dict[str, ActiveRun] = {}
        self.news: News | None = None
        self.shown_to_approve: list[Asked] = []
        self.shown_to_trust: set[str] = set()
        self._answerable: dict[str, Answerable] = {}
        self._loop: RunLoop | None = None

    @property
    def loop(self) -> RunLoop:
        """Where runs live; its thread starts with the first job."""
        if self._loop is None:
            from braincode_jupyter.notebook.loop import RunLoop  # noqa: PLC0415 - light load

            self._loop = RunLoop()
        return self._loop

    def sources(self) -> Sources:
        """Return where typed references look."""
        if self.look is not None:
            self.look()
        from braincode_jupyter.runtime.settings import Sources  # noqa: PLC0415 - light load

        return Sources(cells=self.cells, variables=self.variables)

    def track(self, session_id: str, run: ActiveRun, job: Job[Any]) -> None:
        """Keep a run stoppable until its job is over."""
        # A second run of a session that is being written is refused, and must not hide the first.
        self.active.setdefault(session_id, run)
        job.future.add_done_callback(lambda _: self._forget(session_id, run))

    def _forget(self, session_id: str, run: ActiveRun) -> None:
        if self.active.get(session_id) is run:
            del self.active[session_id]
            self._answerable.pop(session_id, None)

    def take_answers(self, session_id: str, run: ActiveRun, questions: Answerable) -> None:
        """Let `answer` reach the questions of a run that is tracked."""
        if self.active.get(session_id) is run:
            self._answerable[session_id] = questions

    def waiting(self) -> list[Asked]:
        """Return the calls that wait for an answer, those of the oldest run first.

        Returns
        -------
        list of Asked
            At least one.

        Raises
        ------
        UsageError
            If nothing waits.
        """
        found = [
            Asked(session_id=session_id, approval_id=one.approval_id, digest=one.bound_sha256)
            for session_id, run in list(self.active.items())
            for one in run.view.approvals
        ]
        if not found:
            raise UsageError(
                "Nothing waits for your answer.", hint="%braincode approvals lists what is allowed."
            )
        return found

    def approval_of(self, asked: Asked) -> ApprovalView | None:
        """Return a call that waits, as it is shown; None if it waits no more."""
        run = self.active.get(asked.session_id)
        approvals = () if run is None else run.view.approvals
        found = (one for one in approvals if one.approval_id == asked.approval_id)
        return next((one for one in found if one.bound_sha256 == asked.digest), None)

    def answer(self, asked: Asked, decision: str) -> bool:
        """Answer a call that waits; False if it does not, or is another one by now."""
        questions = self._answerable.get(asked.session_id)
        return questions is not None and questions.answer_here(
            asked.approval_id, digest=asked.digest, decision=decision
        )

    def stop(self, prefix: str = "") -> list[str]:
        """Stop runs.

        Parameters
        ----------
        prefix : str
            Start of a session id; empty: every run.

        Returns
        -------
        list of str
            Session ids of the runs that were told to stop.

        Raises
        ------
        UsageError
            If nothing runs.
        UnknownNameError
            If no run has such an id.
        """
        running = dict(self.active)
        if not running:
            raise UsageError("No run is going on.", hint="%braincode sessions lists earlier ones.")
        chosen = _matching(running, prefix)
        for session_id in chosen:
            running[session_id].stop()
        return chosen

    def retry(self, worker: str, prefix: str = "") -> str:
        """Take a worker of a run that goes on up again.

        Parameters
        ----------
        worker : str
            Its role or context id.
        prefix : str
            Start of a session id; empty: the newest run.

        Returns
        -------
        str
            Session id of the run.

        Raises
        ------
        UnknownNameError
            If no run has such an id, or such a worker.
        UsageError
            If the worker cannot be taken up again.
        """
        running = dict(self.active)
        session_id = _matching(running, prefix)[-1]
        job = self.loop.submit(running[session_id].retry(worker))
        try:
            job.future.result(RETRY_WAIT_S)
        except FutureTimeoutError:
            raise UsageError(
                f"Run {session_id[:8]} did not answer within {RETRY_WAIT_S:g} s.",
                hint="%braincode show tells how it stands.",
            ) from None
        return session_id


def _matching(running: Mapping[str, ActiveRun], prefix: str) -> list[str]:
    chosen = [session_id for session_id in running if session_id.startswith(prefix)]
    if not chosen:
        raise UnknownNameError("running session", prefix[:64], running)
    return chosen


NOTEBOOK = Notebook()
"""The one of this process; making it starts no thread."""


def use_models(models: ModelClient | None) -> None:
    """Let these models answer every run of this process, for lessons and tests.

    Parameters
    ----------
    models : ModelClient or None
        For example a `braincode_jupyter.testing.ScriptedModel`; None: the configured models again.
    """
    NOTEBOOK.models = models
