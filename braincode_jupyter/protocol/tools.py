"""Tools: what a model may ask for, what it gets back, and what a person is asked before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from pydantic import JsonValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from braincode_jupyter.protocol.sections import ImagePart
    from braincode_jupyter.protocol.tables import Table
    from braincode_jupyter.protocol.usage import TokenUsage

ToolEffect = Literal["read", "write", "execute"]
"""What a tool can do: look, change files, or run code."""
MAX_REFUSAL_CHARS = 600
"""What the journal keeps of a reason."""
IgnoredBecause = Literal["unknown", "late", "repeated", "wrong_nonce", "wrong_digest", "unreadable"]
"""Why an answer to an approval counts for nothing. ``unknown``: this run asked no such thing.
``late``: it was decided otherwise by then. ``repeated``: it was answered already, perhaps on a
second page. ``unreadable``: it says neither yes nor no."""
RevokedBy = Literal["card", "magic"]
"""Where a grant was taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool as the model sees it.

    Parameters
    ----------
    name : str
        Unique within an agent; MCP tools are ``mcp__server__tool``.
    description : str
        For the model.
    parameters : mapping
        JSON schema of the arguments, an object.
    effect : ToolEffect
        What it can do.
    is_sequential : bool
        Whether a call of it lets no other call of the same turn run beside it.
    timeout_s : float
        Longest that one call may take; seconds.
    """

    name: str
    description: str
    parameters: Mapping[str, JsonValue]
    effect: ToolEffect = "read"
    is_sequential: bool = False
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """Something that a tool made and that is shown on the card: a plot or a table."""

    uri: str
    label: str
    image: ImagePart | None = None
    table: Table | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReturn:
    """What a tool gives back; text for the model, private to the agent that asked.

    ``is_error`` marks a failure that the model is told of, with the next step in the text.
    ``details`` holds small facts for the journal, never content.
    """

    text: str
    is_error: bool = False
    artifacts: tuple[Artifact, ...] = ()
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


def refusal(text: str) -> ToolReturn:
    """Return what a model is told of a call that was not carried out; the card says it too.

    Parameters
    ----------
    text : str
        Why, and the next step, in the host's words.

    Returns
    -------
    ToolReturn
        An error with the reason among its details.
    """
    return ToolReturn(text=text, is_error=True, details={"refused": text[:MAX_REFUSAL_CHARS]})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolTarget:
    """What a call would touch, resolved before anybody is asked; approval binds to it.

    Parameters
    ----------
    action : str
        One line in the host's own words, for example ``edit_file src/a.py``.
    shown : str
        Exact text for the person: command, code or unified diff.
    paths : tuple of str
        Project-relative resolved paths that would be written or read.
    command : str or None
        Command line, for command rules.
    before_sha256 : str or None
        Digest of the text that would be changed.
    program : str or None
        The program that would be run, resolved; None if it is inside the project or was not found,
        so that no allow rule may speak for it.
    asks_because : str
        Why a person is to be asked whatever was allowed, for example a file with a second name;
        empty if there is no such reason.
    """

    action: str
    shown: str
    paths: tuple[str, ...] = ()
    command: str | None = None
    before_sha256: str | None = None
    program: str | None = None
    asks_because: str = ""

    @classmethod
    def at(cls, tool: str, path: str) -> ToolTarget:
        """Return the target of a tool that looks at one path."""
        return cls(action=f"{tool} {path}", shown=path, paths=(path,))


class Toolset(Protocol):
    """A group of tools for one agent; made for it alone and closed with it."""

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools."""
        ...

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return what a call would touch, without doing it.

        Raises
        ------
        ToolRefused
            If the arguments are wrong, or policy refuses what they name in any case.
        """
        ...

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Carry out a call that was allowed; refuses if the target is no longer what it was."""
        ...

    async def aclose(self) -> None:
        """Stop what the tools started; a second call does nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A call that a model asks for.

    Parameters
    ----------
    call_id : str
        The provider's id; may come again.
    name : str
        Which tool.
    arguments : str
        JSON text as the model wrote it.
    said : str
        What the model wrote beside its calls of this turn; decides nothing.
    """

    call_id: str
    name: str
    arguments: str
    said: str = ""


class ToolBox(Protocol):
    """The gate through which every tool call of one agent goes."""

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that this agent may name; empty once its calls are used up."""
        ...

    async def use(self, wanted: ToolUse) -> ToolReturn:
        """Check, ask, carry out and put on the record; every failure is a return."""
        ...

    def turn_tokens(self, spent: TokenUsage, sent_tokens: int) -> int:
        """Return how long the reply to one more request may be; tokens.

        0 if the budget has no room for the request, after what this conversation has spent.
        """
        ...

    def tell(self, message: str) -> None:
        """Tell the user something of this conversation; a sentence of the host."""
        ...


class ToolRefused(Exception):  # noqa: N818 - a signal to the model, never seen by the user
    """A call that is not carried out; the text tells the model the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """What a person is asked: drawn by the host from exact arguments, never by the model."""

    approval_id: str
    nonce: str
    context_id: str
    role: str
    tool: str
    effect: ToolEffect
    action: str
    shown: str
    bound_sha256: str
    """Digest of tool, arguments and target: an approval holds for nothing else."""
    reason: str
    """Why it asks: the rule that decided."""
    model_words: str = ""
    """What the model said of it; at most 300 characters, labelled as such."""
    timeout_s: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalAnswer:
    """A person's answer, or silence."""

    decision: Literal["approve", "deny", "approve_same"]
    by: Literal["human", "policy", "timeout", "no_front_end"]
    reason: str = ""


class Approver(Protocol):
    """Asks a person; denies on silence."""

    async def decide(self, request: ApprovalRequest) -> ApprovalAnswer:
        """Return the answer; never raises, never hangs beyond ``request.timeout_s``."""
        ...
