"""Specialists that the primary calls: who is waited for, and who came back already."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from braincode_jupyter.brain.dispatching import next_context_id
from braincode_jupyter.protocol.outside_records import DispatchRequested
from braincode_jupyter.protocol.records import WorkerEnded
from braincode_jupyter.runtime.recalling import specialists_before

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.brain.state import RunState
    from braincode_jupyter.protocol.plan import ExecutedWorkerResult
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall


@dataclass(slots=True)
class Specialists:
    """Those of one run."""

    _waiting: dict[str, asyncio.Future[ExecutedWorkerResult]] = field(
        default_factory=dict[str, "asyncio.Future[ExecutedWorkerResult]"]
    )
    _known: list[str] = field(default_factory=list[str])

    def begin(self, call: ModelCall, records: Iterable[AnyRecord]) -> None:
        """Take that an agent is asked, perhaps anew after its conversation broke off."""
        if call.call_kind == "primary":
            self._known = list(specialists_before(records, call.context_id))

    def known(self, state: RunState, role: str, goal: str) -> ExecutedWorkerResult | None:
        """Return what one found before the conversation broke off; once, and None if nobody did."""
        for worker in state.dispatched:
            result = state.results.get(worker.context_id)
            is_same = (worker.role, worker.goal) == (role, goal.strip())
            if is_same and worker.context_id in self._known and result and result.error is None:
                self._known.remove(worker.context_id)
                return result
        return None

    def request(
        self, state: RunState, role: str, goal: str, *, reason: str, timestamp: int
    ) -> tuple[DispatchRequested, asyncio.Future[ExecutedWorkerResult]]:
        """Return the record that calls one, and what will hold its result."""
        context_id = next_context_id(state)
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[context_id] = waiting
        record = DispatchRequested(
            timestamp=timestamp,
            context_id=context_id,
            role=role,
            goal=goal.strip(),
            reason=reason,
            primary_role=state.plan.role if state.plan else "",
        )
        return record, waiting

    def take(self, record: AnyRecord) -> None:
        """Hand a result to whoever waits for it."""
        if isinstance(record, WorkerEnded) and record.context_id in self._waiting:
            self._waiting.pop(record.context_id).set_result(record.result)
