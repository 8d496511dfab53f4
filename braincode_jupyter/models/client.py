"""The configured models behind the port `ModelClient`: time-outs, retries, and what a reply is.

The model library and a provider's client are loaded at the first call, in a thread.

Known trade-offs (accepted): the client of a provider is kept for as long as the `ProviderModels`,
since Google's takes 80 ms to make. Connections belong to the event loop that opened them; those of
a loop that has ended are given up, not closed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from random import SystemRandom
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from braincode_jupyter.errors import MissingDependencyError, ModelError
from braincode_jupyter.models import agents
from braincode_jupyter.models.conversation import Turn, converse, total_cost, total_usage
from braincode_jupyter.models.entries import ModelEntry
from braincode_jupyter.models.failures import reply_failure, to_model_error
from braincode_jupyter.models.keys import Endpoint
from braincode_jupyter.models.local import ALIAS, SHARED_SERVERS, SLOTS, LocalServers
from braincode_jupyter.models.pricing import cost_usd, token_price
from braincode_jupyter.models.redaction import StreamHider
from braincode_jupyter.models.registry import (
    LOCAL_PROVIDER,
    LocalModelFile,
    ModelRegistry,
    ProviderStatus,
)
from braincode_jupyter.models.retries import Allowance, RetryPolicy, Timeouts, wait_before_retry
from braincode_jupyter.models.wording import PieceJoiner
from braincode_jupyter.protocol.sections import ModelReply, Refusal, Resolution
from braincode_jupyter.protocol.usage import TokenPrice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from httpx2 import AsyncClient
    from pydantic import JsonValue

    from braincode_jupyter.protocol.ports import TextSink
    from braincode_jupyter.protocol.sections import Candidate, ModelCall
    from braincode_jupyter.protocol.tools import ToolBox

MAX_REPLY_BYTES = 8 * 1024 * 1024
"""A provider that sends more than any answer needs is cut off there; bytes of UTF-8."""

_LONG_THINKING = frozenset({"high", "xhigh", "max"})


@dataclass(slots=True)
class _Pool:
    """Connections and provider clients of one event loop."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    local_slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SLOTS))
    http: dict[bool, AsyncClient] = field(default_factory=dict[bool, Any])
    providers: dict[tuple[str, ...], object] = field(default_factory=dict[tuple[str, ...], object])


