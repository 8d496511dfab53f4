"""git, hardened: ``git_diff`` and ``get_changed_files`` through one wrapper.

A repository can name programs that git runs on harmless commands: monitors, filters, diff drivers,
text converters, pagers, hooks. So git runs with user and system configuration off and the known
switches against programs set, and the configuration that the repository itself brings is read
first: if it holds anything beyond a list of settings that name no program and no other place, git
stays off.

References
----------
git-config(1), gitattributes(5), git(1) "Environment Variables". Security guide, R120.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from braincode_jupyter.brain.text import visible
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.paths import RECORDING_SUFFIX, check_new, is_secret
from braincode_jupyter.machine.programs import (
    Limits,
    child_environment,
    find_program,
    run_program,
)
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolTarget
from braincode_jupyter.tools.arguments import (
    MAX_PATH_CHARS,
    Arguments,
    also,
    read_arguments,
    schema_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

GIT_S = 20.0
MAX_OUTPUT_BYTES = 1024 * 1024
MAX_CHANGED = 2_000
"""Changed files that are named."""
MAX_HIDDEN = 200
"""Changed files of the secret class that a diff can leave out."""
_NAMED_SETTINGS = 5
_NO_RECORDINGS = f":(exclude)*{RECORDING_SUFFIX}"

_HARMLESS = re.compile(
    r"core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode"
    r"|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|longpaths|trustctime|checkstat|whitespace"
    r"|protecthfs|protectntfs|compression|bigfilethreshold|preloadindex)"
    r"|extensions\.(?:objectformat|refstorage|worktreeconfig|noop)"
    r"|remote\..+\.(?:url|pushurl|fetch|push|tagopt|prune|gh-resolved|skipdefaultupdate|mirror)"
    r"|branch\..+\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base"
    r"|github-pr-owner-number)|branch\.(?:autosetupmerge|autosetuprebase|sort)"
    r"|user\.(?:name|email|usejsonname|useconfigonly)|(?:author|committer)\.(?:name|email)"
    r"|init\.defaultbranch|pull\.(?:rebase|ff|octopus)|push\.(?:default|followtags|autosetupremote)"
    r"|fetch\.(?:prune|prunetags|parallel)|merge\.(?:conflictstyle|ff|log|renames|renamelimit)"
    r"|rebase\.(?:autosquash|autostash|updaterefs)|commit\.(?:verbose|status|gpgsign)|tag\.gpgsign"
    r"|tag\.sort|gc\.auto|gc\.autodetach|maintenance\.auto|maintenance\.strategy|rerere\.enabled"
    r"|rerere\.autoupdate|advice\..+|color\..+|column\..+|index\.version|feature\.manyfiles"
    r"|status\.(?:short|branch|showuntrackedfiles|relativepaths|renames|renamelimit|aheadbehind)"
    r"|diff\.(?:algorithm|context|renames|renamelimit|mnemonicprefix|noprefix|colormoved"
    r"|interhunkcontext|indentheuristic|wserrorhighlight|statgraphwidth)"
    r"|submodule\..+\.(?:url|active|branch|ignore|fetchrecursesubmodules)|submodule\.active"
    r"|log\.(?:date|decorate|follow)|blame\.(?:coloring|date)|stash\.(?:showpatch|showstat)"
)
_SAFE_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.attributesFile": os.devnull,
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "diff.submodule": "short",
    "gpg.program": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "uploadpack.packObjectsHook": "",
}
_QUIET_DIFF = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--relative",
    "--ignore-submodules=all",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed file."""

    path: str
    status: str
    """Two letters, as ``git status --short`` has them."""


