"""The proof of isolation that a person can run: a distinct random token in every fragment of a run.

The plan is fixed (a librarian, an analyst who needs the librarian, a security worker without
edges, a statistician as primary, a review), so that every cell of the flow matrix has a case.
Each token is looked for in the bytes of every prompt, as it is and in the forms in which text
hides: JSON-escaped, percent-encoded, base64 and hexadecimal. A token must be seen wherever the
matrix says yes (the positive controls) and nowhere else.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

from braincode_jupyter.brain.flow import may_see
from braincode_jupyter.brain.replies import extract_json
from braincode_jupyter.brain.schedule import upstream_of
from braincode_jupyter.models.scripted import ScriptedModel
from braincode_jupyter.protocol.sections import ModelReply, Section
from braincode_jupyter.runtime.launch import prepare_run
from braincode_jupyter.runtime.settings import RunArguments, Sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.protocol.ports import ModelClient, TextSink
    from braincode_jupyter.protocol.sections import Candidate, ModelCall, Resolution, SectionKind
    from braincode_jupyter.protocol.tools import ToolBox
    from braincode_jupyter.protocol.usage import TokenPrice
    from braincode_jupyter.runtime.run import Run

TOKEN_BYTES = 16
"""Length of a planted token; 128 bits."""
SUPPORT_ROLES = ("librarian", "analyst", "security")
PRIMARY_ROLE = "statistician"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofRow:
    """One token and one call: whether it had to be there, and whether it was."""

    fragment: str
    """What carried the token, for people."""
    kind: SectionKind
    """Its label."""
    call: str
    """Role and kind of the call."""
    is_allowed: bool
    """What the matrix says."""
    is_seen: bool
    """What was found in the prompt's bytes."""

    @property
    def is_right(self) -> bool:
        """Whether both agree."""
        return self.is_allowed == self.is_seen


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofReport:
    """What the proof found."""

    rows: tuple[ProofRow, ...]
    """One per token and call."""
    run: Run
    """The run that was looked at."""

    @property
    def holds(self) -> bool:
        """Whether every token was seen exactly where the matrix says."""
        return bool(self.rows) and all(row.is_right for row in self.rows)

    @property
    def leaks(self) -> tuple[ProofRow, ...]:
        """Tokens that were seen where they must not be."""
        return tuple(row for row in self.rows if row.is_seen and not row.is_allowed)

    @property
    def missing(self) -> tuple[ProofRow, ...]:
        """Tokens that were not seen where they have to be: a control that failed."""
        return tuple(row for row in self.rows if row.is_allowed and not row.is_seen)

    def __str__(self) -> str:
        allowed = sum(row.is_allowed for row in self.rows)
        absent = len(self.rows) - allowed
        head = "Isolation holds" if self.holds else "ISOLATION DOES NOT HOLD"
        lines = [
            f"{head}: {len(self.rows)} checks in {len(self.run.calls)} model calls.",
            f"Seen where it has to be: {allowed - len(self.missing)} of {allowed}.",
            f"Absent where it has to be: {absent - len(self.leaks)} of {absent}.",
            "",
            *_table(self.rows),
        ]
        return "\n".join(lines)


@dataclass(slots=True)
class _Token:
    """A planted token with the label of the fragment that carries it."""

    fragment: str
    kind: SectionKind
    owner: str
    also: SectionKind | None = None
    """A second label: the goal of a worker stands in its packet and in its result."""
    value: str = field(default_factory=lambda: secrets.token_hex(TOKEN_BYTES))


