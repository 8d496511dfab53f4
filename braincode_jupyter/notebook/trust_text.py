"""Texts of `%braincode trust`: what a project asks to run, and the user's word on it.

Only what was shown in this process, to the last character, can be approved: a file that changes
between the listing and the approval is shown anew first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.errors import ConfigurationError, UnknownNameError, UsageError
from braincode_jupyter.home.checks_file import check_subjects
from braincode_jupyter.home.hooks_file import hook_subjects
from braincode_jupyter.home.mcp_file import mcp_subjects
from braincode_jupyter.home.trust import Subject, approve, judge, read_approvals, revoke
from braincode_jupyter.views.clean import clean_line, clean_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.home.trust import Approval, TrustKind, TrustState

MAX_SHOWN_CHARS = 20_000
"""An entry that is longer cannot be shown whole, so it cannot be approved."""

_STATES: Mapping[TrustState, str] = {
    "trusted": "approved: it runs",
    "new": "inert: not approved",
    "changed": "inert: changed since you approved it",
    "unclaimed": "inert: its file does not say trusted: true",
    "unusable": "inert",
}
_KINDS: tuple[TrustKind, ...] = ("mcp", "hook", "check", "skill")
_NOTHING = "This project asks for nothing: it has no MCP servers, no hooks and no checks.json."
_HOW = """%braincode trust approve NAME approves exactly what is shown here; trust revoke NAME
takes it back. What you approve runs with your own rights: this is consent, not a sandbox."""


def trust_text(home: Path, root: Path, *, shown: set[str]) -> str:
    """List what a project asks to run.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.
    shown : set of str
        Takes the digest of everything that is shown whole.

    Returns
    -------
    str
        Name, state, entry, named files, and what changed since an approval.
    """
    subjects, notices = _subjects(root)
    approvals = read_approvals(home)
    blocks = [_block(subject, approvals, shown) for subject in subjects]
    parts = [*blocks, *notices, _HOW if blocks else _NOTHING]
    return clean_text("\n\n".join(parts))


def approve_text(home: Path, root: Path, *, name: str, shown: Collection[str], now_ms: int) -> str:
    """Approve one thing of the project.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.
    name : str
        As listed; without its kind where that is clear.
    shown : collection of str
        Digests of what the user has seen.
    now_ms : int
        Time; milliseconds since the epoch.

    Returns
    -------
    str
        What was done.

    Raises
    ------
    UsageError
        If it was not shown as it is now, or its file does not ask for trust.
    ConfigurationError
        If it cannot be trusted in any case.
    """
    subject = _named(name, _subjects(root)[0])
    label = _label(subject)
    if not subject.problem and not subject.is_claimed:
        raise UsageError(
            f"{label!r} does not ask to be trusted.",
            hint='Add "trusted": true to its entry in the project, and look at it again.',
        )
    if not subject.problem and subject.digest not in shown:
        raise UsageError(
            f"{label!r} was not shown as it is now.",
            hint="Write %braincode trust and read what it would run.",
        )
    approve(home, subject, now_ms=now_ms)
    return f"Approved {label}, exactly as shown. Any change makes it inert again."


def say_of_trust(home: Path, root: Path, *, line: str, shown: Collection[str], now_ms: int) -> str:
    """Approve or revoke what a line says.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.
    line : str
        ``approve`` or ``revoke``, and a name.
    shown : collection of str
        Digests of what was shown.
    now_ms : int
        Time; milliseconds since the epoch.

    Returns
    -------
    str
        What was done.

    Raises
    ------
    UnknownNameError
        If the line says something else.
    UsageError
        If it names nothing, or what it names cannot be approved.
    """
    action, _, name = line.partition(" ")
    name = name.strip()
    if action not in {"approve", "revoke"}:
        raise UnknownNameError("subcommand of %braincode trust", action, ["approve", "revoke"])
    if not name:
        raise UsageError(f"What is to {action}?", hint=f"Write %braincode trust {action} NAME.")
    if action == "revoke":
        return revoke_text(home, root, name=name)
    return approve_text(home, root, name=name, shown=shown, now_ms=now_ms)


def revoke_text(home: Path, root: Path, *, name: str) -> str:
    """Take the approval of one thing back.

    Parameters
    ----------
    home, root : Path
        The home folder and the project.
    name : str
        As listed; it may be gone from the project by now.

    Returns
    -------
    str
        What was done.
    """
    project = str(root.resolve())
    approved = [
        Subject(kind=kind, project=project, name=approval.name, entry=None)
        for approval in read_approvals(home)
        for kind in _KINDS
        if approval.project == project and approval.kind == kind
    ]
    subject = _named(name, approved)
    revoke(home, subject)
    return f"Revoked {_label(subject)}: it is inert from the next run on."


def _subjects(root: Path) -> tuple[list[Subject], list[str]]:
    """Return what the project asks for; a broken file is a sentence."""
    found = list(mcp_subjects(root))
    notices: list[str] = []
    for what, read in (("hooks", hook_subjects), ("checks", check_subjects)):
        try:
            found += read(root)
        except ConfigurationError as error:
            notices.append(f"{error.message} Its {what} are left out.")
    return found, notices


def _block(subject: Subject, approvals: Sequence[Approval], shown: set[str]) -> str:
    verdict = judge(subject, approvals)
    state = _STATES[verdict.state]
    if verdict.state == "unusable":
        state = f"{state}: {verdict.reason}"
    # Escaped, so that no character of it can pose as another one.
    entry = json.dumps(subject.entry, indent=1, ensure_ascii=True)
    lines = [f"{_label(subject)}  {state}"]
    if len(entry) > MAX_SHOWN_CHARS:
        lines.append(f"  Its entry has {len(entry):,} characters, too many to be approved.")
        return "\n".join(lines)
    shown.add(subject.digest)
    lines += [f"  {line}" for line in mask_keys(entry)[0].splitlines()]
    lines += [f"  names {name} (sha256 {digest})" for name, digest in subject.files.items()]
    if verdict.difference:
        lines.append("  What changed:")
        lines += [f"    {line}" for line in verdict.difference.splitlines()]
    return "\n".join(lines)


def _label(subject: Subject) -> str:
    return clean_line(f"{subject.kind}:{subject.name}")


def _named(name: str, subjects: Sequence[Subject]) -> Subject:
    exact = [one for one in subjects if f"{one.kind}:{one.name}" == name]
    found = exact or [one for one in subjects if one.name == name]
    if not found:
        raise UnknownNameError("name", name[:64], [_label(one) for one in subjects])
    if len(found) > 1:
        raise UsageError(
            f"{name[:64]!r} is the name of several things.",
            hint=f"Write one of {', '.join(_label(one) for one in found)}.",
        )
    return found[0]
