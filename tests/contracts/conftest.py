"""The source tree, read once for all contracts."""

from __future__ import annotations

import ast
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_BUILT = ("braincode_jupyter/labextension/", "braincode_jupyter/widget/static/")


@pytest.fixture(scope="session")
def package_paths(project_root: Path) -> dict[str, Path]:
    """Give every module of the package by its path inside the package."""
    package = project_root / "braincode_jupyter"
    found = sorted(package.rglob("*.py"))
    names = {path.relative_to(project_root).as_posix(): path for path in found}
    return {
        name.removeprefix("braincode_jupyter/"): path
        for name, path in names.items()
        if not name.startswith(_BUILT) and path.name != "_version.py"
    }


@pytest.fixture(scope="session")
def package_trees(package_paths: dict[str, Path]) -> dict[str, ast.Module]:
    """Give every module of the package as a syntax tree."""
    return {
        name: ast.parse(path.read_text(encoding="utf-8")) for name, path in package_paths.items()
    }


@pytest.fixture(scope="session")
def front_end_paths(project_root: Path) -> dict[str, Path]:
    """Give every hand-written source of the front end."""
    source = project_root / "labextension" / "src"
    return {
        path.relative_to(source).as_posix(): path
        for path in sorted(source.rglob("*.ts"))
        if path.name != "generated.ts"
    }


@pytest.fixture(scope="session")
def tracked_paths(project_root: Path) -> dict[str, Path]:
    """Give every file under version control."""
    if not (project_root / ".git").exists():
        pytest.skip("this tree is no clone, so nothing says which files are tracked")
    command = ["git", "-c", f"safe.directory={project_root}", "ls-files", "-z"]
    listed = subprocess.run(  # noqa: S603 - fixed words and our own path
        command, cwd=project_root, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name]
    return {name: project_root / name for name in names if (project_root / name).is_file()}
