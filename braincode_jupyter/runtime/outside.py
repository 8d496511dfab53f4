"""What a run may reach beside models: tools, MCP servers and hooks, as the user allowed them.

Flags come from the cell alone; files can only narrow them (security R37). What a project's files
ask for is inert until the user approved its content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.brain.checks import CheckSetup
from braincode_jupyter.brain.permission import Policy
from braincode_jupyter.home.checks_file import read_checks
from braincode_jupyter.home.hooks_file import read_hooks
from braincode_jupyter.home.mcp_file import read_mcp_servers
from braincode_jupyter.home.mcp_pins import FilePins
from braincode_jupyter.home.tools_file import read_tools
from braincode_jupyter.home.trust import read_approvals
from braincode_jupyter.hooks import HookDispatcher, HookScope
from braincode_jupyter.machine.paths import folds_case
from braincode_jupyter.runtime.tooling import RunTools
from braincode_jupyter.tools.mcp import McpHub

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.brain.permission import ToolMode
    from braincode_jupyter.brain.tool_rules import Rule
    from braincode_jupyter.home import Home
    from braincode_jupyter.runtime.settings import RunArguments, Sources


def open_outside(
    documents: Home,
    arguments: RunArguments,
    *,
    root: Path,
    sources: Sources,
    redact: Callable[[str], str],
    session_id: str,
) -> RunTools:
    """Return the tools, servers and hooks of a run; nothing is started yet.

    Parameters
    ----------
    documents : Home
        What the user configured.
    arguments : RunArguments
        What was asked for.
    root : Path
        The project.
    sources : Sources
        Where data tools look.
    redact : callable
        Takes keys out of a text.
    session_id : str
        What hooks are told.

    Returns
    -------
    RunTools
        To be closed with the run.

    Raises
    ------
    ConfigurationError
        If a file of the user is broken.
    """
    home = documents.path
    file = read_tools(home)
    approvals = read_approvals(home)
    servers = read_mcp_servers(home, root, approvals=approvals, api_keys=documents.auth.providers)
    handlers = (
        read_hooks(home, root, approvals=approvals) if documents.settings.are_hooks_on else ()
    )
    policy = _policy(arguments, file.rules, root=root)
    scope = HookScope(session_id=session_id, cwd=str(root))
    return RunTools(
        project_root=root,
        sources=sources,
        policy=policy,
        checks=CheckSetup()
        if policy.mode == "read-only"
        else read_checks(file.checks, root, approvals=approvals),
        approver=arguments.approver,
        redact=redact,
        disabled=file.disabled,
        open_notebook=arguments.open_notebook,
        forces_roles=bool(arguments.roles) or not documents.settings.is_dynamic_dispatch_on,
        servers=servers if servers.servers or servers.skipped else None,
        hub=McpHub(root=root, pins=FilePins(home, root), redact=redact),
        hooks=HookDispatcher(handlers, scope, cwd=root, redact=redact) if handlers else None,
        hook_events=frozenset(handler.event for handler in handlers),
    )


def _policy(arguments: RunArguments, rules: tuple[Rule, ...], *, root: Path) -> Policy:
    mode: ToolMode = "ask" if arguments.approver is not None else "read-only"
    if arguments.allow_edits:
        mode = "edits"
    if arguments.yes:
        mode = "all"
    return Policy(
        mode=mode,
        allows_compute=arguments.allow_compute or arguments.yes,
        rules=rules,
        folds_case=folds_case(root),
    )
