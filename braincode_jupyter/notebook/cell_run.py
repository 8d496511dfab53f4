"""One `%%braincode` from the parsed line to the finished card.

No decision about the run is made here: the runtime prepares and executes it, a display shows it.
Imported by the first cell that runs, since it brings the runtime and the models with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from braincode_jupyter.errors import BraincodeError, RunCancelledError, RunError
from braincode_jupyter.notebook.approver import CardApprover
from braincode_jupyter.notebook.cells import open_notebook
from braincode_jupyter.notebook.display import RunDisplay, open_display
from braincode_jupyter.notebook.loop import Job, follow, wait
from braincode_jupyter.notebook.news import News
from braincode_jupyter.notebook.plan_text import plan_text
from braincode_jupyter.notebook.prompt_readers import reader_for
from braincode_jupyter.notebook.prompting import PromptDesk
from braincode_jupyter.runtime import PreparedRun, Run, plan_run, prepare_run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from braincode_jupyter.notebook.arguments import CellArguments
    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.slot import Slot
    from braincode_jupyter.notebook.state import Notebook
    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.runtime import RunArguments, Sources
    from braincode_jupyter.widget import RunWidget

T = TypeVar("T")

RESULT_NAME = "_braincode"
"""Variable that always holds the newest `Run`."""


@dataclass(slots=True, kw_only=True)
class CellRun:
    """A run that a cell has started.

    Parameters
    ----------
    access : ShellAccess
        The shell of the cell.
    notebook : Notebook
        Shared state of the process.
    arguments : CellArguments
        The parsed line.
    prompt : str
        The request.
    slot : Slot
        Where in the output of the cell.
    is_awaited : bool
        The cell awaits what `start` returns; otherwise `start` blocks.
    prepares : callable or None
        Prepares a run that goes on from an earlier one; the request is that of the session then.
    """

    access: ShellAccess
    notebook: Notebook
    arguments: CellArguments
    prompt: str
    slot: Slot
    is_awaited: bool
    prepares: Callable[[RunArguments, Sources], PreparedRun] | None = None
    is_started: bool = False
    cell_id: str | None = None

    def start(self) -> Awaitable[None] | None:
        """Start it.

        Returns
        -------
        awaitable or None
            To be awaited by the cell; None when there is nothing left to wait for.

        Raises
        ------
        BraincodeError
            If it could not start; nothing was sent then.
        """
        desk = PromptDesk(reader_for(self.access))
        approver = CardApprover(desk)
        asked = self.arguments.to_run_arguments(
            models=self.notebook.models,
            approver=approver,
            open_notebook=open_notebook(),
            cell_id=self.access.place().cell_id,
        )
        if self.arguments.dry_run:
            planning = plan_run(self.prompt, asked, self.notebook.sources())
            return self._show_plan(self.notebook.loop.submit(planning))
        prepared = self._prepare(asked)
        self.is_started = True
        display = open_display(
            self.access,
            prepared.view,
            slot=self.slot,
            stop=prepared.stop,
            loop=self.notebook.loop.loop(),
        )
        approver.page = display.page
        if display.page is not None:
            display.page.on_retry(prepared.retry_soon)
            display.page.on_revoke(lambda grant_id: prepared.revoke(grant_id, "card"))
            display.page.questions.on_ignored(prepared.note_ignored)
        place = self.access.place()
        if self.arguments.background and place.has_page:
            self.cell_id = place.cell_id
            self._expect_news()
            self._submit(prepared, self._run_alone(prepared, display), page=display.page)
            return _nothing() if self.is_awaited else None
        desk.expect()
        job = self._submit(prepared, prepared.execute(display), page=display.page)
        if self.is_awaited:
            return self._follow(job, prepared, display, desk=desk)
        self._wait(job, prepared, display, desk=desk)
        return None

    def _prepare(self, asked: RunArguments) -> PreparedRun:
        sources = self.notebook.sources()
        if self.prepares is None:
            return prepare_run(self.prompt, asked, sources)
        return self.prepares(asked, sources)

    def _show_plan(self, job: Job[RuntimePlan]) -> Awaitable[None] | None:
        async def show() -> None:
            self.slot.say(plan_text(await follow(job)))

        if self.is_awaited:
            return show()
        self.access.write(plan_text(wait(job)))
        return None

    def _submit(
        self, prepared: PreparedRun, coroutine: Coroutine[Any, Any, T], *, page: RunWidget | None
    ) -> Job[T]:
        job = self.notebook.loop.submit(coroutine)
        self.notebook.track(prepared.session_id, prepared, job)
        if page is not None:
            self.notebook.take_answers(prepared.session_id, prepared, page.questions)
        return job

    async def _follow(
        self, job: Job[Run], prepared: PreparedRun, display: RunDisplay, *, desk: PromptDesk
    ) -> None:
        try:
            run = await follow(job, desk)
        except BaseException as error:
            self._give_up(prepared, display, error)
            raise
        self._complete(run, display)

    def _wait(
        self, job: Job[Run], prepared: PreparedRun, display: RunDisplay, *, desk: PromptDesk
    ) -> None:
        try:
            run = wait(job, desk)
        except BaseException as error:
            self._give_up(prepared, display, error)
            raise
        self._complete(run, display)

    async def _run_alone(self, prepared: PreparedRun, display: RunDisplay) -> None:
        """Run with nobody waiting; the card is all that tells of a failure."""
        news = self.notebook.news
        watched = display if news is None else news.waiting.watch(display, cell_id=self.cell_id)
        try:
            run = await prepared.execute(watched)
        except BaseException as error:
            self._tell_ending(self._give_up(prepared, display, error))
            raise
        self._tell_ending(run)
        display.finish(run.view)
        self._bind(run)

    def _expect_news(self) -> None:
        if self.notebook.news is None:
            self.notebook.news = News(self.access.write)
            self.access.before_code(self.notebook.news.before_cell)

    def _tell_ending(self, run: Run) -> None:
        if self.notebook.news is not None:
            self.notebook.news.ended(run.view, cell_id=self.cell_id)

    def _complete(self, run: Run, display: RunDisplay) -> None:
        display.finish(run.view)
        self._bind(run)
        if (error := failure_of(run)) is not None:
            raise error

    def _give_up(self, prepared: PreparedRun, display: RunDisplay, error: BaseException) -> Run:
        """Show and bind what there is of a run that gave no result."""
        run = prepared.given_up(error)
        display.finish(run.view)
        self._bind(run)
        return run

    def _bind(self, run: Run) -> None:
        names: dict[str, object] = {RESULT_NAME: run}
        if self.arguments.as_name is not None:
            names[self.arguments.as_name] = run
        self.access.bind(**names)


def failure_of(run: Run) -> BraincodeError | None:
    """Return the error that a finished run ends its cell with; None for an answer or a question."""
    if run.status in {"completed", "needs_clarification"}:
        return None
    if run.error is not None:
        return run.error
    hint = "%braincode show shows what was done."
    if run.status == "cancelled":
        return RunCancelledError("The run was stopped.", hint=hint)
    return RunError("The run did not come to an answer.", hint=hint)


async def _nothing() -> None:
    """Be awaited by a cell that has nothing to wait for."""
