from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.protocol.tools import ToolRefused
from braincode_jupyter.tools.files import MAX_WINDOW_BYTES, ListFiles, ReadFile
from braincode_jupyter.tools.group import MAX_RETURN_BYTES, ToolGroup

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.tools.conftest import Use

posix = pytest.mark.skipif(os.name == "nt", reason="needs links and FIFOs")


async def test_a_listing_is_sorted_and_leaves_out_what_is_ignored(root: Path, use: Use) -> None:
    for name in ("b.py", "a.py", "src/c.py", ".git/config", "node_modules/x.js",
                 "out/log.txt", "keep.log", "x.log", "sub/.gitignore",
                 "sub/own.txt", "sub/deep/own.txt"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / ".gitignore").write_text("*.log\n!keep.log\n/out/\n")
    (root / "sub" / ".gitignore").write_text("/own.txt\n")

    given = await use(ListFiles(root))

    assert given.text.split("\n") == [
        ".gitignore", "a.py", "b.py", "keep.log", "src/c.py", "sub/.gitignore", "sub/deep/own.txt",
    ]  # fmt: skip
    assert (await use(ListFiles(root), dir="src", pattern="*.py")).text == "src/c.py"
    assert (await use(ListFiles(root), glob="none")).text == "No file matches."


async def test_a_listing_says_where_it_was_cut(root: Path, use: Use) -> None:
    for number in range(5):
        (root / f"f{number}").write_text("")

    given = await use(ListFiles(root), maxFiles=2)

    assert given.text.split("\n")[:2] == ["f0", "f1"]
    assert "[cut after 2 files" in given.text
    assert given.details["cut"] is True


@posix
async def test_r35_a_listing_skips_links_out_of_the_project_and_loops(root: Path, use: Use) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "a").write_text("")
    (root / "out").symlink_to(root.parent / "outside")
    (root / "out.txt").symlink_to(root.parent / "outside" / "x.txt")
    (root / "in.txt").symlink_to(root / "sub" / "a")
    (root / "sub" / "loop").symlink_to(root)
    os.mkfifo(root / "fifo")
    (root / "evil\nname").write_text("")

    assert (await use(ListFiles(root))).text.split("\n") == ["in.txt", "sub/a"]


async def test_a_window_is_read_and_names_the_next_one(root: Path, use: Use) -> None:
    (root / "a.txt").write_text("0123456789")

    first = await use(ReadFile(root), path="a.txt", limit=4)
    rest = await use(ReadFile(root), file="./a.txt", offset=4)

    assert first.text == "[a.txt: bytes 0 to 4 of 10; next offset 4]\n0123"
    assert first.details["nextOffset"] == 4
    assert rest.text == "[a.txt: bytes 4 to 10 of 10]\n456789"
    assert "nextOffset" not in rest.details


async def test_a_small_window_of_a_large_file_is_raised(root: Path, use: Use) -> None:
    (root / "a.txt").write_text("x" * 100_000)

    given = await use(ReadFile(root), path="a.txt", limit=10)
    whole = await use(ReadFile(root), path="a.txt", maxBytes=10_000_000)

    assert (given.details["limit"], given.details["limitExpanded"]) == (32_000, True)
    assert whole.details["nextOffset"] == MAX_WINDOW_BYTES
    assert len(whole.text.encode()) <= MAX_RETURN_BYTES


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(alphabet="aé€😀\n", min_size=1, max_size=40), limit=st.integers(1, 9))
async def test_windows_put_together_are_the_file(
    text: str, limit: int, *, root: Path, use: Use
) -> None:
    (root / "a.txt").write_bytes(text.encode())
    offset, parts = 0, list[str]()
    while True:
        given = await use(ReadFile(root), path="a.txt", offset=offset, limit=limit)
        parts.append(given.text.split("\n", 1)[1])
        following = given.details.get("nextOffset")
        if not isinstance(following, int):
            break
        assert following > offset
        offset = following

    if limit >= 4:
        assert "".join(parts) == text


@posix
@pytest.mark.parametrize(
    "target",
    ["../outside/x.txt", "../project-secret/x.txt", "out.txt", "out/x.txt", "/etc/passwd", ".env",
     "keys/id_rsa", "fifo", "/proc/self/environ", "/dev/zero", "~/.ssh/id_rsa", "a\0b", "", "sub",
     "binary", "none.txt", "OUT/../../outside/x.txt", "project/../../outside/x.txt"],
)  # fmt: skip
async def test_what_read_file_refuses(target: str, root: Path, use: Use) -> None:
    (root / "out.txt").symlink_to(root.parent / "outside" / "x.txt")
    (root / "out").symlink_to(root.parent / "outside")
    (root / "sub").mkdir()
    (root / "keys").mkdir()
    for name in (".env", "keys/id_rsa"):
        (root / name).write_text("canary-secret")
    (root / "binary").write_bytes(b"a\0b")
    os.mkfifo(root / "fifo")

    given = await use(ReadFile(root), path=target)

    assert given.is_error
    assert "canary" not in given.text


async def test_a_missing_file_names_near_ones(root: Path, use: Use) -> None:
    (root / "analysis.py").write_text("")

    assert "'analysis.py'" in (await use(ReadFile(root), path="analysys.py")).text


@pytest.mark.parametrize(
    "arguments",
    [{}, {"path": 1}, {"path": "a", "offset": -1}, {"path": "a", "offset": "1"},
     {"path": "a", "limit": True}, {"path": "a", "odd": 1}, {"path": "a", "encoding": "latin1"},
     {"path": ["a"]}, {"path": "a" * 5_000}],
)  # fmt: skip
async def test_wrong_arguments_are_refused_and_the_right_ones_named(
    arguments: dict[str, object], root: Path, use: Use
) -> None:
    (root / "a").write_text("x")

    given = await use(ReadFile(root), **arguments)

    assert given.is_error
    assert "Known: path, offset, limit, encoding" in given.text


@posix
async def test_r48_a_file_exchanged_after_the_decision_is_refused(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "a.txt").write_text("mine")
    (root / "sub" / "b.txt").write_text("other")
    group = ToolGroup([ReadFile(root)])
    target = group.target("read_file", {"path": "a.txt"})
    (root / "a.txt").unlink()
    (root / "a.txt").symlink_to(root / "sub" / "b.txt")

    with pytest.raises(ToolRefused, match="changed"):
        await group.call("read_file", {"path": "a.txt"}, target=target)


def test_r10_an_unknown_tool_is_refused_before_its_arguments_are_read(root: Path) -> None:
    with pytest.raises(ToolRefused, match="You have: read_file"):
        ToolGroup([ReadFile(root)]).target("shell", {"odd": object()})  # pyright: ignore[reportArgumentType] - bad on purpose
