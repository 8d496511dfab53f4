"""Checks of a project: what is configured, which of them fit a change, and when they must ask.

A check is a script of ``package.json`` or a command of ours (``commands``: words, never a shell
line). Each belongs to one of the original's four scripts, `SLOTS`, so that its table holds for
Python too.

References
----------
Braincode, check configuration and selection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from braincode_jupyter.protocol.change_records import PatchKind

if TYPE_CHECKING:
    from pydantic import JsonValue

SLOTS = ("check", "typecheck", "lint", "test")
"""Scripts that are known by name, in the order in which they run."""
MIN_TIMEOUT_MS, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS = 1_000, 180_000, 900_000
"""Longest run of one check; milliseconds."""
MIN_OUTPUT_BYTES, DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES = 1_000, 24_000, 512_000
"""End of each stream that is kept."""
MAX_COMMANDS = 16
"""Commands of one configuration; further ones are left out."""
MAX_WORDS = 64
"""Words of one command."""
MAX_WORD_CHARS = 1_000
"""Characters of one word or name."""

RISKS: frozenset[PatchKind] = frozenset({"auth-risk", "db-risk", "ci-risk"})
"""Kinds of change that are always reviewed."""
KINDS: tuple[PatchKind, ...] = get_args(PatchKind)

_SMART: Mapping[PatchKind, tuple[str, ...]] = MappingProxyType(
    {
        "docs-only": (),
        "test-only": ("test",),
        "frontend": ("typecheck", "lint", "test"),
        "backend": ("typecheck", "test"),
    }
)
_TOOL_SLOTS: Mapping[str, str] = MappingProxyType(
    {
        "pytest": "test",
        "tox": "test",
        "nox": "test",
        "unittest": "test",
        "ruff": "lint",
        "flake8": "lint",
        "pylint": "lint",
        "mypy": "typecheck",
        "pyright": "typecheck",
        "basedpyright": "typecheck",
        "ty": "typecheck",
    }
)
_DEFINITIONS = frozenset({
    "package.json", "checks.json", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini",
    "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", "pyrightconfig.json", "noxfile.py",
    "conftest.py",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPolicy:
    """What a configuration says of one kind of change; None: nothing."""

    enabled: bool | None = None
    scripts: tuple[str, ...] | None = None
    review: Literal["required", "optional"] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckConfig:
    """How the changes of a project are checked.

    Parameters
    ----------
    enabled : bool
        False: nothing is checked.
    scripts : tuple of str
        What runs for every kind of change; empty: the table decides.
    strategy : {"smart", "all"}
        Whether the table looks at the kind of change.
    policies : mapping of PatchKind to KindPolicy
        Exceptions.
    timeout_ms : int
        Longest run of one check.
    max_output_bytes : int
        End of each stream that is kept.
    commands : mapping of str to tuple of str
        Ours: a name, and the words to run.
    """

    enabled: bool = True
    scripts: tuple[str, ...] = ()
    strategy: Literal["smart", "all"] = "smart"
    policies: Mapping[PatchKind, KindPolicy] = field(
        default_factory=dict["PatchKind", "KindPolicy"]
    )
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    max_output_bytes: int = DEFAULT_OUTPUT_BYTES
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCommand:
    """One check that a project has.

    Parameters
    ----------
    name : str
        Script or command.
    words : tuple of str
        What is run.
    origin : str
        The file that says so.
    text : str
        For a script, what its file says it runs; for the person who is asked.
    """

    name: str
    words: tuple[str, ...]
    origin: str
    text: str = ""

    @property
    def slot(self) -> str:
        """Which of the four scripts it counts as."""
        return slot_of(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSetup:
    """What a run knows of the checks of its project, from before it began.

    Parameters
    ----------
    config : CheckConfig
        What is configured, as far as it is trusted.
    available : tuple of CheckCommand
        What the project has.
    note : str
        What the user should know once something was changed; empty: nothing.
    """

    config: CheckConfig = field(default_factory=CheckConfig)
    available: tuple[CheckCommand, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSelection:
    """What is to be done about one change.

    Parameters
    ----------
    commands : tuple of CheckCommand
        To be run in this order; empty: skipped.
    missing : tuple of str
        Configured, and not there: these fail.
    reason : str
        Why these, or why none.
    needs_review : bool
        The kind of change has to be reviewed, whether or not it is checked.
    asks_because : str
        Why a person is asked whatever was allowed; empty if there is no such reason.
    """

    commands: tuple[CheckCommand, ...] = ()
    missing: tuple[str, ...] = ()
    reason: str
    needs_review: bool = False
    asks_because: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All that were chosen, there or not."""
        return (*(command.name for command in self.commands), *self.missing)


