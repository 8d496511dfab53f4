"""The loop of a run: a record in, effects out, one port per effect, its outcome a record again.

Nothing is decided here. Known trade-off: records are written on the loop, since an append costs
microseconds; only the few durable ones wait for the disk.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.dispatching import why_not
from braincode_jupyter.brain.effects import (
    CallModel,
    CancelCalls,
    CollectChanges,
    EndRun,
    FireHooks,
    RunChecks,
    WriteRecord,
)
from braincode_jupyter.brain.limits import MIN_OUTPUT_TOKENS
from braincode_jupyter.brain.offering import tool_pointer, with_turn
from braincode_jupyter.brain.retrying import retry_record
from braincode_jupyter.brain.step import first_record, initial, step
from braincode_jupyter.errors import JournalError, MissingDependencyError, ModelError
from braincode_jupyter.hooks import session_start, user_prompt_submit
from braincode_jupyter.hooks.dispatch import hook_record
from braincode_jupyter.protocol.outside_records import HookReport, McpConnected
from braincode_jupyter.protocol.records import (
    ModelFailed,
    ModelReplied,
    PromptManifest,
    RunCancelled,
    RunFailed,
    TurnReserved,
    Warned,
)
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.protocol.usage import reason_of
from braincode_jupyter.runtime.call_outcomes import client_fault, failure_record, reply_record
from braincode_jupyter.runtime.checking import unseen
from braincode_jupyter.runtime.firing import point_of
from braincode_jupyter.runtime.latest_view import LatestView
from braincode_jupyter.runtime.recalling import among_tools
from braincode_jupyter.runtime.specialists import Specialists
from braincode_jupyter.runtime.text_counter import TextCounter
from braincode_jupyter.runtime.warnings import warned
from braincode_jupyter.views.clean import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.brain.effects import Effect
    from braincode_jupyter.brain.state import RunRequest, RunState
    from braincode_jupyter.protocol.outside_records import McpReport
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimePlan
    from braincode_jupyter.protocol.ports import Clock, JournalPort, ModelClient
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall, ModelReply
    from braincode_jupyter.protocol.usage import TokenUsage
    from braincode_jupyter.runtime.resumed import Resumed
    from braincode_jupyter.runtime.settings import RunObserver
    from braincode_jupyter.runtime.toolbox import GatedToolBox
    from braincode_jupyter.runtime.tooling import RunTools

_log = logging.getLogger(__name__)
_LOOKING = "braincode-changes"
SILENT_WAIT_S = 2.0
"""A shorter wait for a provider needs no word while it lasts."""


@dataclass(slots=True, kw_only=True)
class Orchestrator:
    """Carries one run from its first record to its terminal one.

    Parameters
    ----------
    request : RunRequest
        What the run starts from.
    models : ModelClient
        Who is asked.
    journal : JournalPort or None
        Where records go; None keeps them in memory alone.
    clock : Clock
        Time.
    observer : RunObserver or None
        Who is told.
    plans_only : bool
        Ask the router and nobody else.
    tools : RunTools or None
        Makes the tools of each agent; None: nobody has any.
    resumed : Resumed or None
        What is on record of the run already.
    """

    request: RunRequest
    models: ModelClient
    journal: JournalPort | None
    clock: Clock
    observer: RunObserver | None = None
    plans_only: bool = False
    tools: RunTools | None = None
    resumed: Resumed | None = None
    records: list[AnyRecord] = field(default_factory=list["AnyRecord"], init=False)
    calls: list[ModelCall] = field(default_factory=list["ModelCall"], init=False)
    ended: EndRun | None = field(default=None, init=False)
    state: RunState = field(init=False)
    shown: LatestView = field(init=False)
    _inbox: asyncio.Queue[AnyRecord | None] = field(init=False)
    _tasks: dict[str, asyncio.Task[None]] = field(
        default_factory=dict[str, "asyncio.Task[None]"], init=False
    )
    _streams: dict[str, TextCounter] = field(default_factory=dict[str, "TextCounter"], init=False)
    _group: asyncio.TaskGroup | None = field(default=None, init=False)
    _boxes: dict[str, GatedToolBox] = field(default_factory=dict[str, "GatedToolBox"], init=False)
    _specialists: Specialists = field(default_factory=Specialists, init=False)

    def __post_init__(self) -> None:
        self.state = initial(self.request)
        self.shown = LatestView(self.request.session_id, self.observer)
        if self.resumed is not None:
            self.state = self.resumed.replayed.state
            self.records.extend(self.resumed.records)
            for record in self.records:
                self.shown.take(record)
        self._inbox = asyncio.Queue()
        for name, told in (("on_wait", self._note_wait), ("on_notice", self._warn)):
            if hasattr(self.models, name):  # beyond the port
                setattr(self.models, name, told)

    async def execute(self) -> None:
        """Run to the terminal record.

        Raises
        ------
        asyncio.CancelledError
            If the task was cancelled; the terminal record is written before it passes.
        """
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                await self._begin(group)
                while self.ended is None:
                    record = await self._inbox.get()
                    if record is not None:
                        self._take(record)
            except asyncio.CancelledError:
                self.cancel("interrupt")
                raise
            except Exception as error:
                self._end_after_bug(error)
            finally:
                self._cancel_calls()
                for box in self._boxes.values():  # of calls that were not begun
                    await box.aclose()
                self.shown.show()
                if self.tools is not None:
                    # The group waits for the servers' tasks, so they are told before it ends.
                    await self.tools.disconnect()

    async def _begin(self, group: asyncio.TaskGroup) -> None:
        """Write the first record and decide on it; a resumed run first writes what was decided."""
        origin = None
        if self.resumed is not None:
            origin, replayed = self.resumed.origin, self.resumed.replayed
            for record in replayed.unwritten:
                self._write(record, durable=True)
            self.ended = replayed.ended
        if self.ended is not None:
            return
        first = first_record(self.request, timestamp=self.clock.now_ms(), resumes=origin)
        self._write(first, durable=True)
        await self._open(group)
        self._decide(first)
        if origin is not None and self.resumed is not None:
            self._tell_resume(self.resumed.records)

    def _tell_resume(self, before: Iterable[AnyRecord]) -> None:
        """Say what the reader should know of a run that goes on."""
        for message in self.request.warnings:
            if message not in self.state.warnings:
                self._warn(message)
        now_ms = self.clock.now_ms()
        for role in among_tools(before):
            self.note(warned(now_ms, sentence("said.beginsAnew", role=clean_line(role))))

    async def plan(self) -> RuntimePlan | None:
        """Go as far as the plan.

        Returns
        -------
        RuntimePlan or None
            None if the run ended without one.
        """
        async with asyncio.TaskGroup() as group:
            self._group = group
            self._take(first_record(self.request, timestamp=self.clock.now_ms()))
            while self.ended is None and self.state.plan is None:
                record = await self._inbox.get()
                if record is not None:
                    self._take(record)
            self._cancel_calls()
        return self.state.plan

    def cancel(self, by: Literal["stop", "interrupt", "shutdown"]) -> None:
        """Stop the run now; to be called on its loop. A run that has ended stays as it is."""
        if self.ended is None:
            partials = tuple(stream.partial for stream in self._streams.values() if stream.text)
            record = RunCancelled(timestamp=self.clock.now_ms(), by=by, partials=partials)
            self._take(record, durable=True)
            self._inbox.put_nowait(None)

    def note(self, record: AnyRecord) -> None:
        """Put a fact from the tools on the record; durable, since an action may follow it."""
        if self.ended is None:
            self._write(record, durable=True)
            self._decide(record)

    def turn_tokens(self, call: ModelCall, spent: TokenUsage, sent_tokens: int) -> int:
        """Reserve one more request of a call with tools; return how long its reply may be."""
        opened = self.state.open_calls.get(call.call_id)
        if opened is None:
            return call.max_output_tokens
        budget = self.state.budget(but=call.call_id)
        grown = with_turn(opened, spent, sent_tokens, budget=budget)
        if grown is None:
            return 0
        if budget.is_set:
            self.note(
                TurnReserved(
                    timestamp=self.clock.now_ms(),
                    context_id=call.context_id,
                    call_id=call.call_id,
                    input_tokens=grown.input_tokens,
                    output_tokens=grown.output_tokens,
                )
            )
        return grown.output_tokens - spent.output

    def retry(self, context_id: str) -> str | None:
        """Take a worker up again; to be called on the loop of the run.

        Parameters
        ----------
        context_id : str
            Context of the worker.

        Returns
        -------
        str or None
            A sentence on why it cannot be; None if it is.
        """
        record = retry_record(self.state, context_id, timestamp=self.clock.now_ms())
        if isinstance(record, str):
            return record
        self._take(record, durable=True)
        return None

    async def dispatch(self, role: str, goal: str, *, reason: str) -> ExecutedWorkerResult | str:
        """Call a specialist for the primary and wait for its result.

        Parameters
        ----------
        role, goal, reason : str
            As the primary asked.

        Returns
        -------
        ExecutedWorkerResult or str
            The result, or a sentence on why nobody was called.
        """
        known = self._specialists.known(self.state, role, goal)
        if known is not None:
            return known
        refusal = why_not(self.state, role, goal)
        if refusal is not None:
            return refusal
        record, waiting = self._specialists.request(
            self.state, role, goal, reason=reason, timestamp=self.clock.now_ms()
        )
        self._take(record)
        return await waiting

    def _take(self, record: AnyRecord, *, durable: bool = False) -> None:
        """Write one driving record, then carry out what follows from it, in order."""
        if self.ended is not None:
            return
        self._write(record, durable=durable)
        self._decide(record)

    def _decide(self, record: AnyRecord) -> None:
        """Let the core take a record, and carry out what follows from it, in order."""
        if self.ended is not None:
            return
        if isinstance(record, ModelReplied | ModelFailed):
            self._streams.pop(record.call_id, None)
        self.state, effects = step(self.state, record)
        for effect in effects:
            self._carry_out(effect)
        self.shown.show_soon()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case WriteRecord(record=PromptManifest() as manifest):
                self._write(self._with_tools(manifest), durable=effect.durable)
            case WriteRecord():
                self._write(effect.record, durable=effect.durable)
            case CallModel():
                opened = self.state.open_calls.get(effect.call.call_id)
                self._start(effect.call if opened is None else opened.call)
            case FireHooks():
                self._fire(effect)
            case CollectChanges() | RunChecks():
                self._look(effect)
            case CancelCalls():
                self._cancel_calls()
            case EndRun():
                self.ended = effect

    async def _open(self, group: asyncio.TaskGroup) -> None:
        """Run the hooks of the prompt and start MCP servers; both are shown, neither decides."""
        if self.tools is None or not self.tools.is_slow_to_open:
            return
        self.shown.show_soon()
        spoken = {one.event_name for one in self.records if isinstance(one, HookReport)}
        left = self.request.hook_events - spoken if self.state.at == "new" else frozenset[str]()
        for point in (session_start(), user_prompt_submit(self.request.prompt)):
            if point.event in left and self.ended is None:
                self._take_hooks(await self.tools.fire(point), self.request.session_id)
        if self.ended is not None:
            return
        try:
            report = await self.tools.connect(
                group, on_report=self._note_servers, on_notice=self._warn
            )
        except MissingDependencyError as error:
            self._warn(str(error))
        else:
            if report is not None:
                self._note_servers(report)

    def _warn(self, message: str) -> None:
        self.note(Warned(timestamp=self.clock.now_ms(), message=message))

    def _note_servers(self, report: McpReport) -> None:
        self.note(McpConnected(timestamp=self.clock.now_ms(), report=report))

    def _look(self, effect: CollectChanges | RunChecks) -> None:
        if self._group is not None and self.tools is not None:
            look = self._take_look(effect, self.tools)
            self._tasks[_LOOKING] = self._group.create_task(look, name=_LOOKING)

    async def _take_look(self, effect: CollectChanges | RunChecks, tools: RunTools) -> None:
        """Have changes looked at or checked; a failure of ours is an outcome that says so."""
        try:
            record = await tools.look(effect, self, call=self._newest_primary())
        except Exception as error:
            _log.exception("looking at changes")
            record = unseen(effect, error, timestamp=self.clock.now_ms())
        self._tasks.pop(_LOOKING, None)
        self._inbox.put_nowait(record)

    def _newest_primary(self) -> ModelCall:
        made = [call for call in self.calls if call.call_kind == "primary"]
        before = None if self.resumed is None else self.resumed.replayed.primary
        return made[-1] if before is None or made else before

    def _fire(self, effect: FireHooks) -> None:
        if self._group is not None and self.tools is not None:
            self._group.create_task(self._run_hooks(effect), name=f"hooks-{effect.event}")

    async def _run_hooks(self, effect: FireHooks) -> None:
        if self.tools is not None:
            self._take_hooks(await self.tools.fire(point_of(effect)), effect.context_id)

    def _take_hooks(self, report: HookReport, context_id: str) -> None:
        """Hand a report to the core; one that says nothing is not written."""
        record = hook_record(report, timestamp=self.clock.now_ms(), context_id=context_id)
        if report.is_empty:
            self._decide(record)
        else:
            self._take(record)
        if self.ended is not None:
            self._inbox.put_nowait(None)

    def _end_after_bug(self, error: Exception) -> None:
        """Write the terminal record that the core did not come to."""
        error_id = self.request.run_id[:8]
        _log.exception("run %s", error_id)
        message = f"braincode_jupyter itself failed ({type(error).__name__}, error {error_id})."
        hint = "The log has the details; what was found so far is kept in the session."
        self.ended = EndRun(status="failed", code="internal_error", error=message, hint=hint)
        self._write(
            RunFailed(
                timestamp=self.clock.now_ms(),
                context_id=self.request.session_id,
                error=message,
                code="internal_error",
                hint=hint,
                will_fallback=False,
            ),
            durable=True,
        )
        self.shown.show_soon()

    def _write(self, record: AnyRecord, *, durable: bool) -> None:
        self.records.append(record)
        self.shown.take(record)
        self._specialists.take(record)
        if self.journal is None:
            return
        try:
            self.journal.append(record, durable=durable)
        except JournalError as error:
            _log.warning("session file: %s", error)
            self.journal = None
            note = warned(
                self.clock.now_ms(), sentence("said.notKept", reason=clean_line(error.message, 400))
            )
            self.records.append(note)
            self.shown.take(note)
            self.shown.lose_journal()

    def _note_wait(self, call: ModelCall, error: ModelError, wait_s: float) -> None:
        """Say why an agent is silent, while it is."""
        if self.ended is not None or wait_s < SILENT_WAIT_S:
            return
        said = sentence(
            "said.askedAgain",
            role=clean_line(call.role),
            reason=sentence(f"reasons.{reason_of(error.code)}"),
            seconds=f"{wait_s:.0f}",
        )
        self._write(warned(self.clock.now_ms(), said), durable=False)
        self.shown.show_soon()

    def _start(self, call: ModelCall) -> None:
        if self.plans_only and call.call_kind != "router":
            return
        self.calls.append(call)
        self._specialists.begin(call, self.records)
        if self._group is not None:
            task = self._group.create_task(self._perform(call), name=f"braincode-{call.role}")
            self._tasks[call.call_id] = task

    def _with_tools(self, manifest: PromptManifest) -> PromptManifest:
        """Make the tools of a call that is about to be made, and put them on its manifest."""
        opened = self.state.open_calls.get(manifest.call_id)
        if opened is None or self.tools is None or self.plans_only:
            return manifest
        box = self.tools.box_for(opened.call, self)
        if box is None:
            return manifest
        self._boxes[manifest.call_id] = box
        pointers = tuple(tool_pointer(spec) for spec in box.specs())
        manifest = manifest.model_copy(update={"tools": pointers})
        self.state, _ = step(self.state, manifest)
        return manifest

    def _cancel_calls(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def _ask(
        self, call: ModelCall, sink: TextCounter, box: GatedToolBox | None
    ) -> ModelReply:
        if box is not None and call.max_output_tokens < MIN_OUTPUT_TOKENS:
            message = "The budget has no room for this call with its tools."
            raise ModelError(message, code="token_limit")
        return await self.models.complete(call, sink.take, box)

    async def _perform(self, call: ModelCall) -> None:
        """Make one call; every outcome but a cancel becomes a record."""
        started_ms = self.clock.now_ms()
        sink = self._streams[call.call_id] = TextCounter(call, self.observer)
        box = self._boxes.pop(call.call_id, None)
        try:
            reply = await self._ask(call, sink, box)
        except ModelError as error:
            outcome = failure_record(call, error, started_ms=started_ms, now_ms=self.clock.now_ms())
        except Exception as error:
            _log.exception("model call %s", call.call_id)
            fault = client_fault(error, partial=sink.text)
            outcome = failure_record(call, fault, started_ms=started_ms, now_ms=self.clock.now_ms())
        else:
            outcome = reply_record(call, reply, started_ms=started_ms, now_ms=self.clock.now_ms())
        finally:
            if box is not None:
                await box.aclose()
        self._tasks.pop(call.call_id, None)
        self._inbox.put_nowait(outcome)
