"""What is on record of the tools of a resumed run: denials hold, nothing is repeated blindly.

What was allowed for the rest of the run is not recalled: after a restart a person is asked anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.protocol.approval_records import ApprovalRequested
from braincode_jupyter.protocol.outside_records import ToolApprovalDecided, ToolExecuted

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
        if isinstance(record, ToolExecuted):
            call = (record.context_id, record.tool_call_id)
            if record.event == "end":
                begun.pop(call, None)
            elif record.call_sha256 is not None:
                begun[call] = record.call_sha256
    return frozenset(begun.values())
