"""``dispatch_specialist``: the primary calls an isolated worker while it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from braincode_jupyter.brain.dispatching import DISPATCH_TOOL, dispatch_roles
from braincode_jupyter.brain.replies import result_block
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from braincode_jupyter.runtime.host import RunHost

TIMEOUT_S = 900.0
"""Longest wait for a specialist; seconds."""


class DispatchTool:
    """A toolset of one tool, for the primary alone; it needs no approval, it only reads.

    Parameters
    ----------
    host : RunHost
        Carries the specialist out.
    """

    def __init__(self, host: RunHost) -> None:
        self._host = host

    def specs(self) -> Sequence[ToolSpec]:
        """Return the tool."""
        roles = list(dispatch_roles(self._host.request.preset))
        most = self._host.request.limits.max_dynamic_dispatches
        text: dict[str, JsonValue] = {"type": "string"}
        return (
            ToolSpec(
                name=DISPATCH_TOOL,
                description=(
                    "Ask an isolated specialist for a finding that the results above do not hold. "
                    "It sees the user's request and your goal, and nothing else of what you know; "
                    f"it cannot change anything. At most {most} in this run."
                ),
                parameters={
                    "type": "object",
                    "properties": {
                        "role": {"type": "string", "enum": list[JsonValue](roles)},
                        "goal": text,
                        "reason": text,
                    },
                    "required": ["role", "goal"],
                },
                timeout_s=TIMEOUT_S,
            ),
        )

    def target(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return in words who is called."""
        role, goal = arguments.get("role"), arguments.get("goal")
        return ToolTarget(action=f"{name} {role}", shown=str(goal))

    async def call(
        self, name: str, arguments: Mapping[str, JsonValue], *, target: ToolTarget
    ) -> ToolReturn:
        """Call the specialist and give back its normalised result."""
        role, goal, reason = (
            value if isinstance(value := arguments.get(key), str) else ""
            for key in ("role", "goal", "reason")
        )
        result = await self._host.dispatch(role, goal, reason=reason)
        if isinstance(result, str):
            return refusal(result)
        return ToolReturn(text=result_block(result), details={"status": result.status})

    async def aclose(self) -> None:
        """Do nothing: a specialist ends with the run."""
