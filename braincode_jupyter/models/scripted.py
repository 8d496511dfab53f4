"""A model that plays given replies: for tests, lessons and continuous integration.

It speaks the same port as the real models, streams in pieces, waits, fails and breaks off where
the script says so, and keeps every call that it was given, so that a test can look at the prompts.
Without a script it answers every kind of call in the asked shape, so a whole run can be played.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.tokens import estimate_tokens
from braincode_jupyter.errors import ModelError
from braincode_jupyter.protocol.sections import Candidate, ModelReply, Refusal, Resolution
from braincode_jupyter.protocol.tools import ToolUse
from braincode_jupyter.protocol.usage import TokenUsage

if TYPE_CHECKING:
    from pydantic import JsonValue

    from braincode_jupyter.protocol.ports import TextSink
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolBox, ToolReturn
    from braincode_jupyter.protocol.usage import TokenPrice

DEFAULT_CHUNK_CHARS = 48
"""Size of a streamed piece; characters."""
QUOTED_GOAL_CHARS = 300
"""How much of a goal the answer of an unscripted worker repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted reply.

    Parameters
    ----------
    text : str
        The reply; an empty one is an ``empty_reply`` failure, as with real models.
    usage : TokenUsage or None
        Tokens to report; None: estimated from prompt and reply.
    finish_reason : str or None
        ``"stop"``, ``"length"``, or None for a stream that ends without one (``cut_off``).
    delay_s : float
        Wait before the first piece, on top of the model's latency; seconds.
    chunks : tuple of str or None
        The pieces to stream; None: ``text`` in pieces of equal size.
    break_after : int or None
        Break the connection after this many pieces; 0 breaks it before the first.
    cost_usd : float or None
        Price to report.
    tool_calls : tuple of (str, mapping)
        Tools to use first, one after the other: name and arguments. They are really carried out,
        as far as the run allows; without tools they are left out.
    then : callable or None
        Makes the text from what the tools gave back, in place of ``text``.
    """

    text: str
    usage: TokenUsage | None = None
    finish_reason: str | None = "stop"
    delay_s: float = 0.0
    chunks: tuple[str, ...] | None = None
    break_after: int | None = None
    cost_usd: float | None = None
    tool_calls: tuple[tuple[str, Mapping[str, JsonValue]], ...] = ()
    then: Callable[[Sequence[ToolReturn]], str] | None = None


ScriptLine = str | Reply | Exception
"""What one call gets: a text, a reply with its manners, or a failure."""
Script = (
    Callable[["ModelCall"], ScriptLine | None]
    | Mapping[str, ScriptLine | Sequence[ScriptLine]]
    | None
)
"""A function of the call, or lines by role or by kind of call."""


class ScriptedModel:
    """A `ModelClient` that plays a script.

    Parameters
    ----------
    replies : callable or mapping or None
        A function from the `ModelCall` to a text, a `Reply`, an exception to raise, or None for a
        plain well-formed answer; or a mapping from a role (looked up first) or a kind of call
        (``"router"``, ``"worker"``, ``"primary"``, ``"review"``) to one such line, or to several
        that are played in order, the last one again and again. Calls that the script does not name
        get a plain well-formed answer.
    latency_s : float
        Wait before the first piece of every reply; seconds.
    chunk_chars : int
        Size of the streamed pieces; characters, >= 1.
    record_calls : bool
        Keep every call in `calls`.
    candidates : sequence of Candidate or None
        The models that can be used; None: every id that is asked for.
    token_price : TokenPrice or None
        What tokens of every model cost at most; None: not known.

    Attributes
    ----------
    calls : list of ModelCall
        The calls made so far, in order, prompts included.
    """

    def __init__(
        self,
        replies: Script = None,
        *,
        latency_s: float = 0.0,
        chunk_chars: int = DEFAULT_CHUNK_CHARS,
        record_calls: bool = True,
        candidates: Sequence[Candidate] | None = None,
        token_price: TokenPrice | None = None,
    ) -> None:
        self.calls: list[ModelCall] = []
        self._replies = replies
        self._latency_s = latency_s
        self._chunk_chars = max(1, chunk_chars)
        self._record_calls = record_calls
        self._candidates = None if candidates is None else {c.model_id: c for c in candidates}
        self._played: dict[str, int] = {}
        self._token_price = token_price

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Return the scripted candidates of a chain, in order.

        Parameters
        ----------
        model_ids : sequence of str
            The chain.
        thinking : str
            Requested effort.
        vision : bool
            Whether an image is attached.

        Returns
        -------
        Resolution
            Every id of the chain, or those given at construction that fit.
        """
        usable: list[Candidate] = []
        refused: list[Refusal] = []
        for model_id in dict.fromkeys(model_ids):
            candidate = self._candidate(model_id, thinking)
            if candidate is None:
                refused.append(Refusal(model_id=model_id, reason="is not in the script"))
            elif vision and not candidate.vision:
                refused.append(Refusal(model_id=model_id, reason="cannot see images"))
            else:
                usable.append(candidate)
        return Resolution(candidates=tuple(usable), refusals=tuple(refused))

    def price_of(self, candidate: Candidate) -> TokenPrice | None:
        """Return the scripted price."""
        del candidate
        return self._token_price

    async def complete(
        self, call: ModelCall, on_text: TextSink, tools: ToolBox | None = None
    ) -> ModelReply:
        """Play the reply to one call.

        Parameters
        ----------
        call : ModelCall
            The call.
        on_text : callable
            Takes the streamed pieces.
        tools : ToolBox or None
            What the script may use.

        Returns
        -------
        ModelReply
            The finished reply.

        Raises
        ------
        ModelError
            Where the script says so, and for empty, cut off and too late replies.
        """
        if self._record_calls:
            self.calls.append(call)
        line = self._line(call)
        if isinstance(line, Exception):
            await asyncio.sleep(self._latency_s)
            raise line
        reply = Reply(text=line) if isinstance(line, str) else line
        reply = await _with_tools(reply, tools)
        seen: list[str] = []
        try:
            async with asyncio.timeout(call.timeout_s):
                await self._stream(reply, call, on_text=on_text, seen=seen)
        except TimeoutError:
            message = f"No answer within {call.timeout_s:g} s."
            late = _failure(message, call, code="timeout", seen=seen)
            raise late from None
        return _finished(reply, call, seen)

    async def aclose(self) -> None:
        """Do nothing: there is no connection to free."""

    def _candidate(self, model_id: str, thinking: str) -> Candidate | None:
        if self._candidates is not None:
            return self._candidates.get(model_id)
        provider, _, name = model_id.partition("/")
        return Candidate(
            model_id=model_id,
            provider=provider,
            name=name or model_id,
            vision=True,
            tools=True,
            thinking=thinking,
        )

    def _line(self, call: ModelCall) -> ScriptLine:
        if callable(self._replies):
            line = self._replies(call)
            return default_reply(call) if line is None else line
        script = self._replies or {}
        key = call.role if call.role in script else str(call.call_kind)
        if key not in script:
            return default_reply(call)
        lines = script[key]
        if isinstance(lines, (str, Reply, Exception)):
            return lines
        position = self._played.get(key, 0)
        self._played[key] = position + 1
        return lines[min(position, len(lines) - 1)] if lines else default_reply(call)

    async def _stream(
        self, reply: Reply, call: ModelCall, *, on_text: TextSink, seen: list[str]
    ) -> None:
        await asyncio.sleep(self._latency_s + reply.delay_s)
        pieces = self._pieces(reply)
        for position, piece in enumerate(pieces):
            if position == reply.break_after:
                break
            seen.append(piece)
            on_text(piece)
            await asyncio.sleep(0)
        if reply.break_after is not None and reply.break_after <= len(pieces):
            raise _failure("The connection broke.", call, code="network", seen=seen)

    def _pieces(self, reply: Reply) -> Sequence[str]:
        if reply.chunks is not None:
            return reply.chunks
        size = self._chunk_chars
        return [reply.text[i : i + size] for i in range(0, len(reply.text), size)]


