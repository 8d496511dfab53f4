"""Edits of the primary: on record before they are made, and undone from the session file."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.errors import UsageError
from braincode_jupyter.notebook.undo_text import undo_text
from braincode_jupyter.protocol.edit_records import EditKept
from braincode_jupyter.protocol.outside_records import ToolExecuted
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, undo_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run

ToolCall = tuple[str, dict[str, Any]]

PLAN = json.dumps(
    {
        "role": "statistician",
        "workers": [{"role": "statistician", "goal": "edit", "reason": "r"}],
        "todos": [{"id": "edit", "title": "edit", "role": "statistician"}],
    }
)
EDIT: ToolCall = ("edit_file", {"path": "run.sh", "oldString": "old", "newString": "new"})
MAKE: ToolCall = ("edit_file", {"path": "made.txt", "content": "made\n"})
BEFORE = b"#!/bin/sh\r\necho old\r\n"


def told(returns: Sequence[ToolReturn]) -> str:
    return " ## ".join(one.text for one in returns)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "run.sh").write_bytes(BEFORE)
    (root / "run.sh").chmod(0o750)
    return root


async def run(project: Path, *calls: ToolCall, more: Mapping[str, Any] | None = None) -> Run:
    reply = Reply(text="unused", tool_calls=calls, then=told)
    arguments = RunArguments(
        home=project.parent / "home",
        project_root=project,
        models=ScriptedModel({"router": PLAN, "statistician": reply}),
        review=False,
        **(more if more is not None else {"yes": True}),
    )
    return await prepare_run("change the script", arguments, Sources()).execute()


async def test_an_edit_is_on_record_before_it_is_made_and_undone_to_the_byte(
    project: Path,
) -> None:
    result = await run(project, EDIT, MAKE)

    assert (project / "run.sh").read_bytes() == BEFORE.replace(b"old", b"new")
    assert (project / "made.txt").read_text(encoding="utf-8") == "made\n"
    kept = [r for r in result.records if isinstance(r, EditKept)]
    assert [(r.tool, r.path) for r in kept] == [
        ("edit_file", "run.sh"),
        ("edit_file", "made.txt"),
    ]
    ended = next(
        n
        for n, r in enumerate(result.records)
        if isinstance(r, ToolExecuted) and r.tool_name == "edit_file" and r.event == "end"
    )
    assert result.records.index(kept[0]) < ended

    undone = undo_run(result.session_id, project.parent / "home", project_root=project)

    assert (undone.restored, undone.removed, undone.left) == (("run.sh",), ("made.txt",), ())
    assert (project / "run.sh").read_bytes() == BEFORE
    assert not (project / "made.txt").exists()
    if os.name == "posix":
        assert stat.S_IMODE((project / "run.sh").stat().st_mode) == 0o750


async def test_what_was_changed_since_is_left_alone_and_named(project: Path) -> None:
    result = await run(project, EDIT, MAKE)
    (project / "run.sh").write_text("mine", encoding="utf-8")

    undone = undo_run(result.session_id, project.parent / "home", project_root=project)

    assert undone.left == ("run.sh",)
    assert (project / "run.sh").read_text(encoding="utf-8") == "mine"
    text = undo_text(undone)
    assert "Left alone, changed since or not to be written:\n  run.sh" in text
    assert "Removed, since the run had made them:\n  made.txt" in text


async def test_an_undo_that_was_done_changes_nothing_more(project: Path) -> None:
    result = await run(project, EDIT)
    home = project.parent / "home"

    first = undo_run(result.session_id, home, project_root=project)
    again = undo_run(result.session_id, home, project_root=project)

    assert first == again
    assert (project / "run.sh").read_bytes() == BEFORE


async def test_a_removed_file_comes_back_with_its_mode(project: Path) -> None:
    body = "".join(f"-{line}\n" for line in ("#!/bin/sh", "echo old"))
    (project / "run.sh").write_bytes(BEFORE.replace(b"\r", b""))
    patch = f"--- a/run.sh\n+++ /dev/null\n@@ -1,2 +0,0 @@\n{body}"
    result = await run(project, ("apply_patch", {"patch": patch}))
    assert not (project / "run.sh").exists(), result.answer

    undo_run(result.session_id, project.parent / "home", project_root=project)

    assert (project / "run.sh").read_bytes() == BEFORE.replace(b"\r", b"")
    if os.name == "posix":
        assert stat.S_IMODE((project / "run.sh").stat().st_mode) == 0o750


async def test_another_project_is_never_written(project: Path, tmp_path: Path) -> None:
    result = await run(project, EDIT)
    other = tmp_path / "other"
    other.mkdir()
    (other / "run.sh").write_bytes(BEFORE.replace(b"old", b"new"))

    with pytest.raises(UsageError, match="this notebook is in"):
        undo_run(result.session_id, project.parent / "home", project_root=other)

    assert b"new" in (other / "run.sh").read_bytes()


async def test_without_permission_nothing_is_edited_and_nothing_is_to_be_undone(
    project: Path,
) -> None:
    result = await run(project, EDIT, more={})

    assert (project / "run.sh").read_bytes() == BEFORE
    undone = undo_run(result.session_id, project.parent / "home", project_root=project)
    assert "edited no files" in undo_text(undone)


async def test_what_stood_in_a_file_is_in_no_prompt(project: Path) -> None:
    (project / "run.sh").write_bytes(b"canary-4711 old\n")

    result = await run(project, EDIT)

    assert "canary-4711" in str([r for r in result.records if isinstance(r, EditKept)])
    assert all("canary-4711" not in call.prompt.user for call in result.calls)
    assert "canary-4711" not in result.view.model_dump_json()


async def test_an_open_notebook_is_not_written_and_another_one_is(project: Path) -> None:
    for name in ("open.ipynb", "other.ipynb"):
        (project / name).write_text("{}", encoding="utf-8")
    edits: tuple[ToolCall, ...] = tuple(
        ("edit_file", {"path": name, "content": '{"a": 1}'})
        for name in ("open.ipynb", "other.ipynb")
    )

    await run(project, *edits, more={"yes": True, "open_notebook": project / "open.ipynb"})

    assert (project / "open.ipynb").read_text(encoding="utf-8") == "{}"
    assert (project / "other.ipynb").read_text(encoding="utf-8") == '{"a": 1}'