class Git:
    """The one way in which git is run.

    Parameters
    ----------
    root : Path
        The project's folder; only what is below it is shown.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))

    async def changes(self, *, is_each_named: bool = False) -> tuple[Change, ...]:
        """Return the changed files below the project, secrets only by name.

        Parameters
        ----------
        is_each_named : bool
            Name every file of a new folder, not the folder alone.

        Returns
        -------
        tuple of Change
            Paths are relative to the project.

        Raises
        ------
        UsageError
            If git is missing or off here, or fails.
        """
        await self._check()
        prefix = (await self._run("rev-parse", "--show-prefix")).strip("\n")
        text = await self._run(
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            f"--untracked-files={'all' if is_each_named else 'normal'}",
            "--ignore-submodules=all",
            "--",
            ".",
            _NO_RECORDINGS,
        )
        pieces = [piece for piece in text.split("\0") if len(piece) > 3]  # noqa: PLR2004 - two letters, a blank, a path
        return tuple(
            Change(path=visible(piece[3:].removeprefix(prefix)), status=piece[:2])
            for piece in pieces
        )

    async def diff(self, path: str = "", *, is_staged: bool = False, is_stat: bool = False) -> str:
        """Return what was changed below the project, or in one file or folder.

        Parameters
        ----------
        path : str
            Relative to the project, checked; empty: everything.
        is_staged : bool
            Against the last commit what is staged, instead of the files against what is staged.
        is_stat : bool
            Only how many lines of which file.

        Returns
        -------
        str
            A unified diff, or the counts; files of the secret class are only named.

        Raises
        ------
        UsageError
            If git is missing or off here, or fails.
        """
        await self._check()
        which = ["--cached"] if is_staged else []
        wanted = f":(literal){path}" if path else "."
        names = await self._run(
            "diff", *which, *_QUIET_DIFF, "--name-only", "-z", "--", wanted, _NO_RECORDINGS
        )
        hidden = [name for name in names.split("\0") if name and is_secret(name.split("/"))]
        if len(hidden) > MAX_HIDDEN:
            raise UsageError("Too many changed files hold secrets; name a file.", hint="")
        left_out = [_NO_RECORDINGS, *(f":(exclude,literal){name}" for name in hidden)]
        shape = ["--stat=120"] if is_stat else []
        text = await self._run("diff", *which, *_QUIET_DIFF, *shape, "--", wanted, *left_out)
        notes = [
            f"[{visible(name)} changed; it is of the kind that holds secrets]" for name in hidden
        ]
        return "\n".join([*filter(None, [text.rstrip("\n")]), *notes])

    async def _check(self) -> None:
        """See that the repository is this project's and names no program; nothing of it runs."""
        listed = await self._run("config", "--list", "--includes", "--show-scope", "-z")
        pieces = listed.split("\0")
        names = {
            entry.partition("\n")[0]
            for scope, entry in zip(pieces[::2], pieces[1::2], strict=False)
            if scope != "command"
        }
        odd = sorted(name for name in names if _HARMLESS.fullmatch(name.lower()) is None)
        if odd:
            shown = ", ".join(map(visible, odd[:_NAMED_SETTINGS]))
            raise _off(f"its own configuration sets {shown}, which can run programs")
        top = await self._run("rev-parse", "--show-toplevel")
        folder = await self._run("rev-parse", "--absolute-git-dir")
        if not _is_of(folder.removesuffix("\n"), top.removesuffix("\n")):
            raise _off(f"its .git leads to {visible(folder.strip())}")

    async def _run(self, command: str, *arguments: str) -> str:
        program = find_program("git", root=self._root)
        if program is None or program.is_inside:
            raise UsageError("git is not installed here; go on without it.", hint="")
        settings = [f"-c{name}={value}" for name, value in _SAFE_SETTINGS.items()]
        flags = ("--no-pager", "--no-optional-locks", "--no-replace-objects")
        words: Sequence[str] = (str(program.path), *flags, *_pairs(settings), command, *arguments)
        outcome = await run_program(
            words,
            folder=self._root,
            limits=Limits(time_s=GIT_S, kept_bytes=MAX_OUTPUT_BYTES),
            environment=child_environment(_environment()),
            is_guarded=False,
        )
        if outcome.ended != "itself":
            raise UsageError(f"git {command} took too long or said too much.", hint="")
        if outcome.status != 0:
            raise UsageError(f"git {command} failed: {_last_line(outcome.errors)}", hint="")
        if outcome.cut_bytes:
            raise UsageError(
                f"git {command} gave more than {MAX_OUTPUT_BYTES:,} bytes: name a path, or ask for "
                "the counts.",
                hint="",
            )
        return outcome.output.decode("utf-8", "replace")


