"""The flow matrix, and the one builder of prompts.

`FLOW` is data: one row per kind of call, one rule per kind of section. `select` splits everything
that exists in a run into what a call may see and what it may not; `build_prompt` makes the prompt
and raises `IsolationError` for any section that the matrix withholds, so a caller that forgets
`select` fails loudly.

Framing: every section but the host's own fixed wording stands in a fence of back-ticks longer
than any run of back-ticks inside it, so no content can close or forge a frame, and what went in can
be read back exactly (security R9, R17).
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import TYPE_CHECKING

from braincode_jupyter.brain.tokens import estimate_tokens
from braincode_jupyter.errors import IsolationError
from braincode_jupyter.protocol.records import SectionPointer
from braincode_jupyter.protocol.sections import Prompt, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from braincode_jupyter.protocol.sections import SectionKind
    from braincode_jupyter.protocol.usage import CallKind


class Rule(StrEnum):
    """What the matrix says of one kind of section for one kind of call."""

    YES = "yes"
    NO = "no"
    OWN = "own"
    """Only the section that belongs to the context that is asked."""
    DECLARED = "declared"
    """Only of declared upstream contexts."""
    GRANTED = "granted"
    """All, unless the run is need-to-know: then only the granted ones."""


_EFFECTIVE_PROMPT: dict[SectionKind, Rule] = {
    "instruction": Rule.YES,
    "request": Rule.YES,
    "reference": Rule.YES,
    "continuity": Rule.YES,
    "hook": Rule.YES,
    "role": Rule.OWN,
    "private": Rule.NO,
    "catalogue": Rule.NO,
}
FLOW: Mapping[CallKind, Mapping[SectionKind, Rule]] = MappingProxyType(
    {
        "router": {
            **_EFFECTIVE_PROMPT,
            "catalogue": Rule.YES,
            "environment": Rule.NO,
            "support": Rule.NO,
            "handoff": Rule.NO,
            "result": Rule.NO,
            "answer": Rule.NO,
            "patch": Rule.NO,
            "review": Rule.NO,
        },
        "worker": {
            **_EFFECTIVE_PROMPT,
            "reference": Rule.GRANTED,
            "environment": Rule.YES,
            "support": Rule.YES,
            "handoff": Rule.OWN,
            "result": Rule.DECLARED,
            "answer": Rule.NO,
            "patch": Rule.NO,
            "review": Rule.NO,
        },
        "primary": {
            **_EFFECTIVE_PROMPT,
            "environment": Rule.YES,
            "support": Rule.YES,
            "handoff": Rule.NO,
            "result": Rule.YES,
            "answer": Rule.OWN,
            "patch": Rule.YES,
            "review": Rule.YES,
        },
        "review": {
            **_EFFECTIVE_PROMPT,
            "environment": Rule.YES,
            "support": Rule.YES,
            "handoff": Rule.OWN,
            "result": Rule.YES,
            "answer": Rule.YES,
            "patch": Rule.YES,
            "review": Rule.NO,
        },
    }
)
"""The matrix of design section 4.

``private`` is what an agent wrote outside its normalised result; nothing private is ever offered
back to its owner either. ``patch`` and ``review`` exist for the primary in its rounds of mending
alone: it keeps no transcript, so it is shown its own change again.
"""

_ASKED: Sequence[SectionKind] = ("continuity", "hook", "request", "reference")
_SHARED: Sequence[SectionKind] = ("support", "environment", *_ASKED, "result")
_ORDER: Mapping[CallKind, Sequence[SectionKind]] = MappingProxyType(
    {
        "router": ("catalogue", *_ASKED, "instruction"),
        "worker": (*_SHARED, "handoff", "instruction"),
        "primary": (*_SHARED, "answer", "patch", "review", "instruction"),
        "review": (*_SHARED, "answer", "patch", "handoff", "instruction"),
    }
)
"""Section order in the prompt: what is shared comes first, so that provider caches can serve it."""

_TICKS = re.compile(r"`+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f`]")
_OPEN = re.compile(r"`{3,}text")
_MIN_FENCE = 3


def may_see(
    section: Section,
    call_kind: CallKind,
    *,
    context_id: str,
    upstream: frozenset[str] = frozenset(),
    granted: frozenset[str] | None = None,
) -> bool:
    """Say whether the matrix lets one section into one call.

    Parameters
    ----------
    section : Section
        The labelled piece.
    call_kind : CallKind
        Kind of the call.
    context_id : str
        Context that is asked.
    upstream : frozenset of str
        Context ids of its declared upstream workers.
    granted : frozenset of str or None
        Sources of the references granted to it in a need-to-know run; None: all.

    Returns
    -------
    bool
        True if it may be seen.
    """
    match FLOW[call_kind][section.kind]:
        case Rule.YES:
            return True
        case Rule.NO:
            return False
        case Rule.OWN:
            return section.owner == context_id
        case Rule.DECLARED:
            return section.owner in upstream
        case Rule.GRANTED:
            return granted is None or section.source in granted


def withheld_reason(section: Section, call_kind: CallKind) -> str:
    """Return in words why a section is kept from a call."""
    if section.kind == "private":
        return "private"
    rule = FLOW[call_kind][section.kind]
    return {Rule.DECLARED: "no edge", Rule.GRANTED: "not granted", Rule.OWN: "not its own"}.get(
        rule, "not for this call"
    )


def select(
    sections: Iterable[Section],
    call_kind: CallKind,
    *,
    context_id: str,
    upstream: frozenset[str] = frozenset(),
    granted: frozenset[str] | None = None,
) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Split what exists into what a call may see and what it may not.

    Parameters
    ----------
    sections : iterable of Section
        Everything that exists in the run.
    call_kind, context_id, upstream, granted
        As in `may_see`.

    Returns
    -------
    tuple of (tuple of Section, tuple of Section)
        Seen and withheld, each in the given order.
    """
    seen: list[Section] = []
    withheld: list[Section] = []
    for section in sections:
        allowed = may_see(
            section, call_kind, context_id=context_id, upstream=upstream, granted=granted
        )
        (seen if allowed else withheld).append(section)
    return tuple(seen), tuple(withheld)


