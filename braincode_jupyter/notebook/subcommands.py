"""`%braincode`: one table of subcommands, from which dispatch, help and completion are made."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError, without_home
from braincode_jupyter.notebook.keys import refuse_keys
from braincode_jupyter.notebook.options import OPTIONS
from braincode_jupyter.notebook.request import SHORT_USAGE
from braincode_jupyter.notebook.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.notebook.state import Notebook

_SHOWN_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a subcommand works with."""

    access: ShellAccess
    notebook: Notebook
    is_awaited: bool = False
    """The cell awaits what starts a run."""

    def with_session(self, rest: str) -> str:
        """Return what follows a subcommand, with an id for the name of a variable with a run."""
        name, space, more = rest.partition(" ")
        value = self.access.value_of(name)
        if value is None:
            return rest
        from braincode_jupyter.runtime import Run  # noqa: PLC0415 - light load

        return f"{value.session_id}{space}{more}" if isinstance(value, Run) else rest

    @property
    def home(self) -> Path:
        """The home folder."""
        from braincode_jupyter.runtime.settings import default_home  # noqa: PLC0415 - light load

        return default_home()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subcommand:
    """One row of the table.

    Parameters
    ----------
    name : str
        First word after `%braincode`.
    usage : str
        What may follow it.
    help : str
        One short sentence.
    run : callable
        Does it; a text is printed, another object is displayed.
    takes_session : bool
        What follows may begin with a session, or with the name of a variable that holds a run.
    """

    name: str
    help: str
    run: Callable[[Context, str], object]
    usage: str = ""
    takes_session: bool = False


def run_subcommand(
    access: ShellAccess, notebook: Notebook, line: str, *, is_awaited: bool = False
) -> object:
    """Run `%braincode`.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    notebook : Notebook
        Shared state of the process.
    line : str
        What follows the name of the magic; empty means ``help``.
    is_awaited : bool
        The caller awaits what is returned, if it can be awaited.

    Returns
    -------
    object
        To be displayed by IPython, or awaited; None for text, which is printed.

    Raises
    ------
    UnknownNameError
        If there is no such subcommand.
    UsageError
        If what follows it is too much.
    """
    refuse_keys(line, where="The magic line")
    name, _, rest = line.strip().partition(" ")
    name, rest = name or "help", rest.strip()
    command = SUBCOMMANDS.get(name)
    if command is None:
        error = _unknown(name[:_SHOWN_CHARS], is_prose=bool(rest))
        raise error
    if rest and not command.usage:
        raise UsageError(
            f"%braincode {name} takes nothing after it.",
            hint="A request stands in a cell below %%braincode; %braincode help lists the rest.",
        )
    context = Context(access=access, notebook=notebook, is_awaited=is_awaited)
    result = command.run(context, context.with_session(rest) if command.takes_session else rest)
    if isinstance(result, str):
        access.write(without_home(result))
        return None
    return result


def _unknown(name: str, *, is_prose: bool) -> UsageError:
    """Return the error for an unknown subcommand; with words after it, it may be a request."""
    error = UnknownNameError("subcommand of %braincode", name, SUBCOMMANDS)
    if is_prose:
        near = f"{error.hint} " if error.hint.startswith("Did") else ""
        error.hint = f"{near}A request stands in a cell of its own, below a line with %%braincode."
    return error


def help_text() -> str:
    """Return the help: both magics, all options, all subcommands."""
    options = [(option.usage, option.help) for option in OPTIONS]
    commands = [
        (f"%braincode {command.name} {command.usage}".rstrip(), command.help)
        for command in SUBCOMMANDS.values()
    ]
    return "\n".join([
        SHORT_USAGE,
        "",
        "Options",
        table(options, indent="  "),
        "  BRAINCODE_REPLAY=only in the environment: each cell replays, none makes a call",
        "",
        "References in a request",
        table(_REFERENCES, indent="  "),
        "",
        "Line magic",
        table(commands, indent="  "),
        "  ID: of a session, its first signs, last, or the name of a variable with a run",
        "",
        "The newest run is in _braincode:",
        "  .answer .plan .todos .workers .artifacts .review .usage .contexts",
        "  .path .recording",
    ])  # fmt: skip


_REFERENCES = (
    ("@path", "a file of the project: text, image, notebook or table"),
    ("@@ID, @@last", "an earlier session, shortened"),
    ("@cell:LABEL, @cell:[3], @cell:above", "source and output of a cell; #| label: NAME names it"),
    ("@out:[3]", "the output alone"),
    ("@var:NAME, @var:NAME!rows", "type, shape and statistics of a variable; with a few rows"),
)


