"""`export`: one page of a session that needs nothing else, for the shell and for `%braincode`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError, without_home
from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.machine.whole_file import write_whole
from braincode_jupyter.notebook.words import split_words
from braincode_jupyter.runtime import read_run
from braincode_jupyter.views import to_page

if TYPE_CHECKING:
    from braincode_jupyter.runtime import Run

PAGE_SUFFIXES = frozenset({".html", ".htm"})
"""What a page may be called; a notebook or a program is never written over."""
_ID_CHARS = 12
_SHOWN_CHARS = 40
_NAMES = 2


def export_page(
    session_id: str, *, home: Path, file: Path | None = None, may_replace: bool = False
) -> str:
    """Write the newest run of a session as one page: no script, no request, all of it.

    Parameters
    ----------
    session_id : str
        Session id, the beginning of one, or ``last``.
    home : Path
        The home folder.
    file : Path or None
        Where; None: ``braincode-ID.html`` in the working directory.
    may_replace : bool
        Write over a file that is there.

    Returns
    -------
    str
        What was written, in words.

    Raises
    ------
    UsageError
        If there is no such session, the name is not one of a page, or the file cannot be written.
    JournalError
        If the session cannot be read.
    """
    run = read_run(session_id, home)
    path = _place(run, file)
    content = to_page(run.view, spoken_language()).encode("utf-8", "replace")
    write_whole(path, content, may_replace=may_replace)
    return without_home(f"{path} · {len(content) / 1000:,.0f} kB, one page that loads nothing")


def export_line(line: str, home: Path) -> str:
    """Export what a line of `%braincode export` says.

    Parameters
    ----------
    line : str
        Perhaps the start of a session id, ``--html`` and a file, and ``--force``.
    home : Path
        The home folder.

    Returns
    -------
    str
        As `export_page`.

    Raises
    ------
    UsageError
        As `export_page`, and if the line holds more.
    """
    words = [word.text for word in split_words(line)]
    names = [word for word in words if not word.startswith("-")]
    odd = [word for word in words if word.startswith("-") and word not in {"--html", "--force"}]
    if odd or len(names) > _NAMES:
        raise UsageError(
            f"{(odd or names)[-1][:_SHOWN_CHARS]!r} is not understood.",
            hint="Write %braincode export [ID] [--html FILE] [--force].",
        )
    named = [name for name in names if Path(name).suffix]
    session = next((name for name in names if name not in named), "last")
    file = Path(named[0]) if named else None
    return export_page(session, home=home, file=file, may_replace="--force" in words)


def _place(run: Run, file: Path | None) -> Path:
    if file is None:
        start = run.session_id.split("-", 1)[0][:_ID_CHARS]
        return Path(f"braincode-{start}.html")
    path = file.expanduser()
    if path.suffix.lower() not in PAGE_SUFFIXES:
        raise UsageError(
            f"{path.name!r} is no name of a page.",
            hint="Let it end in .html, such as run.html.",
        )
    return path
