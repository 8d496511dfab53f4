"""What a run changed in its project, from its own records of edits, and from git beside them.

The records of edits are the first source: they hold what stood in each file before, so an edit of
a file that was already uncommitted counts, and a folder without git is no worse. git adds what a
command changed. Everything is read anew from the disk, so what stands there is what is judged.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.brain.tool_rules import BUILT_IN_RULES, path_matches
from braincode_jupyter.brain.unified_diff import show_change
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.writing import find_place
from braincode_jupyter.protocol.change_records import (
    MAX_CHANGED_FILES,
    MAX_DIFF_CHARS,
    MAX_PREVIEW_BYTES,
    ChangedFile,
    ChangesCollected,
    DiffStats,
    FilePreview,
)
from braincode_jupyter.protocol.edit_records import EditKept
from braincode_jupyter.protocol.outside_records import ToolExecuted
from braincode_jupyter.protocol.records import RunStart
from braincode_jupyter.tools.changes import text_of
from braincode_jupyter.tools.git import Git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from braincode_jupyter.brain.effects import CollectChanges
    from braincode_jupyter.brain.tool_rules import Rule
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.tools.git import Change

MAX_OUTSIDE_DIFFS = 20
"""Files changed by commands whose difference is looked up; further ones are named."""
MAX_PREVIEWS = 20
"""New files that are shown."""

_COMMANDS = frozenset({"exec_command", "shell"})
_LOST = "What commands had changed before this run was cut off is not told apart from earlier work."
_NEW, _CHANGED, _REMOVED = "??", "M", "D"
_Stamp = tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One uncommitted file, as git and the file system tell of it."""

    status: str
    stamp: _Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """One changed file with what is shown of it."""

    file: ChangedFile
    diff: str = ""
    preview: FilePreview | None = None


