"""`export`: one page of a session that needs nothing else, for the shell and for `%braincode`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.errors import UsageError, without_home
from braincode_jupyter.home.language import spoken_language
from braincode_jupyter.machine.whole_file import write_whole
from braincode_jupyter.runtime import read_run
from braincode_jupyter.views import to_page

if TYPE_CHECKING:
    from braincode_jupyter.runtime import Run

PAGE_SUFFIXES = frozenset({".html", ".htm"})
"""What a page may be called; a notebook or a program is never written over."""
_ID_CHARS = 12


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
