"""What the core knows of a run: the request that never changes, and the state after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.checks import CheckSetup
from braincode_jupyter.brain.limits import Budget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from braincode_jupyter.brain.modes import ModeLimits
    from braincode_jupyter.brain.permission import ToolMode
    from braincode_jupyter.brain.presets import BrainPreset
    from braincode_jupyter.protocol.change_records import ChangesCollected, ChecksRan
    from braincode_jupyter.protocol.contexts import ContextRef, HandoffPacket
    from braincode_jupyter.protocol.plan import (
        ExecutedWorkerResult,
        ModelSummary,
        RuntimePlan,
        RuntimeWorker,
    )
    from braincode_jupyter.protocol.records import GoesOn, ReferenceUsed, RunOptions
    from braincode_jupyter.protocol.review import ReviewDecision
    from braincode_jupyter.protocol.sections import ModelCall, Resolution, Section
    from braincode_jupyter.protocol.usage import TokenPrice

RunStep = Literal[
    "new", "routing", "working", "answering", "collecting", "checking", "reviewing", "ended"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenUp:
    """What a run goes on from: an earlier run of its session, one worker of which is run again.

    Parameters
    ----------
    origin : GoesOn
        As the first record tells it.
    plan : RuntimePlan
        The plan, with the todos that are to be done again as pending.
    also : tuple of str
        Contexts of workers that are run with it.
    handoffs, results : mapping
        By context id, of the workers whose results are kept.
    privates : tuple of Section
        What agents of the earlier run wrote; kept so that manifests can name what was withheld.
    """

    origin: GoesOn
    plan: RuntimePlan
    also: tuple[str, ...]
    handoffs: Mapping[str, HandoffPacket]
    results: Mapping[str, ExecutedWorkerResult]
    privates: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Everything a run starts from; resolved beforehand, so that the core needs no outside.

    Parameters
    ----------
    session_id, run_id : str
        Ids; every other id of the run is derived from ``run_id``.
    prompt : str
        The request as typed.
    options : RunOptions
        What was asked for beside the prompt.
    preset : BrainPreset
        The Brain, inheritance resolved.
    limits : ModeLimits
        Caps of the mode.
    chains : mapping of str to Resolution
        Usable models of each role.
    router : Resolution
        Usable models of the planner.
    sections : tuple of Section
        Support, environment, continuity and references, in prompt order.
    references : tuple of ReferenceUsed
        What each reference gave.
    context_refs : tuple of ContextRef
        Pointers to the support files.
    project_support : JsonValue
        Paths and names of the support files.
    warnings : tuple of str
        What the user should know before the run.
    hook_events : frozenset of str
        Events for which there are hooks.
    checks : CheckSetup
        How changes are checked.
    tool_mode : ToolMode
        What the user allowed for this cell.
    servers : tuple of str
        MCP servers, as ``scope:name``.
    prices : mapping of str to TokenPrice
        By model id; of all candidates where there is a budget in dollars.
    taken_up : TakenUp or None
        What the run goes on from; None: it begins with a plan of its own.
    """

    session_id: str
    run_id: str
    prompt: str
    options: RunOptions
    preset: BrainPreset
    limits: ModeLimits
    chains: Mapping[str, Resolution]
    router: Resolution
    sections: tuple[Section, ...] = ()
    references: tuple[ReferenceUsed, ...] = ()
    context_refs: tuple[ContextRef, ...] = ()
    project_support: JsonValue = None
    warnings: tuple[str, ...] = ()
    hook_events: frozenset[str] = frozenset()
    checks: CheckSetup = field(default_factory=CheckSetup)
    tool_mode: ToolMode = "read-only"
    servers: tuple[str, ...] = ()
    prices: Mapping[str, TokenPrice] = field(default_factory=dict[str, "TokenPrice"])
    taken_up: TakenUp | None = None

    @property
    def has_images(self) -> bool:
        """Whether every model of the run must see."""
        return any(section.image is not None for section in self.sections)

    @property
    def has_continuity(self) -> bool:
        """Whether the request goes on from an earlier session."""
        return any(
            section.kind == "continuity" or section.title == "Session" for section in self.sections
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A model call without outcome, and the upper bound of what it spends."""

    call: ModelCall
    input_tokens: int
    output_tokens: int
    price: TokenPrice | None = None
    """Of its model; None: not known."""

    @property
    def reserved_tokens(self) -> int:
        """Tokens sent and received."""
        return self.input_tokens + self.output_tokens

    def cost_of(self, input_tokens: int, output_tokens: int) -> float:
        """Return what tokens cost at most.

        Parameters
        ----------
        input_tokens, output_tokens : int
            Sent and received.

        Returns
        -------
        float
            US dollars; 0 where no price is known, which happens without a budget in dollars alone.
        """
        return 0.0 if self.price is None else self.price.of(input_tokens, output_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The primary's answer."""

    text: str
    model: ModelSummary
    is_cut_off: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCount:
    """Tool calls of one phase."""

    calls: int = 0
    failed: int = 0


@dataclass(frozen=True, kw_only=True)
class RunState:
    """Where a run is.

    ``privates`` holds what agents wrote, as it came; no prompt ever takes from it (the matrix
    says never), it is kept so that the manifests can name what was withheld.

    It has no slots, so that `changed`, which is called ten times for each model call, copies one
    mapping and not thirty fields.
    """

    request: RunRequest
    at: RunStep = "new"
    plan: RuntimePlan | None = None
    dispatched: tuple[RuntimeWorker, ...] = ()
    """Specialists that the primary called, in call order."""
    handoffs: Mapping[str, HandoffPacket] = field(default_factory=dict[str, "HandoffPacket"])
    results: Mapping[str, ExecutedWorkerResult] = field(
        default_factory=dict[str, "ExecutedWorkerResult"]
    )
    retries: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often each worker was taken up again."""
    cut_off: frozenset[str] = frozenset()
    """Workers whose reply reached the model's length limit."""
    privates: tuple[Section, ...] = ()
    hook_sections: tuple[Section, ...] = ()
    """What the hooks of the prompt said."""
    worker_hooks: Mapping[str, Section] = field(default_factory=dict[str, "Section"])
    """What the hooks of a worker said, for it alone."""
    held: Mapping[str, RuntimeWorker] = field(default_factory=dict[str, "RuntimeWorker"])
    """Workers that wait for their hooks."""
    are_stop_hooks_fired: bool = False
    open_calls: Mapping[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    answer: Answer | None = None
    primary_attempt: int = 1
    review: ReviewDecision | None = None
    may_have_changed: bool = False
    """A tool was used that can change files."""
    changes: ChangesCollected | None = None
    """What stood changed after the newest answer."""
    checks: ChecksRan | None = None
    """What the checks said of that."""
    fix_iteration: int = 0
    """Rounds of mending that were begun."""
    is_fix_over: bool = False
    """A round of mending broke off: what there is stands."""
    tool_calls: Mapping[str, ToolCount] = field(default_factory=dict[str, "ToolCount"])
    """By phase."""
    spent_tokens: int = 0
    spent_usd: float = 0.0
    """As far as prices are known."""
    measured_calls: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    def changed(self, **changes: object) -> RunState:
        """Return the state with other values of some fields.

        Parameters
        ----------
        **changes : object
            By name of the field.

        Returns
        -------
        RunState
            A new state.

        Raises
        ------
        TypeError
            If there is no such field.
        """
        if unknown := changes.keys() - self.__dict__.keys():
            raise TypeError(f"A state has no fields {sorted(unknown)}.")
        state = object.__new__(RunState)
        state.__dict__.update(self.__dict__, **changes)
        return state

    @property
    def workers(self) -> tuple[RuntimeWorker, ...]:
        """All workers in plan order, then those that the primary called."""
        return (*(() if self.plan is None else self.plan.workers), *self.dispatched)

    @property
    def has_changes(self) -> bool:
        """Whether the run changed files of the project, as far as was looked."""
        return self.changes is not None and bool(self.changes.changed_files)

    def budget(self, *, but: str = "") -> Budget:
        """Return what the run may spend and what is gone of it.

        Parameters
        ----------
        but : str
            Id of a call whose own reservation is left out.

        Returns
        -------
        Budget
            In tokens and in dollars.
        """
        options = self.request.options
        others = [opened for key, opened in self.open_calls.items() if key != but]
        return Budget(
            max_tokens=options.max_tokens,
            committed_tokens=self.spent_tokens + sum(c.reserved_tokens for c in others),
            max_usd=options.max_cost_usd,
            committed_usd=self.spent_usd
            + sum(c.cost_of(c.input_tokens, c.output_tokens) for c in others),
        )
