"""Models that say again what was recorded, without a prompt at hand.

A reply is streamed in pieces as a model would, a failure fails again, and the tools on the way to a
reply really run, behind the same gate as ever; what they give is compared, since the next words of
the model depended on it. Calls with the same fingerprint are told apart by their order.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models.fingerprints import difference, fingerprint, result_digest
from braincode_jupyter.models.recording import StandIn
from braincode_jupyter.protocol.sections import Candidate, ModelReply, Refusal, Resolution
from braincode_jupyter.protocol.tools import ToolUse
from braincode_jupyter.protocol.usage import TokenPrice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from braincode_jupyter.models.fingerprints import RunIds
    from braincode_jupyter.models.recording_file import RecordedCall, RecordedRun, RecordedStep
    from braincode_jupyter.protocol.ports import ModelClient, TextSink
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolBox

PIECE_CHARS = 48
"""Size of the pieces in which a recorded reply is streamed; characters."""
STALE_HINT = "Take the change back, or record this cell again with --record."


class ReplayedModels(StandIn["ModelClient | None"]):
    """A `ModelClient` that says again what was recorded of a run.

    Parameters
    ----------
    run : RecordedRun
        What was recorded.
    models : ModelClient or None
        Who is asked for what is missing or has changed; None: nobody, which then is an error.
    version : str
        Version of braincode_jupyter; another one words its prompts in another way.

    Attributes
    ----------
    on_notice : callable or None
        Told in a sentence of each call that was not replayed.
    """

    def __init__(
        self, run: RecordedRun, *, models: ModelClient | None = None, version: str = ""
    ) -> None:
        super().__init__(models)
        self.on_notice: Callable[[str], None] | None = None
        self._run = run
        self._version = version
        self._left = list(run.calls)

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Return what could be used when the run was recorded, whatever can be used here."""
        usable: list[Candidate] = []
        refused: list[Refusal] = []
        for model_id in dict.fromkeys(filter(None, model_ids)):
            found = self._candidate(model_id, thinking)
            if found is None:
                refused.append(Refusal(model_id=model_id, reason="is not in the recording"))
            elif vision and not found.vision:
                refused.append(Refusal(model_id=model_id, reason="cannot see images"))
            else:
                usable.append(found)
        return Resolution(candidates=tuple(usable), refusals=tuple(refused))

    def price_of(self, candidate: Candidate) -> TokenPrice | None:
        """Return what tokens of the model cost then, if that was asked."""
        for one in self._run.models:
            if one.id == candidate.model_id and None not in {one.input_usd, one.output_usd}:
                return TokenPrice(input_usd=one.input_usd or 0.0, output_usd=one.output_usd or 0.0)
        return None

    async def complete(
        self, call: ModelCall, on_text: TextSink, tools: ToolBox | None = None
    ) -> ModelReply:
        """Say again what this call was answered.

        Parameters
        ----------
        call, on_text, tools
            As of `ModelClient`.

        Returns
        -------
        ModelReply
            Marked as replayed, or a new one where that is allowed.

        Raises
        ------
        ModelError
            As recorded, and with code ``stale_recording`` for a call that was not recorded.
        """
        specs = () if tools is None else tools.specs()
        asked, ids = fingerprint(call, specs)
        found = next((one for one in self._left if one.asked.key == asked.key), None)
        if found is None:
            why = difference(asked, [one.asked for one in self._left])
            return await self._ask(call, on_text, tools=tools, why=why)
        self._left.remove(found)
        changed = None if tools is None else await _use_again(found.steps, tools)
        if changed is None:
            return await _say(found, on_text, ids=ids)
        if changed.has_acted:
            # What was done is done; asking anew would do it twice.
            raise self._stale(call, changed.why)
        return await self._ask(call, on_text, tools=tools, why=changed.why)

    async def aclose(self) -> None:
        """Close the other one."""
        if self._models is not None:
            await self._models.aclose()

    def _candidate(self, model_id: str, thinking: str) -> Candidate | None:
        alike = [one for one in self._run.models if one.id == model_id]
        if not alike:
            return None
        one = next((one for one in alike if one.asked == thinking), alike[0])
        return Candidate(
            model_id=one.id,
            **one.model_dump(exclude={"id", "asked", "input_usd", "output_usd"}),
        )

    async def _ask(
        self, call: ModelCall, on_text: TextSink, *, tools: ToolBox | None, why: str
    ) -> ModelReply:
        """Ask the model itself, if there is one here that was asked then."""
        if self._models is None:
            raise self._stale(call, why)
        candidate = call.candidate
        usable = self._models.resolve(
            [candidate.model_id], thinking=candidate.thinking, vision=bool(call.prompt.images)
        ).candidates
        if not usable:
            raise self._stale(call, f"{why}; {candidate.model_id} cannot be asked here")
        if self.on_notice is not None:
            self.on_notice(f"{_who(call)} was asked anew: {why}.")
        return await self._models.complete(replace(call, candidate=usable[0]), on_text, tools)

    def _stale(self, call: ModelCall, why: str) -> ModelError:
        by = self._run.by
        other = by if by and by != self._version else ""
        told = f" It was recorded by version {other}, and this is {self._version}." if other else ""
        message = f"The recording does not fit the call of {_who(call)}: {why}.{told}"
        return ModelError(message, code="stale_recording", hint=STALE_HINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """What a tool gave is not what it gave then."""

    why: str
    has_acted: bool
    """A tool that does more than look has run."""


async def _use_again(steps: Iterable[RecordedStep], tools: ToolBox) -> _Changed | None:
    """Let the tools run as they did; stop as soon as one gives something else."""
    acting = {spec.name for spec in tools.specs() if spec.effect != "read"}
    has_acted = False
    number = 0
    for _, together in groupby(steps, key=lambda step: (step.turn, bool(step.tool))):
        turn = list(together)
        if not turn[0].tool:
            for step in turn:
                tools.tell(step.told)
            continue
        wanted: list[ToolUse] = []
        for step in turn:
            number += 1
            wanted.append(
                ToolUse(
                    call_id=f"call-{number}",
                    name=step.tool,
                    arguments=step.arguments,
                    said=step.said,
                )
            )
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(tools.use(use)) for use in wanted]
        has_acted = has_acted or any(step.tool in acting for step in turn)
        for step, task in zip(turn, tasks, strict=True):
            if result_digest(step.tool, task.result()) != step.result:
                why = f"the tool {step.tool!r} gives something else than it did"
                return _Changed(why=why, has_acted=has_acted)
    return None


async def _say(found: RecordedCall, on_text: TextSink, *, ids: RunIds) -> ModelReply:
    """Stream what was recorded, and end as it ended."""
    failure = found.failure
    text = ids.put_in("".join((found.reply if failure is None else failure.partial) or ()))
    for start in range(0, len(text), PIECE_CHARS):
        on_text(text[start : start + PIECE_CHARS])
        await asyncio.sleep(0)
    if failure is not None:
        raise ModelError(
            failure.message,
            code=failure.code,
            provider=failure.provider,
            status=failure.status,
            partial=text,
            hint=failure.hint,
            is_replayed=True,
        )
    return ModelReply(
        text=text,
        finish_reason=found.finish_reason,
        usage=found.usage,
        cost_usd=found.cost_usd,
        retries=found.retries,
        waited_ms=found.waited_ms,
        is_replayed=True,
    )


def _who(call: ModelCall) -> str:
    return "the router" if call.call_kind == "router" else call.role
