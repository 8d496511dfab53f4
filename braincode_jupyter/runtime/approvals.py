"""What a run asks a person about tool calls, and what the person allowed for the rest of it.

An approval binds one call: its tool, its exact arguments, and all that was resolved of its target.
"Same again in this run" binds the same and no more, for every agent of the run; it lives in memory,
is on the record, and can be taken back at any time. A denied call is not asked again.

On the loop of the run alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.protocol.approval_records import (
    MAX_GRANTS,
    MAX_MODEL_WORDS,
    ApprovalGranted,
    ApprovalRequested,
    ApprovalRevoked,
)
from braincode_jupyter.protocol.tools import ApprovalAnswer, ApprovalRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.ports import Clock
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import (
        Approver,
        RevokedBy,
        ToolSpec,
        ToolTarget,
        ToolUse,
    )


def bound_digest(call_sha256: str, target: ToolTarget) -> str:
    """Return the digest of all that an approval binds (security R48).

    Parameters
    ----------
    call_sha256 : str
        Digest of tool and canonical arguments.
    target : ToolTarget
        What the call would touch, resolved.

    Returns
    -------
    str
        SHA-256, hexadecimal.
    """
    bound = json.dumps([call_sha256, asdict(target)], sort_keys=True, separators=(",", ":"))
    return sha256(bound.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True, kw_only=True)
class Approvals:
    """Those of one run.

    Parameters
    ----------
    approver : Approver or None
        Who asks; None: nobody can be asked.
    write : callable
        Puts a record on the disk before it returns.
    clock : Clock
        Time.
    redact : callable
        Takes configured keys out of a text.
    denied : set of str
        What a person denied in this run, by what it binds.
    """

    approver: Approver | None
    write: Callable[[AnyRecord], None]
    clock: Clock
    redact: Callable[[str], str] = str
    denied: set[str] = field(default_factory=set[str])
    _granted: dict[str, str] = field(default_factory=dict[str, str], init=False)

    def grant_for(self, bound: str) -> str | None:
        """Return the id of the grant that covers a call, by what it binds."""
        return self._granted.get(bound)

    def is_denied(self, bound: str) -> bool:
        """Whether this very call was denied before."""
        return bound in self.denied

    async def ask(
        self,
        wanted: ToolUse,
        spec: ToolSpec,
        *,
        call: ModelCall,
        target: ToolTarget,
        bound: str,
        reason: str,
    ) -> ApprovalAnswer | None:
        """Ask about one call; None: there is nobody to ask."""
        if self.approver is None:
            return None
        request = ApprovalRequest(
            approval_id=f"{call.call_id}:{wanted.call_id}",
            nonce=token_urlsafe(16),
            context_id=call.context_id,
            role=call.role,
            tool=spec.name,
            effect=spec.effect,
            action=target.action,
            shown=target.shown,
            bound_sha256=bound,
            reason=reason,
            model_words=self._words(wanted.said),
        )
        self.write(ApprovalRequested.of(request, timestamp=self.clock.now_ms()))
        answer = await self.approver.decide(request)
        if answer.decision == "deny":
            self.denied.add(bound)
        # Beyond that number a grant could not be listed, so it is for this call alone.
        if answer.decision == "approve_same" and len(self._granted) < MAX_GRANTS:
            self._granted[bound] = request.approval_id
            self.write(ApprovalGranted.of(request, timestamp=self.clock.now_ms()))
        return answer

    def _words(self, said: str) -> str:
        masked, _ = mask_keys(self.redact(said))
        return " ".join(masked.split())[:MAX_MODEL_WORDS]

    def revoke(self, grant_id: str, by: RevokedBy) -> None:
        """Take a grant back; one that is not there is none of ours.

        Parameters
        ----------
        grant_id : str
            Id of the request that was answered with "same again".
        by : RevokedBy
            Where it was taken back.
        """
        found = [bound for bound, granted in self._granted.items() if granted == grant_id]
        for bound in found:
            del self._granted[bound]
        if found:
            now = self.clock.now_ms()
            self.write(ApprovalRevoked(timestamp=now, approval_id=grant_id, by=by))
