"""The gate through which every tool call of an agent goes, in one order and for every tool.

Schema, grant, target, policy, approval, record, execution, record. A model's words are no input
to any decision. What a tool gives back goes to the agent that asked and to nobody else; repeated
reads are answered from that agent's own evidence, and a model that goes in circles is told so.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.brain.permission import COMPUTE_TOOLS, decide
from braincode_jupyter.protocol.approval_records import ArtifactMade
from braincode_jupyter.protocol.run_records import Warned
from braincode_jupyter.protocol.tools import (
    ToolRefused,
    ToolReturn,
    ToolSpec,
    refusal,
)
from braincode_jupyter.runtime.approvals import bound_digest
from braincode_jupyter.runtime.tool_records import ToolRecords
from braincode_jupyter.tools.progress import heard_by
from braincode_jupyter.tools.tables import without_keys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from pydantic import JsonValue

    from braincode_jupyter.brain.permission import Decision, Policy
    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import Artifact, Toolset, ToolTarget, ToolUse
    from braincode_jupyter.protocol.usage import TokenUsage
    from braincode_jupyter.runtime.approvals import Approvals

_log = logging.getLogger(__name__)

MAX_CALLS_PER_AGENT = 50
MAX_CALLS_PER_RUN = 400
MAX_ARGUMENT_BYTES = 256 * 1024
MAX_RETURN_CHARS = 64 * 1024
"""Longest text that a tool gives to a model (security, section 15)."""
MAX_ARTIFACTS_CHARS = 32 * 1024 * 1024
"""Data of all plots and tables of a run that the journal keeps; later ones are names alone."""
NOT_REPEATED = (
    "This very call was begun before the run was cut off, and what it did is not known. It is not "
    "made again: look at what stands there now, and say in your answer what is uncertain."
)
MAX_SAME_CALLS = 3
"""A read that was asked so often is refused: the model goes in circles."""


@dataclass(slots=True, kw_only=True)
class Gate:
    """What all agents of a run share: the person who is asked, journal and counts."""

    approvals: Approvals
    write: Callable[[AnyRecord], None]
    clock: Clock
    redact: Callable[[str], str] = str
    used: int = 0
    has_read_untrusted: bool = False
    """A tool of this run has read text of others (security R12)."""
    before_change: Callable[[], Awaitable[None]] | None = None
    """Awaited before a call that may change the project."""
    review_rules: list[str] = field(default_factory=list[str])
    """Why calls that were allowed want a review."""
    unfinished: frozenset[str] = frozenset()
    """Calls that were begun before the run was cut off, by digest; what they did is not known."""

    kept_chars: int = 0
    """Characters of artifacts that the journal holds of this run."""

    def keep(self, artifact: Artifact, context_id: str) -> None:
        """Put something that a tool made on the record; without its data once a run has much."""
        record = ArtifactMade.of(
            artifact,
            timestamp=self.clock.now_ms(),
            context_id=context_id,
            room=MAX_ARTIFACTS_CHARS - self.kept_chars,
        )
        self.kept_chars += len(record.data or "")
        self.write(record)

    async def begin_change(self, decision: Decision) -> None:
        """Be told of an allowed call that may change the project, before it is carried out."""
        if decision.needs_review:
            rule = decision.rule
            self.review_rules.append("a rule for commands" if rule is None else rule.label)
        if self.before_change is not None:
            await self.before_change()


@dataclass(slots=True, kw_only=True)
class GatedToolBox:
    """The tools of one agent, behind the gate.

    Parameters
    ----------
    call : ModelCall
        The call that they serve.
    toolsets : sequence of Toolset
        Made for this agent alone.
    gate : Gate
        Shared by the run.
    policy : Policy
        What holds for this agent.
    reserve_turn : callable
        Takes the tokens spent in this call and those of the next request; gives the longest reply
        that the budget pays for.
    done_before : list of (str, ToolReturn)
        Calls that may have changed the project, by digest, and what they gave, of a conversation
        of this agent that broke off.
    """

    call: ModelCall
    toolsets: Sequence[Toolset]
    gate: Gate
    policy: Policy
    reserve_turn: Callable[[TokenUsage, int], int]
    done_before: list[tuple[str, ToolReturn]] = field(default_factory=list[tuple[str, ToolReturn]])
    used: int = 0
    _evidence: dict[str, ToolReturn] = field(default_factory=dict[str, ToolReturn], init=False)
    _asked: dict[str, int] = field(default_factory=dict[str, int], init=False)
    _is_used_up: bool = field(default=False, init=False)
    _records: ToolRecords = field(init=False)

    def __post_init__(self) -> None:
        gate = self.gate
        self._records = ToolRecords(
            call=self.call, write=gate.write, clock=gate.clock, redact=gate.redact
        )

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tools that may be named; none once the calls are used up."""
        if self.used >= MAX_CALLS_PER_AGENT or self.gate.used >= MAX_CALLS_PER_RUN:
            return ()
        return tuple(spec for toolset in self.toolsets for spec in toolset.specs())

    def turn_tokens(self, spent: TokenUsage, sent_tokens: int) -> int:
        """Return how long the reply to one more request may be; 0: there is no room for it."""
        return self.reserve_turn(spent, sent_tokens)

    def tell(self, message: str) -> None:
        """Tell the user something of this conversation."""
        self.gate.write(Warned(timestamp=self.gate.clock.now_ms(), message=message))

    async def use(self, wanted: ToolUse) -> ToolReturn:
        """Check, ask, carry out and put on the record; every failure is a return."""
        if self.used >= MAX_CALLS_PER_AGENT or self.gate.used >= MAX_CALLS_PER_RUN:
            return self._used_up(wanted)
        self.used += 1
        self.gate.used += 1
        return await self._checked(wanted)

    async def aclose(self) -> None:
        """Stop what the tools started."""
        for toolset in self.toolsets:
            await toolset.aclose()

    async def _checked(self, wanted: ToolUse) -> ToolReturn:
        found = self._find(wanted.name)
        if found is None:
            names = ", ".join(spec.name for spec in self.specs()) or "none"
            return self._refused(wanted, f"There is no tool {wanted.name!r}. You have: {names}.")
        toolset, spec = found
        arguments = _parse(wanted.arguments)
        if arguments is None:
            return self._refused(wanted, "The arguments are no JSON object; write one.")
        digest = _digest(spec.name, arguments)
        repeated = self._recalled(wanted, spec, digest) or self._repeated(wanted, spec, digest)
        if repeated is not None:
            return repeated
        try:
            target = toolset.target(spec.name, arguments)
            decision = self._decide(spec, target)
            if not await self._is_allowed(
                wanted, spec, target=target, digest=digest, decision=decision
            ):
                text = "This call was denied. Go on without it and say what you could not check."
                return ToolReturn(text=text, is_error=True)
            if spec.effect != "read":
                _check_same(toolset.target(spec.name, arguments), target)
        except ToolRefused as refused:
            return self._refused(wanted, str(refused))
        if may_change(spec):
            await self.gate.begin_change(decision)
        given = await self._carry_out(
            wanted, toolset, spec=spec, arguments=arguments, target=target
        )
        if spec.effect != "read":
            # What was read before may have changed.
            self._evidence.clear()
            self._asked.clear()
        elif not given.is_error:
            self._evidence[digest] = given
            self.gate.has_read_untrusted = True
        return given

    def _find(self, name: str) -> tuple[Toolset, ToolSpec] | None:
        for toolset in self.toolsets:
            for spec in toolset.specs():
                if spec.name == name:
                    return toolset, spec
        return None

    def _recalled(self, wanted: ToolUse, spec: ToolSpec, digest: str) -> ToolReturn | None:
        """Give what a call gave before this conversation broke off, once, and do nothing."""
        if not may_change(spec):
            return None
        place = next((n for n, one in enumerate(self.done_before) if one[0] == digest), None)
        if place is None:
            return None
        _, given = self.done_before.pop(place)
        self._records.began(wanted, call_sha256=digest, is_recalled=True)
        self._records.ended(wanted, given, is_recalled=True)
        return given

    def _repeated(self, wanted: ToolUse, spec: ToolSpec, digest: str) -> ToolReturn | None:
        """Answer a repeated read from this agent's own evidence, and break circles."""
        # What may have changed the project before the run was cut off is not done once more.
        if digest in self.gate.unfinished and may_change(spec):
            return self._refused(wanted, NOT_REPEATED)
        count = self._asked[digest] = self._asked.get(digest, 0) + 1
        if spec.effect != "read" or digest not in self._evidence:
            return None
        if count > MAX_SAME_CALLS:
            text = "You asked this several times; the answer is above. Write your reply now."
            return ToolReturn(text=text, is_error=True)
        return self._evidence[digest]

    def _decide(self, spec: ToolSpec, target: ToolTarget) -> Decision:
        untrusted = self.policy.has_read_untrusted or self.gate.has_read_untrusted
        return decide(spec, target, replace(self.policy, has_read_untrusted=untrusted))

    async def _is_allowed(
        self,
        wanted: ToolUse,
        spec: ToolSpec,
        *,
        target: ToolTarget,
        digest: str,
        decision: Decision,
    ) -> bool:
        if decision.action == "allow":
            if spec.effect != "read":
                self._records.decided(
                    wanted, target, "auto_approved", approver=decision.by, why=decision
                )
            return True
        bound = bound_digest(digest, target)
        if decision.action == "deny" or self.gate.approvals.is_denied(bound):
            self._records.decided(
                wanted, target, "blocked", approver="permission_policy", why=decision
            )
            return False
        grant_id = self.gate.approvals.grant_for(bound)
        if grant_id is not None:
            self._records.decided(
                wanted, target, "approved", approver="human", why=decision, grant_id=grant_id
            )
            return True
        return await self._ask(wanted, spec, target=target, bound=bound, decision=decision)

    async def _ask(
        self,
        wanted: ToolUse,
        spec: ToolSpec,
        *,
        target: ToolTarget,
        bound: str,
        decision: Decision,
    ) -> bool:
        answer = await self.gate.approvals.ask(
            wanted, spec, call=self.call, target=target, bound=bound, reason=decision.reason
        )
        if answer is None:
            self._records.decided(
                wanted, target, "blocked", approver="runtime_policy", why=decision
            )
            return False
        is_approved = answer.decision != "deny"
        self._records.decided(
            wanted,
            target,
            "approved" if is_approved else "denied",
            approver="human" if answer.by == "human" else "runtime_policy",
            why=replace(decision, reason=answer.reason or answer.by),
        )
        return is_approved

    async def _carry_out(
        self,
        wanted: ToolUse,
        toolset: Toolset,
        *,
        spec: ToolSpec,
        arguments: Mapping[str, JsonValue],
        target: ToolTarget,
    ) -> ToolReturn:
        digest = None
        if may_change(spec):
            digest = _digest(spec.name, arguments)
            self.done_before.clear()
        self._records.began(wanted, target, call_sha256=digest)
        try:
            with heard_by(self._records.progress_of(wanted)):
                async with asyncio.timeout(spec.timeout_s):
                    given = await toolset.call(spec.name, arguments, target=target)
        except ToolRefused as refused:
            given = refusal(str(refused))
        except TimeoutError:
            text = (
                f"{spec.name} took longer than {spec.timeout_s:g} s and was stopped. Ask for less."
            )
            given = ToolReturn(text=text, is_error=True)
        except Exception as error:
            _log.exception("tool %s", spec.name)
            given = ToolReturn(text=f"{spec.name} failed ({type(error).__name__}).", is_error=True)
        given = _clipped(given, self.gate.redact)
        self._records.ended(wanted, given, result=None if digest is None else given.text)
        for artifact in given.artifacts:
            self.gate.keep(artifact, self.call.context_id)
        return given

    def _used_up(self, wanted: ToolUse) -> ToolReturn:
        """Refuse a call beyond the limits; a flood of them is put on the record once."""
        text = (
            f"All tool calls are used up: {MAX_CALLS_PER_AGENT} of an agent, {MAX_CALLS_PER_RUN} "
            "of a run. Write your reply now."
        )
        if self._is_used_up:
            return ToolReturn(text=text, is_error=True)
        self._is_used_up = True
        return self._refused(wanted, text)

    def _refused(self, wanted: ToolUse, text: str) -> ToolReturn:
        self._records.began(wanted)
        given = refusal(text)
        self._records.ended(wanted, given)
        return given


