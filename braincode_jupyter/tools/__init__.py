"""Tools that a model may ask for, each for one agent, each within the project.

Purpose: look at files and at git (`files`, `search`, `git`), change files (`edit`, `patch`,
`undo`), and run programs (`command`). `sets` says which agent gets which of them. `checks` is for
the host alone: it runs the project's checks through the same gate.

Invariants
    A tool never decides whether it may be used: ``target`` says what a call would touch, the host
    decides on that, and ``call`` does exactly that or refuses. Arguments are read strictly and
    unknown ones are refused. Every path goes through ``machine.paths``, every program through
    ``machine.programs``, every git command through `git`. Model text is never an option, never an
    expression, and reaches a shell only as the text that was shown. Every listing, output and wait
    has a limit, and what was cut is said. A failure is text for the model with the next step.

May import ``machine``, ``brain``, ``protocol`` and ``errors``.
"""

__all__: list[str] = []
