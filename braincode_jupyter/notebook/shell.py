"""The one place that touches IPython's shell and the kernel behind it.

All of it also works in a plain IPython terminal and in an in-process shell, where there is no
kernel, no parent message and no cell id. Nothing is patched: input transformers and magics are
registered, and taken back by `remove`.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from braincode_jupyter.notebook.cells import ShellCells
    from braincode_jupyter.notebook.completion import ReferenceCompletion
    from braincode_jupyter.notebook.place import Place
    from braincode_jupyter.notebook.variables import ShellVariables

MAGIC = "braincode"
"""Name of both magics."""
IPYTHON_FLOOR = (8, 18)
"""Oldest IPython that our tests pass with."""
IPYKERNEL_FLOOR = (6, 29)
"""Oldest ipykernel that our tests pass with."""
IPYKERNEL_FOR_CLICKS = (7, 4)
"""First ipykernel that hands over clicks while a cell awaits."""

_AWAITED = f"_{MAGIC}_awaited"
_CELL_CALL = f"get_ipython().run_cell_magic({MAGIC!r},"
_AWAITED_CALL = f"get_ipython().run_cell_magic({_AWAITED!r},"
_LINE_CALL = f"get_ipython().run_line_magic({MAGIC!r}, "
_AWAITED_LINE_CALL = f"get_ipython().run_line_magic({_AWAITED!r}, "
_GOING_ON = re.compile(r"['\"](?:resume|retry)\b")
"""Lines that start a run, as IPython quotes what follows the name of the magic."""
_LINE_PREFIX = f"%{MAGIC}"

Shell = Any
"""An `InteractiveShell`; its attributes are traitlets, which are not typed."""


class CellAwaiter:
    """Input transformer that lets the kernel await our cell magic, and lines that start a run.

    IPython has no asynchronous magics, but the kernel decides from the transformed source whether
    a cell awaits. A cell inside another one (``%%time``, ``%%capture``) cannot await, and neither
    can one when ``%autoawait`` is off; those keep the blocking call, as does a line among others.

    Parameters
    ----------
    shell : InteractiveShell
        The shell whose cells are transformed.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._is_inside = False

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines of a cell, ours with ``await`` before it."""
        if len(lines) != 1 or self._is_inside or not self._shell.autoawait:
            return lines
        line = lines[0]
        if line.startswith(_CELL_CALL):
            return [f"await {_AWAITED_CALL}{line.removeprefix(_CELL_CALL)}"]
        if line.startswith(_LINE_CALL) and _GOING_ON.match(line, len(_LINE_CALL)):
            return [f"await {_AWAITED_LINE_CALL}{line.removeprefix(_LINE_CALL)}"]
        return lines

    def register(self) -> None:
        """Start to transform."""
        self._shell.input_transformers_post.append(self)
        self._shell.events.register("pre_run_cell", self._enter)
        self._shell.events.register("post_run_cell", self._leave)

    def unregister(self) -> None:
        """Stop to transform."""
        self._shell.input_transformers_post.remove(self)
        self._shell.events.unregister("pre_run_cell", self._enter)
        self._shell.events.unregister("post_run_cell", self._leave)

    # The kernel transforms a cell before it fires the first event, and what is inside it after.
    def _enter(self, _info: object) -> None:
        self._is_inside = True

    def _leave(self, _result: object) -> None:
        self._is_inside = False


def keep_question_marks(lines: list[str]) -> list[str]:
    """Call our line magic for lines at the head of a cell that end in ``?``.

    IPython takes ``%braincode plan why?`` for a question about an object named ``why``. Only lines
    before the first other code are rewritten: there they cannot stand inside a string.

    Parameters
    ----------
    lines : list of str
        A cell before IPython rewrites ``%`` and ``?``.

    Returns
    -------
    list of str
        The lines to go on with.
    """
    kept: list[str] = []
    for index, line in enumerate(lines):
        bare = line.strip()
        is_ours = bare == _LINE_PREFIX or bare.startswith(_LINE_PREFIX + " ")
        is_other_code = bare and not bare.startswith("#") and not is_ours
        if is_other_code or bare.endswith("\\"):
            return kept + lines[index:]
        rest = bare.removeprefix(_LINE_PREFIX)
        asks = is_ours and bare.endswith("?") and rest.strip("? ")
        call = f"get_ipython().run_line_magic({MAGIC!r}, {rest.strip()!r})\n"
        kept.append(call if asks else line)
    return kept


class EmptyCellKeeper:
    """Input transformer that gives an empty cell of ours a body.

    IPython calls no cell magic without one, so nobody would say what is missing.
    """

    has_side_effects = True
    """Then IPython leaves it out when it asks whether a cell is complete: at a prompt, Enter after
    the first line has to begin the request."""

    def __call__(self, lines: list[str]) -> list[str]:
        """Return the lines of a cell before IPython rewrites its ``%%`` line."""
        is_alone = len(lines) == 1 and lines[0].partition(" ")[0].strip() == f"%{_LINE_PREFIX}"
        return [lines[0].rstrip("\n") + "\n", "\n"] if is_alone else lines


class ShellAccess:
    """What the rest of the notebook package may ask of a shell.

    Parameters
    ----------
    shell : InteractiveShell
        The running one.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._awaiter: CellAwaiter | None = None
        self._cleaners = (keep_question_marks, EmptyCellKeeper())

    def install(
        self,
        line: Callable[[str], object],
        cell: Callable[[str, str], object],
        *,
        awaited: Callable[[str, str], object],
        awaited_line: Callable[[str], object],
    ) -> None:
        """Register ``%braincode``, ``%%braincode`` and the input transformers.

        Parameters
        ----------
        line : callable
            The line magic.
        cell : callable
            The cell magic; blocks until the run is over.
        awaited : callable
            The same, returning an awaitable; for cells that can await.
        awaited_line : callable
            The line magic, returning an awaitable.
        """
        self._shell.register_magic_function(line, "line", MAGIC)
        self._shell.register_magic_function(cell, "cell", MAGIC)
        self._shell.register_magic_function(awaited, "cell", _AWAITED)
        self._shell.register_magic_function(awaited_line, "line", _AWAITED)
        self._shell.input_transformers_cleanup.extend(self._cleaners)
        if self.has_kernel:
            # A terminal does not cancel what it awaits on Ctrl-C: there the magic always blocks.
            self._awaiter = CellAwaiter(self._shell)
            self._awaiter.register()

    def remove(self) -> None:
        """Take back what `install` registered."""
        magics = self._shell.magics_manager.magics
        magics["line"].pop(MAGIC, None)
        magics["cell"].pop(MAGIC, None)
        magics["cell"].pop(_AWAITED, None)
        magics["line"].pop(_AWAITED, None)
        for transformer in self._cleaners:
            self._shell.input_transformers_cleanup.remove(transformer)
        if self._awaiter is not None:
            self._awaiter.unregister()
            self._awaiter = None

    @property
    def has_kernel(self) -> bool:
        """There is an ipykernel behind the shell."""
        return getattr(self._shell, "kernel", None) is not None

    def place(self) -> Place:
        """Return where the running code was asked for."""
        from braincode_jupyter.notebook.place import Place  # noqa: PLC0415 - light load

        if not self.has_kernel:
            return Place()
        request = self._request_metadata()
        cell_id = request.get("cellId")
        return Place(
            has_kernel=True,
            has_page=bool(cell_id) or "colab" in request,
            cell_id=cell_id if isinstance(cell_id, str) else None,
        )

    def _request_metadata(self) -> Mapping[str, object]:
        get_parent = getattr(self._shell, "get_parent", None)
        parent: object = get_parent() if callable(get_parent) else None
        if not isinstance(parent, dict):
            return {}
        found: object = parent.get("metadata")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - a message
        return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] - a message

    def watch_cells(self) -> ShellCells:
        """Return a source of the cells of this notebook; it has yet to be registered."""
        from braincode_jupyter.notebook.cells import ShellCells  # noqa: PLC0415 - light load

        shell = self._shell
        return ShellCells(
            events=shell.events,
            display_pub=shell.display_pub,
            displayhook=shell.displayhook,
            inputs=lambda: shell.history_manager.input_hist_raw,
        )

    def variables(self) -> ShellVariables:
        """Return a source of the user's variables."""
        from braincode_jupyter.notebook.variables import (  # noqa: PLC0415 - light load
            ShellVariables,
        )

        shell = self._shell
        return ShellVariables(lambda: shell.user_ns, lambda: shell.user_ns_hidden)

    def before_cells(self, function: Callable[[], None]) -> None:
        """Call a function before each cell, earlier than any watcher of cells."""
        self._shell.events.register("pre_execute", function)

    def not_before_cells(self, function: Callable[[], None]) -> None:
        """Take back `before_cells`; a second call does nothing."""
        with suppress(ValueError):
            self._shell.events.unregister("pre_execute", function)

    def set_next_input(self, text: str) -> None:
        """Offer code as the next cell, or at the next prompt; it is not run."""
        self._shell.set_next_input(text)

    def before_code(self, function: Callable[[object], None]) -> None:
        """Call a function with IPython's ``ExecutionInfo`` when code of the user begins to run."""
        self._shell.events.register("pre_run_cell", function)

    def not_before_code(self, function: Callable[[object], None]) -> None:
        """Take back `before_code`; a second call does nothing."""
        with suppress(ValueError):
            self._shell.events.unregister("pre_run_cell", function)

    def around_code(
        self, before: Callable[[object], None], after: Callable[[object], None]
    ) -> None:
        """Call two functions before and after each cell, with what IPython says of it."""
        self._shell.events.register("pre_run_cell", before)
        self._shell.events.register("post_run_cell", after)

    def not_around_code(
        self, before: Callable[[object], None], after: Callable[[object], None]
    ) -> None:
        """Take back `around_code`."""
        with suppress(ValueError):
            self._shell.events.unregister("pre_run_cell", before)
            self._shell.events.unregister("post_run_cell", after)

    def attach(self, completion: ReferenceCompletion) -> None:
        """Let the shell's completer ask for ours, too."""
        completion.attach(self._shell)

    def detach(self, completion: ReferenceCompletion) -> None:
        """Take back `attach`."""
        completion.detach(self._shell)

    def value_of(self, name: str) -> object:
        """Return what a variable of the user holds; None if there is none."""
        return self._shell.user_ns.get(name)

    def bind(self, **names: object) -> None:
        """Give the user variables; one with a leading underscore is not listed by ``%who``."""
        for name, value in names.items():
            self._shell.push({name: value}, interactive=not name.startswith("_"))

    def display(self, data: object, *, display_id: str, update: bool = False) -> None:
        """Show a MIME bundle or an object under an id, or replace what is shown."""
        show: Any = import_module("IPython.display").display
        show(data, raw=isinstance(data, dict), display_id=display_id, update=update)

    def read_line(self, prompt: str) -> str:
        """Ask the front end of a kernel for a line of text; blocks the main thread.

        Parameters
        ----------
        prompt : str
            What stands before the input box.

        Returns
        -------
        str
            The line.

        Raises
        ------
        NotImplementedError
            If the front end takes no input.
        """
        return str(self._shell.kernel.raw_input(prompt))

    def write(self, text: str) -> None:
        """Print a line for the user."""
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()


