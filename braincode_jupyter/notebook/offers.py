"""What completion offers beside references: options, their values, subcommands and sessions.

Everything is looked up when a completion asks for it, so that attaching costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from braincode_jupyter.notebook.completion import Offers

if TYPE_CHECKING:
    from braincode_jupyter.notebook.options import Option
    from braincode_jupyter.notebook.state import Notebook
    from braincode_jupyter.protocol.ports import CellSnapshot

T = TypeVar("T")

_SESSIONS = 25


class Late(Sequence[T], Generic[T]):
    """A sequence that is made when it is first looked at.

    Parameters
    ----------
    make : callable
        Gives the items.
    """

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make
        self._items: Sequence[T] | None = None

    def _all(self) -> Sequence[T]:
        if self._items is None:
            self._items = self._make()
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        """Return one item, or some."""
        return self._all()[index]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._all())


def make_offers(notebook: Notebook) -> Offers:
    """Return what is offered in a notebook.

    Parameters
    ----------
    notebook : Notebook
        Knows cells and variables, as soon as there are any.

    Returns
    -------
    Offers
        For `ReferenceCompletion`.
    """
    return Offers(
        project_root=Path.cwd,
        cells=_Cells(notebook),
        variables=notebook.variables,
        sessions=_session_ids,
        options=Late(_options),
        values={
            "--brain": _brain_ids,
            "--roles": _role_names,
            "--team": _role_names,
            "--continue": _session_ids,
        },
        subcommands=Late(_subcommands),
        prompts=_prompts,
    )


class _Cells:
    """The cells that are watched by the time somebody asks."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def cells(self) -> Sequence[CellSnapshot]:
        cells = self._notebook.cells
        return () if cells is None else cells.cells()


def _options() -> Sequence[Option]:
    from braincode_jupyter.notebook.options import OPTIONS  # noqa: PLC0415 - light load

    return OPTIONS


def _subcommands() -> Sequence[str]:
    from braincode_jupyter.notebook.subcommands import SUBCOMMANDS  # noqa: PLC0415 - light load

    return tuple(SUBCOMMANDS)


def _role_names() -> Sequence[str]:
    from braincode_jupyter.brain.roles import INTERNAL_ROLES, ROLES  # noqa: PLC0415 - light load

    return tuple(name for name in ROLES if name not in INTERNAL_ROLES)


def _brain_ids() -> Sequence[str]:
    from braincode_jupyter.brain.presets import preset_ids  # noqa: PLC0415 - light load
    from braincode_jupyter.home import read_presets  # noqa: PLC0415 - light load
    from braincode_jupyter.runtime.settings import default_home  # noqa: PLC0415 - light load

    return preset_ids(read_presets(default_home()))


def _session_ids() -> Sequence[str]:
    return tuple(_prompts())


def _prompts() -> Mapping[str, str]:
    from braincode_jupyter.journal import list_sessions  # noqa: PLC0415 - light load
    from braincode_jupyter.runtime.settings import default_home  # noqa: PLC0415 - light load

    entries = list_sessions(default_home(), limit=_SESSIONS)
    return {entry.session_id: entry.facts.prompt or "" for entry in entries}
