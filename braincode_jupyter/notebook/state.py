"""What all cells of one process share: the loop, the runs on it, and the models that answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from braincode_jupyter.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.notebook.endings import Endings
    from braincode_jupyter.notebook.loop import Job, RunLoop
    from braincode_jupyter.protocol.ports import CellSource, ModelClient, VariableSource
    from braincode_jupyter.runtime.settings import Sources


class Stoppable(Protocol):
    """A run that can be stopped."""

    def stop(self) -> None:
        """Stop it; safe from every thread."""
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
        self.active: dict[str, Stoppable] = {}
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

    def track(self, session_id: str, run: Stoppable, job: Job[Any]) -> None:
        """Keep a run stoppable until its job is over."""
        # A second run of a session that is being written is refused, and must not hide the first.
        self.active.setdefault(session_id, run)
        job.future.add_done_callback(lambda _: self._forget(session_id, run))

    def _forget(self, session_id: str, run: Stoppable) -> None:
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
        chosen = [session_id for session_id in running if session_id.startswith(prefix)]
        if not chosen:
            raise UnknownNameError("running session", prefix[:64], running)
        for session_id in chosen:
            running[session_id].stop()
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
