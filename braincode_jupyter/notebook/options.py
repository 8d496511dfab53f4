"""The options of `%%braincode`: one table, from which parser, help and completion are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from keyword import iskeyword

MAX_WORKERS_LIMIT = 64
"""Greatest value of ``--max-workers``."""
MAX_TOKENS_LIMIT = 1_000_000_000
MAX_COST_LIMIT = 1_000_000
"""Greatest value of ``--max-tokens``."""
MAX_NAME_CHARS = 128
"""Longest role, Brain, session or variable name."""
LAST_SESSION = "@@last"
"""What ``--continue`` alone means."""

_MODES = ("auto", "radical")
_IPYTHON_NAMES = frozenset({"In", "Out", "_braincode", "exit", "get_ipython", "quit"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}", re.ASCII)
_NUMBER = re.compile(r"[0-9][0-9_]{0,14}", re.ASCII)

Convert = Callable[[str], object]
"""Turns the text of a value into the value of a field, or raises `ValueError` with a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One row of the table of options.

    Parameters
    ----------
    flag : str
        For example ``"--mode"``.
    field : str
        Field of `CellArguments` that it sets.
    help : str
        One short sentence.
    metavar : str
        Shown for the value; empty for a switch.
    convert : callable
        Text to value.
    constant : object
        Value of a switch, and of an option whose value was left out.
    value_is_optional : bool
        The value may be left out.
    choices : tuple of str
        All values, where they are few.
    """

    flag: str
    help: str
    field: str
    metavar: str = ""
    convert: Convert = str
    constant: object = True
    value_is_optional: bool = False
    choices: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """The option as help writes it, for example ``--continue [ID]``."""
        if not self.metavar:
            return self.flag
        return (
            f"{self.flag} [{self.metavar}]"
            if self.value_is_optional
            else f"{self.flag} {self.metavar}"
        )


def _to_mode(text: str) -> str:
    if text not in _MODES:
        raise ValueError("is auto or radical")
    return text


def _to_name(text: str) -> str:
    if len(text) > MAX_NAME_CHARS or _NAME.fullmatch(text) is None:
        raise ValueError("is a name of letters, digits, '-', '_' and '.'")
    return text


def _to_replay(text: str) -> str:
    if text != "only":
        raise ValueError("is only, or left out")
    return text


def to_role_names(text: str) -> tuple[str, ...]:
    """Return the roles of a list such as ``"librarian,coder"``.

    Parameters
    ----------
    text : str
        Names joined by commas.

    Returns
    -------
    tuple of str
        In order, each once.

    Raises
    ------
    ValueError
        If it is no such list.
    """
    names = [name.strip() for name in text.split(",")]
    if not all(_NAME.fullmatch(name) and len(name) <= MAX_NAME_CHARS for name in names):
        raise ValueError("is a list of roles joined by commas, without blanks: librarian,coder")
    return tuple(dict.fromkeys(names))


def to_session(text: str) -> str:
    """Return a session id or prefix of one, or ``"@@last"``.

    Parameters
    ----------
    text : str
        An id, a prefix of one, ``last``, or one of these after ``@@``.

    Returns
    -------
    str
        As the runtime takes it.

    Raises
    ------
    ValueError
        If it can be no session id.
    """
    bare = text.removeprefix("@@")
    if bare in {"last", ""}:
        return LAST_SESSION
    try:
        return _to_name(bare)
    except ValueError:
        raise ValueError("is a session id, a prefix of one, or last") from None


def to_variable_name(text: str) -> str:
    """Return a name that a `Run` may be bound to.

    Parameters
    ----------
    text : str
        The name.

    Returns
    -------
    str
        The same.

    Raises
    ------
    ValueError
        If it is no plain Python identifier, or one that IPython needs.
    """
    if len(text) > MAX_NAME_CHARS or not text.isidentifier() or iskeyword(text):
        raise ValueError("is a Python name, for example answer")
    if text in _IPYTHON_NAMES or text.startswith("__"):
        raise ValueError("is a name of your own: IPython or braincode uses this one")
    return text


def _to_count(limit: int) -> Convert:
    def convert(text: str) -> int:
        if _NUMBER.fullmatch(text) is None or not 1 <= int(text.replace("_", "")) <= limit:
            raise ValueError(f"is a whole number from 1 to {limit:,}".replace(",", "_"))
        return int(text.replace("_", ""))

    return convert


def _to_dollars(text: str) -> float:
    if _AMOUNT.fullmatch(text) is None or not 0 < float(text) <= MAX_COST_LIMIT:
        raise ValueError(f"is an amount in US dollars, for example 0.50; at most {MAX_COST_LIMIT}")
    return float(text)


OPTIONS: tuple[Option, ...] = (
    Option(
        flag="--mode",
        field="mode",
        metavar="MODE",
        convert=_to_mode,
        choices=_MODES,
        help="auto (default), or radical: more workers, always a review",
    ),
    Option(
        flag="--brain",
        field="brain",
        metavar="ID",
        convert=_to_name,
        help="Brain preset that plans; see %braincode brains",
    ),
    Option(
        flag="--roles",
        field="roles",
        metavar="A,B",
        convert=to_role_names,
        help="exactly these roles, the first one answers; see %braincode roles",
    ),
    Option(
        flag="--team",
        field="roles",
        metavar="A,B",
        convert=to_role_names,
        help="the same as --roles",
    ),
    Option(flag="--review", field="review", constant=True, help="have the answer reviewed"),
    Option(flag="--no-review", field="review", constant=False, help="no review"),
    Option(
        flag="--max-workers",
        field="max_workers",
        metavar="N",
        convert=_to_count(MAX_WORKERS_LIMIT),
        help="at most N agents, the one that answers included",
    ),
    Option(
        flag="--max-tokens",
        field="max_tokens",
        metavar="N",
        convert=_to_count(MAX_TOKENS_LIMIT),
        help="token budget of the run, checked before each call",
    ),
    Option(
        flag="--max-cost",
        field="max_cost",
        metavar="USD",
        convert=_to_dollars,
        help="cost budget of the run in US dollars, checked before each call",
    ),
    Option(
        flag="--continue",
        field="continue_session",
        metavar="ID",
        convert=to_session,
        constant=LAST_SESSION,
        value_is_optional=True,
        help="go on in a session; the newest one without ID",
    ),
    Option(flag="--background", field="background", help="return at once; the card goes on"),
    Option(
        flag="--as",
        field="as_name",
        metavar="NAME",
        convert=to_variable_name,
        help="bind the Run to NAME, beside _braincode",
    ),
    Option(flag="--dry-run", field="dry_run", help="show the plan, run nothing"),
    Option(flag="--heuristic", field="heuristic", help="plan without asking a model"),
    Option(
        flag="--need-to-know",
        field="need_to_know",
        help="workers see only the references that their goal names",
    ),
    Option(
        flag="--no-refs",
        field="expand_references",
        constant=False,
        help="@ is plain text in this cell",
    ),
    Option(
        flag="--allow-edits",
        field="allow_edits",
        help="let agents change files of the project, within the rules",
    ),
    Option(
        flag="--allow-compute",
        field="allow_compute",
        help="let workers run code on copies of what you refer to, unasked",
    ),
    Option(flag="--yes", field="yes", help="approve what would be asked; deny rules still hold"),
    Option(
        flag="--record",
        field="record",
        help="keep the model calls in a file beside the notebook, to be replayed",
    ),
    Option(
        flag="--replay",
        field="replay",
        metavar="only",
        convert=_to_replay,
        value_is_optional=True,
        choices=("only",),
        help="play the recorded calls, ask for the rest; only: make no call",
    ),
)
"""All options, in the order of the help."""

OPTIONS_BY_FLAG: Mapping[str, Option] = {option.flag: option for option in OPTIONS}
"""The same, by flag."""
