from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.checks_file import check_subjects, read_checks
from braincode_jupyter.home.trust import approve, read_approvals

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.brain.checks import CheckSetup

COMMAND = ["python", "check.py"]


def write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def project(tmp_path: Path, **document: object) -> Path:
    root = tmp_path / "p"
    write(root / ".braincode" / "checks.json", {"trusted": True, **document})
    return root


def read(tmp_path: Path, root: Path, user: dict[str, object] | None = None) -> CheckSetup:
    return read_checks(user or {}, root, approvals=read_approvals(tmp_path))


def names(setup: CheckSetup) -> list[str]:
    return [command.name for command in setup.available]


def trust(tmp_path: Path, root: Path) -> None:
    (subject,) = check_subjects(root)
    approve(tmp_path, subject, now_ms=0)


def test_a_projects_file_lies_over_the_users_once_its_content_is_trusted(tmp_path: Path) -> None:
    root = project(tmp_path, commands={"mine": COMMAND}, timeoutMs=2000)
    (root / "check.py").write_text("pass", encoding="utf-8")
    user: dict[str, object] = {"strategy": "all", "timeoutMs": 9000}

    before = read(tmp_path, root, user)
    trust(tmp_path, root)
    after = read(tmp_path, root, user)

    assert (names(before), before.config.timeout_ms) == ([], 9000)
    assert "inert" in before.note
    assert (names(after), after.config.timeout_ms, after.config.strategy) == (["mine"], 2000, "all")
    assert after.note == ""


def test_a_changed_file_that_a_command_names_makes_it_inert_again(tmp_path: Path) -> None:
    root = project(tmp_path, commands={"mine": COMMAND})
    (root / "check.py").write_text("pass", encoding="utf-8")
    trust(tmp_path, root)
    assert names(read(tmp_path, root)) == ["mine"]

    (root / "check.py").write_text("evil", encoding="utf-8")

    assert names(read(tmp_path, root)) == []


def test_a_file_that_does_not_ask_for_trust_is_inert(tmp_path: Path) -> None:
    root = project(tmp_path, trusted=False, commands={"mine": COMMAND})

    setup = read(tmp_path, root)

    assert names(setup) == []
    assert "trusted" in setup.note


def test_commands_of_the_user_need_no_word_of_the_project(tmp_path: Path) -> None:
    setup = read(tmp_path, tmp_path, {"commands": {"mine": COMMAND}})

    assert (names(setup), setup.note) == (["mine"], "")


def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / ".braincode" / "checks.json").write_text("{", encoding="utf-8")

    with pytest.raises(ConfigurationError, match=r"checks\.json"):
        read(tmp_path, root)


@pytest.mark.parametrize(
    ("lock", "runner"),
    [
        ("bun.lock", "bun"),
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("package-lock.json", "npm"),
    ],
)
def test_scripts_are_run_by_whose_lock_file_there_is(
    tmp_path: Path, lock: str, runner: str
) -> None:
    write(tmp_path / "package.json", {"scripts": {"test": "vitest run", "bad name;": "x", "n": 1}})
    (tmp_path / lock).touch()

    (command,) = read(tmp_path, tmp_path).available

    assert command.words == (runner, "run", "test")
    assert (command.origin, command.text) == ("package.json", "vitest run")


def test_tools_of_python_are_found_where_the_project_configures_them(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\naddopts='-q'\n[tool.ruff]\nline-length=100\n", encoding="utf-8"
    )

    found = {command.name: command for command in read(tmp_path, tmp_path).available}

    assert set(found) == {"pytest", "ruff"}
    assert found["pytest"].words[:3] == ("python", "-m", "pytest")
    assert [found[name].slot for name in ("pytest", "ruff")] == ["test", "lint"]


def test_what_the_user_wrote_stands_before_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

    setup = read(tmp_path, tmp_path, {"commands": {"pytest": ["python", "-m", "pytest", "-x"]}})

    assert [command.words[-1] for command in setup.available] == ["-x"]


@pytest.mark.parametrize("content", [b"", b"[", b"\xff\xfe", b"[tool]\nruff = 1"])
def test_files_of_others_that_cannot_be_read_give_no_checks(tmp_path: Path, content: bytes) -> None:
    for name in ("package.json", "setup.cfg", "tox.ini"):
        (tmp_path / name).write_bytes(content)

    assert names(read(tmp_path, tmp_path)) == []
