"""Pure decisions: what a request needs, who works on it, and what their replies mean.

Purpose: role catalogue and Brain presets (`roles`, `presets`, `modes`), planning (`heuristics`,
`clarify`, `router`, `plans`, `schedule`), packets (`handoff`, `replies`, `review`, `report`), what
follows a change of files (`patch_kinds`, `checks`, `changing`, `gates`, `fixing`), and the step
from one record to the next.

Invariants: no I/O, no clock, no randomness. The same arguments give the same value; ids are
derived from the run id (`plans.stable_id`). Text of models and users is data: it is read by one
strict reader, cut to named limits, and never becomes a role, a model, a permission or a control.
Every normalisation is total and idempotent.

May import ``protocol`` and ``errors``, pydantic and the standard library without its doors to the
outside. Word lists, presets and role texts are JSON files in ``data/``, read once by the module
that owns them. Submodules are imported by path; nothing is exported here.
"""

__all__: list[str] = []
