"""``trust.json``: what the user allowed of projects, bound to content.

``trusted: true`` in a project's own file is necessary and never enough: an approval holds for one
project, one entry to the last character, and the bytes of every project file that the entry names.
When any of them changes, the entry is inert again and the difference can be shown. The file also
remembers what the tools of each MCP server looked like.

Known trade-off: what a named file imports is not followed. Values of ``env`` and ``http_headers``
are kept as digests.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import (
    PRIVATE_MODE,
    read_object,
    read_plain_file,
    update_json,
)
from braincode_jupyter.home.named_files import named_files
from braincode_jupyter.home.paths import ensure_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    RowsChange = Callable[[list[JsonValue]], Sequence[JsonValue]]

TRUST: Final = "trust.json"
MAX_APPROVALS: Final = 500
"""The oldest ones are forgotten beyond this."""
MAX_NAMED_FILES: Final = 32
"""An entry that names more files cannot be trusted."""
MAX_NAMED_BYTES: Final = 16 * 1024 * 1024
"""Size of one named file."""

TrustKind = Literal["mcp", "hook", "check", "skill"]
TrustState = Literal["trusted", "unclaimed", "new", "changed", "unusable"]

_HIDDEN_KEYS: Final = ("env", "http_headers", "headers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing of a project that wants to run.

    Parameters
    ----------
    kind : TrustKind
        What it is.
    project : str
        Resolved path of the project.
    name : str
        Where it stands in the project's file; finds the earlier approval for a difference.
    entry : JsonValue
        The full entry, as read.
    files : mapping
        SHA-256 of every project file that it names, by project-relative path.
    problem : str
        Why it cannot be trusted in any case.
    is_claimed : bool
        Whether the project's file says ``trusted: true``.
    """

    kind: TrustKind
    project: str
    name: str
    entry: JsonValue
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    problem: str = ""
    is_claimed: bool = False

    @property
    def digest(self) -> str:
        """SHA-256 over all that an approval binds."""
        return _sha256(_canonical([self.kind, self.project, self.entry, dict(self.files)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What the user allowed."""

    kind: str
    project: str
    name: str
    digest: str
    entry: JsonValue = None
    """The entry as it can be shown, without values of variables and headers."""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    approved_at: int = 0
    """Milliseconds since the epoch, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether something may run, and what changed since it might."""

    state: TrustState
    reason: str = ""
    difference: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether it may run."""
        return self.state == "trusted"


def judge(subject: Subject, approvals: Iterable[Approval]) -> Verdict:
    """Decide whether a thing of a project may run.

    Parameters
    ----------
    subject : Subject
        As it is now.
    approvals : iterable of Approval
        What the user allowed.

    Returns
    -------
    Verdict
        ``trusted`` only if the project's file claims it and an approval binds exactly this.
    """
    if subject.problem:
        return Verdict(state="unusable", reason=subject.problem)
    if not subject.is_claimed:
        return Verdict(state="unclaimed", reason="its file does not say trusted: true")
    ours = [a for a in approvals if a.kind == subject.kind and a.project == subject.project]
    if any(approval.digest == subject.digest for approval in ours):
        return Verdict(state="trusted")
    earlier = [approval for approval in ours if approval.name == subject.name]
    if not earlier:
        return Verdict(state="new", reason="not approved by you: see %braincode trust")
    return Verdict(
        state="changed",
        reason="changed since you approved it: see %braincode trust",
        difference=_difference(earlier[-1], subject),
    )


def shown_entry(entry: JsonValue) -> JsonValue:
    """Return an entry as it can be shown and stored: variables and headers without their values."""
    if not isinstance(entry, Mapping):
        return entry
    return {
        key: _masked(value) if key in _HIDDEN_KEYS else shown_entry(value)
        for key, value in entry.items()
    }


def describe_project_entry(
    kind: TrustKind, root: Path, *, name: str, entry: JsonValue, words: Iterable[JsonValue]
) -> Subject:
    """Describe an entry of a project's file, with the digests of the files that it names.

    Parameters
    ----------
    kind : TrustKind
        What it is.
    root : Path
        The project.
    name : str
        Where it stands in the file.
    entry : JsonValue
        The full entry.
    words : iterable of JsonValue
        Its command and arguments, as they stand there; what is no text names no file.

    Returns
    -------
    Subject
        With ``problem`` set when a named file cannot be pinned.
    """
    root = root.resolve()
    claimed = isinstance(entry, Mapping) and entry.get("trusted") is True
    files: dict[str, str] = {}
    problem = ""
    try:
        texts = [word for word in words if isinstance(word, str)]
        for name_in_project, path in named_files(root, texts):
            content = read_plain_file(path, limit_bytes=MAX_NAMED_BYTES)
            files[name_in_project] = hashlib.sha256(content or b"").hexdigest()
            if len(files) > MAX_NAMED_FILES:
                problem = f"it names more than {MAX_NAMED_FILES} files of the project"
                break
    except ConfigurationError as error:
        problem = f"a file that it names cannot be pinned: {error.message}"
    return Subject(
        kind=kind,
        project=str(root),
        name=name,
        entry=entry,
        files=files,
        problem=problem,
        is_claimed=claimed,
    )


def read_approvals(home: Path) -> tuple[Approval, ...]:
    """Read what the user allowed, oldest first.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    tuple of Approval
        Empty if there is no such file; rows of another shape are left out.

    Raises
    ------
    ConfigurationError
        If the file is a link, not safely the user's own, or broken.
    """
    document = _read(home) or {}
    rows = document.get("approvals")
    found = (_approval(row) for row in rows) if isinstance(rows, list) else ()
    return tuple(approval for approval in found if approval is not None)


def approve(home: Path, subject: Subject, *, now_ms: int) -> None:
    """Write down that the user allowed something; it replaces the earlier approval of its name.

    Parameters
    ----------
    home : Path
        The home folder; made if it is missing.
    subject : Subject
        What the user was shown.
    now_ms : int
        Time; milliseconds since the epoch.

    Raises
    ------
    ConfigurationError
        If it cannot be trusted in any case, or the file cannot be changed.
    """
    if subject.problem:
        raise ConfigurationError(
            f"{subject.name!r} cannot be trusted: {subject.problem}.",
            hint="Change its entry in the project.",
        )
    row: dict[str, JsonValue] = {
        "kind": subject.kind,
        "project": subject.project,
        "name": subject.name,
        "digest": subject.digest,
        "entry": shown_entry(subject.entry),
        "files": dict(subject.files),
        "approvedAt": now_ms,
    }
    _change_rows(home, lambda rows: [*_without(rows, subject), row][-MAX_APPROVALS:])


def revoke(home: Path, subject: Subject) -> None:
    """Take an approval back; does nothing if there is none.

    Parameters
    ----------
    home : Path
        The home folder.
    subject : Subject
        Found by kind, project and name.
    """
    if (home / TRUST).exists():
        _change_rows(home, lambda rows: _without(rows, subject))


def change_trust_file(home: Path, key: str, value: JsonValue) -> None:
    """Replace one key of the file, 0600, keeping the others.

    Parameters
    ----------
    home : Path
        The home folder; made if it is missing.
    key : str
        Top-level key.
    value : JsonValue
        New value.
    """
    ensure_home(home)
    update_json(home / TRUST, lambda document: document | {key: value}, mode=PRIVATE_MODE)


def read_trust_file(home: Path) -> Mapping[str, JsonValue]:
    """Return the whole document; empty if there is none."""
    return _read(home) or {}


def _read(home: Path) -> dict[str, JsonValue] | None:
    path = home / TRUST
    if path.is_symlink():
        raise ConfigurationError(
            f"{str(path)!r} is a link.", hint="Put the file itself there, so that it can be 0600."
        )
    return read_object(path)


def _change_rows(home: Path, change: RowsChange) -> None:
    rows = (_read(home) or {}).get("approvals")
    change_trust_file(home, "approvals", [*change(rows if isinstance(rows, list) else [])])


def _without(rows: list[JsonValue], subject: Subject) -> list[JsonValue]:
    identity = (subject.kind, subject.project, subject.name)
    return [
        row
        for row in rows
        if not isinstance(row, Mapping)
        or (row.get("kind"), row.get("project"), row.get("name")) != identity
    ]


def _approval(row: JsonValue) -> Approval | None:
    if not isinstance(row, Mapping):
        return None
    texts = {key: row.get(key) for key in ("kind", "project", "name", "digest")}
    if not all(isinstance(text, str) and text for text in texts.values()):
        return None
    files, at = row.get("files"), row.get("approvedAt")
    return Approval(
        kind=str(texts["kind"]),
        project=str(texts["project"]),
        name=str(texts["name"]),
        digest=str(texts["digest"]),
        entry=row.get("entry"),
        files={k: str(v) for k, v in files.items()} if isinstance(files, Mapping) else {},
        approved_at=at if isinstance(at, int) else 0,
    )


def _difference(earlier: Approval, subject: Subject) -> str:
    """Return a unified diff of the entries, and which named files differ."""
    before, after = (_pretty(earlier.entry), _pretty(shown_entry(subject.entry)))
    lines = list(difflib.unified_diff(before, after, "approved", "now", lineterm="", n=2))
    names = sorted({*earlier.files, *subject.files})
    for name in names:
        old, new = earlier.files.get(name), subject.files.get(name)
        if old is None or new is None:
            lines.append(f"{name}: {'is named now' if old is None else 'is no longer named'}")
        elif old != new:
            lines.append(f"{name}: its content changed (sha256 {old[:12]} before, {new[:12]} now)")
    return "\n".join(lines)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, Mapping):
        return {key: _masked(item) for key, item in value.items()}
    return f"[sha256:{_sha256(_canonical(value))[:12]}]"


def _pretty(value: JsonValue) -> list[str]:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True).splitlines()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
