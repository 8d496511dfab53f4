"""Load and unload the extension, and import what is needed later while the kernel is idle.

Loading registers the magics and what the page may ask. A second later, and between cells, a thread
imports the rest and offers completion; the watcher of cells is registered when the next cell
begins, on the main thread, since the hooks of a kernel belong to the thread that registers them.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import TYPE_CHECKING

from braincode_jupyter.notebook.magics import BraincodeMagics
from braincode_jupyter.notebook.page_questions import PageQuestions
from braincode_jupyter.notebook.session_panel import SessionPanel
from braincode_jupyter.notebook.shell import Shell, ShellAccess, version_note
from braincode_jupyter.notebook.state import NOTEBOOK
from braincode_jupyter.notebook.warm_up import WarmUp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.notebook.cells import ShellCells
    from braincode_jupyter.notebook.completion import ReferenceCompletion
    from braincode_jupyter.notebook.page_questions import Answer
    from braincode_jupyter.protocol.ports import CellSnapshot
    from braincode_jupyter.runtime import Sources
    from braincode_jupyter.views.speaker import Language

SNAPSHOT_TARGET = "braincode.snapshot"
"""Name of the comm target that takes the notebook as the page shows it."""
COMPLETION_TARGET = "braincode.complete"
"""Name of the comm target that the page's completer asks."""
WARM_UP_AFTER_S = 1.0
"""The cell that loads the extension, and often the next one, has ended by then."""

_LAYERS = tuple(
    f"braincode_jupyter.{name}"
    for name in ("protocol", "brain", "views", "journal", "home", "references", "tools", "runtime")
)
"""In the order in which they stand on each other, so that each step is short."""
_FIRST_NEEDED = ("braincode_jupyter.notebook.cell_run", "braincode_jupyter.widget")


class Extension:
    """The extension, loaded into one shell.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """

    def __init__(self, shell: Shell) -> None:
        self._access = ShellAccess(shell)
        self._cells: ShellCells | None = None
        self._completion: ReferenceCompletion | None = None
        self._panel = SessionPanel(_home)
        self._page = PageQuestions(
            {SNAPSHOT_TARGET: self._take_snapshot, COMPLETION_TARGET: self._complete}
        )
        self._lock = threading.Lock()
        self._warm_up = WarmUp(
            [*map(_importing, _LAYERS), self._look_early, *map(_importing, _FIRST_NEEDED)],
            after_s=WARM_UP_AFTER_S,
            last=_import_model_library,
        )

    def load(self) -> None:
        """Register the magics; the rest follows."""
        BraincodeMagics(self._access, NOTEBOOK).register()
        self._access.before_cells(self.look)
        NOTEBOOK.look = self.look
        if self._access.has_kernel:
            self._panel.register()
            self._page.register()
        self._access.around_code(self._warm_up.pause, self._warm_up.go_on)
        self._warm_up.start()
        note = version_note(has_kernel=self._access.has_kernel)
        if note is not None:
            self._access.write(f"braincode: {note}")

    def look(self) -> None:
        """Begin to watch cells and to offer completion; a second call does nothing."""
        with self._lock:
            if NOTEBOOK.variables is None:
                NOTEBOOK.variables = self._access.variables()
            if self._cells is None and threading.current_thread() is threading.main_thread():
                self._cells = self._access.watch_cells()
                self._cells.register()
                NOTEBOOK.cells = self._cells
                self._access.not_before_cells(self.look)
            self._offer()

    def unload(self) -> None:
        """Take back everything."""
        self._warm_up.stop()
        self._access.not_around_code(self._warm_up.pause, self._warm_up.go_on)
        with self._lock:
            self._access.not_before_cells(self.look)
            if self._completion is not None:
                self._access.detach(self._completion)
            if self._cells is not None:
                self._cells.unregister()
            if self._access.has_kernel:
                self._panel.unregister()
                self._page.unregister()
            if NOTEBOOK.news is not None:
                self._access.not_before_code(NOTEBOOK.news.before_cell)
                NOTEBOOK.news = None
            self._access.remove()
            NOTEBOOK.look, NOTEBOOK.cells, NOTEBOOK.variables = None, None, None

    def _offer(self) -> None:
        if self._completion is not None:
            return
        from braincode_jupyter.notebook.completion import (  # noqa: PLC0415 - light load
            ReferenceCompletion,
        )
        from braincode_jupyter.notebook.offers import make_offers  # noqa: PLC0415 - light load

        self._completion = ReferenceCompletion(make_offers(NOTEBOOK))
        self._access.attach(self._completion)

    def _take_snapshot(self, snapshot: Mapping[str, object]) -> None:
        """Take the notebook as the page shows it; it came right before a cell that we run."""
        self.look()
        if self._cells is not None:
            self._cells.accept_snapshot(snapshot)

    def _complete(self, question: Mapping[str, object]) -> Answer:
        with self._warm_up.between_steps():
            from braincode_jupyter.notebook.offers import (  # noqa: PLC0415 - light load
                make_offers,
            )
            from braincode_jupyter.notebook.page_completion import (  # noqa: PLC0415 - light load
                PageCompletion,
            )

        self.look()
        completion = PageCompletion(
            make_offers(NOTEBOOK), cells_on_page=self._cells_on_page, preview=_preview
        )
        return completion.answer(question)

    def _cells_on_page(self, data: object) -> Sequence[CellSnapshot]:
        return () if self._cells is None else self._cells.cells_on_page(data)

    def _look_early(self) -> None:
        import_module("braincode_jupyter.notebook.cells")
        self.look()


def _importing(module: str) -> Callable[[], object]:
    return lambda: import_module(module)


def _import_model_library() -> None:
    import_module("braincode_jupyter.models").warm_up()


def _home() -> Path:
    from braincode_jupyter.runtime.settings import default_home  # noqa: PLC0415 - light load

    return default_home()


def _preview(token: str, sources: Sources, language: Language) -> str:
    from braincode_jupyter.notebook.references_text import (  # noqa: PLC0415 - light load
        reference_preview,
    )

    return reference_preview(token, sources=sources, home=_home(), language=language)


_LOADED: dict[int, Extension] = {}
"""By identity of the shell; there is one in a process, in tests a few."""


def load_ipython_extension(shell: Shell) -> None:
    """Register the magics; `%load_ext braincode_jupyter` calls it, a second call does nothing.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    if id(shell) not in _LOADED:
        _LOADED[id(shell)] = extension = Extension(shell)
        extension.load()


def unload_ipython_extension(shell: Shell) -> None:
    """Take back what loading did; runs that go on are not touched, a second call does nothing.

    Parameters
    ----------
    shell : InteractiveShell
        The running shell.
    """
    extension = _LOADED.pop(id(shell), None)
    if extension is not None:
        extension.unload()