@dataclass(slots=True)
class _Planting:
    """A model client that plants a token in every reply of the client behind it."""

    inner: ModelClient
    goals: dict[str, _Token]
    results: dict[str, _Token]
    privates: dict[str, _Token]
    answer: _Token

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Ask the client behind."""
        return self.inner.resolve(model_ids, thinking=thinking, vision=vision)

    def price_of(self, candidate: Candidate) -> TokenPrice | None:
        """Ask the client behind."""
        return self.inner.price_of(candidate)

    async def complete(
        self, call: ModelCall, on_text: TextSink, tools: ToolBox | None = None
    ) -> ModelReply:
        """Ask the client behind, then plant; the plan itself is fixed."""
        if call.call_kind == "router":
            text = self._plan()
            on_text(text)
            return ModelReply(text=text, finish_reason="stop", usage=None)
        reply = await self.inner.complete(call, on_text, tools)
        if call.call_kind == "primary":
            text = f"{reply.text}\n\n{self.answer.value}"
        else:
            text = self._worker_reply(call.role, reply.text)
        return ModelReply(text=text, finish_reason="stop", usage=reply.usage)

    async def aclose(self) -> None:
        """Leave the client behind to its owner."""

    def _plan(self) -> str:
        workers = [
            {"role": role, "goal": f"Look at the request. {token.value}", "reason": "proof"}
            for role, token in self.goals.items()
        ]
        todos = [
            {"id": f"do-{role.lower()}", "title": f"Work of {role}", "role": role}
            for role in self.goals
        ]
        edges = [{"from": "do-librarian", "to": "do-analyst", "reason": "needs the map"}]
        return json.dumps(
            {"role": PRIMARY_ROLE, "workers": workers, "todos": todos, "dependencies": edges}
        )

    def _worker_reply(self, role: str, text: str) -> str:
        found = extract_json(text)
        reply = dict(found) if isinstance(found, dict) else {"decision": "approved"}
        reply["summary"] = f"{reply.get('summary', 'Done.')} {self.results[role].value}"
        return f"Private note {self.privates[role].value}.\n{json.dumps(reply)}"


async def prove_isolation(models: ModelClient | None = None) -> ProofReport:
    """Run once with a random token in every fragment and look for each in every prompt.

    Parameters
    ----------
    models : ModelClient or None
        Who answers; None: the scripted model, which costs nothing. The plan is fixed in both cases.

    Returns
    -------
    ProofReport
        One row per token and call. Nothing is written to ``~/.braincode``.
    """
    roles = (*SUPPORT_ROLES, PRIMARY_ROLE)
    request = _Token("the request", "request", "user")
    file = _Token("@canary.txt", "reference", "user")
    support = _Token("AGENTS.md", "support", "project")
    planting = _Planting(
        inner=models or ScriptedModel(),
        goals={role: _Token(f"{role}: goal", "handoff", role, "result") for role in roles},
        results={
            role: _Token(f"{role}: result", "result", role) for role in (*SUPPORT_ROLES, "review")
        },
        privates={
            role: _Token(f"{role}: private text", "private", role)
            for role in (*SUPPORT_ROLES, "review")
        },
        answer=_Token("the answer", "answer", PRIMARY_ROLE),
    )
    with TemporaryDirectory(prefix="braincode-proof-") as folder:
        root = Path(folder) / "project"
        root.mkdir()
        (root / "canary.txt").write_text(file.value, encoding="utf-8")
        (root / "AGENTS.md").write_text(f"Project rule {support.value}", encoding="utf-8")
        prepared = prepare_run(
            f"Check the numbers in @canary.txt and say what they mean: {request.value}",
            RunArguments(
                brain="notebook",
                review=True,
                home=Path(folder) / "home",
                project_root=root,
                models=planting,
                max_workers=len(roles) + 1,
            ),
            Sources(),
        )
        run = await prepared.execute()
    tokens = [
        request,
        file,
        support,
        *(
            _Token(f"{role}: packet", "handoff", role, value=packet.id)
            for role, packet in run.packets.items()
        ),
        *planting.goals.values(),
        *planting.results.values(),
        *planting.privates.values(),
        planting.answer,
    ]
    return ProofReport(rows=tuple(_look(run, tokens)), run=run)


def encodings(token: str) -> tuple[str, ...]:
    """Return the forms in which a token could hide in text.

    Parameters
    ----------
    token : str
        ASCII text.

    Returns
    -------
    tuple of str
        As it is, JSON-escaped, percent-encoded, hexadecimal, and the three base64 alignments
        without the characters that depend on neighbours.
    """
    raw = token.encode()
    shifted = (base64.b64encode(b"\0" * pad + raw).decode() for pad in range(3))
    inner = tuple(text.rstrip("=")[4:-4] for text in shifted)
    escaped = "".join(f"\\u{ord(char):04x}" for char in token)
    return (token, escaped, quote(token, safe=""), raw.hex(), *inner)


def _look(run: Run, tokens: Sequence[_Token]) -> list[ProofRow]:
    plan = run.plan
    if plan is None:
        return []
    by_role = {worker.role: worker.context_id for worker in plan.workers}
    rows: list[ProofRow] = []
    for call in run.calls:
        haystack = f"{call.prompt.system}\n{call.prompt.user}"
        for token in tokens:
            owner = by_role.get(token.owner, token.owner)
            rows.append(
                ProofRow(
                    fragment=token.fragment,
                    kind=token.kind,
                    call=_name_of(call),
                    is_allowed=_is_expected(token, call, plan=plan, owner=owner),
                    is_seen=any(form in haystack for form in encodings(token.value)),
                )
            )
    return rows


def _name_of(call: ModelCall) -> str:
    if call.call_kind in {"router", "review"}:
        return call.call_kind
    return f"{call.role} ({call.call_kind})"


def _is_expected(token: _Token, call: ModelCall, *, plan: RuntimePlan, owner: str) -> bool:
    # Left out is what did not exist yet: the primary has no packet and no result, nobody is asked
    # after the review, and the answer is not there before the primary wrote it.
    if token.owner == PRIMARY_ROLE and (token.kind != "answer" or call.call_kind == "primary"):
        return False
    if token.owner == "review" and token.kind in {"result", "private"}:
        return False
    upstream = frozenset(upstream_of(plan, call.context_id))
    return any(
        may_see(
            Section(kind=kind, owner=owner, source="", title="", text=""),
            call.call_kind,
            context_id=call.context_id,
            upstream=upstream,
        )
        for kind in (token.kind, token.also)
        if kind is not None
    )


def _table(rows: Sequence[ProofRow]) -> list[str]:
    calls = list(dict.fromkeys(row.call for row in rows))
    fragments = list(dict.fromkeys(row.fragment for row in rows))
    found = {(row.fragment, row.call): row for row in rows}
    width = max((len(name) for name in fragments), default=0)
    lines = [f"{n}. {call}" for n, call in enumerate(calls, start=1)]
    lines.append("")
    lines.append(" " * width + "".join(f"{n:>4}" for n in range(1, len(calls) + 1)))
    for fragment in fragments:
        marks = "".join(f"{_mark(found[fragment, call]):>4}" for call in calls)
        lines.append(f"{fragment:<{width}}{marks}")
    lines.append("● seen as it must be   · absent as it must be   ! seen but withheld   ? not seen")
    return lines


def _mark(row: ProofRow) -> str:
    if row.is_right:
        return "●" if row.is_seen else "·"
    return "!" if row.is_seen else "?"
