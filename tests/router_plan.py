"""What a router replies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def router_plan(*roles: str, edges: Iterable[tuple[str, str]] = ()) -> str:
    """Return a plan with a todo for each role, of which the last one answers."""
    return json.dumps(
        {
            "role": roles[-1],
            "workers": [{"role": r, "goal": f"goal of {r}", "reason": "r"} for r in roles],
            "todos": [{"id": f"t-{r}", "title": r, "role": r} for r in roles],
            "dependencies": [{"from": f"t-{a}", "to": f"t-{b}"} for a, b in edges],
        }
    )