@dataclass(slots=True, kw_only=True)
class ChangeLedger:
    """Looks at what stands changed in the project of one run.

    Parameters
    ----------
    root : Path
        The project.
    rules : tuple of Rule
        The user's permission rules; the built-in ones hold too.
    redact : callable
        Takes configured keys out of a text.
    """

    root: Path
    rules: tuple[Rule, ...] = ()
    redact: Callable[[str], str] = str
    _baseline: Mapping[str, _Entry] | None = field(default=None, init=False)
    _why_unknown: str = field(default="", init=False)
    _began: asyncio.Future[None] | None = field(default=None, init=False)

    async def begin(self) -> None:
        """Remember what is uncommitted before the run changes anything; once is enough."""
        if self._began is not None:
            await asyncio.shield(self._began)
            return
        self._began = asyncio.get_running_loop().create_future()
        try:
            self._baseline, self._why_unknown = await self._entries()
        finally:
            self._began.set_result(None)

    async def collect(
        self,
        records: Iterable[AnyRecord],
        order: CollectChanges,
        *,
        timestamp: int,
        review_rules: Iterable[str] = (),
    ) -> ChangesCollected:
        """Compare what stands there with what stood there.

        Parameters
        ----------
        records : iterable of AnyRecord
            All records of the run.
        order : CollectChanges
            Which turn it is.
        timestamp : int
            Time; milliseconds since the epoch.
        review_rules : iterable of str
            Rules that want a command reviewed.

        Returns
        -------
        ChangesCollected
            Without keys; what could not be looked at is a note.
        """
        facts = list(records)
        edits = [record for record in facts if isinstance(record, EditKept)]
        ours = await asyncio.to_thread(self._from_edits, edits)
        known = {record.path for record in edits}
        ran = {record.tool_name for record in facts if _is_command(record)}
        others, earlier, notes = await self._from_git(known, has_commands=bool(ran))
        if not others and not ran & _COMMANDS:
            # A tool of a server seldom changes files: where nobody can tell, nothing is said.
            notes = ()
        if _has_lost_its_beginning(facts):
            notes = (*notes, _LOST)
        found = sorted([*ours, *others], key=lambda one: one.file.path)
        if len(found) > MAX_CHANGED_FILES:
            notes = (*notes, f"{len(found):,} files were changed; {MAX_CHANGED_FILES} are named.")
        return self._told(
            found[:MAX_CHANGED_FILES],
            ChangesCollected(
                timestamp=timestamp,
                attempt=order.attempt,
                fix_iteration=order.fix_iteration,
                pre_existing_changed_files=earlier[:MAX_CHANGED_FILES],
                notes=notes,
                review_rules=tuple(dict.fromkeys(review_rules)),
            ),
        )

    def _told(self, found: Sequence[_Found], record: ChangesCollected) -> ChangesCollected:
        files = tuple(one.file for one in found)
        diff = "\n".join(one.diff.rstrip("\n") for one in found if one.diff)
        previews = [one.preview for one in found if one.preview is not None]
        shown = previews[:MAX_PREVIEWS]
        rules = [
            rule.label
            for rule in (*BUILT_IN_RULES, *self.rules)
            if rule.needs_review and any(path_matches(rule, one.path) for one in files)
        ]
        return record.model_copy(
            update={
                "changed_files": files,
                "diff_stats": _stats(files),
                "diff": diff[:MAX_DIFF_CHARS],
                "is_diff_truncated": len(diff) > MAX_DIFF_CHARS or len(previews) > len(shown),
                "previews": tuple(shown),
                "review_rules": tuple(dict.fromkeys((*record.review_rules, *rules))),
            }
        )

    def _from_edits(self, edits: Sequence[EditKept]) -> list[_Found]:
        first: dict[str, EditKept] = {}
        for edit in edits:
            first.setdefault(edit.path, edit)
        found = (self._compared(path, edit) for path, edit in first.items())
        return [one for one in found if one is not None]

    def _compared(self, path: str, edit: EditKept) -> _Found | None:
        """Return what became of one edited file; None if it stands as before the run."""
        try:
            before = edit.content()
            after = find_place(path, root=self.root).before
        except (ValueError, UsageError, OSError):
            return _Found(file=ChangedFile(path=path, status=_CHANGED))
        if before == after:
            return None
        if before is None:
            return self._new(path, after or b"")
        return self._differing(path, before, after)

    def _differing(self, path: str, before: bytes, after: bytes | None) -> _Found:
        status = _REMOVED if after is None else _CHANGED
        try:
            diff = show_change(path, text_of(before), text_of(after))
        except UsageError:
            return _Found(file=ChangedFile(path=path, status=status))
        return _Found(file=_counted(path, status, diff), diff=self._hide(diff))

    def _new(self, path: str, content: bytes, *, is_outside: bool = False) -> _Found:
        text = content[:MAX_PREVIEW_BYTES].decode("utf-8", "ignore")
        is_binary = b"\0" in content
        preview = FilePreview(
            path=path,
            text="" if is_binary else self._hide(text),
            is_binary=is_binary,
            is_cut=len(content) > MAX_PREVIEW_BYTES,
        )
        lines = 0 if is_binary else len(content.splitlines())
        file = ChangedFile(
            path=path,
            status=_NEW,
            insertions=lines,
            deletions=0,
            is_outside_ledger=is_outside,
        )
        return _Found(file=file, preview=preview)

    async def _from_git(
        self, known: set[str], *, has_commands: bool
    ) -> tuple[list[_Found], tuple[ChangedFile, ...], tuple[str, ...]]:
        """Return what commands changed, what was uncommitted before, and notes."""
        # Without a command all that the run changed is on its own record, and what else has
        # changed is the user's own work.
        before = self._baseline
        if before is None:
            return [], (), ((self._why_unknown,) if has_commands and self._why_unknown else ())
        entries, note = await self._entries() if has_commands else (before, "")
        if entries is None:
            return [], (), ((note,) if note else ())
        differing = [
            path
            for path, entry in entries.items()
            if path not in known and before.get(path) != entry
        ]
        notes = ()
        if len(differing) > MAX_OUTSIDE_DIFFS:
            notes = (f"Commands changed {len(differing):,} files; not all are shown.",)
        found = [
            await self._outside(path, entries[path].status, is_shown=number < MAX_OUTSIDE_DIFFS)
            for number, path in enumerate(differing)
        ]
        earlier = tuple(
            ChangedFile(path=path, status=entry.status)
            for path, entry in before.items()
            if path not in known and path not in differing
        )
        return found, earlier, notes

    async def _outside(self, path: str, status: str, *, is_shown: bool) -> _Found:
        """Return what git tells of one file that no edit tool changed."""
        named = ChangedFile(path=path, status=status, is_outside_ledger=True)
        if not is_shown:
            return _Found(file=named)
        try:
            if status == _NEW:
                place = await asyncio.to_thread(find_place, path, root=self.root)
                return self._new(path, place.before or b"", is_outside=True)
            diff = await Git(self.root).diff(path)
        except (UsageError, OSError):
            return _Found(file=named)
        counted = _counted(path, status, diff)
        file = counted.model_copy(update={"is_outside_ledger": True})
        return _Found(file=file, diff=self._hide(diff))

    async def _entries(self) -> tuple[Mapping[str, _Entry] | None, str]:
        """Return what is uncommitted; None, and why, where git cannot say."""
        home = await asyncio.to_thread(_repository_of, self.root)
        if home is None:
            return None, "What commands changed is not known: the project is no git repository."
        try:
            changes = await Git(home).changes(is_each_named=True)
        except UsageError as error:
            return None, f"What commands changed is not known: {error.message}"
        return await asyncio.to_thread(_stamped, home, changes), ""

    def _hide(self, text: str) -> str:
        return mask_keys(self.redact(text))[0]


