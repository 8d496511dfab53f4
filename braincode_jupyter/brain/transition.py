"""One transition of the core while it is being made.

`step` is pure; inside it a `Transition` gathers the new state and the effects, so that the rules
read as a list of sentences. Derived records take the time of the record that caused them: the
core has no clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from braincode_jupyter.brain.demo import fit_demo
from braincode_jupyter.brain.effects import CallModel, EndRun, WriteRecord
from braincode_jupyter.brain.flow import build_prompt, pointer, select, withheld_reason
from braincode_jupyter.brain.limits import (
    CALL_TIMEOUT_S,
    MIN_OUTPUT_TOKENS,
    allow,
)
from braincode_jupyter.brain.offering import unmeasured_tokens, with_tools
from braincode_jupyter.brain.plans import stable_id
from braincode_jupyter.brain.presets import policy_for
from braincode_jupyter.brain.prompts import existing, role_section
from braincode_jupyter.brain.state import OpenCall
from braincode_jupyter.protocol.records import (
    BudgetChecked,
    PromptManifest,
    TodosUpdated,
    Warned,
)
from braincode_jupyter.protocol.sections import ModelCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from braincode_jupyter.brain.effects import Effect, RunStatus
    from braincode_jupyter.brain.limits import Allowance, Budget
    from braincode_jupyter.brain.state import RunState
    from braincode_jupyter.protocol.contexts import TaskStatus
    from braincode_jupyter.protocol.plan import RuntimePlan
    from braincode_jupyter.protocol.records import (
        AnyRecord,
        ModelFailed,
        ModelReplied,
        Phase,
        TurnReserved,
    )
    from braincode_jupyter.protocol.sections import Candidate, Section
    from braincode_jupyter.protocol.usage import CallKind, ReasonCode, TokenPrice


def round_of(state: RunState) -> tuple[str, ...]:
    """Return what ids of a round of mending are derived from too; nothing in the first pass."""
    return (f"fix-{state.fix_iteration}",) if state.fix_iteration else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Who is to be asked, and with what beside the sections that exist."""

    call_kind: CallKind
    role: str
    context_id: str
    candidate: Candidate
    attempt: int
    extra: tuple[Section, ...]
    reply_schema: Mapping[str, JsonValue] | None = None
    upstream: frozenset[str] = frozenset()


