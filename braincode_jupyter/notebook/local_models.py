"""`local`: list and install the weights of the embedded model, with progress."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.models.weights import (
    DEFAULT_WEIGHTS,
    WEIGHTS,
    install,
    installed,
    weights_directory,
)
from braincode_jupyter.notebook.slot import Slot
from braincode_jupyter.notebook.tables import table
from braincode_jupyter.notebook.words import split_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.notebook.shell import ShellAccess

_MIB = 1 << 20
_REPORT_S = 0.25
"""Least time between two progress lines."""
_BAR_CHARS = 24
_SHOWN_CHARS = 40


def weights_text() -> str:
    """List the weights that can be installed, and those that are."""
    rows = [
        (
            weights.name,
            weights.title,
            f"{weights.size_bytes / _MIB:,.0f} MiB",
            weights.licence,
            "installed" if installed(weights.name, {}) is not None else "not installed",
        )
        for weights in WEIGHTS.values()
    ]
    return (
        f"Weights of the embedded model, in {weights_directory()}\n"
        + table(rows, indent="  ")
        + f"\nInstall with: %braincode local install [{'|'.join(WEIGHTS)}] [--from FILE]"
    )


def install_weights(
    name: str | None,
    *,
    source: Path | None,
    say: Callable[[str], None],
    note: Callable[[str], None],
) -> Path:
    """Install weights; size and licence are said before anything is fetched.

    Parameters
    ----------
    name : str or None
        Name of the weights; None: the default ones.
    source : Path or None
        A file that holds exactly these weights; None: fetch them.
    say : callable
        Prints a line for good.
    note : callable
        Shows a line that the next one replaces.

    Returns
    -------
    Path
        The installed file.

    Raises
    ------
    UsageError
        If the source is no file. `install` raises the rest.
    """
    chosen = name or DEFAULT_WEIGHTS
    if source is not None and not source.is_file():
        raise UsageError(f"There is no file {str(source)!r}.", hint="Check the path after --from.")
    if chosen in WEIGHTS:
        weights = WEIGHTS[chosen]
        say(
            f"{weights.title}: {weights.size_bytes / _MIB:,.0f} MiB, licence {weights.licence}, "
            f"into {weights_directory()}"
        )
    path = install(chosen, source=source, progress=ProgressLine(note))
    say(f"Installed and verified: {path.name}. The Brain preset 'local' uses it.")
    return path


def say_of_local(access: ShellAccess, line: str) -> str:
    """Do what a line of `%braincode local` says.

    Parameters
    ----------
    access : ShellAccess
        The shell.
    line : str
        ``list`` or nothing; or ``install``, perhaps a name, and ``--from`` and a file.

    Returns
    -------
    str
        The weights, or what was installed.

    Raises
    ------
    UnknownNameError
        If the line says something else.
    UsageError
        As `install_weights`, and if what follows ``install`` is not understood.
    """
    words = [word.text for word in split_words(line)]
    if not words or words == ["list"]:
        return weights_text()
    if words[0] != "install":
        raise UnknownNameError("subcommand of %braincode local", words[0], ["install", "list"])
    name, source = _read_install(words[1:])
    path = install_weights(name, source=source, say=access.write, note=Slot(access).say)
    return f"%braincode doctor shows it: {path.name}"


def _read_install(words: list[str]) -> tuple[str | None, Path | None]:
    name: str | None = None
    source: Path | None = None
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--from" and rest:
            source = Path(rest.pop(0)).expanduser()
        elif word.startswith("--from="):
            source = Path(word.removeprefix("--from=")).expanduser()
        elif name is None and not word.startswith("-"):
            name = word
        else:
            raise UsageError(
                f"{word[:_SHOWN_CHARS]!r} is not understood.",
                hint="Write %braincode local install [tiny|small|better] [--from FILE].",
            )
    return name, source


class ProgressLine:
    """Turns progress into a line, a few times a second.

    Parameters
    ----------
    note : callable
        Shows a line that the next one replaces.
    """

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._last_s = 0.0
        self._what = ""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Take bytes done, bytes in all, and what is being done."""
        now = time.monotonic()
        if what == self._what and now - self._last_s < _REPORT_S and done < total:
            return
        self._last_s, self._what = now, what
        share = done / total if total else 0.0
        filled = round(share * _BAR_CHARS)
        bar = "█" * filled + "░" * (_BAR_CHARS - filled)
        self._note(f"{bar} {share:4.0%}  {done / _MIB:,.0f} of {total / _MIB:,.0f} MiB  {what}")
