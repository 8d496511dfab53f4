"""Whether a tool call runs, asks, or is refused: a function of tool, target and policy alone.

No text of a model is an input but through what the call would touch. Deny goes before ask, ask
before allow, whatever the order of the rules. Flags widen what needs no question; they never lift a
deny rule, a protected path, or the bounds of an agent that only looks.

References
----------
Braincode, permission policy and approval flow; stricter in: a target is compared resolved, an ask
rule asks under ``--allow-edits`` too, and protected paths ask under ``--yes``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.command_words import MAX_COMMAND_CHARS, read_command
from braincode_jupyter.brain.tool_rules import (
    BUILT_IN_RULES,
    Rule,
    RuleAction,
    command_matches,
    path_matches,
    read_for_rules,
)

if TYPE_CHECKING:
    from braincode_jupyter.protocol.tools import ToolSpec, ToolTarget

ToolMode = Literal["read-only", "edits", "ask", "all"]
"""``read-only``: the default. ``edits``: ``--allow-edits``. ``ask``: all tools, and each change and
command asks. ``all``: ``--yes``."""

COMPUTE_TOOLS = frozenset({"run_python"})
"""Tools that run code on copies, away from the user's names."""
MAX_PATHS = 200
"""Paths that one call may write."""

_PROTECTED_FOLDERS = frozenset({
    ".git", ".hg", ".svn", ".agents", ".braincode", ".github", ".gitlab", ".circleci",
    ".buildkite", ".vscode", ".idea", ".husky", ".devcontainer", ".ipython", ".jupyter",
    "profile_default",
})  # fmt: skip
_PROTECTED_NAME = re.compile(
    r"\.mcp\.json|agents\.md|claude\.md|\.envrc|\.gitattributes|\.gitmodules|\.gitconfig"
    r"|\.gitlab-ci\.ya?ml|\.travis\.yml|azure-pipelines\.ya?ml|jenkinsfile|bitbucket-pipelines\.yml"
    r"|\.pre-commit-config\.ya?ml|\.editorconfig|.*\.code-workspace|.*\.pth"
    r"|(?:site|user)customize\.py|pyvenv\.cfg"
    r"|\.?(?:bash|zsh|k)(?:rc|env|profile|_profile|_login|_logout|_aliases)|\.profile|\.z?login"
    r"|\.zlogout|\.inputrc|config\.fish|.*profile\.ps1|autorun\.inf"
    r"|i(?:python|pykernel)(?:_kernel)?_config\.(?:py|json)"
    r"|jupyter(?:_\w+)?_config\.(?:py|json)|\.startup\.(?:py|ipy)|checks\.json|hooks\.json"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a run, or one agent of it, may do.

    Parameters
    ----------
    mode : ToolMode
        What the user allowed for this cell; never read from a file.
    allows_compute : bool
        ``--allow-compute``: code on copies runs unasked.
    rules : tuple of Rule
        The user's own; the built-in ones always hold too.
    is_onlooker : bool
        A support, dispatched or review agent: it never writes and runs no command.
    has_read_untrusted : bool
        The run has read text of others; only marked allow rules hold for commands.
    folds_case : bool
        The project's file system takes upper and lower case for the same.
    """

    mode: ToolMode = "read-only"
    allows_compute: bool = False
    rules: tuple[Rule, ...] = ()
    is_onlooker: bool = False
    has_read_untrusted: bool = False
    folds_case: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What happens with a call.

    Parameters
    ----------
    action : {"allow", "ask", "deny"}
        What happens.
    reason : str
        Why, in one clause, for the person and the journal.
    rule : Rule or None
        The rule that decided.
    needs_review : bool
        A rule wants the change reviewed.
    by : str
        Who decided, in the words of the journal.
    """

    action: RuleAction
    reason: str
    rule: Rule | None = None
    needs_review: bool = False
    by: Literal["permission_policy", "mode_policy", "runtime_policy"] = "mode_policy"


def decide(tool: ToolSpec, target: ToolTarget, policy: Policy) -> Decision:
    """Decide on one call.

    Parameters
    ----------
    tool : ToolSpec
        The tool.
    target : ToolTarget
        What the call would touch, resolved.
    policy : Policy
        What holds for the agent that asks.

    Returns
    -------
    Decision
        Never looser than the table of the original.
    """
    if tool.effect == "read":
        return _on_reading(tool, policy)
    if len(target.paths) > MAX_PATHS or len(target.command or "") > MAX_COMMAND_CHARS:
        return Decision(action="deny", reason="the call is too large", by="runtime_policy")
    rules = _matching(target, policy)
    needs_review = any(rule.needs_review for rule in rules)
    denied = next((rule for rule in rules if rule.action == "deny"), None)
    if denied is not None:
        return _by_rule(denied, "deny", needs_review=needs_review)
    refused = _outside_mode(tool, policy)
    if refused:
        return Decision(action="deny", reason=refused, needs_review=needs_review)
    why = _always_asks(target)
    if why:
        return Decision(action="ask", reason=why, needs_review=needs_review, by="permission_policy")
    return _in_mode(tool, target, policy=policy, rules=rules, needs_review=needs_review)


def protected(path: str) -> bool:
    """Whether a write to this path asks whatever was allowed (security R31).

    Parameters
    ----------
    path : str
        Resolved, relative to the project.

    Returns
    -------
    bool
        Compared without regard to case, trailing dots and blanks, on every system.
    """
    parts = [part.casefold().rstrip(" .") for part in re.split(r"[\\/]", path) if part != "."]
    if not parts or ".." in path.split("/") or path.startswith("/") or ":" in path:
        return True
    is_short = any(re.fullmatch(r"git~\d+", part) for part in parts)
    is_startup = len(parts) > 1 and parts[-2] == "startup"
    return (
        is_short
        or is_startup
        or bool(_PROTECTED_FOLDERS.intersection(parts))
        or _PROTECTED_NAME.fullmatch(parts[-1]) is not None
    )


_START_NOTHING_NEW = frozenset({"mcp__connect"})
"""Starts servers that the user configured, and sends them nothing."""


def _on_reading(tool: ToolSpec, policy: Policy) -> Decision:
    is_sending = tool.name.startswith("mcp__") and tool.name not in _START_NOTHING_NEW
    if is_sending and policy.has_read_untrusted and policy.mode != "all":
        return Decision(action="ask", reason="it can send out what this run has read")
    return Decision(action="allow", reason="it only looks")


def _matching(target: ToolTarget, policy: Policy) -> tuple[Rule, ...]:
    command = read_for_rules(target.command) if target.command is not None else None
    return tuple(
        rule
        for rule in (*BUILT_IN_RULES, *policy.rules)
        if any(path_matches(rule, path, folds_case=policy.folds_case) for path in target.paths)
        or (command is not None and command_matches(rule, command))
    )


def _outside_mode(tool: ToolSpec, policy: Policy) -> str:
    """Return why the call is outside what the user allowed at all; empty if it is not."""
    if tool.name in COMPUTE_TOOLS:
        return ""
    if policy.is_onlooker:
        return "this agent only looks"
    if policy.mode == "read-only":
        flag = "--allow-edits" if tool.effect == "write" else "--yes"
        return f"this cell allows reading only; {flag} allows more"
    if policy.mode == "edits" and (tool.effect == "execute" or tool.name.startswith("mcp__")):
        return "--allow-edits allows changes of files alone"
    return ""


def _always_asks(target: ToolTarget) -> str:
    if target.asks_because:
        return target.asks_because
    path = next((path for path in target.paths if protected(path)), None)
    return f"{path} can change what runs on this machine" if path is not None else ""


def _in_mode(
    tool: ToolSpec,
    target: ToolTarget,
    *,
    policy: Policy,
    rules: tuple[Rule, ...],
    needs_review: bool,
) -> Decision:
    if policy.mode == "all":
        return Decision(action="allow", reason="--yes", needs_review=needs_review)
    if tool.name in COMPUTE_TOOLS and policy.allows_compute:
        return Decision(action="allow", reason="--allow-compute", needs_review=needs_review)
    asks = next((rule for rule in rules if rule.action == "ask"), None)
    if asks is not None:
        return _by_rule(asks, "ask", needs_review=needs_review)
    if policy.mode == "edits" and tool.effect == "write":
        return Decision(action="allow", reason="--allow-edits", needs_review=needs_review)
    allows = _allowing(tool, target, policy=policy, rules=rules)
    if allows is not None:
        return _by_rule(allows, "allow", needs_review=needs_review)
    return Decision(action="ask", reason=_why_ask(tool, target), needs_review=needs_review)


def _allowing(
    tool: ToolSpec, target: ToolTarget, *, policy: Policy, rules: tuple[Rule, ...]
) -> Rule | None:
    """Return an allow rule of the user's that covers the whole call."""
    # The built-in ones are for test runners, which run the project's own code (security R40).
    holding = [rule for rule in rules if rule.action == "allow" and not rule.is_builtin]
    if tool.effect == "execute":
        return next(
            (
                rule
                for rule in holding
                if rule.kind == "command"
                and target.program is not None
                and (rule.holds_after_untrusted or not policy.has_read_untrusted)
            ),
            None,
        )
    covering = [
        next((r for r in holding if path_matches(r, path, folds_case=policy.folds_case)), None)
        for path in target.paths
    ]
    is_plain = not any("\\" in path for path in target.paths)
    return covering[0] if covering and all(covering) and is_plain else None


def _by_rule(rule: Rule, action: RuleAction, *, needs_review: bool) -> Decision:
    reason = f"rule {rule.label}" + (f": {rule.reason}" if rule.reason else "")
    return Decision(
        action=action,
        reason=reason,
        rule=rule,
        needs_review=needs_review,
        by="permission_policy",
    )


def _why_ask(tool: ToolSpec, target: ToolTarget) -> str:
    if tool.effect == "write":
        return "it changes files"
    not_simple = read_command(target.command).not_simple if target.command is not None else ""
    return f"it runs code: {not_simple}" if not_simple else "it runs code"
