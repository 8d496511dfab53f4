from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.writing import MAX_EDIT_BYTES, find_place, remove, replace

posix = pytest.mark.skipif(os.name == "nt", reason="needs links and modes")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.txt").write_text("theirs")
    return folder


def leftovers(root: Path) -> list[str]:
    return [path.name for path in root.rglob("*.tmp")]


def test_a_new_file_gets_its_folders(root: Path) -> None:
    replace(find_place("a/b/c.txt", root=root), b"new")

    assert (root / "a" / "b" / "c.txt").read_bytes() == b"new"
    assert leftovers(root) == []


@posix
def test_r33_the_mode_of_a_file_is_kept_and_extra_bits_are_not(root: Path) -> None:
    (root / "run.sh").write_text("old")
    (root / "run.sh").chmod(0o4750)

    replace(find_place("run.sh", root=root), b"new")

    assert (root / "run.sh").read_bytes() == b"new"
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o750


def test_r33_a_file_that_was_changed_meanwhile_stays(root: Path) -> None:
    (root / "a.txt").write_text("old")
    place = find_place("a.txt", root=root)
    (root / "a.txt").write_text("theirs")

    for change in (lambda: replace(place, b"mine"), lambda: remove(place)):
        with pytest.raises(UsageError, match="meanwhile"):
            change()

    assert (root / "a.txt").read_text() == "theirs"
    assert leftovers(root) == []


def test_a_file_that_was_made_meanwhile_stays(root: Path) -> None:
    place = find_place("a.txt", root=root)
    (root / "a.txt").write_text("theirs")

    with pytest.raises(UsageError):
        replace(place, b"mine")

    assert (root / "a.txt").read_text() == "theirs"


@posix
def test_r27_a_write_never_goes_through_a_link(root: Path) -> None:
    (root / "a.txt").write_text("old")
    (root / "inner").symlink_to(root / "a.txt")
    (root / "outer").symlink_to(root.parent / "outside" / "x.txt")
    (root / "dangling").symlink_to(root / "none")
    (root / "folder").symlink_to(root.parent / "outside")
    (root / "sub").mkdir()
    (root / "hop").symlink_to(root / "sub")
    (root / "sub" / "link").symlink_to(root / "a.txt")

    for target in (
        "inner",
        "outer",
        "dangling",
        "folder/x.txt",
        "folder/new",
        "hop/link",
        "folder",
    ):
        with pytest.raises(UsageError):
            find_place(target, root=root)
    assert find_place("hop/new.txt", root=root).relative == "sub/new.txt"


@posix
def test_r26_a_folder_that_is_exchanged_for_a_link_is_not_followed(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "a.txt").write_text("old")
    old, new = find_place("sub/a.txt", root=root), find_place("sub/b.txt", root=root)
    (root / "sub").rename(root / "moved")
    (root / "sub").symlink_to(root.parent / "outside")

    for place in (old, new):
        with pytest.raises((OSError, UsageError)):
            replace(place, b"mine")
        with pytest.raises((OSError, UsageError)):
            remove(place)

    assert sorted(p.name for p in (root.parent / "outside").iterdir()) == ["x.txt"]


@posix
@pytest.mark.parametrize("kind", ["fifo", "folder"])
def test_r28_special_files_are_refused_without_waiting(kind: str, root: Path) -> None:
    os.mkfifo(root / "x") if kind == "fifo" else (root / "x").mkdir()

    with pytest.raises(UsageError):
        find_place("x", root=root)


@posix
def test_r27_a_second_name_is_told(root: Path) -> None:
    (root / "a.txt").write_text("old")
    os.link(root / "a.txt", root / "b.txt")

    assert find_place("a.txt", root=root).names == 2


@pytest.mark.parametrize(
    "target",
    ["", ".", "..", "a/..", "a/.", "x/", "~/x", "a\0b", "a\u202eb", ".env", "../x", "/etc/x"],
)
def test_places_that_no_write_goes_to(target: str, root: Path) -> None:
    with pytest.raises(UsageError):
        find_place(target, root=root)


def test_what_is_too_large_is_refused_in_both_directions(root: Path) -> None:
    (root / "big").write_bytes(b"x" * (MAX_EDIT_BYTES + 1))

    with pytest.raises(UsageError, match="larger"):
        find_place("big", root=root)
    with pytest.raises(UsageError, match="larger"):
        replace(find_place("new", root=root), b"x" * (MAX_EDIT_BYTES + 1))
    assert not (root / "new").exists()


_PARTS = st.sampled_from([
    "..", ".", "", "a", "A", "link", "inner", "sub", "x.txt", "project-secret", "~", "C:", "\\",
    "..\\..",
    "\0", "\u200b", ".env", "%2e%2e", "proc", "etc", "passwd", "outside", "…", "a" * 300, "*",
    "-rf",
])  # fmt: skip


@posix
@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    paths=st.lists(
        st.tuples(st.sampled_from(["", "/", "//", "./"]), st.lists(_PARTS, max_size=6)),
        min_size=10,
        max_size=10,
    )
)
def test_5_000_hostile_paths_never_leave_the_project(
    paths: list[tuple[str, list[str]]], root: Path
) -> None:
    for name, target in (("link", root.parent / "outside"), ("inner", root / "sub")):
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)
    (root / "sub").mkdir(exist_ok=True)

    for prefix, parts in paths:
        try:
            place = find_place(prefix + "/".join(parts), root=root)
        except (UsageError, OSError):
            continue
        assert Path(os.path.realpath(place.path)) == place.path
        assert place.path.is_relative_to(root.resolve())
        assert place.path != root.resolve()

    assert [p.name for p in (root.parent / "outside").iterdir()] == ["x.txt"]
