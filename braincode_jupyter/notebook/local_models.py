"""`local`: list and install the weights of the embedded model, with progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError
from braincode_jupyter.models.weights import (
    DEFAULT_WEIGHTS,
    WEIGHTS,
    install,
    installed,
    weights_directory,
)
from braincode_jupyter.notebook.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MIB = 1 << 20
_REPORT_S = 0.25
"""Least time between two progress lines."""
_BAR_CHARS = 24


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
