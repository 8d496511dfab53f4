from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MODULE_LINES = 500
FUNCTION_LINES = 60
COMPLEXITY = 10
PARAMETERS = 6
POSITIONAL_PARAMETERS = 3  # ruff counts `self`

_TYPESCRIPT_FUNCTION = re.compile(r"^(?:export )?(?:default )?(?:async )?function\*? (\w+)")


def _line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring, which house style makes tall."""
    assert function.end_lineno is not None
    total = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        assert first.end_lineno is not None
        total -= first.end_lineno - first.lineno + 1
    return total


def _tall_functions(path: Path) -> list[str]:
    return [
        f"{node.name}: {_body_lines(node)}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and _body_lines(node) > FUNCTION_LINES
    ]


def _tall_typescript_functions(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [(i, m[1]) for i, line in enumerate(lines) if (m := _TYPESCRIPT_FUNCTION.match(line))]
    heights = {
        name: next(i for i in range(start, len(lines)) if lines[i].startswith("}")) - start + 1
        for start, name in starts
    }
    return [f"{name}: {height}" for name, height in heights.items() if height > FUNCTION_LINES]


def test_no_module_is_longer_than_the_cap(package_paths: dict[str, Path]) -> None:
    long = {name: _line_count(path) for name, path in package_paths.items()}

    assert {name: lines for name, lines in long.items() if lines > MODULE_LINES} == {}


def test_no_test_module_is_longer_than_the_cap(project_root: Path) -> None:
    tests = (project_root / "tests").rglob("*.py")

    assert {p.name: _line_count(p) for p in tests if _line_count(p) > MODULE_LINES} == {}


def test_no_front_end_module_is_longer_than_the_cap(front_end_paths: dict[str, Path]) -> None:
    long = {name: _line_count(path) for name, path in front_end_paths.items()}

    assert {name: lines for name, lines in long.items() if lines > MODULE_LINES} == {}


def test_no_function_is_longer_than_the_cap(package_paths: dict[str, Path]) -> None:
    tall = {name: _tall_functions(path) for name, path in package_paths.items()}

    assert {name: functions for name, functions in tall.items() if functions} == {}


def test_no_front_end_function_is_longer_than_the_cap(front_end_paths: dict[str, Path]) -> None:
    tall = {name: _tall_typescript_functions(path) for name, path in front_end_paths.items()}

    assert {name: functions for name, functions in tall.items() if functions} == {}


def test_linter_holds_the_caps_of_branches_and_parameters(project_root: Path) -> None:
    lint = tomllib.loads((project_root / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]

    assert lint["mccabe"]["max-complexity"] == COMPLEXITY
    assert lint["pylint"]["max-args"] == PARAMETERS
    assert lint["pylint"]["max-positional-args"] == POSITIONAL_PARAMETERS
    assert {"C90", "PL", "ANN", "D", "S"} <= set(lint["select"])
