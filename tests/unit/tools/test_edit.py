"""Edits, patches and their undoing: exact, recorded first, never through a link."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.protocol.tools import ToolRefused
from braincode_jupyter.tools.changes import EditRecord, EditRules
from braincode_jupyter.tools.edit import EditFile
from braincode_jupyter.tools.group import ToolGroup
from braincode_jupyter.tools.patch import ApplyPatch
from braincode_jupyter.tools.undo import undo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.unit.tools.conftest import Use

posix = pytest.mark.skipif(os.name == "nt", reason="needs links and modes")


class Kept:
    """What was recorded, and what stood in the project at that moment."""

    def __init__(self, root: Path) -> None:
        self.records: list[EditRecord] = []
        self.stood: list[bytes | None] = []
        self._root = root

    def __call__(self, records: Sequence[EditRecord]) -> None:
        for record in records:
            path = self._root / record.path
            self.stood.append(path.read_bytes() if path.exists() else None)
        self.records += records


@pytest.fixture
def kept(root: Path) -> Kept:
    return Kept(root)


@pytest.fixture
def edit(root: Path, kept: Kept) -> EditFile:
    return EditFile(EditRules(root=root, keep=kept))


@pytest.fixture
def patch(root: Path, kept: Kept) -> ApplyPatch:
    return ApplyPatch(EditRules(root=root, keep=kept))


async def test_a_piece_is_replaced_and_a_file_is_made(root: Path, edit: EditFile, use: Use) -> None:
    (root / "a.py").write_text("x = 1\ny = 2\n")

    await use(edit, path="a.py", oldString="x = 1", newString="x = $1\\1")
    await use(edit, file="src/new/b.py", content="new\n")
    await use(edit, path="a.py", old="2", new="3", content="ignored")

    assert (root / "a.py").read_text() == "x = $1\\1\ny = 3\n"
    assert (root / "src" / "new" / "b.py").read_text() == "new\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"oldString": "none", "newString": "x"}, "not in"),
        ({"oldString": "one", "newString": "x"}, "2 times"),
        ({"oldString": "", "newString": "x"}, "not in"),
        ({}, "Give oldString"),
        ({"content": "one\none\n"}, "Nothing would change"),
        ({"content": "\ud800"}, "unicode"),
        ({"content": "a\0"}, "NUL"),
        ({"content": 1}, "content"),
        ({"content": "x", "replaceAll": "yes"}, "replaceAll"),
    ],
)
async def test_an_edit_that_is_not_exact_is_refused(
    arguments: dict[str, object], reason: str, *, root: Path, edit: EditFile, use: Use
) -> None:
    (root / "a.txt").write_text("one\none\n")

    given = await use(edit, path="a.txt", **arguments)

    assert given.is_error
    assert reason in given.text
    assert (root / "a.txt").read_text() == "one\none\n"


async def test_all_pieces_are_replaced_when_asked(root: Path, edit: EditFile, use: Use) -> None:
    (root / "a.txt").write_text("one\none\n")

    await use(edit, path="a.txt", oldString="one", newString="1", replaceAll=True)

    assert (root / "a.txt").read_text() == "1\n1\n"


@posix
async def test_r33_line_ends_and_mode_are_kept(root: Path, edit: EditFile, use: Use) -> None:
    (root / "a.sh").write_bytes(b"one\r\ntwo\r\n")
    (root / "a.sh").chmod(0o751)

    await use(edit, path="a.sh", oldString="one\ntwo", newString="1\n2")
    assert (root / "a.sh").read_bytes() == b"1\r\n2\r\n"
    await use(edit, path="a.sh", content="x\ny\n")

    assert (root / "a.sh").read_bytes() == b"x\r\ny\r\n"
    assert stat.S_IMODE((root / "a.sh").stat().st_mode) == 0o751


async def test_r36_what_stood_there_is_recorded_before_it_is_changed(
    *, root: Path, edit: EditFile, kept: Kept, use: Use
) -> None:
    (root / "a.txt").write_text("old")

    await use(edit, path="a.txt", content="new")

    assert kept.stood == [b"old"]
    assert [(one.path, one.before, one.after) for one in kept.records] == [
        ("a.txt", b"old", b"new")
    ]


async def test_r107_nothing_is_changed_when_it_cannot_be_recorded(root: Path, use: Use) -> None:
    def fail(_records: Sequence[EditRecord]) -> None:
        raise OSError(28, "No space left on device")

    (root / "a.txt").write_text("old")
    given = await use(EditFile(EditRules(root=root, keep=fail)), path="a.txt", content="new")

    assert given.is_error
    assert (root / "a.txt").read_text() == "old"


async def test_r33_r48_a_file_changed_since_the_decision_is_left_alone(
    root: Path, edit: EditFile, kept: Kept
) -> None:
    (root / "a.txt").write_text("old")
    group, arguments = ToolGroup([edit]), {"path": "a.txt", "content": "new"}
    target = group.target("edit_file", arguments)
    (root / "a.txt").write_text("theirs")

    with pytest.raises(ToolRefused, match="changed since"):
        await group.call("edit_file", arguments, target=target)
    with pytest.raises(ToolRefused, match="changed since"):
        await group.call("edit_file", {**arguments, "content": "other"}, target=target)

    assert (root / "a.txt").read_text() == "theirs"
    assert kept.records == []


def test_the_person_sees_the_exact_change_at_its_resolved_place(root: Path, edit: EditFile) -> None:
    (root / "a.txt").write_text("one\ntwo\n")

    target = edit.target({"path": "sub/../a.txt", "oldString": "two", "newString": "2"})

    assert target.paths == ("a.txt",)
    assert target.shown.split("\n")[2:] == ["@@ -1,2 +1,2 @@", " one", "-two", "+2"]
    assert target.before_sha256 is not None
    assert target.asks_because == ""


@posix
async def test_r27_links_are_refused_and_second_names_ask(
    root: Path, edit: EditFile, use: Use
) -> None:
    (root / "a.txt").write_text("old")
    (root / "link").symlink_to(root / "a.txt")
    (root / "out").symlink_to(root.parent / "outside" / "x.txt")
    os.link(root / "a.txt", root / "hard.txt")
    (root / "locked").write_text("old")
    (root / "locked").chmod(0o444)

    for path in ("link", "out"):
        assert (await use(edit, path=path, content="new")).is_error
    assert "2 names" in edit.target({"path": "a.txt", "content": "new"}).asks_because
    assert "protected" in edit.target({"path": "locked", "content": "new"}).asks_because
    assert (root.parent / "outside" / "x.txt").read_text() == "canary-outside"


@posix
@pytest.mark.parametrize(
    "path",
    ["../outside/x.txt", "../outside/new.txt", "/etc/passwd", "~/.bashrc", ".env", "id_rsa", "fifo",
     "folder", "", ".", "a\0b", "a\u202egpj.py", "folder/../../outside/n", "auth.json"],
)  # fmt: skip
async def test_places_that_no_edit_goes_to(
    path: str, *, root: Path, edit: EditFile, kept: Kept, use: Use
) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "fifo")

    assert (await use(edit, path=path, content="new")).is_error

    assert kept.records == []
    assert [entry.name for entry in (root.parent / "outside").iterdir()] == ["x.txt"]


async def test_r32_no_tool_writes_the_open_notebook(root: Path, kept: Kept, use: Use) -> None:
    (root / "open.ipynb").write_text("{}")
    known = EditFile(EditRules(root=root, keep=kept, open_notebook=root / "open.ipynb"))
    unknown = EditFile(EditRules(root=root, keep=kept))

    assert "open" in (await use(known, path="open.ipynb", content="[]")).text
    assert (await use(unknown, path="other.IPYNB", content="[]")).is_error
    assert not (await use(known, path="other.ipynb", content="[]")).is_error
    assert (root / "open.ipynb").read_text() == "{}"


_BOTH = """\
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-one
+1
--- /dev/null
+++ b/sub/new.txt
@@ -0,0 +1 @@
+new
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""


