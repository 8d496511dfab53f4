from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

import pytest

import braincode_jupyter
from braincode_jupyter.cli import EXIT_FAILED, main
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def session_id(tmp_path: Path) -> str:
    run = braincode_jupyter.run(
        "Why did <b>it</b> fall?",
        roles="librarian,analyst",
        home=tmp_path,
        project_root=tmp_path,
        models=ScriptedModel(),
    )
    return run.session_id


def test_sessions_are_listed(
    tmp_path: Path, session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(tmp_path), "sessions"]) == 0

    assert capsys.readouterr().out.startswith(session_id[:8])


def test_a_session_is_shown_as_text(
    tmp_path: Path, session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(tmp_path), "show", session_id[:6]]) == 0

    assert "Scripted answer of librarian." in capsys.readouterr().out


def test_a_session_is_shown_as_a_page_without_markup_of_the_user(
    tmp_path: Path, session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(tmp_path), "show", session_id, "--html"]) == 0

    page = capsys.readouterr().out
    assert "&lt;b&gt;it&lt;/b&gt;" in page
    assert "<script" not in page


def test_what_cannot_be_done_is_two_lines_and_a_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--home", str(tmp_path), "show", "nope"]) == EXIT_FAILED

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("braincode-jupyter: No session starts with 'nope'.\n")
    assert len(printed.err.splitlines()) == 2


@pytest.mark.parametrize("argv", [[], ["nope"], ["local"], ["show"], ["sessions", "--x"]])
def test_a_wrong_command_line_gets_the_usage(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)

    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: braincode-jupyter")


@pytest.mark.parametrize(
    ("command", "says"),
    [("local list", "Apache-2.0"), ("doctor", "Local servers"), ("sessions", "No sessions yet")],
)
def test_commands_work_in_an_empty_home(
    tmp_path_factory: pytest.TempPathFactory, command: str, says: str
) -> None:
    home = tmp_path_factory.mktemp("cli") / "new"
    printed = StringIO()

    with redirect_stdout(printed):
        assert main(["--home", str(home), *command.split()]) == 0

    assert says in printed.getvalue()
    assert not home.exists()


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["local", "install", "huge"], "No local model is called 'huge'."),
        (["local", "install", "--from", "missing.gguf"], "There is no file"),
    ],
)
def test_weights_that_cannot_be_installed_are_an_error(
    argv: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(argv) == EXIT_FAILED

    assert says in capsys.readouterr().err


def test_a_file_that_is_not_the_weights_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")

    assert main(["local", "install", "tiny", "--from", str(tmp_path / "mine.gguf")]) == EXIT_FAILED

    assert "differ" in capsys.readouterr().err
