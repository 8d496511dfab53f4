"""Somebody who is asked whether a call may go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from braincode_jupyter.protocol.tools import ApprovalAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from braincode_jupyter.protocol.tools import ApprovalRequest


class Person:
    """Answers in order; may do something before each answer."""

    def __init__(self, *decisions: Literal["approve", "deny", "approve_same"]) -> None:
        self.decisions = list(decisions)
        self.asked: list[ApprovalRequest] = []
        self.before: Callable[[int], object] = lambda _: None

    async def decide(self, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        self.before(len(self.asked))
        return ApprovalAnswer(decision=self.decisions.pop(0), by="human")