@dataclass(slots=True)
class Transition:
    """New state and effects, while they are gathered."""

    state: RunState
    timestamp: int
    effects: list[Effect] = field(default_factory=list["Effect"])

    @property
    def plan(self) -> RuntimePlan:
        """The plan; there is one from the moment that routing is over."""
        if self.state.plan is None:
            raise ValueError("there is no plan before routing is over")
        return self.state.plan

    def set(self, **changes: object) -> None:
        """Replace fields of the state."""
        self.state = self.state.changed(**changes)

    def write(self, record: AnyRecord, *, durable: bool = False) -> None:
        """Order a record to be written."""
        self.effects.append(WriteRecord(record=record, durable=durable))

    def warn(self, message: str) -> None:
        """Tell the user something that changes no decision."""
        self.set(warnings=(*self.state.warnings, message))
        self.write(Warned(timestamp=self.timestamp, message=message))

    def end(
        self, status: RunStatus, *, code: ReasonCode | None = None, error: str = "", hint: str = ""
    ) -> None:
        """Close the run; the terminal record has been written."""
        self.set(at="ended", open_calls={})
        self.effects.append(EndRun(status=status, code=code, error=error, hint=hint))

    def set_todos(
        self,
        todo_ids: Iterable[str],
        status: TaskStatus,
        *,
        phase: Phase,
        role: str | None = None,
        summary: str | None = None,
        error: str | None = None,
    ) -> None:
        """Move todos to a state, in the plan and on the record; nothing is written for no todo."""
        wanted = frozenset(todo_ids)
        note = summary if summary is not None else error
        todos = tuple(
            t.model_copy(
                update={
                    "status": status,
                    # What is to be done again has come to nothing yet.
                    "summary": note or (None if status == "pending" else t.summary),
                }
            )
            if t.id in wanted
            else t
            for t in self.plan.todos
        )
        changed = tuple(t for t in todos if t.id in wanted)
        if not changed:
            return
        agent_plan = self.plan.agent_plan.model_copy(update={"todos": todos})
        self.set(plan=self.plan.model_copy(update={"todos": todos, "agent_plan": agent_plan}))
        self.write(
            TodosUpdated(
                timestamp=self.timestamp,
                phase=phase,
                role=role,
                status=status,
                todo_ids=tuple(t.id for t in changed),
                todos=changed,
                summary=summary,
                error=error,
            )
        )

    def prepare(self, asking: Asking) -> OpenCall | None:
        """Build the call, or refuse it for the budget.

        Parameters
        ----------
        asking : Asking
            Who is to be asked.

        Returns
        -------
        OpenCall or None
            The call and what it reserves; None if a budget refuses it, which is then on the
            record.
        """
        request = self.state.request
        override = policy_for(request.preset, asking.role).system_prompt
        role = role_section(asking.role, asking.context_id, asking.candidate, override=override)
        pool = (*existing(self.state), role, *asking.extra)
        spared: tuple[Section, ...] = ()
        if asking.candidate.is_local_demo:
            pool, spared = fit_demo(pool)
        granted = self._granted(pool, asking) if request.options.need_to_know else None
        seen, withheld = select(
            pool,
            asking.call_kind,
            context_id=asking.context_id,
            upstream=asking.upstream,
            granted=granted,
        )
        prompt = build_prompt(
            seen,
            asking.call_kind,
            context_id=asking.context_id,
            upstream=asking.upstream,
            granted=granted,
            withheld=(*withheld, *spared),
        )
        price = request.prices.get(asking.candidate.model_id)
        budget = self.state.budget()
        allowance = allow(prompt, asking.candidate, budget, price=price)
        if allowance.refused_by is not None:
            self._note_refusal(asking, allowance, budget, price=price)
            return None
        retry = self.state.retries.get(asking.context_id, 0)
        key = (asking.context_id, asking.call_kind, str(asking.attempt))
        again = (f"retry-{retry}",) if retry else ()
        call = ModelCall(
            call_id=stable_id(request.run_id, *key, *round_of(self.state), *again),
            call_kind=asking.call_kind,
            role=asking.role,
            context_id=asking.context_id,
            attempt=asking.attempt,
            candidate=asking.candidate,
            prompt=prompt,
            reply_schema=asking.reply_schema,
            max_output_tokens=allowance.max_output_tokens,
            timeout_s=CALL_TIMEOUT_S,
            max_input_tokens=request.preset.context.soft_input_tokens,
            retry=retry,
            iteration=self.state.fix_iteration,
        )
        return OpenCall(
            call=call,
            input_tokens=allowance.input_tokens,
            output_tokens=allowance.max_output_tokens,
            price=price,
        )

    def _note_refusal(
        self, asking: Asking, allowance: Allowance, budget: Budget, *, price: TokenPrice | None
    ) -> None:
        least = (allowance.input_tokens, MIN_OUTPUT_TOKENS)
        if allowance.refused_by == "max_cost":
            allowed, spent = budget.max_usd, budget.committed_usd
            needed = 0.0 if price is None else price.of(*least)
        else:
            allowed, spent, needed = budget.max_tokens, budget.committed_tokens, sum(least)
        self.write(
            BudgetChecked(
                timestamp=self.timestamp,
                context_id=asking.context_id,
                limit=allowance.refused_by or "max_tokens",
                allowed=float(allowed or 0),
                spent=float(spent),
                needed=float(needed),
                call_kind=asking.call_kind,
                role=asking.role,
            )
        )

    def launch(self, opened: OpenCall) -> None:
        """Put the manifest on the record, then order the call."""
        call = opened.call
        self.write(
            PromptManifest(
                timestamp=self.timestamp,
                context_id=call.context_id,
                call_id=call.call_id,
                call_kind=call.call_kind,
                role=call.role,
                attempt=call.attempt,
                model_id=call.candidate.model_id,
                sections=tuple(pointer(s) for s in call.prompt.sections),
                withheld=tuple(
                    pointer(s, reason=withheld_reason(s, call.call_kind))
                    for s in call.prompt.withheld
                ),
            )
        )
        self.set(open_calls={**self.state.open_calls, call.call_id: opened})
        self.effects.append(CallModel(call=call))

    def charge_tools(self, record: PromptManifest) -> None:
        """Reserve what the tools of a call add to it, once they are known."""
        opened = self.state.open_calls.get(record.call_id)
        tokens = sum(tool.tokens for tool in record.tools)
        if opened is None or not tokens:
            return
        charged = with_tools(opened, tokens, self.state.budget(but=record.call_id))
        self.set(open_calls={**self.state.open_calls, record.call_id: charged})

    def reserve_turn(self, record: TurnReserved) -> None:
        """Raise what is reserved for a conversation with tools to what it now needs."""
        opened = self.state.open_calls.get(record.call_id)
        if opened is not None:
            grown = replace(
                opened, input_tokens=record.input_tokens, output_tokens=record.output_tokens
            )
            self.set(open_calls={**self.state.open_calls, record.call_id: grown})

    def close_call(self, outcome: ModelReplied | ModelFailed) -> OpenCall | None:
        """Take a call off the list and book what it spent, if nobody measured it.

        Parameters
        ----------
        outcome : ModelReplied or ModelFailed
            How it ended.

        Returns
        -------
        OpenCall or None
            None if there is no such call, for example after a cancel.
        """
        opened = self.state.open_calls.get(outcome.call_id)
        if opened is None:
            return None
        rest = {key: o for key, o in self.state.open_calls.items() if key != outcome.call_id}
        is_measured = outcome.call_id in self.state.measured_calls
        sent, received = (0, 0) if is_measured else unmeasured_tokens(opened, outcome)
        self.set(
            open_calls=rest,
            spent_tokens=self.state.spent_tokens + sent + received,
            spent_usd=self.state.spent_usd
            + (opened.price.of(sent, received) if opened.price else 0),
        )
        return opened

    def _granted(self, pool: Iterable[Section], asking: Asking) -> frozenset[str]:
        packet = self.state.handoffs.get(asking.context_id)
        goal = "" if packet is None else packet.task.goal
        return frozenset(s.source for s in pool if s.kind == "reference" and s.source in goal)
