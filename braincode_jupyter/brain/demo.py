"""What the embedded demo model is asked, so that a run on it takes a minute and not ten.

It reads 50 to 90 and writes 10 to 16 tokens a second on two cores, and it follows short
instructions only. So it gets the role in two sentences, of its packet the goal, no support files,
references cut short, a reply of a few fields held to a grammar, and little room to write. What it
sees is still made by the one builder, and the manifest names what was left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from braincode_jupyter.protocol.sections import Section
    from braincode_jupyter.protocol.usage import CallKind

DEMO_OUTPUT_TOKENS: Mapping[CallKind, int] = MappingProxyType(
    {"router": 200, "worker": 200, "primary": 240, "review": 200}
)
"""Most tokens of one reply; the schema below needs at most about 170."""
MAX_SECTION_CHARS = 1_600
"""Longest reference or result that the demo model is given; characters."""

DEMO_REPLY_SCHEMA: Mapping[str, JsonValue] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "summary": {"type": "string", "maxLength": 320},
            "risks": {
                "type": "array",
                "maxItems": 1,
                "items": {"type": "string", "maxLength": 120},
            },
        },
        "required": ["summary", "risks"],
    }
)
"""A worker's reply; ids, state and empty lists are the Brain's to fill in."""

DEMO_WORKER_TASK = (
    "Do the task of the packet with the facts above. Reply with JSON: summary (two short sentences "
    "with facts and numbers from above), risks (at most one)."
)
DEMO_PRIMARY_TASK = (
    "Answer the request in at most five sentences, with facts and numbers from above only."
)
_LEFT_OUT = frozenset({"support", "environment", "continuity"})
_CUT = frozenset({"reference", "result"})
_PACKET_LINE = re.compile(r'^ {4}"(agentRole|goal)": "(.*)",?$', re.MULTILINE)
_RESULT_IDS = re.compile(r"\A(### [^\n]*\n)Task: [\s\S]*?\n(?=Summary: )")


def fit_demo(sections: Iterable[Section]) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Split what exists into what the demo model is given, cut short, and what it is spared.

    Parameters
    ----------
    sections : iterable of Section
        Everything that exists in the run.

    Returns
    -------
    tuple of (tuple of Section, tuple of Section)
        Offered to the matrix, and left out for size.
    """
    found = tuple(sections)
    kept = tuple(_shortened(section) for section in found if section.kind not in _LEFT_OUT)
    return kept, tuple(section for section in found if section.kind in _LEFT_OUT)


def _shortened(section: Section) -> Section:
    """Return a packet as role and goal, a result without its ids, anything long cut."""
    text = section.text
    match section.kind:
        case "handoff":
            text = "\n".join(f"{m[1]}: {m[2]}" for m in _PACKET_LINE.finditer(text))
        case "result":
            text = _RESULT_IDS.sub(r"\1", text, count=1)
        case _:
            pass
    if section.kind in _CUT and len(text) > MAX_SECTION_CHARS:
        mark = f"\n[cut: {MAX_SECTION_CHARS:,} of {len(text):,} characters]"
        text = text[:MAX_SECTION_CHARS] + mark
    return section if text == section.text else replace(section, text=text)
