"""Commands of the user and of trusted projects that run at fixed points of a run.

Purpose: fire the five events of the original (`points`), run the matching commands beside one
another (`command`), and say what came of them (`dispatch`).

Invariants
    A hook may block, never allow. Its event comes as one line of JSON on standard input; nothing of
    it is put into a command. A hook that crashes, hangs, floods or is killed is shown and breaks
    nothing. Whether a hook may run was decided before it gets here: one with a reason to be skipped
    is never started. A hook has a limit on time and output and ends with everything that it
    started, also when the kernel is killed. What it says for a prompt is data with a limit.

May import ``machine``, ``brain``, ``views``, ``protocol`` and ``errors``.
"""

from __future__ import annotations

from braincode_jupyter.hooks.dispatch import HookDispatcher
from braincode_jupyter.hooks.points import (
    HookPoint,
    HookScope,
    session_start,
    stop,
    subagent_start,
    subagent_stop,
    user_prompt_submit,
)

__all__ = [
    "HookDispatcher",
    "HookPoint",
    "HookScope",
    "session_start",
    "stop",
    "subagent_start",
    "subagent_stop",
    "user_prompt_submit",
]
