"""What a caller can ask for, and what an observer is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from braincode_jupyter.errors import hide_home

if TYPE_CHECKING:
    from braincode_jupyter.protocol.ports import CellSource, ModelClient, VariableSource
    from braincode_jupyter.protocol.tools import Approver
    from braincode_jupyter.views.run_view import RunView


def default_home() -> Path:
    """Return ``~/.braincode``; no environment variable moves it (security R55)."""
    home = Path.home()
    # A home that is the root of a disk, as in some containers, is part of every path.
    hide_home(*(str(place) for place in (home, home.resolve()) if place.parent != place))
    return home / ".braincode"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunArguments:
    """Everything that can be asked for beside the prompt; the same for magics and Python.

    Parameters
    ----------
    mode : {"auto", "radical"} or None
        None: as ``settings.json`` says.
    brain : str or None
        Brain preset id; None: the default for notebooks.
    roles : tuple of str
        Forced roles, the first is the primary; empty: the Brain chooses.
    review : bool or None
        None: the Brain decides.
    max_workers : int or None
        Workers, primary included; 1 to 64.
    max_tokens : int or None
        Token budget of the whole run, input and output; >= 1.
    max_cost : float or None
        Cost budget of the whole run; US dollars, > 0. Models without a known price are not asked.
    continue_session : str or None
        Session id, or a prefix of one, whose file this run goes on in; ``"@@last"`` for the newest.
    heuristic : bool
        Plan without asking a router model.
    expand_references : bool
        False sends ``@`` tokens as plain text.
    need_to_know : bool
        Workers see only references named in their goal.
    home : Path or None
        None: `default_home`.
    project_root : Path or None
        None: the working directory.
    models : ModelClient or None
        None: the configured models; tests and lessons pass a scripted one.
    allow_edits : bool
        Workers may change files of the project, within the rules.
    allow_compute : bool
        Workers may run code on copies of what was referenced, away from the user's names.
    yes : bool
        What would be asked is approved; deny rules and protected paths hold all the same.
    approver : Approver or None
        Who is asked; None: nobody, and what would be asked is denied.
    open_notebook : Path or None
        File of the notebook that asks, which no tool writes; None: not known, and none is written.
    cell_id : str or None
        Id of the cell that asks, where the front end tells it.
    record : bool
        Keep the model calls in a file beside the notebook.
    replay : bool or "only"
        Play what was recorded, and ask the models for the rest; ``"only"`` makes no call.
    """

    mode: Literal["auto", "radical"] | None = None
    brain: str | None = None
    roles: tuple[str, ...] = ()
    review: bool | None = None
    max_workers: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    continue_session: str | None = None
    heuristic: bool = False
    expand_references: bool = True
    need_to_know: bool = False
    home: Path | None = None
    project_root: Path | None = None
    models: ModelClient | None = None
    allow_edits: bool = False
    allow_compute: bool = False
    yes: bool = False
    approver: Approver | None = None
    open_notebook: Path | None = None
    cell_id: str | None = None
    record: bool = False
    replay: bool | Literal["only"] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where typed references look; None where there is no notebook."""

    cells: CellSource | None = None
    variables: VariableSource | None = None


class RunObserver(Protocol):
    """Told what happens, on the loop of the run; must return at once and never raise."""

    def on_view(self, view: RunView) -> None:
        """Take a new view; called soon after records were written, once for many."""
        ...

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        """Take streamed text of one agent, ``offset`` characters into its current reply.

        Offset 0 after text was seen means that an attempt broke off: drop what was shown.
        """
        ...