async def _with_tools(reply: Reply, tools: ToolBox | None) -> Reply:
    if tools is None or not reply.tool_calls:
        return reply
    returns: list[ToolReturn] = []
    for number, (name, arguments) in enumerate(reply.tool_calls, start=1):
        wanted = ToolUse(
            call_id=f"call-{number}",
            name=name,
            arguments=json.dumps(arguments),
            said="" if reply.then is None else reply.text,
        )
        returns.append(await tools.use(wanted))
    return reply if reply.then is None else replace(reply, text=reply.then(returns))


def _finished(reply: Reply, call: ModelCall, seen: list[str]) -> ModelReply:
    if not "".join(seen).strip():
        raise _failure("The model sent an empty reply.", call, code="empty_reply", seen=seen)
    if reply.finish_reason is None:
        message = "The reply was cut off (it has no finish reason)."
        raise _failure(message, call, code="cut_off", seen=seen)
    text = "".join(seen)
    return ModelReply(
        text=text,
        finish_reason=reply.finish_reason,
        usage=reply.usage or estimated_usage(call, text),
        cost_usd=reply.cost_usd,
    )


def _failure(message: str, call: ModelCall, *, code: str, seen: Sequence[str]) -> ModelError:
    provider = call.candidate.provider
    return ModelError(message, code=code, provider=provider, partial="".join(seen))


def estimated_usage(call: ModelCall, text: str) -> TokenUsage:
    """Return the estimated tokens of a call and its reply."""
    sent = estimate_tokens(call.prompt.system) + estimate_tokens(call.prompt.user)
    received = estimate_tokens(text)
    return TokenUsage(input=sent, output=received, total=sent + received)


def default_reply(call: ModelCall) -> str:
    """Return a well-formed answer to any kind of call.

    Parameters
    ----------
    call : ModelCall
        The call.

    Returns
    -------
    str
        For the router an empty decision, which makes the Brain keep its own plan; for a worker a
        result that repeats its goal; for the primary a sentence; for a review an approval.
    """
    match call.call_kind:
        case "router":
            return json.dumps({"confidence": 0.5, "reason": "Scripted: the Brain's own plan."})
        case "worker":
            return json.dumps(_worker_result(call), ensure_ascii=False)
        case "primary":
            return f"Scripted answer of {call.role}."
        case "review":
            return json.dumps(
                {
                    **_worker_result(call),
                    "decision": "approved",
                    "confidence": 0.9,
                    "rationale": "Scripted approval.",
                    "findings": [],
                    "requiredChanges": [],
                }
            )


def _worker_result(call: ModelCall) -> dict[str, object]:
    summary = f"Scripted result of {call.role}: {_goal(call)}".strip(": ")
    return {
        "progress": {"status": "completed", "summary": summary},
        "summary": summary,
        "artifacts": [],
        "risks": [],
        "nextQuestions": [],
    }


def _goal(call: ModelCall) -> str:
    handoff = next((s.text for s in call.prompt.sections if s.kind == "handoff"), "")
    try:
        goal = json.loads(handoff)["task"]["goal"]
    except (ValueError, LookupError, TypeError):
        return ""
    return str(goal)[:QUOTED_GOAL_CHARS]
