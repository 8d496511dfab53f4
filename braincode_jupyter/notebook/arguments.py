"""Read the line of a `%%braincode` into frozen `CellArguments`.

The grammar is small on purpose: ``--flag``, ``--flag value`` and ``--flag=value``. Anything else on
the line is an error that names its position, so that no run starts from a line half understood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.notebook.keys import KEY_OPTIONS, refuse_key, refuse_keys
from braincode_jupyter.notebook.options import OPTIONS_BY_FLAG, Option
from braincode_jupyter.notebook.words import Word, split_words

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.ports import ModelClient
    from braincode_jupyter.protocol.tools import Approver
    from braincode_jupyter.runtime.settings import RunArguments

_SHOWN_CHARS = 40
"""Characters of a word that a message repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellArguments:
    """What stood on the line of one `%%braincode`.

    Parameters
    ----------
    mode, brain, roles, review, max_workers, max_tokens, max_cost, continue_session, heuristic
        As in `braincode_jupyter.runtime.RunArguments`.
    expand_references : bool
        False after ``--no-refs``.
    need_to_know : bool
        Workers see only references named in their goal.
    allow_edits, allow_compute, yes, record, replay
        As in `braincode_jupyter.runtime.RunArguments`.
    background : bool
        Return at once; the card goes on by itself.
    as_name : str or None
        Name to bind the `Run` to, beside ``_braincode``.
    dry_run : bool
        Show the plan, run nothing.
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
    allow_edits: bool = False
    allow_compute: bool = False
    yes: bool = False
    record: bool = False
    replay: bool | Literal["only"] = False
    background: bool = False
    as_name: str | None = None
    dry_run: bool = False

    def to_run_arguments(
        self,
        *,
        models: ModelClient | None = None,
        home: Path | None = None,
        project_root: Path | None = None,
        approver: Approver | None = None,
        open_notebook: Path | None = None,
        cell_id: str | None = None,
    ) -> RunArguments:
        """Return what the runtime needs of it.

        Parameters
        ----------
        models, home, project_root, approver, open_notebook, cell_id
            As in `braincode_jupyter.runtime.RunArguments`.

        Returns
        -------
        RunArguments
            Without ``background``, ``as_name`` and ``dry_run``, which are the notebook's.
        """
        from braincode_jupyter.runtime.settings import RunArguments  # noqa: PLC0415 - light load

        return RunArguments(
            mode=self.mode,
            brain=self.brain,
            roles=self.roles,
            review=self.review,
            max_workers=self.max_workers,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
            continue_session=self.continue_session,
            heuristic=self.heuristic,
            expand_references=self.expand_references,
            need_to_know=self.need_to_know,
            home=home,
            project_root=project_root,
            models=models,
            allow_edits=self.allow_edits,
            allow_compute=self.allow_compute,
            yes=self.yes,
            approver=approver,
            open_notebook=open_notebook,
            cell_id=cell_id,
            record=self.record,
            replay=self.replay,
        )


def parse_arguments(line: str) -> CellArguments:
    """Read what stands after `%%braincode`.

    Parameters
    ----------
    line : str
        The rest of the magic line.

    Returns
    -------
    CellArguments
        What was asked for.

    Raises
    ------
    UsageError
        For anything that is not understood; names the position. `UnknownNameError` for an unknown
        option.
    """
    words = split_words(line)
    _refuse_key_options(words)
    refuse_keys(line, where="The magic line")
    given: dict[str, str] = {}
    values: dict[str, object] = {}
    while words:
        word = words.pop(0)
        option, attached = _find_option(word)
        if option.field in given:
            raise UsageError(
                f"{given[option.field]} and then {option.flag} say the same thing twice.",
                hint="Keep one of them.",
            )
        given[option.field] = option.flag
        values[option.field] = _read_value(option, attached, words)
    arguments = replace(CellArguments(), **values)
    if arguments.background and arguments.dry_run:
        raise UsageError(
            "--background and --dry-run do not go together.",
            hint="A dry run returns at once: leave out --background.",
        )
    return arguments


def _find_option(word: Word) -> tuple[Option, str | None]:
    """Return the option that a word names, and the value attached with ``=``."""
    if word.is_quoted or not word.text.startswith("-"):
        raise UsageError(
            f"{_shown(word.text)} at character {word.position} of the magic line is no option.",
            hint="Put the request on the lines below the magic line.",
        )
    flag, has_value, value = word.text.partition("=")
    option = OPTIONS_BY_FLAG.get(flag)
    if option is None:
        raise UnknownNameError("option", flag[:_SHOWN_CHARS], OPTIONS_BY_FLAG)
    return option, value if has_value else None


def _read_value(option: Option, attached: str | None, rest: list[Word]) -> object:
    """Return the value of an option; takes its word from ``rest`` where it needs one."""
    if not option.metavar:
        if attached is not None:
            raise UsageError(f"{option.flag} takes no value.", hint=f"Write {option.flag} alone.")
        return option.constant
    if attached is None:
        follows = bool(rest) and (rest[0].is_quoted or not rest[0].text.startswith("--"))
        if not follows:
            if option.value_is_optional:
                return option.constant
            raise UsageError(f"{option.flag} needs a value.", hint=f"Write {option.usage}.")
        attached = rest.pop(0).text
    try:
        return option.convert(attached)
    except ValueError as error:
        raise UsageError(
            f"{option.flag} cannot be {_shown(attached)}.", hint=f"Its value {error}."
        ) from None


def _refuse_key_options(words: list[Word]) -> None:
    if any(word.text.partition("=")[0].lower() in KEY_OPTIONS for word in words):
        refuse_key("The magic line")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")
