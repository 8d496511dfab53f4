"""What a model call is recognised by when it comes again: digests of its prompt, never its text.

Two calls are the same if they are of one kind and role, at the same place of their chain, round and
retry, with the same texts, tools and reply shape. The model is not part of it, so whoever has no
key for it can play what it said. What differs between two machines or days without a change of the
request counts for nothing: the ids of a run, the date and the version of Python, the name of the
project's folder, and when an earlier session that is referred to was written.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from braincode_jupyter.brain.dispatching import DISPATCH_TOOL
from braincode_jupyter.brain.offering import tool_pointer
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.usage import CallKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from braincode_jupyter.protocol.sections import ModelCall, Section
    from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""SHA-256, in hexadecimal digits."""
Name = Annotated[str, Field(max_length=1_000)]
"""Short text."""
Count = Annotated[int, Field(ge=0, le=10**12)]
"""Any count or number that is written down."""

_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_WITH_IDS = frozenset(
    {"handoff", "instruction", "result", "answer", "patch", "review", "continuity"}
)
"""Kinds whose text the host writes, with ids of the run in it."""


class SectionPrint(Packet):
    """One section of a prompt."""

    kind: Name
    """Section kind of the flow matrix."""
    source: Name
    """Where its text came from; for people, not compared."""
    sha256: Digest
    """Digest of the text, or of the image."""


class ToolPrint(Packet):
    """One tool that a call was offered."""

    name: Name
    """Name as the model uses it."""
    sha256: Digest
    """Digest of name, description and schema."""


