"""The Python API: the same arguments as the magics, in scripts, threads and notebooks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.approver import CardApprover
from braincode_jupyter.notebook.cell_run import RESULT_NAME, failure_of
from braincode_jupyter.notebook.cells import open_notebook
from braincode_jupyter.notebook.loop import Job, follow, wait
from braincode_jupyter.notebook.options import to_role_names, to_session, to_variable_name
from braincode_jupyter.notebook.prompt_readers import reader_for
from braincode_jupyter.notebook.prompting import PromptDesk
from braincode_jupyter.notebook.shell import ShellAccess, current_shell
from braincode_jupyter.notebook.state import NOTEBOOK
from braincode_jupyter.runtime import (
    PreparedRun,
    Run,
    RunArguments,
    Sources,
    plan_run,
    prepare_resume,
    prepare_run,
    read_run,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Unpack

    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.protocol.ports import ModelClient


T = TypeVar("T")


class RunKeywords(TypedDict, total=False):
    """Keyword arguments of `run` and `plan`; each as the option of the same name."""

    mode: Literal["auto", "radical"] | None
    brain: str | None
    roles: str | tuple[str, ...]
    review: bool | None
    max_workers: int | None
    max_tokens: int | None
    max_cost: float | None
    continue_session: str | None
    heuristic: bool
    expand_references: bool
    need_to_know: bool
    allow_edits: bool
    allow_compute: bool
    yes: bool
    record: bool
    replay: bool | Literal["only"]
    home: Path | None
    project_root: Path | None
    models: ModelClient | None


def run(prompt: str, *, as_: str | None = None, **options: Unpack[RunKeywords]) -> Run:
    """Run a request to its end and return it.

    Works in a script, a thread, and a cell; Ctrl-C and a kernel interrupt stop the run. It blocks:
    in code that already runs on an event loop, ``await run_async(...)`` lets other tasks go on.

    Parameters
    ----------
    prompt : str
        The request.
    as_ : str or None
        In a notebook: name to bind the result to, beside ``_braincode``.
    **options
        As the options of `%%braincode`: mode, brain, roles, review, max_workers, max_tokens,
        max_cost, continue_session, heuristic, expand_references, need_to_know, allow_edits,
        allow_compute, yes, record, replay; also home, project_root and models. What a tool has to
        ask is asked at the prompt.

    Returns
    -------
    Run
        Completed, or with a question to you.

    Raises
    ------
    UsageError
        If the request or an option makes no sense; nothing was sent.
    RunError
        If the run failed or was stopped; ``_braincode`` holds it in a notebook.
    """
    desk = _desk()
    prepared = prepare_run(prompt, _asking(options, as_, desk=desk), _sources())
    return _finished(wait(_submit(prepared, desk), desk), as_)


async def run_async(prompt: str, *, as_: str | None = None, **options: Unpack[RunKeywords]) -> Run:
    """Run a request to its end without blocking the event loop of the caller.

    Parameters
    ----------
    prompt, as_, **options
        As in `run`.

    Returns
    -------
    Run
        Completed, or with a question to you.

    Raises
    ------
    UsageError
        If the request or an option makes no sense; nothing was sent.
    RunError
        If the run failed or was stopped.
    """
    desk = _desk()
    prepared = prepare_run(prompt, _asking(options, as_, desk=desk), _sources())
    return _finished(await follow(_submit(prepared, desk), desk), as_)


def plan(prompt: str, **options: Unpack[RunKeywords]) -> RuntimePlan:
    """Return the plan of a request; nothing runs, but without ``heuristic`` a router is asked.

    Parameters
    ----------
    prompt, **options
        As in `run`.

    Returns
    -------
    RuntimePlan
        The plan.

    Raises
    ------
    BraincodeError
        As `run`.
    """
    arguments = _arguments(options)
    return wait(NOTEBOOK.loop.submit(plan_run(prompt, arguments, _sources())))


def read_session(session_id: str = "last", *, home: Path | None = None) -> Run:
    """Return the newest run of a session, rebuilt from its file.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``; with or without ``@@``.
    home : Path or None
        None: ``~/.braincode``.

    Returns
    -------
    Run
        Without prompts, which are not written; interrupted if it has no end record.

    Raises
    ------
    UsageError
        If there is no such session.
    JournalError
        If its file cannot be read.
    """
    return read_run(session_id, home)


class ResumeKeywords(TypedDict, total=False):
    """Keyword arguments of `resume`; each as the option of the same name."""

    max_tokens: int | None
    max_cost: float | None
    allow_edits: bool
    allow_compute: bool
    yes: bool
    home: Path | None
    project_root: Path | None
    models: ModelClient | None


def resume(
    session_id: str | None = None, *, as_: str | None = None, **options: Unpack[ResumeKeywords]
) -> Run:
    """Go on with a run that was cut off, stopped, or failed, and return it whole.

    Plan, results and what was spent are kept; only calls without an outcome are made. References
    are read again, and one that changed is told.

    Parameters
    ----------
    session_id : str or None
        Session id, the beginning of one, or ``last``; None: the newest that can be resumed.
    as_ : str or None
        As in `run`.
    **options
        As in `run`: max_tokens, max_cost, allow_edits, allow_compute, yes, home, project_root and
        models; all else was asked for when the run began.

    Returns
    -------
    Run
        Completed, or with a question to you; one that was complete already as it is.

    Raises
    ------
    UsageError
        If there is no such session, it is going on, or what it refers to is gone.
    RunError
        If the run failed again or was stopped.
    """
    desk = _desk()
    found = _prepare_resume(
        session_id, _asking(options, as_, desk=desk, known=ResumeKeywords.__annotations__)
    )
    run = found if isinstance(found, Run) else wait(_submit(found, desk), desk)
    return _finished(run, as_)


async def resume_async(
    session_id: str | None = None, *, as_: str | None = None, **options: Unpack[ResumeKeywords]
) -> Run:
    """Go on with a run without blocking the event loop of the caller.

    Parameters
    ----------
    session_id, as_, **options
        As in `resume`.

    Returns
    -------
    Run
        As `resume`.

    Raises
    ------
    UsageError
        As `resume`.
    RunError
        If the run failed again or was stopped.
    """
    desk = _desk()
    found = _prepare_resume(
        session_id, _asking(options, as_, desk=desk, known=ResumeKeywords.__annotations__)
    )
    run = found if isinstance(found, Run) else await follow(_submit(found, desk), desk)
    return _finished(run, as_)


def _prepare_resume(session_id: str | None, arguments: RunArguments) -> PreparedRun | Run:
    """Return what is to be executed, or a run that is complete already."""
    if session_id is not None:
        run = read_run(session_id, arguments.home)
        if run.status == "completed":
            return run
    return prepare_resume(session_id, arguments, _sources())


def _desk() -> PromptDesk:
    return PromptDesk(reader_for(_access()))


def _asking(
    options: Mapping[str, object],
    as_name: str | None,
    *,
    desk: PromptDesk,
    known: Mapping[str, object] = RunKeywords.__annotations__,
) -> RunArguments:
    """Return the arguments of a run that asks at a desk."""
    if as_name is not None:
        _checked(to_variable_name, str(as_name), "as_")
    return replace(_arguments(options, known), approver=CardApprover(desk))


def _arguments(
    options: Mapping[str, object],
    known: Mapping[str, object] = RunKeywords.__annotations__,
) -> RunArguments:
    for name in options:
        if name not in known:
            raise UnknownNameError("option", name, known)
    given: dict[str, Any] = dict(options)
    if isinstance(given.get("roles"), str):
        given["roles"] = _checked(to_role_names, given["roles"], "roles")
    elif isinstance(given.get("roles"), list):
        given["roles"] = tuple(given["roles"])
    for name in ("home", "project_root"):
        if isinstance(given.get(name), str):
            given[name] = Path(given[name]).expanduser()
    if isinstance(given.get("continue_session"), str):
        given["continue_session"] = _checked(
            to_session, given["continue_session"], "continue_session"
        )
    if given.get("models") is None:
        given["models"] = NOTEBOOK.models
    access = _access()
    cell_id = None if access is None else access.place().cell_id
    return RunArguments(**given, open_notebook=open_notebook(), cell_id=cell_id)


def _checked(convert: Callable[[str], T], text: str, name: str) -> T:
    try:
        return convert(text)
    except ValueError as error:
        raise UsageError(f"{name} cannot be {text[:40]!r}.", hint=f"Its value {error}.") from None


def _sources() -> Sources:
    access = _access()
    if access is None or NOTEBOOK.variables is not None:
        return NOTEBOOK.sources()
    return Sources(variables=access.variables())


def _access() -> ShellAccess | None:
    shell = current_shell()
    return None if shell is None else ShellAccess(shell)


def _submit(prepared: PreparedRun, desk: PromptDesk) -> Job[Run]:
    desk.expect()
    job = NOTEBOOK.loop.submit(prepared.execute())
    NOTEBOOK.track(prepared.session_id, prepared, job)
    return job


def _finished(run: Run, as_name: str | None) -> Run:
    access = _access()
    if access is not None:
        access.bind(**{RESULT_NAME: run} | ({as_name: run} if as_name else {}))
    if (error := failure_of(run)) is not None:
        raise error
    return run
