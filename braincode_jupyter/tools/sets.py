"""Which tools on the project an agent gets: to look always, to change and run as the mode says.

References
----------
Braincode, "Which agents get which tools". Who may look at all is the host's to decide; agents
beside the primary are given ``read-only`` whatever was allowed (security R123).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from braincode_jupyter.tools.changes import EditRecord, EditRules
from braincode_jupyter.tools.command import HAS_SHELL, exec_command, shell
from braincode_jupyter.tools.edit import EditFile
from braincode_jupyter.tools.files import ListFiles, ReadFile
from braincode_jupyter.tools.git import ChangedFiles, Git, GitDiff
from braincode_jupyter.tools.group import Tool, ToolGroup
from braincode_jupyter.tools.patch import ApplyPatch
from braincode_jupyter.tools.search import SearchFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from braincode_jupyter.brain.permission import ToolMode


def project_toolset(
    root: Path,
    *,
    mode: ToolMode,
    keep: Callable[[Sequence[EditRecord]], None] | None = None,
    open_notebook: Path | None = None,
    disabled: frozenset[str] = frozenset(),
) -> ToolGroup:
    """Return the tools on the project for one agent.

    Parameters
    ----------
    root : Path
        The project's folder.
    mode : ToolMode
        What its agent may be offered; ``decide`` still judges every call.
    keep : callable or None
        Takes the records of an edit, durably, before it is made. None: no edits are offered,
        since they could not be undone.
    open_notebook : Path or None
        The notebook of this session. None: it is not known, so no notebook is written.
    disabled : frozenset of str
        Tools that the user switched off.

    Returns
    -------
    ToolGroup
        Tools in a fixed order.
    """
    git = Git(root)
    tools: list[Tool] = [
        ListFiles(root),
        ReadFile(root),
        SearchFiles(root),
        GitDiff(git, root),
        ChangedFiles(git),
    ]
    if mode != "read-only" and keep is not None:
        rules = EditRules(root=root, keep=keep, open_notebook=open_notebook)
        tools += [EditFile(rules), ApplyPatch(rules)]
    if mode in {"ask", "all"}:
        tools += [exec_command(root), *([shell(root)] if HAS_SHELL else [])]
    return ToolGroup(tool for tool in tools if tool.spec.name not in disabled)
