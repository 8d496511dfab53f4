"""Replaying the records of a run through `step`, to know what is left to be done.

What the journal says has happened counts, also where settings of today would decide otherwise: a
plan that is on record is the plan, and a call that is on record was made, to the model that it
names. The end of a run that is resumed does not count; records are never changed for that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.effects import EndRun, WriteRecord
from braincode_jupyter.brain.resuming import to_take_up
from braincode_jupyter.brain.step import initial, step, with_plan
from braincode_jupyter.protocol.outside_records import (
    HookReport,
    McpConnected,
    PromptHooksRan,
    SessionStartHooksRan,
    SubagentStartHooksRan,
)
from braincode_jupyter.protocol.records import (
    ContextPlanned,
    GoesOn,
    ModelFailed,
    ModelReplied,
    PromptManifest,
    Recovered,
    RunCancelled,
    RunFailed,
    RunStart,
    Warned,
    WorkerStarted,
)
from braincode_jupyter.protocol.sections import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from braincode_jupyter.brain.effects import Effect
    from braincode_jupyter.brain.state import OpenCall, RunRequest, RunState
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall, Resolution

_BEFORE = McpConnected | Warned | Recovered
"""What may stand between the first record of a run and what was decided on it."""
_OF_CALLS = PromptManifest | WorkerStarted | RunStart
"""Records of a call that was never made are written when it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Where records leave a run.

    Parameters
    ----------
    state : RunState
        The state.
    unwritten : tuple of AnyRecord
        What was decided and did not come to the disk.
    ended : EndRun or None
        How the run ends with it; None: it goes on.
    spent_tokens : int
        Spent so far; for calls without outcome what was sent, since they may be billed.
    spent_usd : float
        The same in money, as far as prices were known.
    primary : ModelCall or None
        The newest call of the primary.
    """

    state: RunState
    unwritten: tuple[AnyRecord, ...]
    ended: EndRun | None
    spent_tokens: int
    spent_usd: float
    primary: ModelCall | None

    def to_origin(self, run_id: str, *, has_failed: bool) -> GoesOn:
        """Return what the first record after the resume says of those before it.

        Parameters
        ----------
        run_id : str
            The run that is resumed.
        has_failed : bool
            It has ended as failed: who failed in it is taken up again.

        Returns
        -------
        GoesOn
            Without what became of references.
        """
        origin = GoesOn(run_id=run_id, spent_tokens=self.spent_tokens, spent_usd=self.spent_usd)
        if not has_failed:
            return origin
        return origin.model_copy(update={"retries": to_take_up(self.state)})


def replay(request: RunRequest, records: Sequence[AnyRecord]) -> Replayed:
    """Fold the records of a run, of those that resumed it too, and say what is left.

    Parameters
    ----------
    request : RunRequest
        What the run starts from, resolved anew.
    records : sequence of AnyRecord
        From its first record on.

    Returns
    -------
    Replayed
        Where it is.
    """
    first = next((one.run_id for one in records if isinstance(one, RunStart)), None)
    asked = _with_asked_models(request, records)
    folding = _Replaying(initial(replace(asked, run_id=first or request.run_id)))
    for record in _course(records):
        folding.take(record)
    return folding.result(request)


def newest(records: Sequence[AnyRecord]) -> Sequence[AnyRecord]:
    """Return the records of the newest run of a session, from its first one on.

    Parameters
    ----------
    records : sequence of AnyRecord
        Of a session, or of a part of it.

    Returns
    -------
    sequence of AnyRecord
        With those of the runs that resumed it; all if none has a first record of ours.
    """
    for index in range(len(records) - 1, -1, -1):
        record = records[index]
        if isinstance(record, RunStart) and record.plan is None and not record.resumes:
            return records[index:]
    return records


@dataclass(slots=True)
class _Replaying:
    state: RunState
    unwritten: tuple[AnyRecord, ...] = ()
    ended: EndRun | None = None
    primary: ModelCall | None = None
    sent: set[str] = field(default_factory=set[str])
    opening: RunStart | None = None

    def take(self, record: AnyRecord) -> None:
        if isinstance(record, RunStart) and record.plan is None:
            if self.state.at == "new":
                self.opening = record
            else:
                self.drive(record)
        elif self.opening is not None and isinstance(record, SessionStartHooksRan | PromptHooksRan):
            self.drive(record)
        elif self.opening is None or not isinstance(record, _BEFORE):
            self._begin()
            self._follow(record)

    def result(self, request: RunRequest) -> Replayed:
        """Return where the run is, with the models of today."""
        calls = self.state.open_calls.values()
        lost = [one for one in calls if self._may_be_billed(one)]
        lost_usd = sum(one.cost_of(one.input_tokens, 0) for one in lost)
        today = replace(request, run_id=self.state.request.run_id)
        return Replayed(
            state=replace(self.state, request=today),
            unwritten=tuple(one for one in self.unwritten if not isinstance(one, _OF_CALLS)),
            ended=self.ended,
            spent_tokens=self.state.spent_tokens + sum(one.input_tokens for one in lost),
            spent_usd=self.state.spent_usd + lost_usd,
            primary=self.primary,
        )

    def drive(self, record: AnyRecord) -> None:
        before = self.state
        state, effects = step(before, record)
        if effects or state is not before:
            self._set(state, effects)

    def _begin(self) -> None:
        opening, self.opening = self.opening, None
        if opening is not None:
            self.drive(opening)

    def _follow(self, record: AnyRecord) -> None:
        decided = self._take_decided(record)
        if isinstance(record, PromptManifest):
            self._note_call(record)
        elif isinstance(record, ContextPlanned) and record.plan is not None:
            if not isinstance(decided, ContextPlanned) or decided.plan != record.plan:
                self._set(*with_plan(self.state, record.plan, timestamp=record.timestamp))
        elif decided is None:
            self.drive(record)

    def _take_decided(self, record: AnyRecord) -> AnyRecord | None:
        """Return what was decided last and is this record; what was before it is written too."""
        for index, one in enumerate(self.unwritten):
            if one.type == record.type and _whom(one) == _whom(record):
                self.unwritten = self.unwritten[index + 1 :]
                return one
        return None

    def _note_call(self, record: PromptManifest) -> None:
        """Take a call as it was made: by its id, and to the model that was asked."""
        context_id = record.context_id or ""
        if context_id in self.state.held:
            # Hooks that said nothing leave no record.
            silent = HookReport(event_name="SubagentStart").model_dump()
            said = {**silent, "timestamp": record.timestamp, "context_id": context_id}
            self.drive(SubagentStartHooksRan.model_validate(said))
            self._take_decided(record)
        known = self.state.open_calls.get(record.call_id) or next(
            (one for one in self.state.open_calls.values() if _is_of(one, record)), None
        )
        if known is not None:
            rest = {k: one for k, one in self.state.open_calls.items() if one is not known}
            made = replace(known, call=_as_made(known.call, record))
            calls = {**rest, record.call_id: made}
            self.state = replace(self.state, open_calls=calls)
            self.sent.add(record.call_id)
        self.state, _ = step(self.state, record)

    def _set(self, state: RunState, effects: Iterable[Effect]) -> None:
        self.state = state
        self.unwritten = tuple(one.record for one in effects if isinstance(one, WriteRecord))
        self.ended = next((one for one in effects if isinstance(one, EndRun)), None)
        calls = (one.call for one in state.open_calls.values())
        self.primary = next((one for one in calls if one.call_kind == "primary"), self.primary)

    def _may_be_billed(self, opened: OpenCall) -> bool:
        call_id = opened.call.call_id
        return call_id in self.sent and call_id not in self.state.measured_calls


def _course(records: Sequence[AnyRecord]) -> Iterator[AnyRecord]:
    """Yield the records that count: all but the ends of runs that were resumed."""
    starts = [
        index for index, one in enumerate(records) if isinstance(one, RunStart) and one.plan is None
    ]
    for start, stop in zip(starts, [*starts[1:], len(records)], strict=True):
        part = records[start:stop]
        yield from part[: _end_of(part)]


def _end_of(part: Sequence[AnyRecord]) -> int:
    """Return where the end of a run begins that failed or was stopped: with what led to it."""
    for index, record in enumerate(part):
        if isinstance(record, RunCancelled):
            return index
        if isinstance(record, RunFailed) and not record.will_fallback:
            outcomes = [n for n in range(index) if isinstance(part[n], ModelReplied | ModelFailed)]
            last = part[outcomes[-1]] if outcomes else None
            is_cause = isinstance(last, ModelFailed) and last.call_kind in {"router", "primary"}
            return outcomes[-1] if is_cause else index
    return len(part)


def _with_asked_models(request: RunRequest, records: Iterable[AnyRecord]) -> RunRequest:
    """Return the request with chains that have a place for every attempt on record."""
    chains, router = dict(request.chains), request.router
    for record in records:
        if isinstance(record, PromptManifest):
            if record.call_kind == "router":
                router = _padded(router, record)
            elif record.role in chains:
                chains[record.role] = _padded(chains[record.role], record)
    return replace(request, chains=chains, router=router)


def _padded(chain: Resolution, record: PromptManifest) -> Resolution:
    missing = max(0, record.attempt - len(chain.candidates))
    return replace(chain, candidates=(*chain.candidates, *(_named(record.model_id),) * missing))


def _as_made(call: ModelCall, record: PromptManifest) -> ModelCall:
    candidate = call.candidate
    if candidate.model_id != record.model_id:
        candidate = _named(record.model_id)
    return replace(call, call_id=record.call_id, attempt=record.attempt, candidate=candidate)


def _named(model_id: str) -> Candidate:
    """Return a model of which only the name is known."""
    return Candidate(model_id=model_id, provider="", name=model_id)


def _is_of(opened: OpenCall, record: PromptManifest) -> bool:
    call = opened.call
    return (call.context_id, call.call_kind) == (record.context_id, record.call_kind)


def _whom(record: AnyRecord) -> str | None:
    return getattr(record, "context_id", None)