def slot_of(name: str) -> str:
    """Return which of the four scripts a check counts as; an unknown one counts as ``check``."""
    head = name.split(":", 1)[0]
    return _TOOL_SLOTS.get(head, head if head in SLOTS else "check")


def read_config(document: Mapping[str, JsonValue], base: CheckConfig) -> CheckConfig:
    """Lay one ``checks`` entry over a configuration.

    Parameters
    ----------
    document : mapping
        As it stands; what cannot be read is left out.
    base : CheckConfig
        What holds where it says nothing.

    Returns
    -------
    CheckConfig
        Each field that is given replaces; policies are merged kind by kind and key by key.
    """
    enabled, strategy = document.get("enabled"), document.get("strategy")
    scripts = _names(document.get("scripts"))
    return CheckConfig(
        enabled=enabled if isinstance(enabled, bool) else base.enabled,
        scripts=base.scripts if scripts is None else scripts,
        strategy="all" if strategy == "all" else "smart" if strategy == "smart" else base.strategy,
        policies=_policies(document.get("policies"), base.policies),
        timeout_ms=_whole(
            document.get("timeoutMs"), base.timeout_ms, least=MIN_TIMEOUT_MS, most=MAX_TIMEOUT_MS
        ),
        max_output_bytes=_whole(
            document.get("maxOutputBytes"),
            base.max_output_bytes,
            least=MIN_OUTPUT_BYTES,
            most=MAX_OUTPUT_BYTES,
        ),
        commands={**base.commands, **_commands(document.get("commands"))},
    )


def select_checks(
    kind: PatchKind,
    config: CheckConfig,
    available: tuple[CheckCommand, ...],
    *,
    paths: tuple[str, ...],
) -> CheckSelection:
    """Choose the checks of one change.

    Parameters
    ----------
    kind : PatchKind
        What kind of change it is.
    config : CheckConfig
        What is configured.
    available : tuple of CheckCommand
        What the project has.
    paths : tuple of str
        The changed files: one that defines checks lets a person look at them again.

    Returns
    -------
    CheckSelection
        Whether to review stands on its own: it survives skipping.
    """
    policy = config.policies.get(kind, KindPolicy())
    needs_review = policy.review == "required" if policy.review else kind in RISKS
    chosen = _choose(kind, config, policy=policy, available=available)
    asks = "it changes what runs on a server" if kind == "ci-risk" else ""
    definition = next((path for path in paths if _defines_checks(path)), None)
    if definition is not None:
        asks = asks or f"{definition} says what is checked, and this run changed it"
    return replace(chosen, needs_review=needs_review, asks_because=asks if chosen.commands else "")


def default_slots(kind: PatchKind, strategy: Literal["smart", "all"]) -> tuple[str, ...]:
    """Return which of the four scripts a kind of change calls for, if they are defined."""
    return SLOTS if strategy == "all" else _SMART.get(kind, SLOTS)


