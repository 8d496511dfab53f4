"""Who saw what, from the prompt manifests: the matrix, and one row for each agent and section.

Only what a manifest says is drawn as seen; nothing is inferred from the rules, so a leak shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.views import words
from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.roster import agent_labels
from braincode_jupyter.views.run_view import MatrixColumn, MatrixRow, MatrixView, SectionView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from braincode_jupyter.protocol.records import PromptManifest, SectionPointer
    from braincode_jupyter.views.run_view import AgentView, RunView

MAX_SECTIONS = 512
"""Sections of one call that a view keeps."""
MAX_COLUMNS = 256
"""Columns of the matrix."""
Cell = Literal["seen", "own", "withheld", "not_called"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """One section of one model call, seen or withheld."""

    agent: str
    """Role that was asked."""
    context_id: str
    """Its context id."""
    call_kind: str
    """router, worker, primary or review."""
    attempt: int
    """Candidate, from 1."""
    model_id: str
    """Model that was asked."""
    kind: str
    """Section kind."""
    owner: str
    """``user``, ``brain``, ``project``, or the role whose text it is."""
    source: str
    """Where the text came from."""
    chars: int
    """Characters."""
    tokens: int
    """Estimated tokens."""
    is_seen: bool
    """Whether the model was given it."""
    reason: str
    """Why it was withheld; empty for a section that was seen."""
    sha256: str
    """Digest of the text; equal digests are equal texts."""


def isolation_report(manifests: Iterable[PromptManifest]) -> tuple[ContextRow, ...]:
    """Return one row for each section of each call, in the order of the calls.

    Parameters
    ----------
    manifests : iterable of PromptManifest
        The manifests of one run.

    Returns
    -------
    tuple of ContextRow
        Sections that were seen come first in each call, then those that were withheld.
    """
    records = tuple(manifests)
    roles = {record.context_id: record.role for record in records if record.context_id}
    rows: list[ContextRow] = []
    for record in records:
        rows.extend(_row(record, section, roles, is_seen=True) for section in record.sections)
        rows.extend(_row(record, section, roles, is_seen=False) for section in record.withheld)
    return tuple(rows)


def note_sections(view: RunView, agent: AgentView, record: PromptManifest) -> RunView:
    """Return the view with what ``agent`` saw, and the matrix drawn anew.

    Parameters
    ----------
    view : RunView
        View that holds the agent.
    agent : AgentView
        Who is asked.
    record : PromptManifest
        What it is given.

    Returns
    -------
    RunView
        The same with sections and matrix.
    """
    labels = agent_labels(view)
    tokens = {ref.uri: ref.token for ref in view.references if ref.uri}
    total = sum(max(section.tokens, 0) for section in record.sections) or 1
    naming = _Naming(labels=labels, tokens=tokens)
    saw = tuple(_section(naming, one, total) for one in record.sections[:MAX_SECTIONS])
    withheld = tuple(_section(naming, one, 0) for one in record.withheld[:MAX_SECTIONS])
    agents = tuple(
        one.model_copy(update={"saw": saw, "withheld": withheld})
        if one.context_id == agent.context_id and one.kind == agent.kind
        else one
        for one in view.agents
    )
    view = view.model_copy(update={"agents": agents})
    return view.model_copy(update={"matrix": draw_matrix(view)})


def draw_matrix(view: RunView) -> MatrixView:
    """Return the matrix of a view: one row per agent, one column per text that exists."""
    columns = _columns(view)
    rows = [_row_of(agent, columns) for agent in view.agents]
    labels = agent_labels(view)
    return MatrixView(
        columns=tuple(MatrixColumn(key=key, label=label) for key, label in columns.items()),
        rows=tuple(
            MatrixRow(
                context_id=agent.context_id,
                label=labels.get(agent.context_id, agent.role),
                cells=row,
            )
            for agent, row in zip(view.agents, rows, strict=True)
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Naming:
    labels: Mapping[str, str]
    tokens: Mapping[str, str]


def _row(
    record: PromptManifest, section: SectionPointer, roles: Mapping[str, str], *, is_seen: bool
) -> ContextRow:
    return ContextRow(
        agent=record.role,
        context_id=record.context_id or "",
        call_kind=record.call_kind,
        attempt=record.attempt,
        model_id=record.model_id,
        kind=section.kind,
        owner=roles.get(section.owner, section.owner),
        source=section.source,
        chars=section.chars,
        tokens=section.tokens,
        is_seen=is_seen,
        reason="" if is_seen else section.reason or withheld_words(section.kind),
        sha256=section.sha256,
    )


def withheld_words(kind: str) -> str:
    """Return why a section is withheld, where the manifest does not say."""
    match kind:
        case "private" | "handoff":
            return "private"
        case "result":
            return "no edge"
        case _:
            return "not for this call"


def _section(naming: _Naming, pointer: SectionPointer, total: int) -> SectionView:
    source = clean_line(pointer.source, 400)
    source = naming.tokens.get(source, source)
    owner = clean_line(pointer.owner)
    owner_label = words.OWNERS.get(owner) or naming.labels.get(owner, owner)
    name = source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    shown = source if pointer.kind == "reference" else name
    reason = None
    if not total:
        reason = clean_line(pointer.reason or "") or withheld_words(pointer.kind)
    return SectionView(
        kind=clean_line(pointer.kind),
        owner=owner,
        owner_label=owner_label,
        source=source,
        label=words.section_words(pointer.kind, owner_label, shown),
        chars=max(pointer.chars, 0),
        tokens=max(pointer.tokens, 0),
        share=round(max(pointer.tokens, 0) / total, 4) if total else 0.0,
        reason=reason,
    )


def _key(section: SectionView) -> str | None:
    match section.kind:
        case "request" | "continuity" | "hook" | "answer":
            return section.kind
        case "reference" | "support":
            return f"{section.kind}:{section.source}"
        case "private" | "handoff":
            return f"private:{section.owner}"
        case "result":
            return f"result:{section.owner}"
        case _:
            return None


def _columns(view: RunView) -> Mapping[str, str]:
    """Return key and label of each column: shared text first, then worker by worker."""
    shared: dict[str, str] = {"request": "request"}
    foreign: dict[str, str] = {}
    for reference in view.references:
        if reference.state != "missing":
            shared[f"reference:{reference.token}"] = reference.token
    for agent in view.agents:
        for section in (*agent.saw, *agent.withheld):
            key = _key(section)
            if key is not None and ":" not in key and key != "answer":
                shared[key] = words.SECTION_LABELS.get(key, key) if key != "request" else key
            elif section.kind in {"reference", "support"} and key is not None:
                shared[key] = section.label
        for section in agent.saw:
            key = _key(section)
            if key is not None and section.owner != agent.context_id:
                foreign[key] = f"{section.owner_label} {key.split(':', 1)[0]}"
    return _limited({**shared, **_worker_columns(view, foreign), **_answer_column(view)})


def _worker_columns(view: RunView, foreign: Mapping[str, str]) -> Mapping[str, str]:
    labels = agent_labels(view)
    mentioned = {
        key
        for agent in view.agents
        for section in (*agent.saw, *agent.withheld)
        if (key := _key(section)) is not None
    }
    columns: dict[str, str] = {}
    for agent in view.agents:
        if agent.kind != "worker":
            continue
        for kind in ("private", "result"):
            key = f"{kind}:{agent.context_id}"
            if agent.saw or key in mentioned:
                columns[key] = f"{labels.get(agent.context_id, agent.role)} {kind}"
    for key, label in foreign.items():
        if key.startswith(("private:", "result:")):
            columns.setdefault(key, label)
    return columns


def _answer_column(view: RunView) -> Mapping[str, str]:
    has_answer = any(agent.kind == "primary" and agent.saw for agent in view.agents)
    return {"answer": "answer"} if has_answer else {}


def _limited(columns: Mapping[str, str]) -> Mapping[str, str]:
    return dict(list(columns.items())[:MAX_COLUMNS])


def _row_of(agent: AgentView, columns: Mapping[str, str]) -> tuple[Cell, ...]:
    if not agent.saw:
        return ("not_called",) * len(columns)
    seen = {_key(section) for section in agent.saw}
    own = {f"private:{agent.context_id}", f"result:{agent.context_id}"}
    if agent.kind == "primary":
        own.add("answer")
    cells: list[Cell] = []
    for key in columns:
        cell: Cell = "own" if key in own else "seen" if key in seen else "withheld"
        cells.append(cell)
    return tuple(cells)
