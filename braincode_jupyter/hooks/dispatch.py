"""Firing an event: which hooks run, all beside one another, and the record of what came of them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from braincode_jupyter.hooks.command import run_command
from braincode_jupyter.hooks.points import (
    HookOutput,
    HookPoint,
    HookScope,
    hook_report,
    input_line,
    judged_run,
    skipped_run,
    wanted,
)
from braincode_jupyter.protocol.outside_records import (
    HookReport,
    PromptHooksRan,
    SessionStartHooksRan,
    StopHooksRan,
    SubagentStartHooksRan,
    SubagentStopHooksRan,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.outside import HookEvent, HookHandler
    from braincode_jupyter.protocol.outside_records import HookRun

    HookRecord = (
        SessionStartHooksRan
        | PromptHooksRan
        | SubagentStartHooksRan
        | SubagentStopHooksRan
        | StopHooksRan
    )

MAX_AT_ONCE: Final = 8
"""Hooks that run beside one another; others wait for their turn."""

_log = logging.getLogger(__name__)
_RECORDS: Final[Mapping[HookEvent, type[HookRecord]]] = {
    "SessionStart": SessionStartHooksRan,
    "UserPromptSubmit": PromptHooksRan,
    "SubagentStart": SubagentStartHooksRan,
    "SubagentStop": SubagentStopHooksRan,
    "Stop": StopHooksRan,
}


class HookDispatcher:
    """The hooks of one run.

    Parameters
    ----------
    handlers : sequence of HookHandler
        User's first; empty when hooks are switched off.
    scope : HookScope
        What every hook is told.
    cwd : Path
        The project; hooks run there.
    redact : callable or None
        Takes keys out of what is put on the record and into prompts.
    """

    def __init__(
        self,
        handlers: Sequence[HookHandler],
        scope: HookScope,
        *,
        cwd: Path,
        redact: Callable[[str], str] | None = None,
    ) -> None:
        self._handlers = tuple(handlers)
        self._scope = scope
        self._cwd = cwd
        self._redact = redact
        self._turns = 0
        self._places = asyncio.Semaphore(MAX_AT_ONCE)

    async def fire(self, point: HookPoint) -> HookReport:
        """Run all hooks that a point means; returns when all have ended.

        Parameters
        ----------
        point : HookPoint
            The event.

        Returns
        -------
        HookReport
            Empty if nothing matched. No failure of a hook is ever raised.
        """
        handlers = wanted(self._handlers, point)
        self._turns += 1
        line = input_line(point, self._scope, turn_id=f"{self._scope.session_id}:{self._turns}")
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._one(handler, point, line=line)) for handler in handlers
            ]
        return hook_report(point, [task.result() for task in tasks])

    async def _one(
        self, handler: HookHandler, point: HookPoint, *, line: bytes
    ) -> tuple[HookRun, str]:
        if handler.skip_reason:
            return skipped_run(handler, point), ""
        async with self._places:
            try:
                output = await run_command(handler, line, cwd=self._cwd)
            except Exception as error:  # a hook never breaks a run
                _log.exception("A hook of %s could not be run.", point.event)
                output = HookOutput(exit_code=None, problem=f"could not be run: {error}")
        return judged_run(handler, point, output=self._redacted(output))

    def _redacted(self, output: HookOutput) -> HookOutput:
        if self._redact is None:
            return output
        return HookOutput(
            exit_code=output.exit_code,
            stdout=self._redact(output.stdout),
            stderr=self._redact(output.stderr),
            problem=output.problem,
        )


def hook_record(report: HookReport, *, timestamp: int, context_id: str | None = None) -> HookRecord:
    """Return the journal record of a report.

    Parameters
    ----------
    report : HookReport
        Not an empty one; those are not written.
    timestamp : int
        Milliseconds since the epoch, UTC.
    context_id : str or None
        Context of the agent it belongs to.

    Returns
    -------
    Record
        Of the type of its event.
    """
    kind = next(record for event, record in _RECORDS.items() if event == report.event_name)
    return kind(
        timestamp=timestamp,
        context_id=context_id,
        event_name=report.event_name,
        matcher=report.matcher,
        records=report.records,
        additional_context=report.additional_context,
        blocked_reason=report.blocked_reason,
    )
