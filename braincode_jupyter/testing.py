"""Stand-ins for what a run needs from outside, for tests, lessons and continuous integration.

    from braincode_jupyter.testing import Reply, ScriptedModel

    model = ScriptedModel({"primary": "42", "librarian": ["first", Reply(text="", delay_s=0.1)]})

`ScriptedModel` plays given replies through the same port as the real models; `FixedClock` stands
still until it is told to go on. Knows protocol, models and brain; nothing here opens a connection.
"""

from __future__ import annotations

from braincode_jupyter.models.scripted import Reply, Script, ScriptedModel, ScriptLine

__all__ = ["FixedClock", "Reply", "Script", "ScriptLine", "ScriptedModel"]

_START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z."""


class FixedClock:
    """A `Clock` that goes on only when told.

    Parameters
    ----------
    start_ms : int
        First time; milliseconds since the epoch, UTC.
    step_ms : int
        How far it goes on by itself with each look; milliseconds.
    """

    def __init__(self, start_ms: int = _START_MS, *, step_ms: int = 0) -> None:
        self._now_ms = start_ms
        self._step_ms = step_ms

    def now_ms(self) -> int:
        """Return the time; milliseconds since the epoch, UTC."""
        now = self._now_ms
        self._now_ms += self._step_ms
        return now

    def advance(self, by_ms: int) -> None:
        """Go on by some milliseconds."""
        self._now_ms += by_ms
