"""``tools.json``: which tools are on, the user's permission rules, and overrides of checks.

Built-in definitions of tools always win; a file can switch one off and say whether the original's
interface asks before it. Nothing is written by reading, older keys are brought up in memory alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.brain.tool_rules import Rule, read_rules
from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import read_object
from braincode_jupyter.home.paths import TOOLS

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

ApprovalPolicy = Literal["allow", "confirm-dangerous"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsFile:
    """What the user set for tools.

    Parameters
    ----------
    disabled : frozenset of str
        Names of tools that are off.
    approval : mapping
        Approval policy by tool name, as the original's interface uses it; no input to ours.
    rules : tuple of Rule
        The user's permission rules.
    checks : mapping
        The ``checks`` entry as it stands.
    """

    disabled: frozenset[str] = frozenset()
    approval: Mapping[str, ApprovalPolicy] = field(default_factory=dict["str", "ApprovalPolicy"])
    rules: tuple[Rule, ...] = ()
    checks: Mapping[str, JsonValue] = field(default_factory=dict["str", "JsonValue"])


def read_tools(home: Path) -> ToolsFile:
    """Read the tools file of the user.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    ToolsFile
        Everything on and no rules where the file is missing, blank or silent.

    Raises
    ------
    ConfigurationError
        If the file is broken: a run that would use tools does not start (security R59).
    """
    path = home / TOOLS
    document = read_object(path) or {}
    tools = document.get("tools", [])
    if not isinstance(tools, list):
        raise ConfigurationError(f"'tools' in {str(path)!r} is no list.", hint="Make it a list.")
    entries = [_entry(entry, path, number) for number, entry in enumerate(tools, 1)]
    checks = document.get("checks")
    return ToolsFile(
        disabled=frozenset(name for name, entry in entries if _is_off(entry, name, path)),
        approval={name: _approval(entry, name, path) for name, entry in entries},
        rules=read_rules(document.get("permissions")),
        checks=checks if isinstance(checks, Mapping) else {},
    )


def _entry(entry: JsonValue, path: Path, number: int) -> tuple[str, Mapping[str, JsonValue]]:
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(name, str):
        raise ConfigurationError(
            f"Tool number {number} in {str(path)!r} is no object with a 'name'.",
            hint="Give it the name of a tool, or remove it from the list.",
        )
    return name, entry


def _is_off(entry: Mapping[str, JsonValue], name: str, path: Path) -> bool:
    enabled = entry.get("enabled", True)
    if not isinstance(enabled, bool):
        raise ConfigurationError(
            f"'enabled' of the tool {name!r} in {str(path)!r} is {enabled!r}.",
            hint="Use true or false.",
        )
    return not enabled


def _approval(entry: Mapping[str, JsonValue], name: str, path: Path) -> ApprovalPolicy:
    policy = entry.get("approvalPolicy")
    if policy is None:
        return "allow" if entry.get("requiresApproval") is False else "confirm-dangerous"
    if policy == "allow":
        return "allow"
    if policy == "confirm-dangerous":
        return "confirm-dangerous"
    raise ConfigurationError(
        f"'approvalPolicy' of the tool {name!r} in {str(path)!r} is {policy!r}.",
        hint='Use "allow" or "confirm-dangerous".',
    )