def _is_command(record: AnyRecord) -> TypeGuard[ToolExecuted]:
    """Say whether a tool ran that can change files without a record of them."""
    if not isinstance(record, ToolExecuted) or record.event != "start":
        return False
    return record.tool_name in _COMMANDS or record.tool_name.startswith("mcp__")


def _has_lost_its_beginning(records: Sequence[AnyRecord]) -> bool:
    """Say whether a command ran before the run was cut off: what stood there then was not kept."""
    starts = (n for n, one in enumerate(records) if isinstance(one, RunStart) and one.resumes)
    before = records[: max(starts, default=0)]
    return any(isinstance(one, ToolExecuted) and one.tool_name in _COMMANDS for one in before)


def _repository_of(root: Path) -> Path | None:
    """Return the project's own folder if it is inside a repository."""
    home = Path(os.path.realpath(root))
    is_inside = any((folder / ".git").exists() for folder in (home, *home.parents))
    return home if is_inside else None


def _stamped(home: Path, changes: Sequence[Change]) -> dict[str, _Entry]:
    return {
        one.path: _Entry(status=one.status.strip(), stamp=_stamp(home / one.path))
        for one in changes
    }


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _counted(path: str, status: str, diff: str) -> ChangedFile:
    """Return a changed file with its lines; what stands before the first hunk does not count."""
    lines = diff.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return ChangedFile(
        path=path,
        status=status,
        insertions=sum(line.startswith("+") for line in lines[start:]),
        deletions=sum(line.startswith("-") for line in lines[start:]),
    )


def _stats(files: Sequence[ChangedFile]) -> DiffStats:
    added = sum(one.insertions or 0 for one in files if one.status != _NEW)
    taken = sum(one.deletions or 0 for one in files)
    noun = "file" if len(files) == 1 else "files"
    raw = f"{len(files)} {noun} changed, {added} insertions(+), {taken} deletions(-)"
    return DiffStats(
        files_changed=len(files),
        insertions=added,
        deletions=taken,
        untracked_files=sum(one.status == _NEW for one in files),
        raw=raw if files else "",
        unstaged_raw=raw if files else "",
    )
