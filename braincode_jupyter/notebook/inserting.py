"""`%braincode insert`: code of an answer in the next cell, where no card has a button for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from braincode_jupyter.notebook.shell import ShellAccess
    from braincode_jupyter.views.block_view import Block

_NUMBER_CHARS = 3
"""A longer row of digits is the beginning of a session id."""
_LANGUAGES = frozenset({"", "python", "python3", "py", "ipython"})
"""What a code cell of a Python kernel can hold."""
_HOW = "Write %braincode insert, perhaps with a session and the number of a code block."


def insert_code(access: ShellAccess, rest: str, home: Path) -> str:
    """Put code of an answer into the next cell; it is not run.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    rest : str
        Perhaps a session, then perhaps the number of a code block, counted from 1.
    home : Path
        The home folder.

    Returns
    -------
    str
        Which block it was.

    Raises
    ------
    UsageError
        If there is no such session, its answer has no code for a cell, or the block is none.
    UnknownNameError
        If there is no block of this number.
    """
    from braincode_jupyter.runtime import read_run  # noqa: PLC0415 - light load

    session, number = _read(rest)
    view = read_run(session, home).view
    found = dict(enumerate(_code_blocks(view.answer.blocks), start=1))
    fitting = [place for place, block in found.items() if not _why_not(block)]
    if not fitting:
        raise UsageError(
            f"The answer of session {view.session_id[:8]} has no code for a cell.",
            hint=f"%braincode show {view.session_id[:8]} shows it.",
        )
    place = fitting[0] if number is None else number
    if place not in found:
        raise UnknownNameError("code block of the answer", str(place), map(str, found))
    if place not in fitting:
        raise UsageError(
            f"Code block {place} {_why_not(found[place])}.",
            hint=f"Code for a cell: {', '.join(map(str, fitting))}.",
        )
    access.set_next_input(found[place].text)
    return f"Code block {place} of {len(found)} is in the next cell. It was not run."


def _read(rest: str) -> tuple[str, int | None]:
    """Return the session and the number of a block, if one was given."""
    words = rest.split()
    number = None
    if words and words[-1].isascii() and words[-1].isdigit() and len(words[-1]) <= _NUMBER_CHARS:
        number = int(words.pop())
    if len(words) > 1:
        raise UsageError("That is more than a session and a number.", hint=_HOW)
    return (words[0] if words else "last"), number


def _code_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Give the code blocks in reading order, those of lists and quotes too."""
    for block in blocks:
        if block.kind == "code":
            yield block
        yield from _code_blocks(block.children)


def _why_not(block: Block) -> str:
    """Return why a block is no cell; empty if it is one."""
    if block.language.strip().lower() not in _LANGUAGES:
        return f"is {block.language.strip()[:20]}, which no cell here runs"
    return "" if block.text.strip() else "is empty"
