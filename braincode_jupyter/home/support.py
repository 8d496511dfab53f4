"""Support of a project and of the user: what goes into prompts, into handoffs, and into a journal.

Order, limits and labels follow the original: project before user in prompts, so that the user's
part is what a limit cuts; user before project in handoffs. MCP files give their server names and
nothing else. Paths in prompts and handoffs are those inside the project, or begin with ``~``: where
on this machine a home folder is, is nobody's business (security R8). The summary for the journal
holds them whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from braincode_jupyter.errors import without_home
from braincode_jupyter.home import paths
from braincode_jupyter.home.support_files import find_scope
from braincode_jupyter.protocol.contexts import ContextRef

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.home.support_files import McpNames, ScopeFiles, SupportFile

MAX_AGENTS_CHARS: Final = 32_000
MAX_SKILL_CHARS: Final = 8_000
MAX_SKILLS_SHOWN: Final = 12
MAX_PROMPT_CHARS: Final = 64_000
"""All pieces together, without the notices of clips."""

Scope = Literal["project", "user"]


class SupportPiece(NamedTuple):
    """One piece of prompt text: where it came from, a fixed heading, the text."""

    source: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSupport:
    """Support files of a run."""

    pieces: tuple[SupportPiece, ...]
    """Prompt text in order; empty when there is nothing."""
    context_refs: tuple[ContextRef, ...]
    """Pointers for handoffs."""
    summary: JsonValue
    """Paths and names for ``run_start``; no contents."""
    notices: tuple[str, ...] = ()
    """What was left out, and why."""


def load_support(home: Path, project_root: Path) -> ProjectSupport:
    """Read AGENTS.md, skills and MCP server names of a project and of the user.

    Parameters
    ----------
    home : Path
        The home folder.
    project_root : Path
        The project; parents and children are not searched.

    Returns
    -------
    ProjectSupport
        Never fails on content: what cannot be used is left out with a notice.
    """
    root = project_root.absolute()
    home = home.absolute()
    project = find_scope(
        root,
        agents=root / paths.AGENTS,
        skills=root / ".agents" / paths.SKILLS,
        mcp=root / ".mcp.json",
    )
    user = find_scope(
        home,
        agents=home / paths.AGENTS,
        skills=home / paths.SKILLS,
        mcp=home / paths.MCP,
    )
    return ProjectSupport(
        pieces=_pieces(root, project, home, user=user),
        context_refs=(*_refs(user), *_refs(project, root)),
        summary=_summary(root, project, home, user=user),
        notices=(*project.notices, *user.notices),
    )


def _pieces(
    root: Path, project: ScopeFiles, home: Path, *, user: ScopeFiles
) -> tuple[SupportPiece, ...]:
    if project.is_empty and user.is_empty:
        return ()
    heading = _heading(root, None if user.is_empty else home)
    pieces = [
        SupportPiece(root.name or "project", "Support files", heading),
        *_scope_pieces(project, "project", root),
        *_scope_pieces(user, "user"),
    ]
    return tuple(_within_limit(pieces))


def _heading(root: Path, home: Path | None) -> str:
    lines = [f"Support files of the project {root.name}"]
    if home is not None:
        lines.append(f"and of the user, from {_place(home)}.")
        lines.append(
            "User support applies to every project. Project support is specific to this one and "
            "wins where the two disagree."
        )
    return "\n".join(lines)


def _place(path: Path, root: Path | None = None) -> str:
    """Return a path as prompts and handoffs name it."""
    return without_home(str(path)) if root is None else path.relative_to(root).as_posix()


def _scope_pieces(
    files: ScopeFiles, scope: Scope, root: Path | None = None
) -> Iterator[SupportPiece]:
    word = scope.capitalize()
    if files.agents is not None:
        text = _clipped(files.agents.text, MAX_AGENTS_CHARS, f"{scope} AGENTS.md")
        yield _piece(f"{word} instructions", files.agents, text=text, root=root)
    if files.mcp is not None:
        yield _mcp_piece(files.mcp, word, root)
    for skill in files.skills[:MAX_SKILLS_SHOWN]:
        text = _clipped(skill.text, MAX_SKILL_CHARS, f"{scope} skill {skill.id}")
        yield _piece(f"{word} skill", skill, text=text, root=root)
    left_out = len(files.skills) - MAX_SKILLS_SHOWN
    if left_out > 0:
        source = _place(files.skills[0].path.parent, root)
        text = f"[{left_out} more {scope} skills are not shown here.]"
        yield SupportPiece(source, f"{word} skills", text)


def _piece(title: str, file: SupportFile, *, text: str, root: Path | None) -> SupportPiece:
    place = _place(file.path, root)
    return SupportPiece(place, title, f"{title}: {file.id} ({place})\n\n{text}")


def _mcp_piece(mcp: McpNames, word: str, root: Path | None) -> SupportPiece:
    place = _place(mcp.path, root)
    names = ", ".join(mcp.server_names) or "(none)"
    text = (
        f"{word} MCP configuration ({place})\n\nServers: {names}\n"
        "A name here gives no access: only the tools listed for you can be called."
    )
    return SupportPiece(place, f"{word} MCP servers", text)


def _clipped(text: str, limit: int, label: str) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[{label} clipped at {limit} of {len(text)} characters]"


def _within_limit(pieces: list[SupportPiece]) -> Iterator[SupportPiece]:
    """Yield pieces until the whole text would pass its limit; the last one is cut and says so."""
    whole = sum(len(piece.text) for piece in pieces) + 2 * (len(pieces) - 1) + 1
    room = MAX_PROMPT_CHARS
    for piece in pieces:
        if len(piece.text) > room or (room < MAX_PROMPT_CHARS and room <= 0):
            notice = f"[support clipped at {MAX_PROMPT_CHARS} of {whole} characters]"
            yield piece._replace(text=f"{piece.text[: max(room, 0)]}\n{notice}")
            return
        yield piece
        room -= len(piece.text) + 2


def _refs(files: ScopeFiles, root: Path | None = None) -> Iterator[ContextRef]:
    is_user = root is None
    if files.agents is not None:
        label = "user AGENTS.md" if is_user else "AGENTS.md"
        yield ContextRef(kind="file", uri=_place(files.agents.path, root), label=label)
    if files.mcp is not None:
        label = "user mcp.json" if is_user else ".mcp.json"
        yield ContextRef(kind="file", uri=_place(files.mcp.path, root), label=label)
    for skill in files.skills:
        label = f"user-skill:{skill.id}" if is_user else f"skill:{skill.id}"
        yield ContextRef(kind="file", uri=_place(skill.path, root), label=label)


def _summary(root: Path, project: ScopeFiles, home: Path, *, user: ScopeFiles) -> JsonValue:
    summary: dict[str, JsonValue] = {"root": str(root), **_scope_summary(project)}
    if not user.is_empty:
        summary["user"] = {"home": str(home), **_scope_summary(user)}
    return summary


def _scope_summary(files: ScopeFiles) -> dict[str, JsonValue]:
    summary: dict[str, JsonValue] = {}
    if files.agents is not None:
        summary["agents"] = str(files.agents.path)
    if files.mcp is not None:
        names: list[JsonValue] = [*files.mcp.server_names]
        summary["mcp"] = {"path": str(files.mcp.path), "serverNames": names}
    summary["skills"] = [{"id": skill.id, "path": str(skill.path)} for skill in files.skills]
    return summary
