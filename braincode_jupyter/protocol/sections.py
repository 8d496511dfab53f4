"""Labelled pieces of a prompt, and the prompt that they make.

A `Section` is born with its label and never loses it. A `Prompt` is made by
``brain.flow.build_prompt`` alone; a `ModelCall` takes a `Prompt`, so an unlabelled string has no
way to a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pydantic import JsonValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from braincode_jupyter.protocol.usage import CallKind, TokenUsage

SectionKind = Literal[
    "role",
    "instruction",
    "environment",
    "support",
    "continuity",
    "hook",
    "request",
    "reference",
    "catalogue",
    "handoff",
    "result",
    "private",
    "answer",
    "patch",
    "review",
]
"""``instruction`` is fixed wording of ours and holds no text of anybody else. ``patch`` is what the
run changed in the project and what its checks said; ``review`` is what a reviewer asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """An image for a model that sees."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One labelled piece of text, or one image.

    Parameters
    ----------
    kind : SectionKind
        Row of the flow matrix.
    owner : str
        ``"user"``, ``"brain"``, ``"project"``, or the context id of the agent that it belongs to.
    source : str
        Where the text came from: a uri, a token, a file path.
    title : str
        Heading above the text in the prompt; fixed wording, never untrusted text.
    text : str
        The text, byte for byte.
    image : ImagePart or None
        Set for an image section.
    """

    kind: SectionKind
    owner: str
    source: str
    title: str
    text: str
    image: ImagePart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What one call may see; made by ``brain.flow.build_prompt`` alone.

    ``system`` holds the role section, ``user`` all others in order, each framed so that no content
    can close or forge a frame. ``withheld`` names the sections that existed and that the matrix
    kept out.
    """

    call_kind: CallKind
    context_id: str
    sections: tuple[Section, ...]
    withheld: tuple[Section, ...]
    system: str
    user: str
    images: tuple[ImagePart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One usable model of a role's own chain, reduced to what may be shown and stored."""

    model_id: str
    provider: str
    name: str
    vision: bool = False
    context_window: int = 128_000
    max_output_tokens: int = 8_192
    thinking: str = "off"
    tools: bool = False
    """The model can call tools."""
    json_schema: bool = False
    """The model can be held to a JSON schema (grammar)."""
    is_local_demo: bool = False
    """The embedded model: never a reviewer, short prompts."""


UNKNOWN_MODEL = "is not a known model"
"""Reason of the refusal of an id without an entry; its hint names near ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a model of a chain cannot be used."""

    model_id: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What became of a chain: usable candidates in order, and a reason for each of the others."""

    candidates: tuple[Candidate, ...]
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call to one model."""

    call_id: str
    call_kind: CallKind
    role: str
    context_id: str
    attempt: int
    candidate: Candidate
    prompt: Prompt
    reply_schema: Mapping[str, JsonValue] | None = None
    max_output_tokens: int = 8_192
    timeout_s: float = 300.0
    max_input_tokens: int | None = None
    """Above this, old results of tools are left out of the talk; None: the model's limit."""
    iteration: int = 0
    """Round of mending; 0 for the first pass."""
    retry: int = 0
    """How often its worker was taken up again."""

    @property
    def agent_session_id(self) -> str:
        """Id of the fresh agent that is asked: ``<context id>-<attempt>``, and which retry."""
        again = f"-r{self.retry}" if self.retry else ""
        return f"{self.context_id}-{self.attempt}{again}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """A finished reply; ``finish_reason`` is ``"stop"`` or ``"length"``."""

    text: str
    finish_reason: str
    usage: TokenUsage | None
    cost_usd: float | None = None
    retries: int = 0
    waited_ms: int = 0
    is_replayed: bool = False
    """It was recorded earlier; nothing was spent on it now."""
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
