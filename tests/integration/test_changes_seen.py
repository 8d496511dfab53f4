"""What a run is found to have changed: from its own records, and from git beside them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.protocol.records import ChangesCollected, ChecksRan, PatchSummed
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from braincode_jupyter.runtime import Run

ToolCall = tuple[str, dict[str, Any]]

PLAN = json.dumps(
    {
        "role": "backend",
        "workers": [{"role": "backend", "goal": "edit", "reason": "r"}],
        "todos": [{"id": "edit", "title": "edit", "role": "backend"}],
    }
)


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    program = shutil.which("git") or "git"
    subprocess.run(  # noqa: S603 - git, with words of the tests
        [program, *identity, *words], cwd=folder, check=True, capture_output=True
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (root / name).write_text(f"# {name}\nvalue = 1\n", encoding="utf-8")
    return root


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "first")
    return project


async def run(project: Path, *calls: ToolCall, **more: object) -> Run:
    reply = Reply(text="unused", tool_calls=calls, then=lambda _: "Done.")
    arguments = RunArguments(
        home=project.parent / "home",
        project_root=project,
        models=ScriptedModel({"router": PLAN, "backend": reply}),
        **{"review": False, "yes": True, **more},
    )
    return await prepare_run("fix the function in a.py", arguments, Sources()).execute()


def edit(path: str, old: str, new: str) -> ToolCall:
    return ("edit_file", {"path": path, "oldString": old, "newString": new})


def make(path: str, content: str) -> ToolCall:
    return ("edit_file", {"path": path, "content": content})


def python(code: str) -> ToolCall:
    return ("exec_command", {"cmd": f'{sys.executable} -c "{code}"'})


def seen(result: Run) -> ChangesCollected:
    (record,) = [r for r in result.records if isinstance(r, ChangesCollected)]
    return record


def states(record: ChangesCollected) -> dict[str, tuple[str, bool]]:
    return {one.path: (one.status, one.is_outside_ledger) for one in record.changed_files}


async def test_without_git_the_records_of_edits_tell(project: Path) -> None:
    patch = "--- a/c.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-# c.py\n-value = 1\n"

    result = await run(
        project,
        edit("a.py", "1", "2"),
        make("new/d.py", "made = True\n"),
        ("apply_patch", {"patch": patch}),
    )

    record = seen(result)
    assert states(record) == {
        "a.py": ("M", False),
        "c.py": ("D", False),
        "new/d.py": ("??", False),
    }
    stats = record.diff_stats
    assert (stats.files_changed, stats.insertions, stats.deletions, stats.untracked_files) == (
        3,
        1,
        3,
        1,
    )
    assert "-value = 1\n+value = 2" in record.diff
    assert [(p.path, p.text) for p in record.previews] == [("new/d.py", "made = True\n")]


async def test_an_edit_of_a_file_that_was_uncommitted_before_counts(repository: Path) -> None:
    (repository / "a.py").write_text("# a.py\nvalue = 7\n", encoding="utf-8")
    (repository / "b.py").write_text("# mine\n", encoding="utf-8")

    result = await run(repository, edit("a.py", "7", "8"))

    record = seen(result)
    assert states(record) == {"a.py": ("M", False)}
    assert "-value = 7\n+value = 8" in record.diff
    assert [one.path for one in record.pre_existing_changed_files] == ["b.py"]


async def test_what_a_command_changed_is_seen_through_git(repository: Path) -> None:
    (repository / "b.py").write_text("# mine\n", encoding="utf-8")
    code = (
        "open('a.py','a').write('more = 2\\n');"
        "open('b.py','a').write('dirty = 3\\n');"
        "open('made.py','w').write('made = 4\\n')"
    )

    result = await run(repository, python(code))

    record = seen(result)
    assert states(record) == {
        "a.py": ("M", True),
        "b.py": ("M", True),
        "made.py": ("??", True),
    }
    assert "+more = 2" in record.diff
    assert "+dirty = 3" in record.diff
    assert record.previews[0].text == "made = 4\n"


async def test_what_was_uncommitted_and_stays_so_is_nobodys_change(repository: Path) -> None:
    (repository / "b.py").write_text("# mine\n", encoding="utf-8")

    result = await run(repository, python("print(1)"))

    record = seen(result)
    assert record.changed_files == ()
    assert [r for r in result.records if isinstance(r, PatchSummed | ChecksRan)] == []


async def test_keys_stand_in_no_diff_and_no_preview(project: Path) -> None:
    key = "sk-proj-" + "a1B2" * 12

    result = await run(project, edit("a.py", "1", f"'{key}'"), make("e.py", f"k = '{key}'\n"))

    assert key not in seen(result).model_dump_json()


async def test_long_diffs_and_binary_files_are_bounded_and_said(project: Path) -> None:
    long = "".join(f"line_{n} = {n}\n" for n in range(9_000))

    result = await run(project, make("a.py", long), make("new.txt", "x" * 20_000))

    record = seen(result)
    assert record.is_diff_truncated
    assert len(record.diff) == 60_000
    assert (len(record.previews[0].text), record.previews[0].is_cut) == (12_000, True)


@pytest.mark.parametrize(
    ("calls", "kind"),
    [
        ((make("README.md", "hello\n"),), "docs-only"),
        ((make("tests/test_a.py", "x = 1\n"),), "test-only"),
        ((edit("a.py", "1", "2"), make("README.md", "hello\n")), "backend"),
        ((make("pyproject.toml", "[project]\n"), edit("a.py", "1", "2")), "package-change"),
    ],
)
async def test_the_kind_of_change_goes_with_its_checks(
    project: Path, calls: tuple[ToolCall, ...], kind: str
) -> None:
    result = await run(project, *calls)

    (checks,) = [r for r in result.records if isinstance(r, ChecksRan)]
    assert (checks.patch_kind, checks.status) == (kind, "skipped")
    assert any("not checked" in warning for warning in map(speaker().said, result.view.warnings))


async def test_a_check_that_never_ends_is_ended_and_fails(project: Path) -> None:
    home = project.parent / "home"
    home.mkdir()
    commands: Mapping[str, list[str]] = {
        "slow": [sys.executable, "-c", "import time; print('began', flush=True); time.sleep(600)"]
    }
    document = {"checks": {"commands": commands, "timeoutMs": 1000}}
    (home / "tools.json").write_text(json.dumps(document), encoding="utf-8")

    result = await run(project, edit("a.py", "1", "2"), roles=("backend",))

    (checks,) = [r for r in result.records if isinstance(r, ChecksRan)]
    (one,) = checks.results
    assert (one.status, one.timed_out, one.exit_code) == ("failed", True, None)


async def test_a_check_that_is_configured_and_not_there_fails(project: Path) -> None:
    home = project.parent / "home"
    home.mkdir()
    document = {"checks": {"scripts": ["gone"], "commands": {"odd": ["no-such-program-4711"]}}}
    (home / "tools.json").write_text(json.dumps(document), encoding="utf-8")

    result = await run(project, edit("a.py", "1", "2"), roles=("backend",))

    (checks,) = [r for r in result.records if isinstance(r, ChecksRan)]
    assert (checks.status, checks.selected_scripts) == ("failed", ("gone",))


async def test_a_changed_definition_of_checks_is_asked_for_again_whatever_was_allowed(
    project: Path,
) -> None:
    home = project.parent / "home"
    home.mkdir()
    document = {"checks": {"commands": {"smoke": [sys.executable, "-c", "print(1)"]}}}
    (home / "tools.json").write_text(json.dumps(document), encoding="utf-8")

    plain = await run(project, edit("a.py", "1", "2"))
    changed = await run(project, make("package.json", "{}\n"))

    def status(result: Run) -> list[str]:
        return [r.status for r in result.records if isinstance(r, ChecksRan)]

    assert status(plain) == ["passed"]
    assert status(changed) == ["skipped"]


async def test_where_nobody_can_say_what_a_command_changed_the_card_says_so(
    project: Path,
) -> None:
    told = await run(project, python("open('made.py','w').close()"))
    silent = await run(project, edit("a.py", "1", "2"))

    unknown = "What commands changed is not known: the project is no git repository."
    assert unknown in map(speaker().said, told.view.warnings)
    assert unknown not in map(speaker().said, silent.view.warnings)


async def test_what_the_user_changes_meanwhile_is_not_the_runs_change(repository: Path) -> None:
    def told(_: object) -> str:
        (repository / "b.py").write_text("# mine\n", encoding="utf-8")
        return "Done."

    reply = Reply(text="unused", tool_calls=(edit("a.py", "1", "2"),), then=told)
    arguments = RunArguments(
        home=repository.parent / "home",
        project_root=repository,
        models=ScriptedModel({"router": PLAN, "backend": reply}),
        review=False,
        yes=True,
    )

    result = await prepare_run("fix the function in a.py", arguments, Sources()).execute()

    assert states(seen(result)) == {"a.py": ("M", False)}
