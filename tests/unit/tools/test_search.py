from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.tools.search import MAX_FILE_BYTES, SearchFiles

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.tools.conftest import Use

posix = pytest.mark.skipif(os.name == "nt", reason="needs links and scripts")
RIPGREP = shutil.which("rg")


@pytest.fixture(params=["plain", "ripgrep"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search without ripgrep, and with it where it is installed."""
    if request.param == "ripgrep":
        if RIPGREP is None:
            pytest.skip("ripgrep is not installed")
        return "ripgrep"
    monkeypatch.setenv("PATH", os.sep + "nowhere")
    return "plain"


@pytest.fixture
def project(root: Path) -> Path:
    for name, text in {
        "a.py": "import os\nneedle = 1\n",
        "src/b.md": "no\nthe needle here\n",
        ".env": "needle=canary-secret",
        "keys/id_rsa": "needle canary-secret",
        ".git/config": "needle",
        "node_modules/x.js": "needle",
        "ignored.log": "needle",
        ".gitignore": "*.log\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "bin.dat").write_bytes(b"needle\0")
    (root / "big.txt").write_text("needle" + "x" * MAX_FILE_BYTES)
    return root


@posix
@pytest.mark.usefixtures("engine")
async def test_lines_are_found_and_secrets_and_ignored_files_are_not(
    project: Path, use: Use
) -> None:
    (project / "out").symlink_to(project.parent / "outside")
    (project / "out.txt").symlink_to(project.parent / "outside" / "x.txt")

    lines = (await use(SearchFiles(project), query="needle")).text.split("\n")
    outside = await use(SearchFiles(project), query="canary-outside")

    assert [line for line in lines if not line.startswith("[")] == [
        "a.py:2:needle = 1",
        "src/b.md:2:the needle here",
    ]
    assert "canary" not in outside.text


@pytest.mark.usefixtures("engine")
async def test_globs_and_caps_hold(project: Path, use: Use) -> None:
    only = await use(SearchFiles(project), text="needle", glob="*.md")
    one = await use(SearchFiles(project), query="needle", limit=1)

    assert only.text.split("\n")[0] == "src/b.md:2:the needle here"
    assert one.text.split("\n")[0] == "a.py:2:needle = 1"
    assert "[cut after 1" in one.text


async def test_paths_are_found_by_a_part_of_them(project: Path, use: Use) -> None:
    found = await use(SearchFiles(project), query="B.M", mode="path")
    every = await use(SearchFiles(project), mode="content")

    assert found.text == "src/b.md"
    assert "a.py" in every.text.split("\n")


@posix
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "query",
    ["--pre=./evil", "--pre", "-f/etc/passwd", "--hostname-bin=./evil", "-e", "--", "-uuu",
     "--search-zip", "--config", "--files", "$(touch marker)", "`touch marker`", ";touch marker"],
)  # fmt: skip
async def test_r121_no_query_and_no_glob_becomes_an_option(
    query: str, project: Path, use: Use
) -> None:
    (project / "evil").write_text(f"#!/bin/sh\ntouch {project}/marker\ncat\n")
    (project / "evil").chmod(0o755)

    for arguments in ({"query": query}, {"query": "needle", "glob": query}):
        given = await use(SearchFiles(project), **arguments)
        assert "root:" not in given.text

    assert not (project / "marker").exists()


@posix
async def test_r121_ripgrep_gets_the_query_as_one_word_and_no_configuration(
    project: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.parent / "bin"
    folder.mkdir()
    (folder / "rg").write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.words"\nenv > "$0.env"\nexit 1\n'
    )
    (folder / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(project / "evil"))

    await use(SearchFiles(project), query="--pre=./evil", glob="--pre=./evil")

    words = (folder / "rg.words").read_text().split("\n")
    assert words[0] == "--no-config"
    assert "--regexp=--pre=./evil" in words
    assert "--glob=--pre=./evil" in words
    assert "--pre=./evil" not in words
    assert "RIPGREP_CONFIG_PATH" not in (folder / "rg.env").read_text()


@posix
async def test_a_ripgrep_of_the_project_is_never_run(
    project: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "rg").write_text(f"#!/bin/sh\ntouch {project}/marker\n")
    (project / "rg").chmod(0o755)
    monkeypatch.chdir(project)
    monkeypatch.setenv("PATH", os.pathsep.join([str(project), ".", ""]))

    given = await use(SearchFiles(project), query="needle")

    assert "a.py:2:needle = 1" in given.text
    assert not (project / "marker").exists()


@posix
async def test_what_ripgrep_says_is_shown_only_for_files_that_may_be_read(
    project: Path, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.parent / "bin"
    folder.mkdir()
    lines = ["./.env\\0001:canary", "../outside/x.txt\\0001:canary", "/etc/passwd\\0001:canary",
             "./a.py\\0002:needle", "odd canary"]  # fmt: skip
    body = "".join(f"printf '{line}\\n'\n" for line in lines)
    (folder / "rg").write_text(f"#!/bin/sh\n{body}")
    (folder / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))

    assert (await use(SearchFiles(project), query="x")).text == "a.py:2:needle"


@posix
@pytest.mark.usefixtures("engine")
async def test_an_expression_made_to_be_slow_is_not(root: Path, use: Use) -> None:
    (root / "a.txt").write_text("a" * 5_000 + "!\n")

    given = await use(SearchFiles(root), query="(a+)+$")

    assert not given.is_error


@pytest.mark.usefixtures("engine")
async def test_what_is_no_expression_is_looked_for_as_text(root: Path, use: Use) -> None:
    (root / "a.txt").write_text("first\ncall(x[\n")

    given = await use(SearchFiles(root), query="call(x[")

    assert given.text.split("\n")[0] == "a.txt:2:call(x["
    assert "plain text" in given.text
