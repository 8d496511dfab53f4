from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PLANTED = {
    "braincode_jupyter/utils.py": "",
    "braincode_jupyter/runtime/planted_up.py": "import braincode_jupyter.notebook\n",
    "braincode_jupyter/journal/planted_sideways.py": (
        "def later() -> None:\n    import braincode_jupyter.home\n"
    ),
    "braincode_jupyter/views/planted_input.py": "from pathlib import Path\n",
    "braincode_jupyter/references/planted_cycle_a.py": (
        "import braincode_jupyter.references.planted_cycle_b\n"
    ),
    "braincode_jupyter/references/planted_cycle_b.py": (
        "from typing import TYPE_CHECKING\n\n"
        "if TYPE_CHECKING:\n    import braincode_jupyter.references.planted_cycle_a\n"
    ),
    "braincode_jupyter/models/planted_jupyter.py": (
        "def later() -> None:\n    from IPython import get_ipython\n"
    ),
}
"""One violation of each contract, lazy and type-checking imports among them."""


def _lint(root: Path) -> str:
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as c; c()",
            "--no-cache",
            "--no-logo",
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", ended.stdout + ended.stderr)


@pytest.fixture(scope="module")
def planted_report(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    copy = tmp_path_factory.mktemp("planted")
    shutil.copy(project_root / "pyproject.toml", copy)
    shutil.copytree(
        project_root / "braincode_jupyter",
        copy / "braincode_jupyter",
        ignore=shutil.ignore_patterns("__pycache__", "static", "labextension"),
    )
    for name, text in PLANTED.items():
        (copy / name).write_text(text)
    return _lint(copy)


def test_every_import_keeps_the_contracts(project_root: Path) -> None:
    report = _lint(project_root)

    assert re.search(r"Contracts: \d+ kept, 0 broken", report), report


def test_every_contract_catches_its_planted_violation(
    project_root: Path, planted_report: str
) -> None:
    settings = tomllib.loads((project_root / "pyproject.toml").read_text())
    names = [contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]]

    kept = [name for name in names if f"{name} BROKEN" not in planted_report]

    assert kept == [], planted_report


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_module_is_named_in_the_report(name: str, planted_report: str) -> None:
    stem = Path(name).stem

    assert re.search(rf"\b{stem}\b", planted_report), planted_report


def test_modules_of_the_front_end_import_no_circle(front_end_paths: dict[str, Path]) -> None:
    graph = {
        name: {
            posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) + ".ts"
            for target in re.findall(r"from '(\.[^']*)'", path.read_text(encoding="utf-8"))
        }
        for name, path in front_end_paths.items()
    }

    ordered = list(TopologicalSorter(graph).static_order())

    assert set(ordered) >= set(front_end_paths)
