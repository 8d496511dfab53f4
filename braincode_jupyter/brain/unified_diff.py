"""Unified diffs: read strictly, applied to text exactly, and made for a person to look at.

A patch is refused as a whole where anything in it is not understood: renames, modes, links and
binary parts included. A hunk goes where it says, or to the one other place where its old lines
stand; never to a place where they stand only nearly.

References
----------
POSIX.1-2024, diff, "Diff Unified Output Format"; git-diff(1), "Generating patch text with -p".
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, NoReturn

from braincode_jupyter.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_FILES = 50
"""Files that one patch may change."""
MAX_HUNKS = 500
MAX_COMPARED = 2_000_000
"""Lines compared while the place of a hunk is looked for."""
MAX_DIFFED_LINES = 1_500
"""Changed lines of one side that are shown side by side; beyond, all old, then all new ones."""

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_INDEX = re.compile(r"index [0-9a-f]+\.\.[0-9a-f]+(?: 100(?:644|755))?")
_FILE_MODE = re.compile(r"(?:new|deleted) file mode 100(?:644|755)")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One place of a change.

    Parameters
    ----------
    start : int
        Line of the old text, from 1; 0 for an empty text.
    lines : tuple of (str, str)
        Sign (blank: stays, ``-``: old, ``+``: new) and text with its end.
    """

    start: int
    lines: tuple[tuple[str, str], ...]

    @property
    def old(self) -> tuple[str, ...]:
        """The old lines."""
        return tuple(text for sign, text in self.lines if sign != "+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """What a patch does to one file.

    Parameters
    ----------
    path : str
        Relative path as the patch names it.
    hunks : tuple of Hunk
        In the order of the file.
    is_new, is_removed : bool
        The file is made, or taken away.
    """

    path: str
    hunks: tuple[Hunk, ...]
    is_new: bool = False
    is_removed: bool = False


def _refuse(reason: str, line: int | None = None) -> NoReturn:
    place = "" if line is None else f"line {line}: "
    raise UsageError(
        f"The patch is refused, nothing was written: {place}{reason}.",
        hint="Write a unified diff with ---, +++ and @@ lines.",
    )


class _Lines:
    """The lines of a patch, read once."""

    def __init__(self, text: str) -> None:
        self._lines = text.removesuffix("\n").split("\n")
        self.at = 0

    def peek(self) -> str | None:
        return self._lines[self.at] if self.at < len(self._lines) else None

    def take(self) -> str:
        line = self._lines[self.at]
        self.at += 1
        return line

    def refuse(self, reason: str) -> NoReturn:
        _refuse(reason, self.at + 1)


def read_patch(text: str) -> tuple[FilePatch, ...]:
    """Read a patch.

    Parameters
    ----------
    text : str
        Unified diff, with or without git's headers.

    Returns
    -------
    tuple of FilePatch
        One a file.

    Raises
    ------
    UsageError
        If anything in it is not understood; names the line.
    """
    lines = _Lines(text)
    found: list[FilePatch] = []
    while True:
        while lines.peek() is not None and not (lines.peek() or "").strip():
            lines.take()
        if lines.peek() is None:
            break
        found.append(_file(lines))
        if len(found) > MAX_FILES or sum(len(one.hunks) for one in found) > MAX_HUNKS:
            _refuse(f"it has more than {MAX_FILES} files or {MAX_HUNKS} places")
    paths = [one.path for one in found]
    if not found or len(set(paths)) < len(paths):
        _refuse("it changes a file twice" if found else "it is empty")
    return tuple(found)


def _file(lines: _Lines) -> FilePatch:
    announced = _headers(lines)
    old, new = _path(lines, "--- "), _path(lines, "+++ ")
    path = new if old is None else old
    if path is None or (old is not None and new is not None and old != new):
        lines.refuse("a file is renamed or has no name; make and remove files instead")
    if announced is not None and announced != path:
        lines.refuse("its headers name different files")
    hunks: list[Hunk] = []
    while (lines.peek() or "").startswith("@@"):
        hunks.append(_hunk(lines))
    if not hunks:
        lines.refuse("a file without any @@ place")
    return FilePatch(path=path, hunks=tuple(hunks), is_new=old is None, is_removed=new is None)


def _headers(lines: _Lines) -> str | None:
    """Read git's headers; return the path that they announce."""
    announced = None
    while not (lines.peek() or "--- ").startswith("--- "):
        line = lines.peek() or ""
        if line.startswith("diff --git "):
            if announced is not None:
                lines.refuse("a file without any @@ place")
            announced = _announced(lines, line.removeprefix("diff --git "))
        elif not (_INDEX.fullmatch(line) or _FILE_MODE.fullmatch(line)):
            lines.refuse(f"{line[:60]!r} is not understood here")
        lines.take()
    return announced


def _announced(lines: _Lines, names: str) -> str:
    half = len(names) // 2
    first, second = names[:half], names[half + 1 :]
    if names[half : half + 1] != " " or not (first.startswith("a/") and second.startswith("b/")):
        lines.refuse("a file is renamed, or its name is quoted")
    if first[2:] != second[2:]:
        lines.refuse("a file is renamed")
    return first[2:]


def _path(lines: _Lines, mark: str) -> str | None:
    line = lines.peek()
    if line is None or not line.startswith(mark):
        lines.refuse(f"a line that starts with {mark!r} is missing")
    name = line.removeprefix(mark).split("\t")[0].rstrip()
    if name == _NOWHERE:
        lines.take()
        return None
    prefix = "a/" if mark.startswith("-") else "b/"
    path = name.removeprefix(prefix)
    parts = path.split("/")
    if not path or path.startswith(("/", '"', "~")) or ".." in parts or "" in parts:
        lines.refuse(f"the path {name[:80]!r} is not a plain one inside the project")
    lines.take()
    return path


def _hunk(lines: _Lines) -> Hunk:
    match = _HUNK.match(lines.peek() or "")
    if match is None:
        lines.refuse("this is no @@ -a,b +c,d @@ line")
    lines.take()
    old_left, new_left = (1 if match[group] is None else int(match[group]) for group in (2, 4))
    found: list[tuple[str, str]] = []
    while old_left or new_left:
        line = lines.peek()
        sign, body = _sign(line)
        old_left -= sign in " -"
        new_left -= sign in " +"
        if line is None or not sign or old_left < 0 or new_left < 0:
            lines.refuse("the numbers of lines in the @@ line are not those below it")
        lines.take()
        end = "" if _takes_mark(lines) else "\n"
        found.append((sign, body + end))
    return Hunk(start=int(match[1]), lines=tuple(found))


def _sign(line: str | None) -> tuple[str, str]:
    """Return sign and text of a line of a hunk; an empty line is one that stays."""
    if line == "":
        return " ", ""
    return (line[0], line[1:]) if line is not None and line[0] in " +-" else ("", "")


def _takes_mark(lines: _Lines) -> bool:
    """Take the mark of a missing line end, if it is there."""
    is_mark = (lines.peek() or "").startswith("\\")
    if is_mark:
        lines.take()
    return is_mark


def apply_patch(patch: FilePatch, before: str | None) -> str | None:
    """Apply what a patch does to one file.

    Parameters
    ----------
    patch : FilePatch
        As `read_patch` gave it.
    before : str or None
        The file's text; None: there is no file.

    Returns
    -------
    str or None
        The new text; None: the file is taken away.

    Raises
    ------
    UsageError
        If it does not fit exactly.
    """
    if patch.is_new and before is not None:
        _refuse(f"{patch.path!r} is there already")
    if before is None and not patch.is_new:
        _refuse(f"there is no file {patch.path!r}")
    is_crlf = has_crlf(before or "")
    text = _Text((before or "").replace("\r\n", "\n") if is_crlf else before or "")
    for number, hunk in enumerate(patch.hunks, 1):
        if not text.apply(hunk):
            _refuse(
                f"place {number} of {patch.path!r} does not fit: read the file again and give more "
                "of the lines around it"
            )
    after = text.result()
    if patch.is_removed and after:
        _refuse(f"{patch.path!r} would be removed, but the patch does not name all of it")
    if patch.is_removed:
        return None
    return after.replace("\n", "\r\n") if is_crlf else after


class _Text:
    """A text that hunks are applied to from top to bottom."""

    def __init__(self, before: str) -> None:
        self._lines = _split(before)
        self._done: list[str] = []
        self._at = 0
        self._budget = MAX_COMPARED

    def apply(self, hunk: Hunk) -> bool:
        old = hunk.old
        place = self._place(hunk.start, old)
        if place is None:
            return False
        self._done += self._lines[self._at : place]
        for sign, line in hunk.lines:
            if sign == "+":
                self._done.append(line)
                continue
            if sign == " ":  # the file's own line, with or without its end
                self._done.append(self._lines[place])
            place += 1
        self._at = place
        return True

    def result(self) -> str:
        return "".join([*self._done, *self._lines[self._at :]])

    def _place(self, start: int, old: Sequence[str]) -> int | None:
        """Return where the old lines stand: where they should, or the one place where they do."""
        if not old:
            return start if self._at <= start <= len(self._lines) else None
        if start - 1 >= self._at and self._fits(old, start - 1):
            return start - 1
        found: list[int] = []
        for place in range(self._at, len(self._lines) - len(old) + 1):
            if self._fits(old, place):
                found.append(place)
            if len(found) > 1 or self._budget <= 0:
                return None
        return found[0] if found else None

    def _fits(self, old: Sequence[str], place: int) -> bool:
        if place + len(old) > len(self._lines):
            return False
        pairs = zip(old, self._lines[place : place + len(old)], strict=True)
        same = sum(1 for _ in takewhile(lambda pair: _is_same(*pair), pairs))
        self._budget -= same + 1
        return same == len(old)


def _split(text: str) -> list[str]:
    """Split after line feeds alone."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _is_same(wanted: str, line: str) -> bool:
    """Compare two lines; the last one of a file may lack its end."""
    return wanted == line or (not line.endswith("\n") and wanted == f"{line}\n")


def has_crlf(text: str) -> bool:
    """Whether every line of a text ends in carriage return and line feed."""
    return "\r\n" in text and text.count("\r\n") == text.count("\n") == text.count("\r")


def show_change(path: str, before: str | None, after: str | None) -> str:
    """Return a unified diff for a person.

    Parameters
    ----------
    path : str
        File.
    before, after : str or None
        Its texts; None: there is no file.

    Returns
    -------
    str
        Exact: applied to the one text it gives the other.
    """
    old, new = _split(before or ""), _split(after or "")
    names = (
        _NOWHERE if before is None else f"a/{path}",
        _NOWHERE if after is None else f"b/{path}",
    )
    return "".join(f"{line}\n" for line in (f"--- {names[0]}", f"+++ {names[1]}")) + "".join(
        _marked(line) for line in _changed(old, new)
    )


def _marked(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield hunks; a very large change is shown as all old, then all new lines."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    tails = zip(reversed(old[same:]), reversed(new[same:]), strict=False)
    tail = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], tails))
    changed = len(old) - same - tail, len(new) - same - tail
    if max(changed) <= MAX_DIFFED_LINES:
        first, last = max(0, same - 3), max(0, tail - 3)
        diff = difflib.unified_diff(
            old[first : len(old) - last], new[first : len(new) - last], lineterm="\n"
        )
        yield from (_shifted(line, first) for number, line in enumerate(diff) if number > 1)
        return
    yield f"@@ -{same + bool(changed[0])},{changed[0]} +{same + bool(changed[1])},{changed[1]} @@\n"
    yield from (f"-{line}" for line in old[same : len(old) - tail])
    yield from (f"+{line}" for line in new[same : len(new) - tail])


def _shifted(line: str, count: int) -> str:
    """Return a line of a diff; the numbers of an ``@@`` line moved down."""
    match = _HUNK.match(line)
    if match is None:
        return line
    old, new = int(match[1]) + count, int(match[3]) + count
    sizes = ["" if match[group] is None else f",{match[group]}" for group in (2, 4)]
    return f"@@ -{old}{sizes[0]} +{new}{sizes[1]} @@\n"
