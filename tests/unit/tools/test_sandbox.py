from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.tools.sandbox import Sandbox, find_sandbox

if TYPE_CHECKING:
    from pathlib import Path

BUBBLEWRAP = Sandbox(program="/usr/bin/bwrap")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "home" / ".netrc").write_text("machine example")
    (tmp_path / "home" / "venv").mkdir()
    (tmp_path / "home" / ".config" / "venv").mkdir(parents=True)
    return tmp_path / "home"


def pairs(command: list[str], option: str) -> list[str]:
    return [command[i + 1] for i, word in enumerate(command) if word == option]


def test_without_a_program_the_command_is_run_as_it_is(home: Path) -> None:
    command = Sandbox().command(["python", "-P"], home / "work", home=home)

    assert command == ["python", "-P"]
    assert Sandbox().sentence == "separate process, same account"


def test_the_sandbox_has_no_network_one_folder_and_dies_with_us(home: Path) -> None:
    folder = home / "work"

    command = BUBBLEWRAP.command(["python", "-P"], folder, home=home)

    assert command[-3:] == ["--", "python", "-P"]
    assert {"--unshare-all", "--die-with-parent", "--new-session"} <= set(command)
    assert "--share-net" not in command
    assert pairs(command, "--bind") == [str(folder)]
    assert pairs(command, "--chdir") == [str(folder)]
    assert BUBBLEWRAP.sentence == "bubblewrap: no network, read-only files"


def test_places_of_keys_are_emptied_and_cannot_be_written_to(home: Path) -> None:
    command = BUBBLEWRAP.command(["true"], home / "work", home=home)

    emptied = pairs(command, "--tmpfs")
    assert str(home / ".ssh") in emptied
    assert str(home / ".aws") not in emptied
    assert pairs(command, "--remount-ro") == emptied
    position = command.index(str(home / ".netrc"))
    assert command[position - 2 : position] == ["--ro-bind", "/dev/null"]


def test_what_python_needs_is_kept_readable_in_an_emptied_place(home: Path) -> None:
    needed, elsewhere = home / ".config" / "venv", home.parent.parent / "nothing"
    inner = needed / "bin"
    inner.mkdir()

    command = BUBBLEWRAP.command(["true"], home / "w", home=home, kept=[inner, needed, elsewhere])

    assert str(needed) in pairs(command, "--ro-bind")
    assert str(inner) not in command
    assert str(elsewhere) not in command
    assert command.index(str(needed)) > command.index(str(home / ".config"))


def test_the_best_sandbox_is_one_of_two() -> None:
    assert find_sandbox().kind in {"bubblewrap", "process"}
    assert find_sandbox() is find_sandbox()
