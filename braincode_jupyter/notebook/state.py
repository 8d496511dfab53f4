"""What all cells of one process share: the loop, the runs on it, and the models that answer."""

from __future__ import annotations

from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TYPE_CHECKING, Any, Protocol

from braincode_jupyter.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from braincode_jupyter.notebook.endings import Endings
    from braincode_jupyter.notebook.loop import Job, RunLoop
    from braincode_jupyter.protocol.ports import CellSource, ModelClient, VariableSource
    from braincode_jupyter.runtime.settings import Sources
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
    endings : Endings or None
        Tells of background runs, once there was one.
    shown_to_trust : set of str
        Digests of what `%braincode trust` showed; nothing else can be approved.
    """

    def __init__(self) -> None:
        self.models: ModelClient | None = None
        self.cells: CellSource | None = None
        self.variables: VariableSource | None = None
        self.look: Callable[[], None] | None = None
        self.active: dict[str, ActiveRun] = {}
        self.endings: Endings | None = None
        self.shown_to_trust: set[str] = set()
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
