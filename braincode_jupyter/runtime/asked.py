"""What a caller may ask for, checked before anything is read: request, types, names and numbers."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.brain.roles import INTERNAL_ROLES, ROLES
from braincode_jupyter.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.runtime.settings import RunArguments

MAX_PROMPT_BYTES = 256 * 1024
"""Longest request; bytes of UTF-8 (security, section 15)."""
MAX_WORKERS = 64
"""Most workers of a run, primary included."""

_ARGUMENT_TYPES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "mode": (str, "auto or radical"),
    "brain": (str, "the id of a Brain preset"),
    "roles": (tuple, "names of roles"),
    "review": (bool, "True or False"),
    "max_workers": (int, "a whole number"),
    "max_tokens": (int, "a whole number"),
    "max_cost": ((int, float), "an amount in US dollars, such as 0.50"),
    "continue_session": (str, "the id of a session"),
    "heuristic": (bool, "True or False"),
    "expand_references": (bool, "True or False"),
    "need_to_know": (bool, "True or False"),
    "record": (bool, "True or False"),
    "home": (Path, "a path"),
    "project_root": (Path, "a path"),
}
"""What each argument has to be, and how that is said."""


def check_arguments(prompt: str, arguments: RunArguments) -> None:
    """Refuse what no run can start from.

    Parameters
    ----------
    prompt : str
        The request as typed.
    arguments : RunArguments
        What was asked for beside it.

    Raises
    ------
    UsageError
        For an empty or too long request, a wrong type, an unknown name or mode, a bad number.
    """
    _check_types(prompt, arguments)
    _check_prompt(prompt)
    if arguments.record and arguments.replay:
        raise UsageError(
            "A run cannot be recorded and replayed at once.",
            hint="Keep --record or --replay; a cell that is recorded again replaces its recording.",
        )
    _check_numbers(arguments)


def _check_types(prompt: object, arguments: RunArguments) -> None:
    """Refuse what Python lets through: the arguments of a call are not checked by anybody else."""
    if not isinstance(prompt, str):
        raise UsageError(f"The request is {type(prompt).__name__!r}.", hint="Give it as a text.")
    for name, (wanted, words) in _ARGUMENT_TYPES.items():
        value: object = getattr(arguments, name)
        is_right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
        if value is not None and not is_right:
            raise UsageError(f"{name} cannot be {shown(value)}.", hint=f"Give {words}.")
    if arguments.mode not in {None, "auto", "radical"}:
        raise UsageError(f"mode cannot be {shown(arguments.mode)}.", hint="Give auto or radical.")
    if arguments.replay not in {False, True, "only"}:
        hint = 'Give True, False or "only".'
        raise UsageError(f"replay cannot be {shown(arguments.replay)}.", hint=hint)
    for role in arguments.roles:
        if not isinstance(role, str):  # pyright: ignore[reportUnnecessaryIsInstance] - see above
            raise UsageError(f"A role cannot be {shown(role)}.", hint="Give names of roles.")


def shown(value: object) -> str:
    """Return a value as it may stand in an error: short, and no text of an unknown object."""
    return repr(value if isinstance(value, str | int) else type(value).__name__)[:40]


def _check_prompt(prompt: str) -> None:
    if not prompt.strip():
        raise UsageError(
            "The request is empty.", hint="Write what you want below the %%braincode line."
        )
    size = len(prompt.encode("utf-8", "surrogatepass"))
    if size > MAX_PROMPT_BYTES:
        raise UsageError(
            f"The request has {size:,} bytes; the limit is {MAX_PROMPT_BYTES:,}.",
            hint="Put long text in a file or a variable and refer to it with @path or @var:NAME.",
        )


def _check_numbers(arguments: RunArguments) -> None:
    workers, tokens = arguments.max_workers, arguments.max_tokens
    if workers is not None and not 1 <= workers <= MAX_WORKERS:
        raise UsageError(
            f"max_workers is {workers!r}.", hint=f"Give a number from 1 to {MAX_WORKERS}."
        )
    if tokens is not None and tokens < 1:
        raise UsageError(f"max_tokens is {tokens!r}.", hint="Give a number of at least 1.")
    cost = arguments.max_cost
    if cost is not None and not 0 < cost < inf:
        raise UsageError(
            f"max_cost is {cost!r}.", hint="Give an amount in US dollars, for example 0.50."
        )
    routed = [role for role in ROLES if role not in INTERNAL_ROLES]
    for role in arguments.roles:
        if role not in routed:
            raise UnknownNameError("role", role, routed)