def build_prompt(
    sections: Iterable[Section],
    call_kind: CallKind,
    *,
    context_id: str,
    upstream: frozenset[str] = frozenset(),
    granted: frozenset[str] | None = None,
    withheld: tuple[Section, ...] = (),
) -> Prompt:
    """Make the prompt of one call; nothing else in the project does.

    Parameters
    ----------
    sections : iterable of Section
        What the call is to see, in any order across kinds; the order within a kind is kept.
    call_kind, context_id, upstream, granted
        As in `may_see`.
    withheld : tuple of Section
        What `select` kept out, for the manifest.

    Returns
    -------
    Prompt
        System text, framed user text and images.

    Raises
    ------
    IsolationError
        If the matrix withholds one of ``sections`` from this call, or if fixed wording holds a
        fence.
    """
    offered = tuple(sections)
    for section in offered:
        if not may_see(
            section, call_kind, context_id=context_id, upstream=upstream, granted=granted
        ):
            why = withheld_reason(section, call_kind)
            raise IsolationError(
                f"A {section.kind!r} section of {section.owner!r} was offered to the {call_kind} "
                f"call of {context_id!r}, which must not see it ({why}).",
                hint="This is a bug in braincode_jupyter; the call was not made.",
            )
        if section.kind == "instruction" and _OPEN.search(section.text):
            raise IsolationError("Fixed wording holds a fence.", hint="Frame the text instead.")
    rank = {kind: index for index, kind in enumerate(_ORDER[call_kind])}
    body = sorted((s for s in offered if s.kind != "role"), key=lambda s: rank[s.kind])
    return Prompt(
        call_kind=call_kind,
        context_id=context_id,
        sections=tuple(s for s in offered if s.kind == "role") + tuple(body),
        withheld=withheld,
        system="\n\n".join(s.text for s in offered if s.kind == "role"),
        user="\n\n".join(frame(s) for s in body),
        images=tuple(s.image for s in body if s.image is not None),
    )


def frame(section: Section) -> str:
    """Return a section as it stands in the prompt.

    Parameters
    ----------
    section : Section
        The labelled piece.

    Returns
    -------
    str
        Fixed wording as it is; everything else under its heading, in a fence that it cannot close.
    """
    if section.kind == "instruction":
        return section.text
    name = _CONTROL.sub("?", section.source) if section.kind in {"reference", "support"} else ""
    heading = f"{section.title} {name}".rstrip()
    if section.image is not None:
        return f"{heading} (attached to this message)"
    longest = max((len(run) for run in _TICKS.findall(section.text)), default=0)
    fence = "`" * max(_MIN_FENCE, longest + 1)
    return f"{heading}:\n{fence}text\n{section.text}\n{fence}"


@lru_cache(maxsize=256)
def _measure(text: str) -> tuple[str, int]:
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest, estimate_tokens(text)


def section_tokens(section: Section) -> int:
    """Return the estimated tokens of a section's text; measured once for each text."""
    return _measure(section.text)[1]


def pointer(section: Section, *, reason: str | None = None) -> SectionPointer:
    """Return what the journal keeps of a section: label, digest and size, never the text.

    Parameters
    ----------
    section : Section
        The labelled piece.
    reason : str or None
        Why it was withheld; None for a section that was seen.

    Returns
    -------
    SectionPointer
        Pointer with an estimate of its tokens.
    """
    digest, tokens = _measure(section.text)
    if section.image is not None:
        digest = sha256(section.image.data).hexdigest()
    return SectionPointer(
        kind=section.kind,
        owner=section.owner,
        source=section.source,
        sha256=digest,
        chars=len(section.text),
        tokens=tokens,
        reason=reason,
    )
