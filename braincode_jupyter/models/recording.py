"""Models that are listened to: each call is kept with its fingerprint and its outcome.

Isolation: no prompt is held. What is kept of one are digests and the kinds and sources of its
sections. Known trade-off (accepted): a reply may quote what the model was shown; it is kept as it
was, but for keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.errors import ModelError
from braincode_jupyter.models.fingerprints import fingerprint, result_digest
from braincode_jupyter.models.recording_file import (
    RecordedCall,
    RecordedFailure,
    RecordedModel,
    RecordedStep,
    to_lines,
)
from braincode_jupyter.models.wording import without_lone_surrogates
from braincode_jupyter.protocol.usage import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from braincode_jupyter.models.fingerprints import CallPrint, RunIds
    from braincode_jupyter.protocol.ports import ModelClient, TextSink
    from braincode_jupyter.protocol.sections import Candidate, ModelCall, ModelReply, Resolution
    from braincode_jupyter.protocol.tools import ToolBox, ToolReturn, ToolSpec, ToolUse
    from braincode_jupyter.protocol.usage import TokenPrice, TokenUsage

M = TypeVar("M")

_RANK = {"router": 0, "worker": 1, "primary": 2, "review": 3}


class StandIn(Generic[M]):
    """Stands before another `ModelClient`, if there is one.

    Parameters
    ----------
    models : ModelClient or None
        The other one.

    Attributes
    ----------
    on_wait : callable or None
        As of the other one, where it has that.
    """

    def __init__(self, models: M) -> None:
        self._models = models

    @property
    def on_wait(self) -> object:
        """Told of waits."""
        return getattr(self._models, "on_wait", None)

    @on_wait.setter
    def on_wait(self, told: object) -> None:
        if hasattr(self._models, "on_wait"):
            setattr(self._models, "on_wait", told)  # noqa: B010 - beyond the port


class RecordingModels(StandIn["ModelClient"]):
    """A `ModelClient` that keeps what another one says.

    Parameters
    ----------
    models : ModelClient
        Who is asked.
    hide : callable
        Takes the configured keys out of a text.
    """

    def __init__(self, models: ModelClient, *, hide: Callable[[str], str] = str) -> None:
        super().__init__(models)
        self._hide = hide
        self._resolved: dict[tuple[str, str], RecordedModel] = {}
        self._prices: dict[str, TokenPrice] = {}
        self._calls: list[RecordedCall | None] = []

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Return what the other one does, and remember it."""
        resolution = self._models.resolve(model_ids, thinking=thinking, vision=vision)
        for candidate in resolution.candidates:
            key = (candidate.model_id, thinking)
            self._resolved.setdefault(key, _recorded_model(candidate, thinking))
        return resolution

    def price_of(self, candidate: Candidate) -> TokenPrice | None:
        """Return what the other one does, and remember it."""
        price = self._models.price_of(candidate)
        if price is not None:
            self._prices[candidate.model_id] = price
        return price

    async def complete(
        self, call: ModelCall, on_text: TextSink, tools: ToolBox | None = None
    ) -> ModelReply:
        """Make one call and keep its outcome; a call that is given up leaves nothing.

        Parameters
        ----------
        call, on_text, tools
            As of `ModelClient`.

        Returns
        -------
        ModelReply
            As it is recorded: without keys.

        Raises
        ------
        ModelError
            As the other one does.
        """
        place = len(self._calls)
        self._calls.append(None)
        asked, ids = fingerprint(call, () if tools is None else tools.specs())
        heard = None if tools is None else _ListeningBox(tools, mask=self._masked)
        try:
            reply = await self._models.complete(call, on_text, heard)
        except ModelError as error:
            failure = self._failure(error, ids)
            self._calls[place] = RecordedCall(
                asked=asked,
                model=call.candidate.model_id,
                steps=() if heard is None else tuple(heard.steps),
                failure=failure,
            )
            raise
        reply = replace(reply, text=self._masked(reply.text))
        self._calls[place] = RecordedCall(
            asked=asked,
            model=call.candidate.model_id,
            steps=() if heard is None else tuple(heard.steps),
            reply=to_lines(ids.take_out(reply.text)),
            finish_reason=reply.finish_reason,
            usage=reply.usage,
            cost_usd=reply.cost_usd,
            retries=reply.retries,
            waited_ms=reply.waited_ms,
        )
        return reply

    def calls(self) -> tuple[RecordedCall, ...]:
        """Return what was kept, in the order of the work: the same for every order of ending."""
        kept = [call for call in self._calls if call is not None]
        return tuple(sorted(kept, key=lambda call: _place_of(call.asked)))

    def models(self) -> tuple[RecordedModel, ...]:
        """Return the models that could be used."""
        return tuple(
            one
            if (price := self._prices.get(one.id)) is None
            else one.model_copy(
                update={"input_usd": price.input_usd, "output_usd": price.output_usd}
            )
            for one in self._resolved.values()
        )

    async def aclose(self) -> None:
        """Close the other one."""
        await self._models.aclose()

    def _failure(self, error: ModelError, ids: RunIds) -> RecordedFailure:
        return RecordedFailure(
            code=reason_of(error.code),
            message=self._masked(error.message),
            hint=self._masked(error.hint),
            provider=error.provider,
            status=error.status,
            partial=to_lines(ids.take_out(self._masked(error.partial))),
        )

    def _masked(self, text: str) -> str:
        return mask_keys(self._hide(without_lone_surrogates(text)))[0]


@dataclass(slots=True)
class _ListeningBox:
    """A `ToolBox` that keeps what is asked of another one."""

    box: ToolBox
    mask: Callable[[str], str] = field(kw_only=True)
    steps: list[RecordedStep] = field(default_factory=list[RecordedStep], init=False)
    _turn: int = field(default=0, init=False)
    _open: int = field(default=0, init=False)

    def specs(self) -> Sequence[ToolSpec]:
        return self.box.specs()

    def turn_tokens(self, spent: TokenUsage, sent_tokens: int) -> int:
        return self.box.turn_tokens(spent, sent_tokens)

    def tell(self, message: str) -> None:
        self.steps.append(RecordedStep(turn=self._turn, told=message))
        self.box.tell(message)

    async def use(self, wanted: ToolUse) -> ToolReturn:
        if not self._open:
            self._turn += 1
        self._open += 1
        place = len(self.steps)
        step = RecordedStep(
            turn=self._turn,
            tool=wanted.name,
            arguments=self.mask(wanted.arguments),
            said=self.mask(wanted.said),
        )
        self.steps.append(step)
        try:
            given = await self.box.use(wanted)
        finally:
            self._open -= 1
        self.steps[place] = step.model_copy(update={"result": result_digest(wanted.name, given)})
        return given


def _recorded_model(candidate: Candidate, asked: str) -> RecordedModel:
    return RecordedModel(
        id=candidate.model_id,
        asked=asked,
        thinking=candidate.thinking,
        provider=candidate.provider,
        name=candidate.name,
        vision=candidate.vision,
        tools=candidate.tools,
        json_schema=candidate.json_schema,
        is_local_demo=candidate.is_local_demo,
        context_window=candidate.context_window,
        max_output_tokens=candidate.max_output_tokens,
    )


def _place_of(asked: CallPrint) -> tuple[int, int, str, int, int]:
    return (asked.iteration, _RANK[asked.kind], asked.role, asked.retry, asked.attempt)
