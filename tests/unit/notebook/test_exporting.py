from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import braincode_jupyter
from braincode_jupyter.cli import EXIT_FAILED, main
from braincode_jupyter.errors import UsageError
from braincode_jupyter.machine.whole_file import write_whole
from braincode_jupyter.notebook.exporting import export_page
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "Why? <img src=x onerror=alert(1)></title><script>alert(2)</script>"


@pytest.fixture
def session_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    run = braincode_jupyter.run(
        HOSTILE,
        roles="librarian,analyst",
        home=tmp_path / "home",
        project_root=tmp_path,
        models=ScriptedModel({"analyst": HOSTILE}),
    )
    return run.session_id


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def test_a_session_becomes_one_page_named_after_it(
    tmp_path: Path, session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(tmp_path / "home"), "export", session_id[:8]]) == 0

    name = f"braincode-{session_id[:8]}.html"
    assert files(tmp_path) == [name]
    assert name in capsys.readouterr().out
    page = (tmp_path / name).read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Content-Security-Policy" in page
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in page
    assert "<script" not in page
    assert "<img" not in page


def test_a_page_that_is_there_is_kept_unless_told_to_replace_it(
    tmp_path: Path, session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "run.html"
    page.write_text("mine", encoding="utf-8")
    command = ["--home", str(tmp_path / "home"), "export", session_id, "--html", str(page)]

    assert main(command) == EXIT_FAILED
    assert "--force" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == "mine"

    assert main([*command, "--force"]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert files(tmp_path) == ["run.html"]


@pytest.mark.parametrize("name", ["analysis.ipynb", "run.py", "run", ".bashrc"])
def test_only_a_page_is_written(tmp_path: Path, session_id: str, name: str) -> None:
    with pytest.raises(UsageError, match="no name of a page"):
        export_page(session_id, home=tmp_path / "home", file=tmp_path / name, may_replace=True)

    assert files(tmp_path) == []


def test_a_folder_that_is_missing_is_named_in_one_sentence(tmp_path: Path, session_id: str) -> None:
    with pytest.raises(UsageError, match="cannot be written") as error:
        export_page(session_id, home=tmp_path / "home", file=tmp_path / "no" / "run.html")

    assert "folder" in error.value.hint


def test_a_link_is_replaced_and_what_it_points_at_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "run.html"
    target.write_text("mine", encoding="utf-8")
    try:
        os.symlink(target, link)
    except OSError:
        pytest.skip("no links may be made here")

    write_whole(link, b"page", may_replace=True)

    assert target.read_text(encoding="utf-8") == "mine"
    assert not link.is_symlink()
    assert link.read_bytes() == b"page"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "run.html").mkdir()

    with pytest.raises(UsageError):
        write_whole(tmp_path / "run.html", b"page", may_replace=True)

    assert files(tmp_path) == []