def current_shell() -> Shell | None:
    """Return the running shell, or None in a plain Python; imports no IPython."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def running_version(package: str) -> str:
    """Return the version of an imported package; empty if it is not imported."""
    return str(getattr(sys.modules.get(package), "__version__", ""))


def version_note(
    *, has_kernel: bool, version_of: Callable[[str], str] = running_version
) -> str | None:
    """Say in one sentence that IPython or ipykernel is too old; None if neither is.

    Parameters
    ----------
    has_kernel : bool
        Whether ipykernel matters.
    version_of : callable
        Gives the version of a package, or an empty text.

    Returns
    -------
    str or None
        The sentence.
    """
    found = _numbers(version_of("IPython"))
    if found and found < IPYTHON_FLOOR:
        return _too_old("IPython", found, IPYTHON_FLOOR)
    found = _numbers(version_of("ipykernel")) if has_kernel else ()
    if found and found < IPYKERNEL_FLOOR:
        return _too_old("ipykernel", found, IPYKERNEL_FLOOR)
    if found and found < IPYKERNEL_FOR_CLICKS:
        return (
            f"With ipykernel {_dotted(found)} clicks on a card arrive when its cell has ended: "
            "stop a run with the kernel's interrupt button, or install "
            f"ipykernel>={_dotted(IPYKERNEL_FOR_CLICKS)}."
        )
    return None


def _too_old(package: str, found: tuple[int, ...], floor: tuple[int, ...]) -> str:
    return (
        f"{package} {_dotted(found)} is older than {_dotted(floor)}, the oldest one that "
        "braincode_jupyter is tested with: please upgrade it."
    )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the first two numbers of a version."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())


def is_loaded(module: str) -> bool:
    """Return whether a module has been imported, by a cell or by the warm-up."""
    return module in sys.modules


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
