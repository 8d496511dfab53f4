from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

README_LINES = 150
CHANGELOG_WORDS = 25
TEST_COMMAND = "pip install .* && pytest"
PACKAGE_DOCSTRING_LINES = range(10, 26)
ROOT = {
    "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "braincode_jupyter", "labextension",
    "notebooks", "pyproject.toml", "tests",
}  # fmt: skip


def _read(project_root: Path, name: str) -> str:
    return (project_root / name).read_text(encoding="utf-8")


def _commands(markdown: str) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_readme_is_short(project_root: Path) -> None:
    assert len(_read(project_root, "README.md").splitlines()) <= README_LINES


def test_readme_has_two_commands_of_one_line_each(project_root: Path) -> None:
    first, second = [c for c in _commands(_read(project_root, "README.md")) if c.startswith("pip")]

    assert "braincode-jupyter local install" in first
    assert "notebooks/01_first_run.ipynb" in first
    assert second.endswith("pytest")


def test_continuous_integration_runs_the_command_of_the_readme(project_root: Path) -> None:
    script = _read(project_root, ".ci/run")
    lines = _read(project_root, "README.md").splitlines()

    taken = [line for line in lines if re.fullmatch(TEST_COMMAND, line)]

    assert f"sed -n '/^{TEST_COMMAND}$/p' README.md" in script
    assert len(taken) == 1
    assert taken[0] in _read(project_root, "CONTRIBUTING.md")


def test_continuous_integration_runs_every_check(project_root: Path) -> None:
    script = _read(project_root, ".ci/run")

    for check in ("ruff format --check", "ruff check", "pyright", "lint-imports"):
        assert check in script


def test_readme_says_that_consent_is_no_sandbox(project_root: Path) -> None:
    assert "consent, not a sandbox" in _read(project_root, "README.md")


def test_links_between_documents_point_at_files(project_root: Path) -> None:
    for document in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", _read(project_root, document)):
            assert (project_root / target).exists(), f"{document} links to {target}"


def test_version_matches_the_changelog(project_root: Path) -> None:
    version = tomllib.loads(_read(project_root, "pyproject.toml"))["project"]["version"]
    headings = re.findall(r"^## \[?([\w.]+)\]?", _read(project_root, "CHANGELOG.md"), re.MULTILINE)

    assert headings[:2] == ["Unreleased", version]


def test_changelog_entries_are_one_short_sentence(project_root: Path) -> None:
    entries = re.findall(r"^- (.+)$", _read(project_root, "CHANGELOG.md"), re.MULTILINE)

    assert [e for e in entries if len(e.split()) > CHANGELOG_WORDS] == []


def test_changelog_uses_the_headings_of_keep_a_changelog(project_root: Path) -> None:
    kinds = set(re.findall(r"^### (.+)$", _read(project_root, "CHANGELOG.md"), re.MULTILINE))

    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_root_holds_the_fixed_layout_alone(tracked_paths: dict[str, Path]) -> None:
    tops = {name.split("/")[0] for name in tracked_paths}

    assert {top for top in tops if not top.startswith(".")} <= ROOT


def test_no_built_file_is_tracked(tracked_paths: dict[str, Path]) -> None:
    built = re.compile(r"(^|/)(node_modules|static/.*\.js$|lib/.*\.js$|.*\.egg-info/|__pycache__/)")

    assert [name for name in tracked_paths if built.search(name)] == []


def test_no_tracked_file_knows_the_machine_or_a_private_registry(
    tracked_paths: dict[str, Path], project_root: Path
) -> None:
    private = [
        re.escape(str(project_root)) + r"\b" if len(project_root.parts) > 2 else r"(?!)",
        r"(extra-)?index-url\s*=",
        r"npmRegistryServer",
        r"^registry\s*=",
        r"resolved\s+\S*https?://",
    ]
    pattern = re.compile("|".join(private), re.MULTILINE)
    itself = "tests/contracts/test_docs.py"

    found = [
        name
        for name, path in tracked_paths.items()
        if name != itself and pattern.search(path.read_bytes().decode("utf-8", "ignore"))
    ]

    assert found == []


def test_each_package_says_what_it_is_for(package_trees: dict[str, ast.Module]) -> None:
    heights = {
        name: len((ast.get_docstring(tree) or "").splitlines())
        for name, tree in package_trees.items()
        if name.endswith("/__init__.py")
    }

    assert {n: h for n, h in heights.items() if h not in PACKAGE_DOCSTRING_LINES} == {}


def test_each_module_says_what_it_is_for(package_trees: dict[str, ast.Module]) -> None:
    assert [name for name, tree in package_trees.items() if not ast.get_docstring(tree)] == []