def _off(reason: str) -> UsageError:
    return UsageError(f"git is off in this project: {reason}. Go on without git.", hint="")


def _is_of(repository: str, top: str) -> bool:
    """Whether a repository is inside its worktree, or names it as one of its own."""
    folder, home = Path(os.path.realpath(repository)), Path(os.path.realpath(top))
    if folder.is_relative_to(home):
        return True
    try:
        with open(folder / "gitdir", "rb") as file:
            named = os.fsdecode(file.read(4_096).strip())
    except (OSError, ValueError):
        return False
    return os.path.realpath(named) == str(home / ".git")


def _pairs(settings: Sequence[str]) -> list[str]:
    return [word for setting in settings for word in ("-c", setting.removeprefix("-c"))]


def _environment() -> dict[str, str]:
    return {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_EDITOR": "false",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS": "false",
        "GIT_SSH_COMMAND": "false",
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }


def _last_line(errors: bytes) -> str:
    lines = errors.decode("utf-8", "replace").strip().split("\n")
    return visible(lines[-1])[:300] or "it says no reason"


class DiffArguments(Arguments):
    """Arguments of ``git_diff``."""

    path: str = Field(
        default="",
        max_length=MAX_PATH_CHARS,
        validation_alias=also("path", "file", "filePath", "file_path"),
    )
    """File or folder; empty: the whole project."""
    staged: bool = Field(default=False, validation_alias=also("staged", "cached"))
    """What is staged, instead of what is not."""
    stat: bool = Field(default=False, validation_alias=also("stat", "summary"))
    """Only the counts of lines."""


class NoArguments(Arguments):
    """Arguments of tools without any."""


class GitDiff:
    """Shows what was changed.

    Parameters
    ----------
    git : Git
        The wrapper.
    root : Path
        The project's folder.
    """

    spec = ToolSpec(
        name="git_diff",
        description="Show uncommitted changes of the project as a unified diff.",
        parameters=schema_of(DiffArguments),
        timeout_s=4 * GIT_S,
    )

    def __init__(self, git: Git, root: Path) -> None:
        self._git, self._root = git, root

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the path that would be looked at; it may be one that was deleted."""
        path = read_arguments(DiffArguments, arguments).path
        if path in {"", "."}:
            return ToolTarget(action="git_diff", shown="git diff", paths=(".",))
        home = Path(os.path.realpath(self._root))
        relative = check_new(path.rstrip("/"), root=home).relative_to(home).as_posix()
        return ToolTarget.at("git_diff", relative)

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Ask git."""
        asked = read_arguments(DiffArguments, arguments)
        path = "" if target.paths[0] == "." else target.paths[0]
        text = await self._git.diff(path, is_staged=asked.staged, is_stat=asked.stat)
        return ToolReturn(text=text or "Nothing was changed.", details={"chars": len(text)})


class ChangedFiles:
    """Names the changed files.

    Parameters
    ----------
    git : Git
        The wrapper.
    """

    spec = ToolSpec(
        name="get_changed_files",
        description="Name the uncommitted files of the project, as JSON.",
        parameters=schema_of(NoArguments),
        timeout_s=4 * GIT_S,
    )

    def __init__(self, git: Git) -> None:
        self._git = git

    def target(self, arguments: Mapping[str, JsonValue]) -> ToolTarget:
        """Return the project."""
        read_arguments(NoArguments, arguments)
        return ToolTarget(action="get_changed_files", shown="git status", paths=(".",))

    async def call(self, arguments: Mapping[str, JsonValue], *, target: ToolTarget) -> ToolReturn:
        """Ask git."""
        changes = await self._git.changes()
        listed = [{"path": one.path, "status": one.status} for one in changes[:MAX_CHANGED]]
        text = json.dumps(listed, ensure_ascii=False)
        if len(changes) > MAX_CHANGED:
            text += f"\n[cut: {MAX_CHANGED:,} of {len(changes):,} files]"
        return ToolReturn(text=text, details={"files": len(changes)})