def plant(root: Path) -> None:
    (root / "a.txt").write_text("one\n")
    (root / "gone.txt").write_text("gone\n")


async def test_a_patch_changes_makes_and_removes_files_and_can_be_undone(
    *, root: Path, patch: ApplyPatch, kept: Kept, use: Use
) -> None:
    plant(root)
    (root / "gone.txt").chmod(0o640)

    given = await use(patch, diff=_BOTH)

    assert not given.is_error
    assert (root / "a.txt").read_text() == "1\n"
    assert (root / "sub" / "new.txt").read_text() == "new\n"
    assert not (root / "gone.txt").exists()

    undone = undo(kept.records, root=root)

    assert set(undone.restored) == {"a.txt", "sub/new.txt", "gone.txt"}
    assert undone.left == ()
    assert (root / "a.txt").read_text() == "one\n"
    assert not (root / "sub" / "new.txt").exists()
    assert (root / "gone.txt").read_text() == "gone\n"
    if os.name == "posix":
        assert stat.S_IMODE((root / "gone.txt").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "broken",
    [
        _BOTH.replace("-gone", "-other"),
        _BOTH.replace("b/sub/new.txt", "b/../new.txt"),
        _BOTH.replace("b/sub/new.txt", "b/.env"),
        _BOTH.replace("b/sub/new.txt", "b/x.ipynb"),
        _BOTH.replace("b/sub/new.txt", "b/a.txt"),
        _BOTH + "rubbish\n",
    ],
)
async def test_r34_a_patch_of_which_one_part_is_refused_writes_nothing(
    broken: str, *, root: Path, patch: ApplyPatch, kept: Kept, use: Use
) -> None:
    plant(root)

    assert (await use(patch, patch=broken)).is_error

    assert sorted(entry.name for entry in root.iterdir()) == ["a.txt", "gone.txt"]  # noqa: ASYNC240 - a test
    assert (root / "a.txt").read_text() == "one\n"
    assert kept.records == []


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root writes everywhere")
async def test_a_patch_that_fails_half_way_is_put_back(
    root: Path, patch: ApplyPatch, use: Use
) -> None:
    plant(root)
    (root / "sub").mkdir(mode=0o555)

    assert (await use(patch, patch=_BOTH)).is_error
    assert (root / "a.txt").read_text() == "one\n"


async def test_a_patch_whose_second_file_is_exchanged_is_put_back(root: Path, use: Use) -> None:
    plant(root)

    def exchange(_records: Sequence[EditRecord]) -> None:
        (root / "gone.txt").write_text("theirs\n")

    given = await use(ApplyPatch(EditRules(root=root, keep=exchange)), patch=_BOTH)

    assert given.is_error
    assert (root / "a.txt").read_text() == "one\n"
    assert not (root / "sub" / "new.txt").exists()
    assert (root / "gone.txt").read_text() == "theirs\n"


async def test_undo_leaves_what_was_changed_since(
    *, root: Path, edit: EditFile, kept: Kept, use: Use
) -> None:
    (root / "a.txt").write_text("1")
    (root / "b.txt").write_text("1")
    for path in ("a.txt", "b.txt"):
        await use(edit, path=path, content="2")
        await use(edit, path=path, content="3")
    (root / "b.txt").write_text("mine")

    undone = undo(kept.records, root=root)

    assert (undone.restored, undone.left) == (("a.txt",), ("b.txt",))
    assert (root / "a.txt").read_text() == "1"
    assert (root / "b.txt").read_text() == "mine"
