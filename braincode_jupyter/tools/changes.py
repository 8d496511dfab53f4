"""A change of files: planned whole, shown whole, recorded, then made whole or not at all.

What stands in each file is kept by whoever keeps records before the first byte is written, so that
every change can be undone. If one file of several cannot be written, those written before are put
back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from braincode_jupyter.brain.unified_diff import show_change
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine import writing
from braincode_jupyter.machine.writing import Place, find_place
from braincode_jupyter.protocol.tools import ToolTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

_WRITABLE = 0o200


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRecord:
    """What an edit does to one file; enough to undo it.

    Parameters
    ----------
    path : str
        Relative to the project.
    before, after : bytes or None
        Content; None: there is no file.
    mode : int or None
        Permissions of the file before.
    tool : str
        Which tool makes it.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    tool: str = ""

    @property
    def before_sha256(self) -> str | None:
        """Digest of the content before."""
        return _digest(self.before)

    @property
    def after_sha256(self) -> str | None:
        """Digest of the content after."""
        return _digest(self.after)


class Undoable(Protocol):
    """What has to be known of a change to undo it."""

    @property
    def path(self) -> str:
        """Relative to the project."""
        ...

    @property
    def before(self) -> bytes | None:
        """Content before; None: there was no file."""
        ...

    @property
    def after_sha256(self) -> str | None:
        """Digest of the content after; None: the file was removed."""
        ...

    @property
    def mode(self) -> int | None:
        """Permissions of the file before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRules:
    """What edits of one project go by.

    Parameters
    ----------
    root : Path
        The project's folder.
    keep : callable
        Takes the records of a change before it is made, durably; what it raises stops the change.
    open_notebook : Path or None
        The notebook of this session, which no tool writes. None: it is not known, so no notebook
        is written.
    """

    root: Path
    keep: Callable[[Sequence[EditRecord]], None]
    open_notebook: Path | None = None

    def place(self, target: str) -> Place:
        """Look up a file that an edit may write.

        Parameters
        ----------
        target : str
            Path as given.

        Returns
        -------
        Place
            With what stands there.

        Raises
        ------
        UsageError
            If it is refused to edits, or to everything.
        """
        found = find_place(target, root=self.root)
        is_notebook = found.path.suffix.casefold() == ".ipynb"
        if is_notebook and (self.open_notebook is None or _is_same(found.path, self.open_notebook)):
            raise UsageError(
                f"{found.relative!r} may be the notebook that is open: tools never write it. Give "
                "the code in your answer; the user can insert it as a cell.",
                hint="",
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file and what it is to hold; None: it is taken away."""

    place: Place
    after: bytes | None


def plan_target(action: str, changes: Sequence[Change]) -> ToolTarget:
    """Return what a person is shown of a change, and what an approval binds to.

    Parameters
    ----------
    action : str
        Name of the tool.
    changes : sequence of Change
        All files of the call.

    Returns
    -------
    ToolTarget
        With the exact diff, and a reason to ask where a file has several names or is protected
        against writing.

    Raises
    ------
    UsageError
        If nothing would change.
    """
    if all(change.after == change.place.before for change in changes):
        raise UsageError("Nothing would change: the file holds that text already.", hint="")
    paths = tuple(change.place.relative for change in changes)
    shown = "\n".join(
        show_change(
            change.place.relative, text_of(change.place.before), text_of(change.after)
        ).rstrip("\n")
        for change in changes
    )
    digests = "\n".join(f"{one.place.relative}\n{one.place.before_sha256}" for one in changes)
    before = changes[0].place.before_sha256 if len(changes) == 1 else _digest(digests.encode())
    return ToolTarget(
        action=f"{action} {', '.join(paths)}",
        shown=shown,
        paths=paths,
        before_sha256=before,
        asks_because=next(filter(None, (_oddity(change.place) for change in changes)), ""),
    )


def make(changes: Sequence[Change], rules: EditRules, *, tool: str = "") -> tuple[EditRecord, ...]:
    """Record a change, then make it.

    Parameters
    ----------
    changes : sequence of Change
        All files of the call.
    rules : EditRules
        Who keeps the records.
    tool : str
        Which tool makes it.

    Returns
    -------
    tuple of EditRecord
        What was changed.

    Raises
    ------
    UsageError
        If a file is something else by now; those written before it are put back.
    OSError
        If one cannot be written; likewise.
    """
    records = tuple(
        EditRecord(
            path=change.place.relative,
            before=change.place.before,
            after=change.after,
            mode=change.place.mode,
            tool=tool,
        )
        for change in changes
    )
    rules.keep(records)
    for count, change in enumerate(changes):
        try:
            put(change.place, change.after)
        except (UsageError, OSError) as error:
            left = put_back(records[:count], root=rules.root)
            if left:
                raise UsageError(
                    f"{error}. These files were written before and could not be put back: "
                    f"{', '.join(left)}.",
                    hint="",
                ) from error
            raise
    return records


def put_back(records: Iterable[Undoable], *, root: Path) -> list[str]:
    """Undo records, newest first; return the paths that stay as they are.

    Parameters
    ----------
    records : iterable of Undoable
        In the order in which they were made; a change that was not made after all is passed over.
    root : Path
        The project's folder.

    Returns
    -------
    list of str
        Files that were changed since, or cannot be written.
    """
    left: list[str] = []
    for record in reversed(list(records)):
        try:
            place = find_place(record.path, root=root)
            if place.before == record.before:
                continue
            if place.before_sha256 != record.after_sha256:
                left.append(record.path)
                continue
            mode = record.mode if place.before is None else place.mode
            put(replace(place, mode=mode), record.before)
        except (UsageError, OSError):
            left.append(record.path)
    return left


def put(place: Place, content: bytes | None) -> None:
    """Write or remove a file."""
    if content == place.before:
        return
    if content is None:
        writing.remove(place)
    else:
        writing.replace(place, content)


def text_of(content: bytes | None) -> str | None:
    """Return the text of a file.

    Parameters
    ----------
    content : bytes or None
        Content; None: there is no file.

    Returns
    -------
    str or None
        Text; None likewise.

    Raises
    ------
    UsageError
        If it is no UTF-8, or has NUL bytes.
    """
    if content is None:
        return None
    if b"\0" in content:
        raise UsageError("The file is no text: it has NUL bytes.", hint="")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("The file is no UTF-8 text; change it by hand.", hint="") from None


def bytes_of(text: str) -> bytes:
    """Return text as it is written.

    Parameters
    ----------
    text : str
        Text.

    Returns
    -------
    bytes
        UTF-8.

    Raises
    ------
    UsageError
        If it holds NUL.
    """
    data = text.encode("utf-8")
    if b"\0" in data:
        raise UsageError("The new text has NUL characters.", hint="")
    return data


def _oddity(place: Place) -> str:
    if place.names > 1:
        return f"{place.relative} has {place.names} names (hard links); the others stay as they are"
    if place.mode is not None and not place.mode & _WRITABLE:
        return f"{place.relative} is protected against writing"
    return ""


def _is_same(path: Path, notebook: Path) -> bool:
    try:
        return os.path.samefile(path, notebook)
    except OSError:
        return os.path.realpath(path).casefold() == os.path.realpath(notebook).casefold()


def _digest(content: bytes | None) -> str | None:
    return None if content is None else sha256(content).hexdigest()
