from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import UsageError
from braincode_jupyter.tools.git import ChangedFiles, Git, GitDiff

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.tools.conftest import Use

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(os.name == "nt", reason="the hostile programs are shell scripts"),
]


def git(folder: Path, *words: str) -> None:
    program = shutil.which("git") or "git"
    subprocess.run(  # noqa: S603 - git, with words of the tests
        [program, "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(folder)},
    )


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q")
    (root / "a.txt").write_text("one\n")
    (root / "b.txt").write_text("one\n")
    (root / ".env").write_text("KEY=canary-old\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    (root / "a.txt").write_text("two\n")
    (root / ".env").write_text("KEY=canary-new\n")
    (root / "new é.txt").write_text("")
    return root


async def test_changes_and_diffs_are_shown(repository: Path, use: Use) -> None:
    wrapper = Git(repository)

    changed = json.loads((await use(ChangedFiles(wrapper))).text)
    diff = await use(GitDiff(wrapper, repository))
    counts = await use(GitDiff(wrapper, repository), summary=True, file="a.txt")
    staged = await use(GitDiff(wrapper, repository), cached=True)

    assert {"path": "a.txt", "status": " M"} in changed
    assert {"path": "new é.txt", "status": "??"} in changed
    assert "-one\n+two" in diff.text
    assert "1 insertion" in counts.text
    assert staged.text == "Nothing was changed."


async def test_r30_secrets_are_named_and_not_shown(repository: Path, use: Use) -> None:
    diff = await use(GitDiff(Git(repository), repository))
    named = await use(GitDiff(Git(repository), repository), path=".env")

    assert "canary" not in diff.text
    assert "[.env changed" in diff.text
    assert named.is_error


async def test_only_what_is_below_the_project_is_shown(repository: Path, use: Use) -> None:
    (repository / "sub").mkdir()
    (repository / "sub" / "c.txt").write_text("one\n")
    git(repository, "add", "sub")
    git(repository, "commit", "-qm", "second", "--", "sub")
    (repository / "sub" / "c.txt").write_text("two\n")
    wrapper = Git(repository / "sub")

    changed = json.loads((await use(ChangedFiles(wrapper))).text)
    diff = (await use(GitDiff(wrapper, repository / "sub"))).text

    assert changed == [{"path": "c.txt", "status": " M"}]
    assert "c.txt" in diff
    assert "a.txt" not in diff


HOSTILE = {
    "core.fsmonitor": "{evil}",
    "core.hooksPath": "{folder}",
    "core.pager": "{evil}",
    "core.editor": "{evil}",
    "core.sshCommand": "{evil}",
    "core.askPass": "{evil}",
    "core.attributesFile": "{folder}/attributes",
    "core.worktree": "/",
    "diff.external": "{evil}",
    "diff.x.command": "{evil}",
    "diff.x.textconv": "{evil}",
    "filter.x.clean": "{evil}",
    "filter.x.smudge": "{evil}",
    "filter.x.process": "{evil}",
    "filter.x.required": "true",
    "alias.status": "!{evil}",
    "alias.diff": "!{evil}",
    "pager.diff": "{evil}",
    "pager.status": "{evil}",
    "credential.helper": "{evil}",
    "gpg.program": "{evil}",
    "interactive.diffFilter": "{evil}",
    "include.path": "../hidden",
    "merge.x.driver": "{evil}",
    "remote.origin.uploadpack": "{evil}",
    "remote.origin.promisor": "true",
    "extensions.partialClone": "origin",
    "sequence.editor": "{evil}",
    "trailer.x.command": "{evil}",
    "some.future-program": "{evil}",
}


def plant(root: Path) -> str:
    """Put a program into the project that leaves a mark when it is run."""
    evil = root / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{root.parent}/marker'\ncat\n")
    evil.chmod(0o755)
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        shutil.copy(evil, root / ".git" / "hooks" / name)
        shutil.copy(evil, root / name)
    (root / ".gitattributes").write_text("* diff=x filter=x merge=x\n")
    (root / "attributes").write_text("* diff=x filter=x\n")
    (root / "hidden").write_text(f"[diff]\nexternal = {evil}\n[core]\nfsmonitor = {evil}\n")
    return str(evil)


async def use_all(root: Path, use: Use, wrapper: Git) -> list[str]:
    calls = [
        await use(ChangedFiles(wrapper)),
        await use(GitDiff(wrapper, root)),
        await use(GitDiff(wrapper, root), staged=True, stat=True),
        await use(GitDiff(wrapper, root), path="a.txt"),
    ]
    return [given.text for given in calls if given.is_error]


@pytest.mark.parametrize("name", HOSTILE)
async def test_r120_a_repository_that_names_a_program_runs_none(
    name: str, repository: Path, use: Use
) -> None:
    evil = plant(repository)
    git(repository, "config", name, HOSTILE[name].format(evil=evil, folder=repository))

    refused = await use_all(repository, use, Git(repository))

    assert len(refused) == 4
    assert name.lower() in refused[0].lower()
    assert "git is off in this project" in refused[0]
    assert not (repository.parent / "marker").exists()


@pytest.mark.parametrize("name", ["core.fsmonitor", "diff.external", "filter.x.clean"])
def test_the_planted_programs_do_run_under_plain_git(name: str, repository: Path) -> None:
    evil = plant(repository)
    git(repository, "config", name, HOSTILE[name].format(evil=evil, folder=repository))

    git(repository, "diff")

    assert (repository.parent / "marker").exists()


async def test_r120_hooks_and_attributes_alone_run_nothing(repository: Path, use: Use) -> None:
    plant(repository)

    assert await use_all(repository, use, Git(repository)) == []
    assert not (repository.parent / "marker").exists()


async def test_worktree_configuration_counts_too(repository: Path, use: Use) -> None:
    evil = plant(repository)
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(repository, "config", "--worktree", "core.fsmonitor", evil)

    assert len(await use_all(repository, use, Git(repository))) == 4
    assert not (repository.parent / "marker").exists()


@pytest.mark.parametrize("kind", ["file", "link"])
async def test_a_git_folder_elsewhere_is_not_shown(kind: str, repository: Path, use: Use) -> None:
    theirs = repository.parent / "cloned"
    theirs.mkdir()
    if kind == "file":
        (theirs / ".git").write_text(f"gitdir: {repository}/.git\n")
    else:
        (theirs / ".git").symlink_to(repository / ".git")

    refused = await use_all(theirs, use, Git(theirs))

    assert len(refused) == 4
    assert ".git leads to" in refused[0]


async def test_a_worktree_of_ones_own_is_shown(repository: Path, use: Use, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "tree" / "a.txt").write_text("three\n")

    diff = await use(GitDiff(Git(tmp_path / "tree"), tmp_path / "tree"))

    assert "+three" in diff.text


@pytest.mark.parametrize(
    "path",
    ["--output=x", "--ext-diff", "-O./evil", ":(top)a.txt", "../outside", "a\0b", "~/x", "/etc"],
)
async def test_r121_no_path_becomes_an_option_or_leaves_the_project(
    path: str, repository: Path, use: Use
) -> None:
    before = names(repository)

    given = await use(GitDiff(Git(repository), repository), path=path)

    assert given.is_error or given.text == "Nothing was changed."
    assert names(repository) == before


async def test_without_a_repository_or_git_there_is_a_reason(
    root: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = await use(ChangedFiles(Git(root)))
    assert given.is_error
    assert "not a git repository" in given.text

    monkeypatch.setenv("PATH", os.sep + "nowhere")
    with pytest.raises(UsageError, match="not installed"):
        await Git(root).changes()


async def test_looking_changes_no_byte_of_the_repository(repository: Path, use: Use) -> None:
    index = repository / ".git" / "index"
    before = (index.read_bytes(), index.stat().st_mtime_ns)
    os.utime(repository / "b.txt")

    await use_all(repository, use, Git(repository))

    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
