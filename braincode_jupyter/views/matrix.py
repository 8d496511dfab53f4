"""Who saw what, from the prompt manifests: the matrix, and one row for each agent and section.

Only what a manifest says is drawn as seen; nothing is inferred from the rules, so a leak shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.roster import agent_labels
from braincode_jupyter.views.run_view import (
    MatrixColumn,
    MatrixRow,
    MatrixView,
    OfferedToolView,
    SectionView,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from braincode_jupyter.protocol.records import PromptManifest, SectionPointer
    from braincode_jupyter.views.run_view import AgentView, RunView

MAX_SECTIONS = 512
"""Sections of one call that a view keeps."""
MAX_COLUMNS = 256
"""Columns of the matrix."""
_SHARED = ("request", "continuity", "hook", "reference", "support")
"""Columns that belong to nobody in particular, in their order."""
_PRIVATE = frozenset({"private", "handoff"})
"""Kinds of sections that are private to one agent."""
OWNERS = frozenset({"user", "brain", "project"})
"""Owners of sections that are no agents."""
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
    saw = [_section(naming, (one,), total) for one in record.sections[:MAX_SECTIONS]]
    withheld = _withheld(naming, record.withheld[:MAX_SECTIONS])
    tools = tuple(
        OfferedToolView(name=clean_line(tool.name), tokens=max(tool.tokens, 0))
        for tool in record.tools[:MAX_SECTIONS]
    )
    changes = {"saw": _with_one_wording(saw), "withheld": withheld, "tools": tools}
    agent = agent.model_copy(update=changes)
    agents = tuple(
        agent if (one.context_id, one.kind) == (agent.context_id, agent.kind) else one
        for one in view.agents
    )
    matrix = _redrawn(view, agents, agent=agent, labels=labels)
    return view.model_copy(update={"agents": agents, "matrix": matrix})


def _redrawn(
    view: RunView, agents: tuple[AgentView, ...], *, agent: AgentView, labels: Mapping[str, str]
) -> MatrixView:
    """Return the matrix after one of the agents was asked; rows that stay the same are kept."""
    columns = _columns(view, agents, agent=agent, labels=labels)
    known = {column.key: column for column in view.matrix.columns}
    rows = {row.context_id: row for row in view.matrix.rows} if [*known] == [*columns] else {}
    rows.pop(agent.context_id, None)
    return MatrixView(
        columns=tuple(known.get(key) or column for key, column in columns.items()),
        rows=tuple(
            rows.get(one.context_id)
            or MatrixRow(
                context_id=one.context_id,
                label=labels.get(one.context_id, one.role),
                cells=_cells(one, columns),
            )
            for one in agents
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Naming:
    labels: Mapping[str, str]
    tokens: Mapping[str, str]

    def source_of(self, pointer: SectionPointer) -> str:
        source = clean_line(pointer.source, 400)
        return self.tokens.get(source, source)


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


def _section(naming: _Naming, pointers: Sequence[SectionPointer], total: int) -> SectionView:
    """Return pointers that are told together as one entry; without a total they were withheld."""
    first = pointers[0]
    source, owner = naming.source_of(first), clean_line(first.owner)
    is_named = first.kind in {"reference", "support"}
    name = source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    shown = source if first.kind == "reference" else name
    tokens = sum(max(one.tokens, 0) for one in pointers)
    kind, reason = clean_line(first.kind), None
    if not total and first.kind in _PRIVATE:
        kind = reason = "private"
    elif not total:
        reason = clean_line(first.reason or "") or withheld_words(first.kind)
    return SectionView(
        kind=kind,
        owner=owner,
        owner_label="" if owner in OWNERS else naming.labels.get(owner, owner),
        source=source,
        label=shown if is_named else "",
        chars=sum(max(one.chars, 0) for one in pointers),
        tokens=tokens,
        share=round(tokens / total, 4) if total else 0.0,
        reason=reason,
    )


def _withheld(naming: _Naming, pointers: Iterable[SectionPointer]) -> tuple[SectionView, ...]:
    """Return what was withheld, all that is private to one agent as one entry."""
    told: dict[tuple[str, str, str], list[SectionPointer]] = {}
    for one in pointers:
        is_private = one.kind in _PRIVATE
        kind, source = ("private", "") if is_private else (one.kind, naming.source_of(one))
        told.setdefault((kind, clean_line(one.owner), source), []).append(one)
    return tuple(_section(naming, together, 0) for together in told.values())


def _key(section: SectionView) -> str | None:
    match section.kind:
        case "request" | "continuity" | "hook" | "answer" | "patch" | "review":
            return section.kind
        case "reference" | "support":
            return f"{section.kind}:{section.source}"
        case "private" | "handoff":
            return f"private:{section.owner}"
        case "result":
            return f"result:{section.owner}"
        case _:
            return None


def _with_one_wording(sections: Iterable[SectionView]) -> tuple[SectionView, ...]:
    """Return the sections with all fixed wording of ours as one entry, at the end."""
    kept: list[SectionView] = []
    wording: SectionView | None = None
    for section in sections:
        if section.kind != "instruction":
            kept.append(section)
        else:
            wording = section if wording is None else _sum_of(wording, section)
    return (*kept, wording) if wording else tuple(kept)


def _sum_of(one: SectionView, other: SectionView) -> SectionView:
    return one.model_copy(
        update={
            "chars": one.chars + other.chars,
            "tokens": one.tokens + other.tokens,
            "share": round(one.share + other.share, 4),
        }
    )


def _columns(
    view: RunView, agents: tuple[AgentView, ...], *, agent: AgentView, labels: Mapping[str, str]
) -> Mapping[str, MatrixColumn]:
    """Return each column by its key: shared text first, then worker by worker."""
    known = {column.key: column for column in view.matrix.columns}
    columns = {"request": _column("request")}
    for reference in view.references:
        if reference.state != "missing":
            column = _column("reference", reference.token, label=reference.token)
            columns[column.key] = column
    columns.update(known)
    columns = _noted(columns, agent.saw)
    columns = _noted(columns, (one for one in agent.withheld if one.kind in _SHARED))
    called = any(one.kind == "worker" and one.saw for one in agents)
    workers = [one.context_id for one in agents if one.kind == "worker" and called]
    for context_id in workers:
        for kind in ("private", "result"):
            if (key := f"{kind}:{context_id}") not in columns:
                columns[key] = _column(kind, context_id, owner_label=labels[context_id])
    if any(one.kind == "primary" and one.saw for one in agents):
        columns.setdefault("answer", _column("answer"))
    places = {context_id: place for place, context_id in enumerate(workers)}
    for key in (f"private:{agent.context_id}", f"result:{agent.context_id}"):
        if agent.kind != "worker":
            columns.pop(key, None)
    if columns.keys() == known.keys():
        return known
    ordered = sorted(columns.items(), key=lambda item: _rank(item[0], places))
    return dict(ordered[:MAX_COLUMNS])


def _column(kind: str, owner: str = "", *, label: str = "", owner_label: str = "") -> MatrixColumn:
    key = f"{kind}:{owner}" if owner else kind
    return MatrixColumn(key=key, label=label, kind=kind, owner_label=owner_label)


def _noted(
    columns: dict[str, MatrixColumn], sections: Iterable[SectionView]
) -> dict[str, MatrixColumn]:
    for section in sections:
        if (key := _key(section)) is not None and key not in columns:
            columns[key] = MatrixColumn(
                key=key,
                label=section.label,
                kind=key.partition(":")[0],
                owner_label=section.owner_label,
            )
    return columns


def _rank(key: str, places: Mapping[str, int]) -> tuple[int, int]:
    kind, _, owner = key.partition(":")
    if kind in {"private", "result"}:
        return len(_SHARED), places.get(owner, len(places))
    return (_SHARED.index(kind), 0) if kind in _SHARED else (len(_SHARED) + 1, 0)


def _cells(agent: AgentView, columns: Mapping[str, MatrixColumn]) -> tuple[Cell, ...]:
    if not agent.saw:
        return ("not_called",) * len(columns)
    cells: dict[str, Cell] = dict.fromkeys(columns, "withheld")
    for section in agent.saw:
        key = _key(section)
        if key in cells:
            cells[key] = "seen"
    own = [f"private:{agent.context_id}", f"result:{agent.context_id}"]
    for key in [*own, "answer"] if agent.kind == "primary" else own:
        if key in cells:
            cells[key] = "own"
    return tuple(cells.values())