def may_change(spec: ToolSpec) -> bool:
    """Say whether a tool can change the project; code on copies cannot."""
    return spec.effect != "read" and spec.name not in COMPUTE_TOOLS


def _parse(text: str) -> Mapping[str, JsonValue] | None:
    if len(text) > MAX_ARGUMENT_BYTES:
        return None
    try:
        value: JsonValue = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _digest(name: str, arguments: Mapping[str, JsonValue]) -> str:
    canonical = json.dumps([name, arguments], sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _check_same(now: ToolTarget, target: ToolTarget) -> None:
    """Refuse what is no longer what a person was shown, perhaps minutes ago (security R48)."""
    if now != target:
        raise ToolRefused("What this call would touch has changed meanwhile: look again.")


def _clipped(given: ToolReturn, redact: Callable[[str], str]) -> ToolReturn:
    """Return the same without keys, known ones and what looks like one, and not too long."""

    def clean(text: str) -> str:
        return mask_keys(redact(text))[0]

    text = clean(given.text)
    if len(text) > MAX_RETURN_CHARS:
        text = f"{text[:MAX_RETURN_CHARS]}\n[cut: {MAX_RETURN_CHARS:,} of {len(text):,}]"
    artifacts = tuple(
        replace(one, label=clean(one.label), table=one.table and without_keys(one.table, clean))
        for one in given.artifacts
    )
    return ToolReturn(
        text=text, is_error=given.is_error, artifacts=artifacts, details=given.details
    )