class CallPrint(Packet):
    """The fingerprint of one call."""

    kind: CallKind
    """Kind of the call."""
    role: Name
    """Role that is asked."""
    attempt: Count = 1
    """Candidate, from 1."""
    iteration: Count = 0
    """Round of mending."""
    retry: Count = 0
    """How often its worker was taken up again."""
    sections: tuple[SectionPrint, ...] = ()
    """In prompt order."""
    tools: tuple[ToolPrint, ...] = ()
    """In the order offered."""
    reply_schema: Digest | None = None
    """Digest of the shape that the reply is asked in."""

    @property
    def turn(self) -> tuple[object, ...]:
        """Who is asked, and for which time."""
        return (self.kind, self.role, self.attempt, self.iteration, self.retry)

    @property
    def key(self) -> tuple[object, ...]:
        """All that is compared."""
        sections = tuple((one.kind, one.sha256) for one in self.sections)
        return (*self.turn, sections, tuple(one.sha256 for one in self.tools), self.reply_schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunIds:
    """The ids of a run that stand in one prompt, in the order in which they first come.

    A reply may repeat them; in a recording they are numbers, so that it plays in every other run.
    """

    found: tuple[str, ...] = ()

    def take_out(self, text: str) -> str:
        """Return the text with a number in place of each id."""
        for number, run_id in enumerate(self.found, start=1):
            text = text.replace(run_id, _stand_in(number))
        return text

    def put_in(self, text: str) -> str:
        """Return the text with the ids of this run in place of the numbers."""
        for number, run_id in enumerate(self.found, start=1):
            text = text.replace(_stand_in(number), run_id)
        return text


def fingerprint(call: ModelCall, tools: Iterable[ToolSpec] = ()) -> tuple[CallPrint, RunIds]:
    """Return what a call is recognised by, and the ids that were left out of it.

    Parameters
    ----------
    call : ModelCall
        The call.
    tools : iterable of ToolSpec
        What it is offered.

    Returns
    -------
    tuple of (CallPrint, RunIds)
        No text of the prompt is in either.
    """
    numbers: dict[str, str] = {}
    sections = tuple(_section_print(section, numbers) for section in call.prompt.sections)
    pointers = (tool_pointer(spec) for spec in tools)
    printed = CallPrint(
        kind=call.call_kind,
        role=call.role,
        attempt=call.attempt,
        iteration=call.iteration,
        retry=call.retry,
        sections=sections,
        tools=tuple(ToolPrint(name=one.name, sha256=one.sha256) for one in pointers),
        reply_schema=None if call.reply_schema is None else _schema_digest(call.reply_schema),
    )
    return printed, RunIds(found=tuple(numbers))


def text_digest(text: str, *, has_ids: bool = False) -> str:
    """Return the digest of a text; with ``has_ids`` it does not depend on the ids in it."""
    numbers: dict[str, str] = {}
    return _digest(_numbered(text, numbers) if has_ids else text)


def result_digest(tool: str, given: ToolReturn) -> str:
    """Return the digest by which what a tool gave is compared."""
    return text_digest(given.text, has_ids=tool == DISPATCH_TOOL)


def difference(now: CallPrint, recorded: Sequence[CallPrint]) -> str:
    """Say in what a call differs from the recorded one that is nearest to it.

    Parameters
    ----------
    now : CallPrint
        The call.
    recorded : sequence of CallPrint
        Those that were not played yet.

    Returns
    -------
    str
        A clause such as ``the reference '@docs/a.md' has changed``: kinds and sources, no text.
    """
    alike = [one for one in recorded if (one.kind, one.role) == (now.kind, now.role)]
    if not alike:
        return "no such call is left in the recording"
    digests = {(one.kind, one.sha256) for one in now.sections}
    nearest = max(
        alike,
        key=lambda one: (
            one.turn == now.turn,
            sum((each.kind, each.sha256) in digests for each in one.sections),
        ),
    )
    found = [*_section_changes(now, nearest), *_tool_changes(now, nearest)]
    if now.reply_schema != nearest.reply_schema:
        found.append("the shape of the reply has changed")
    if not found:
        return "it is asked once more, or another time, than in the recording"
    rest = len(found) - 1
    return found[0] + (f", and {rest} more thing{'s' if rest > 1 else ''}" if rest else "")


def _section_changes(now: CallPrint, before: CallPrint) -> list[str]:
    old = _by_source(before)
    new = _by_source(now)
    words: list[str] = []
    for key in dict.fromkeys((*new, *old)):
        what = _named(*key)
        if key not in old:
            words.append(f"{what} is new")
        elif key not in new:
            words.append(f"{what} is gone")
        elif old[key] != new[key]:
            words.append(f"{what} has changed")
    return words


def _named(kind: str, source: str) -> str:
    """Return a section in words; what its source says of its kind is not said twice."""
    name = source.removeprefix(f"{kind}:")
    return f"the {kind}" if name == kind else f"the {kind} {name!r}"


def _by_source(one: CallPrint) -> Mapping[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for section in one.sections:
        found.setdefault((section.kind, section.source), []).append(section.sha256)
    return found


def _tool_changes(now: CallPrint, before: CallPrint) -> list[str]:
    old = {tool.name: tool.sha256 for tool in before.tools}
    new = {tool.name: tool.sha256 for tool in now.tools}
    words = [f"the tool {name!r} is new" for name in new if name not in old]
    words += [f"the tool {name!r} is gone" for name in old if name not in new]
    return words + [
        f"the tool {name!r} has changed" for name in new if old.get(name, new[name]) != new[name]
    ]


def _section_print(section: Section, numbers: dict[str, str]) -> SectionPrint:
    is_session = section.kind == "continuity" or section.source.startswith("@@")
    text = section.text
    if section.kind == "environment":
        text = ""
    elif section.kind == "support":
        text = text.replace(section.source, "")
    elif is_session:
        text = _MOMENT.sub("", text)
    if is_session or section.kind in _WITH_IDS:
        text = _numbered(text, numbers)
    image = section.image
    return SectionPrint(
        kind=section.kind,
        source=_UUID.sub("", section.source)[:1_000],
        sha256=_digest(text) if image is None else sha256(image.data).hexdigest(),
    )


def _numbered(text: str, numbers: dict[str, str]) -> str:
    return _UUID.sub(lambda found: numbers.setdefault(found[0], _stand_in(len(numbers) + 1)), text)


def _stand_in(number: int) -> str:
    return f"00000000-0000-0000-0000-{number:012d}"


def _schema_digest(schema: Mapping[str, object]) -> str:
    return _digest(json.dumps(schema, sort_keys=True))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
