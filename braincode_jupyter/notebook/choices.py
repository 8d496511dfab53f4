"""What completion may offer, and what it found; light, as the extension loads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Protocol

    from braincode_jupyter.protocol.ports import CellSource, VariableSource

    class OptionRow(Protocol):
        """What completion needs of a row of the option table."""

        @property
        def flag(self) -> str:
            """For example ``--mode``."""
            ...

        @property
        def metavar(self) -> str:
            """Empty for a switch."""
            ...

        @property
        def choices(self) -> tuple[str, ...]:
            """All values, where they are few."""
            ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """Where completions come from; all of it is optional.

    Parameters
    ----------
    project_root : callable or None
        Gives the folder that ``@path`` is relative to.
    cells : CellSource or None
        Cells of the open notebook.
    variables : VariableSource or None
        Variables of the user.
    sessions : callable or None
        Gives ids of recent sessions, the newest first.
    options : sequence of OptionRow
        Options of `%%braincode`.
    values : mapping
        Flag to a callable that gives the values of the option; comma lists are completed item by
        item.
    subcommands : sequence of str
        First words of `%braincode`.
    prompts : callable or None
        Gives what was asked in recent sessions, by their ids.
    """

    project_root: Callable[[], Path] | None = None
    cells: CellSource | None = None
    variables: VariableSource | None = None
    sessions: Callable[[], Sequence[str]] | None = None
    options: Sequence[OptionRow] = ()
    values: Mapping[str, Callable[[], Sequence[str]]] = field(
        default_factory=dict[str, "Callable[[], Sequence[str]]"]
    )
    subcommands: Sequence[str] = ()
    prompts: Callable[[], Mapping[str, str]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Completions at the cursor.

    Parameters
    ----------
    fragment : str
        Text before the cursor that they replace.
    texts : tuple of str
        What can stand there instead, best first.
    """

    fragment: str = ""
    texts: tuple[str, ...] = ()