def _help(context: Context, rest: str) -> str:
    del context, rest
    return help_text()


def _doctor(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.doctor import (  # noqa: PLC0415 - light load
        doctor_text,
        probe_server,
    )

    return doctor_text(context.home, has_kernel=context.access.has_kernel, probe=probe_server)


def _local(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.local_models import say_of_local  # noqa: PLC0415 - light load

    return say_of_local(context.access, rest)


def _plan(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.plan_text import plan_text  # noqa: PLC0415 - light load

    if not rest:
        raise UsageError("There is nothing to plan.", hint="Write %braincode plan and a request.")
    from braincode_jupyter.notebook.loop import wait  # noqa: PLC0415 - light load
    from braincode_jupyter.runtime import RunArguments, plan_run  # noqa: PLC0415 - light load

    arguments = RunArguments(models=context.notebook.models)
    planning = plan_run(rest, arguments, context.notebook.sources())
    return plan_text(wait(context.notebook.loop.submit(planning)))


def _refs(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.references_text import (  # noqa: PLC0415 - light load
        references_text,
    )

    return references_text(rest, sources=context.notebook.sources(), home=context.home)


def _sessions(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.listings import sessions_text  # noqa: PLC0415 - light load

    return sessions_text(context.home)


def _show(context: Context, rest: str) -> object:
    from braincode_jupyter.runtime import read_run  # noqa: PLC0415 - light load

    return read_run(rest.split(maxsplit=1)[0] if rest else "last", context.home)


def _insert(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.inserting import insert_code  # noqa: PLC0415 - light load

    return insert_code(context.access, rest, context.home)


def _export(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.exporting import export_line  # noqa: PLC0415 - light load

    return export_line(rest, context.home)


def _usage(context: Context, rest: str) -> object:
    from braincode_jupyter.notebook import usage_table as tables  # noqa: PLC0415 - light load

    if rest:
        return tables.usage_of_session(context.home, rest.split(maxsplit=1)[0])
    return tables.usage_of_home(context.home)


def _stop(context: Context, rest: str) -> str:
    stopped = context.notebook.stop(rest.strip().removeprefix("@@"))
    return "\n".join(f"Stopping {session_id}" for session_id in stopped)


def _approve(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.answering_text import (  # noqa: PLC0415 - light load
        approve_text,
    )

    return approve_text(context.notebook, rest)


def _deny(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.answering_text import deny_text  # noqa: PLC0415 - light load

    return deny_text(context.notebook, rest)


def _retry(context: Context, rest: str) -> object:
    from braincode_jupyter.notebook.retrying import retry  # noqa: PLC0415 - light load

    return retry(context.access, context.notebook, rest, is_awaited=context.is_awaited)


def _resume(context: Context, rest: str) -> object:
    from braincode_jupyter.notebook.resuming import resume  # noqa: PLC0415 - light load

    return resume(context.access, context.notebook, rest, is_awaited=context.is_awaited)


def _replay(context: Context, rest: str) -> None:
    from braincode_jupyter.notebook.replaying import replay  # noqa: PLC0415 - light load

    replay(context.access, context.notebook, rest)


def _approvals(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook.approvals_text import (  # noqa: PLC0415 - light load
        approvals_text,
        revoke_text,
    )

    running = dict(context.notebook.active)
    action, _, which = rest.partition(" ")
    if not action:
        return approvals_text(running)
    if action != "revoke":
        raise UnknownNameError("subcommand of %braincode approvals", action, ["revoke"])
    return revoke_text(running, which.strip() or "all")


def _roles(context: Context, rest: str) -> str:
    del context, rest
    from braincode_jupyter.notebook.listings import roles_text  # noqa: PLC0415 - light load

    return roles_text()


def _brains(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.listings import brains_text  # noqa: PLC0415 - light load

    return brains_text(context.home)


def _models(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.listings import models_text  # noqa: PLC0415 - light load

    return models_text(context.home)


def _prove(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.loop import wait  # noqa: PLC0415 - light load
    from braincode_jupyter.runtime.prove import prove_isolation  # noqa: PLC0415 - light load

    return str(wait(context.notebook.loop.submit(prove_isolation(context.notebook.models))))


def _undo(context: Context, rest: str) -> str:
    if not rest:
        raise UsageError(
            "Which run?", hint="Write %braincode undo ID; %braincode sessions lists them."
        )
    from braincode_jupyter.notebook.undo_text import undo_text  # noqa: PLC0415 - light load
    from braincode_jupyter.runtime import undo_run  # noqa: PLC0415 - light load

    return undo_text(undo_run(rest.split(maxsplit=1)[0], context.home))


def _mcp(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook import mcp_text as texts  # noqa: PLC0415 - light load

    shown, root = context.notebook.shown_to_trust, Path.cwd()
    verb, _, name = rest.partition(" ")
    if not rest:
        return texts.mcp_text(context.home, root, shown=shown)
    return texts.say_of_mcp(context.home, root, verb=verb, name=name.strip(), shown=shown)


def _hooks(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.outside_text import hooks_text  # noqa: PLC0415 - light load

    return hooks_text(context.home, Path.cwd())


def _skills(context: Context, rest: str) -> str:
    del rest
    from braincode_jupyter.notebook.outside_text import skills_text  # noqa: PLC0415 - light load

    return skills_text(context.home, Path.cwd())


def _trust(context: Context, rest: str) -> str:
    from braincode_jupyter.notebook import trust_text as texts  # noqa: PLC0415 - light load

    shown, root = context.notebook.shown_to_trust, Path.cwd()
    if not rest:
        return texts.trust_text(context.home, root, shown=shown)
    now_ms = time.time_ns() // 1_000_000
    return texts.say_of_trust(context.home, root, line=rest, shown=shown, now_ms=now_ms)


SUBCOMMANDS: Mapping[str, Subcommand] = {
    command.name: command
    for command in (
        Subcommand(name="help", run=_help, help="this text"),
        Subcommand(name="doctor", run=_doctor, help="what is installed, found and reachable"),
        Subcommand(
            name="local",
            run=_local,
            usage="[install [NAME] [--from FILE]]",
            help="the small embedded model: list or install its weights",
        ),
        Subcommand(
            name="plan",
            run=_plan,
            usage="TEXT",
            help="plan a request and run nothing",
        ),
        Subcommand(
            name="refs",
            run=_refs,
            usage="TEXT",
            help="what the references of a text would send",
        ),
        Subcommand(name="sessions", run=_sessions, help="the newest sessions"),
        Subcommand(
            name="show", run=_show, usage="[ID]", help="the card of a session", takes_session=True
        ),
        Subcommand(
            name="insert",
            run=_insert,
            usage="[ID] [NUMBER]",
            help="put code of an answer into the next cell; it is not run",
            takes_session=True,
        ),
        Subcommand(
            name="replay",
            run=_replay,
            usage="[ID] [--speed N]",
            help="show a session once more as it went; nothing is asked or spent",
            takes_session=True,
        ),
        Subcommand(
            name="export",
            run=_export,
            usage="[ID] [--html FILE] [--force]",
            help="write a run as one page that needs nothing else",
            takes_session=True,
        ),
        Subcommand(
            name="approve",
            run=_approve,
            usage="[NUMBER]",
            help="what a background run asks, in full; then approve one",
        ),
        Subcommand(name="deny", run=_deny, usage="[NUMBER]", help="deny one of these, or all"),
        Subcommand(
            name="usage",
            run=_usage,
            usage="[ID]",
            help="tokens and cost by day and model, or by agent of a session",
            takes_session=True,
        ),
        Subcommand(name="stop", run=_stop, usage="[ID]", help="stop one run, or all"),
        Subcommand(
            name="resume",
            run=_resume,
            usage="[ID] [--max-tokens N]",
            help="go on with a run that was cut off, stopped or failed; nothing is paid twice",
            takes_session=True,
        ),
        Subcommand(
            name="retry",
            run=_retry,
            usage="[ID] WORKER",
            help="run a worker again that failed or came to nothing",
        ),
        Subcommand(
            name="approvals",
            run=_approvals,
            usage="[revoke [NUMBER]]",
            help="what waits for your answer or may run again unasked; take it back",
        ),
        Subcommand(
            name="undo",
            run=_undo,
            usage="ID",
            help="put back the files that a run edited",
            takes_session=True,
        ),
        Subcommand(name="roles", run=_roles, help="roles that can work"),
        Subcommand(name="brains", run=_brains, help="Brain presets"),
        Subcommand(name="models", run=_models, help="models, and which can be used"),
        Subcommand(
            name="mcp",
            run=_mcp,
            usage="[enable|disable|accept|read NAME]",
            help="MCP servers and their tools: look, switch, accept, mark as only reading",
        ),
        Subcommand(name="hooks", run=_hooks, help="hooks, and which may run"),
        Subcommand(name="skills", run=_skills, help="skills of the project and your own"),
        Subcommand(
            name="trust",
            run=_trust,
            usage="[approve|revoke NAME]",
            help="what the project asks to run: look, approve, take back",
        ),
        Subcommand(name="prove", run=_prove, help="plant tokens and show who saw which"),
    )
}
"""All subcommands by name, in the order of the help."""
