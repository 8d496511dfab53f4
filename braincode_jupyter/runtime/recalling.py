"""What is on record of the tools of an agent that is asked anew: no change is made twice.

An agent that broke off among its tools, as its model failed or its kernel was killed, begins its
conversation anew. Reading is done again. A call that may have changed the project gives what it
gave, once, for as long as the agent takes the same course; one without outcome is refused, and a
specialist that came back is not called again. Denials hold. What was allowed for the rest of the
run is not recalled: after a restart a person is asked anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from braincode_jupyter.protocol.approval_records import ApprovalRequested
from braincode_jupyter.protocol.outside_records import (
    DispatchRequested,
    ToolApprovalDecided,
    ToolExecuted,
)
from braincode_jupyter.protocol.records import ModelReplied, PromptManifest, WorkerEnded
from braincode_jupyter.protocol.tools import ToolReturn
from braincode_jupyter.tools.checks import NAME as CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.records import AnyRecord


def denied_before(records: Iterable[AnyRecord]) -> frozenset[str]:
    """Return what a person denied, each by the digest of what it binds.

    Parameters
    ----------
    records : iterable of AnyRecord
        Of the run so far.

    Returns
    -------
    frozenset of str
        Empty for a run that begins.
    """
    asked: dict[str | None, ApprovalRequested] = {}
    denied: set[str] = set()
    for record in records:
        match record:
            case ApprovalRequested():
                asked[record.context_id] = record
            case ToolApprovalDecided(decision="denied", approver="human"):
                request = asked.get(record.context_id)
                if request and request.approval_id.endswith(f":{record.tool_call_id}"):
                    denied.add(request.bound_sha256)
            case _:
                pass
    return frozenset(denied)


def unfinished_before(records: Iterable[AnyRecord]) -> frozenset[str]:
    """Return calls that may have changed the project and whose outcome is not on record.

    Parameters
    ----------
    records : iterable of AnyRecord
        Of the run so far.

    Returns
    -------
    frozenset of str
        Digests of tool and arguments.
    """
    begun: dict[tuple[str | None, str], str] = {}
    for record in records:
        # Checks are made of what stands there: those that were cut off are made again.
        if isinstance(record, ToolExecuted) and record.tool_name != CHECKS:
            call = (record.context_id, record.tool_call_id)
            if record.event == "end":
                begun.pop(call, None)
            elif record.call_sha256 is not None and not record.is_recalled:
                begun[call] = record.call_sha256
    return frozenset(begun.values())


def done_before(
    records: Iterable[AnyRecord], context_id: str
) -> tuple[tuple[str, ToolReturn], ...]:
    """Return what was changed in a conversation that did not come to its reply.

    Parameters
    ----------
    records : iterable of AnyRecord
        Of the run so far.
    context_id : str
        Of the agent, which is asked anew.

    Returns
    -------
    tuple of (str, ToolReturn)
        Digest of tool and arguments, and what the call gave; in the order in which they ended.
    """
    found = _broken_off(records).get(context_id)
    return () if found is None else tuple((one.digest, one.given) for one in found.done)


def specialists_before(records: Iterable[AnyRecord], context_id: str) -> tuple[str, ...]:
    """Return the contexts of the specialists that a conversation without reply had called."""
    found = _broken_off(records).get(context_id)
    return () if found is None else tuple(found.specialists)


def among_tools(records: Iterable[AnyRecord]) -> tuple[str, ...]:
    """Return the roles of the agents that broke off after they had used a tool."""
    return tuple(one.role for one in _broken_off(records).values() if one.has_used)


@dataclass(slots=True, eq=False)
class _Done:
    digest: str
    given: ToolReturn
    is_left: bool = False
    """It was done before the newest beginning, and not asked for since."""


@dataclass(slots=True)
class _Conversation:
    """What is on record of the tools of one agent since its last reply."""

    role: str
    has_used: bool = False
    """A tool was used since its newest beginning."""
    done: list[_Done] = field(default_factory=list[_Done])
    begun: dict[str, str] = field(default_factory=dict[str, str])
    specialists: list[str] = field(default_factory=list[str])

    def begin_again(self) -> None:
        self.has_used = False
        self.begun.clear()
        for one in self.done:
            one.is_left = True

    def take(self, record: ToolExecuted) -> None:
        self.has_used = True
        digest = record.call_sha256
        if record.event == "end":
            begun = self.begun.pop(record.tool_call_id, None)
            if begun is not None and record.result is not None:
                given = ToolReturn(text=record.result, is_error=bool(record.is_error))
                self.done.append(_Done(begun, given))
        elif record.is_recalled:
            again = (one for one in self.done if one.is_left and one.digest == digest)
            for one in islice(again, 1):
                one.is_left = False
        elif digest is not None:
            # It took another course: what else was done on the old one says nothing any more.
            self.done = [one for one in self.done if not one.is_left]
            self.begun[record.tool_call_id] = digest


def _broken_off(records: Iterable[AnyRecord]) -> dict[str | None, _Conversation]:
    """Return the conversations without a reply, by context."""
    found: dict[str | None, _Conversation] = {}
    primary: str | None = None
    for record in records:
        match record:
            case PromptManifest():
                found.setdefault(record.context_id, _Conversation(record.role)).begin_again()
                if record.call_kind == "primary":
                    primary = record.context_id
            case ToolExecuted() if record.context_id in found:
                found[record.context_id].take(record)
            case DispatchRequested() if primary in found:
                found[primary].specialists.append(record.context_id)
            case ModelReplied() | WorkerEnded():
                found.pop(record.context_id, None)
            case _:
                pass
    return found