class ProviderModels:
    """A `ModelClient` for the configured providers and the embedded model.

    Make one for each run: its calls share one allowance of waiting time for retries.

    Parameters
    ----------
    registry : ModelRegistry
        The configured models.
    timeouts : Timeouts
        The longest waits of one call.
    retries : RetryPolicy
        How often and how long to try.
    servers : LocalServers
        Where the embedded model runs.
    jitter : callable
        Gives a number from 0 to 1; None: a random one.
    """

    def __init__(
        self,
        registry: ModelRegistry,
        *,
        timeouts: Timeouts | None = None,
        retries: RetryPolicy | None = None,
        servers: LocalServers = SHARED_SERVERS,
        jitter: Callable[[], float] | None = None,
    ) -> None:
        self._registry = registry
        self._timeouts = timeouts or Timeouts()
        self._retries = retries or RetryPolicy()
        self._servers = servers
        self._jitter = jitter or SystemRandom().random
        self.on_wait: Callable[[ModelCall, ModelError, float], None] | None = None
        """Told of each wait before a call is tried again: the call, why, and seconds."""
        self._allowance = Allowance(self._retries.run_allowance_s)
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, _Pool] = WeakKeyDictionary()

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Return what can be used of a role's chain; see `ModelRegistry.resolve`."""
        return self._registry.resolve(model_ids, thinking=thinking, vision=vision)

    def known(self) -> tuple[str, ...]:
        """Return every id that has an entry; see `ModelRegistry.known`."""
        return self._registry.known()

    def status(self) -> tuple[ProviderStatus, ...]:
        """Return for every provider whether it has a key; see `ModelRegistry.status`."""
        return self._registry.status()

    def price_of(self, candidate: Candidate) -> TokenPrice | None:
        """Return what tokens of a model cost at most.

        Parameters
        ----------
        candidate : Candidate
            The model.

        Returns
        -------
        TokenPrice or None
            None if the price list does not know it; a server of one's own has no price there.
        """
        if candidate.is_local_demo:
            return TokenPrice(input_usd=0.0, output_usd=0.0)
        endpoint = self._registry.endpoint(candidate.model_id)
        if isinstance(endpoint, Refusal):
            return None
        return token_price(
            endpoint.entry.model_id,
            provider=endpoint.prices,
            context_tokens=candidate.context_window,
        )

    async def complete(
        self, call: ModelCall, on_text: TextSink, tools: ToolBox | None = None
    ) -> ModelReply:
        """Make one call, streaming its text.

        Parameters
        ----------
        call : ModelCall
            The call.
        on_text : callable
            Takes the streamed text.
        tools : ToolBox or None
            What the model may use on the way; None, or a model that cannot: nothing.

        Returns
        -------
        ModelReply
            The finished reply; ``details`` tell of retries.

        Raises
        ------
        ModelError
            For every failure, a stream without a finish reason and an empty reply included.
        """
        if tools is not None and call.candidate.tools and tools.specs():
            turns = await converse(
                call, tools=tools, ask=lambda request: self._tries(call, on_text, request=request)
            )
            return _reply(turns)
        request = agents.Request()
        if not _is_local(call):
            return _reply([await self._tries(call, on_text, request=request)])
        # Waiting for a free slot is no part of the call's own time-outs.
        async with self._pool().local_slots:
            return _reply([await self._tries(call, on_text, request=request)])

    async def aclose(self) -> None:
        """Free the connections of the running event loop; a second call does nothing."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is None:
            return
        for provider in pool.providers.values():
            agents.close_provider(provider)
        for client in pool.http.values():
            await client.aclose()

    async def _tries(self, call: ModelCall, on_text: TextSink, *, request: agents.Request) -> Turn:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + call.timeout_s
        waits: list[JsonValue] = []
        waited_s = 0.0
        while True:
            try:
                turn = await self._try(call, on_text, request=request, deadline=deadline)
            except ModelError as error:
                tries = len(waits) + 1
                wait_s = wait_before_retry(
                    error, tries, policy=self._retries, jitter=self._jitter()
                )
                if wait_s is None or not self._may_wait(wait_s, deadline - loop.time()):
                    if waits:
                        error.message += f" ({tries} tries, {waited_s:.1f} s waited)"
                    raise
                waited_s += wait_s
                if self.on_wait is not None:
                    self.on_wait(call, error, wait_s)
                waits.append({"code": error.code, "status": error.status, "waitedS": wait_s})
                await asyncio.sleep(wait_s)
            else:
                turn.retries = waits
                turn.waited_ms = round(waited_s * 1000)
                return turn

    def _may_wait(self, wait_s: float, left_s: float) -> bool:
        return wait_s < left_s and self._allowance.take(wait_s)

    async def _try(
        self, call: ModelCall, on_text: TextSink, *, request: agents.Request, deadline: float
    ) -> Turn:
        # Looked up for each try: a local server that died comes back elsewhere.
        endpoint = await self._endpoint(call)
        pieces: list[str] = []
        try:
            # The inner limit is moved on by every sign of life, the outer one is not.
            async with asyncio.timeout_at(deadline), asyncio.timeout(None) as silence:
                end = await self._stream(
                    call,
                    endpoint,
                    request=request,
                    on_text=on_text,
                    pieces=pieces,
                    silence=silence,
                )
        except ModelError:
            raise
        except TimeoutError:
            message = "the answer stopped coming" if pieces else "no answer in time"
            failed = reply_failure("timeout", message, endpoint, partial="".join(pieces))
        except Exception as error:
            # The edge to the model libraries: what they raise is open-ended.
            redactor = self._registry.redactor
            failed = to_model_error(error, endpoint, redactor, partial="".join(pieces))
        else:
            return _finished(end, call, endpoint=endpoint, text="".join(pieces))
        # Raised out here, so that the library's exception, which holds a request with its headers,
        # is not kept as the context of ours (security R70).
        raise failed

    async def _stream(
        self,
        call: ModelCall,
        endpoint: Endpoint,
        *,
        request: agents.Request,
        on_text: TextSink,
        pieces: list[str],
        silence: asyncio.Timeout,
    ) -> agents.StreamEnd:
        provider = await self._provider(endpoint)
        loop = asyncio.get_running_loop()
        joiner, hider = PieceJoiner(), StreamHider(self._registry.redactor)
        is_slow = call.candidate.thinking in _LONG_THINKING or call.candidate.is_local_demo
        first_s = self._timeouts.thinking_first_s if is_slow else self._timeouts.first_s

        size_bytes = 0

        def show(text: str) -> None:
            nonlocal size_bytes
            if not text:
                return
            pieces.append(text)
            on_text(text)
            size_bytes += len(text.encode())
            if size_bytes > MAX_REPLY_BYTES:
                message = f"the answer passed {MAX_REPLY_BYTES:,} bytes"
                raise reply_failure("cut_off", message, endpoint, partial="".join(pieces))

        def take(piece: str) -> None:
            # Before the first text a model may think for long, and show it now and then.
            silence.reschedule(loop.time() + (self._timeouts.between_s if pieces else first_s))
            show(hider.feed(joiner.feed(piece)))

        silence.reschedule(loop.time() + first_s)
        try:
            return await agents.stream_reply(
                call, endpoint, request=request, provider=provider, on_piece=take
            )
        finally:
            show(hider.feed(joiner.rest()) + hider.rest())

    def _pool(self) -> _Pool:
        return self._pools.setdefault(asyncio.get_running_loop(), _Pool())

    async def _endpoint(self, call: ModelCall) -> Endpoint:
        model_id = call.candidate.model_id
        registry = self._registry
        if _is_local(call):
            file = registry.local_file(model_id)
            if not isinstance(file, Refusal):
                return await self._local_endpoint(model_id, file)
            raise _not_configured(file)
        found = registry.endpoint(model_id)
        if isinstance(found, Refusal):
            raise _not_configured(found)
        return found

    async def _local_endpoint(self, model_id: str, found: LocalModelFile) -> Endpoint:
        server = self._servers.get(found.path, start_timeout_s=self._timeouts.local_start_s)
        try:
            url = await asyncio.to_thread(server.start)
        except MissingDependencyError as error:
            message, hint = error.message, error.hint
            raise ModelError(message, code="not_configured", hint=hint) from None
        self._registry.redactor.add(server.key)
        entry = ModelEntry(id=model_id, provider=LOCAL_PROVIDER, model_id=ALIAS, name=found.name)
        return Endpoint(entry=entry, api="openai-completions", base_url=f"{url}/v1", key=server.key)

    async def _provider(self, endpoint: Endpoint) -> object:
        pool = self._pool()
        secret = endpoint.key.reveal() if endpoint.key else ""
        key = (endpoint.api, endpoint.entry.provider, endpoint.base_url, secret)
        if key not in pool.providers:
            async with pool.lock:
                if key not in pool.providers:
                    # Imports and TLS set-up take up to seconds; the loop has to go on meanwhile.
                    pool.providers[key] = await asyncio.to_thread(self._connect, endpoint, pool)
        return pool.providers[key]

    def _connect(self, endpoint: Endpoint, pool: _Pool) -> object:
        is_direct = endpoint.is_loopback
        try:
            with agents.IMPORTS:
                if is_direct not in pool.http:
                    pool.http[is_direct] = agents.new_http_client(
                        self._timeouts, is_direct=is_direct
                    )
                return agents.new_provider(endpoint, pool.http[is_direct])
        except ImportError as error:
            raise ModelError(
                f"The package for {endpoint.api!r} models cannot be imported: {error.name}.",
                code="not_configured",
                provider=endpoint.entry.provider,
                hint="Install it again with: pip install --upgrade braincode_jupyter",
            ) from None


def _is_local(call: ModelCall) -> bool:
    return call.candidate.is_local_demo


def _not_configured(refusal: Refusal) -> ModelError:
    message = f"{refusal.model_id} {refusal.reason}."
    return ModelError(message, code="not_configured", hint=refusal.hint)


def _finished(end: agents.StreamEnd, call: ModelCall, *, endpoint: Endpoint, text: str) -> Turn:
    if end.ending == "filtered":
        message = "the provider's filter stopped the answer"
        raise reply_failure("refused_request", message, endpoint, partial=text)
    if end.ending == "failed":
        raise reply_failure("provider_error", "the model failed", endpoint, partial=text)
    if end.ending == "missing":
        message = "the answer was cut off (it has no finish reason)"
        raise reply_failure("cut_off", message, endpoint, partial=text)
    if not text.strip() and not end.tool_uses:
        is_full = end.ending == "length"
        message = "all tokens went into thinking" if is_full else "the answer is empty"
        raise reply_failure("empty_reply", message, endpoint)
    return Turn(end, text, cost_usd=_cost(end, call, endpoint))


def _reply(turns: Sequence[Turn]) -> ModelReply:
    last = turns[-1]
    waits: list[JsonValue] = [wait for turn in turns for wait in turn.retries]
    is_measured = all(turn.end.usage is not None for turn in turns)
    return ModelReply(
        text=last.text,
        finish_reason=last.end.ending,
        usage=total_usage(turns) if is_measured else None,
        cost_usd=total_cost(turns),
        retries=len(waits),
        waited_ms=sum(turn.waited_ms for turn in turns),
        details={"retries": waits} if waits else {},
    )


def _cost(end: agents.StreamEnd, call: ModelCall, endpoint: Endpoint) -> float | None:
    if call.candidate.is_local_demo:
        return 0.0
    if end.usage is None:
        return None
    return cost_usd(end.usage, endpoint.entry.model_id, provider=endpoint.prices)