def _choose(
    kind: PatchKind,
    config: CheckConfig,
    *,
    policy: KindPolicy,
    available: tuple[CheckCommand, ...],
) -> CheckSelection:
    if not config.enabled:
        return CheckSelection(reason="Checks are switched off.")
    if policy.enabled is False:
        return CheckSelection(reason=policy.reason or f"Checks of {kind} are switched off.")
    if policy.scripts is not None:
        why = policy.reason or f"The scripts that are set for {kind}."
        return _named(policy.scripts, available, reason=why)
    if config.scripts:
        return _named(config.scripts, available, reason="The scripts that are set.")
    return _by_table(kind, config, available)


def _by_table(
    kind: PatchKind, config: CheckConfig, available: tuple[CheckCommand, ...]
) -> CheckSelection:
    if not available:
        return CheckSelection(reason="The project has no checks that are known.")
    slots = _slots(kind, config)
    fitting = tuple(
        command for slot in SLOTS if slot in slots for command in available if command.slot == slot
    )
    if not fitting:
        return CheckSelection(reason=f"The project has no check for a change of kind {kind}.")
    return CheckSelection(commands=fitting, reason=f"Chosen for a change of kind {kind}.")


def _slots(kind: PatchKind, config: CheckConfig) -> tuple[str, ...]:
    """Return the slots of a kind; who writes commands down wants his linters too."""
    slots = default_slots(kind, config.strategy)
    return SLOTS if config.commands and kind in {"backend", "frontend"} else slots


def _named(
    names: tuple[str, ...], available: tuple[CheckCommand, ...], *, reason: str
) -> CheckSelection:
    by_name = {command.name: command for command in available}
    return CheckSelection(
        commands=tuple(by_name[name] for name in names if name in by_name),
        missing=tuple(name for name in names if name not in by_name),
        reason=reason,
    )


def _defines_checks(path: str) -> bool:
    return path.replace("\\", "/").rsplit("/", 1)[-1].lower() in _DEFINITIONS


def _names(value: JsonValue) -> tuple[str, ...] | None:
    """Return a list of names, trimmed and each once; None if it is no list."""
    if not isinstance(value, list):
        return None
    texts = (item.strip() for item in value if isinstance(item, str))
    return tuple(dict.fromkeys(text for text in texts if 0 < len(text) <= MAX_WORD_CHARS))


def _policies(
    value: JsonValue, base: Mapping[PatchKind, KindPolicy]
) -> Mapping[PatchKind, KindPolicy]:
    given = value if isinstance(value, Mapping) else {}
    found = dict(base)
    for kind in KINDS:
        entry = given.get(kind)
        if isinstance(entry, Mapping):
            found[kind] = _policy(entry, base.get(kind, KindPolicy()))
    return found


def _policy(entry: Mapping[str, JsonValue], base: KindPolicy) -> KindPolicy:
    enabled, review, reason = entry.get("enabled"), entry.get("review"), entry.get("reason")
    scripts = _names(entry.get("scripts"))
    return KindPolicy(
        enabled=enabled if isinstance(enabled, bool) else base.enabled,
        scripts=base.scripts if scripts is None else scripts,
        review="required"
        if review == "required"
        else "optional"
        if review == "optional"
        else base.review,
        reason=reason.strip()[:MAX_WORD_CHARS] if isinstance(reason, str) else base.reason,
    )


def _whole(value: JsonValue, base: int, *, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return base
    try:
        number = int(float(value))
    except (ValueError, OverflowError):
        return base
    return min(max(number, least), most)


def _commands(value: JsonValue) -> dict[str, tuple[str, ...]]:
    """Return commands by name; one that is not a list of words is left out."""
    found: dict[str, tuple[str, ...]] = {}
    for name, words in (value if isinstance(value, Mapping) else {}).items():
        listed = words if isinstance(words, list) else []
        texts = tuple(word for word in listed if isinstance(word, str) and "\0" not in word)
        is_whole = 0 < len(texts) == len(listed) <= MAX_WORDS and bool(texts[0].strip())
        if is_whole and name.strip() and len(found) < MAX_COMMANDS:
            found[name.strip()[:MAX_WORD_CHARS]] = texts
    return found
