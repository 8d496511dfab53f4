from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.globs import read_glob, read_ignore_lines, rule_path, rule_pattern


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("src/auth/**", "src/auth/a/b.py", True),
        ("src/auth/**", "src/auth", False),
        ("src/auth/**", "src/authority/a", False),
        ("src/auth/**", "x/src/auth/a", False),
        ("a*.txt", "ab.txt", True),
        ("a*.txt", "a/b.txt", False),
        ("a.b", "axb", False),
        ("../**", "../x", True),
    ],
)
def test_a_rule_is_anchored_and_one_star_stays_in_its_folder(
    pattern: str, path: str, *, matches: bool
) -> None:
    assert (rule_pattern(pattern).fullmatch(path) is not None) is matches


@pytest.mark.parametrize("path", ["./src//auth/x", "src\\auth\\x", '"src/auth/x"', " src/auth/x "])
def test_spellings_of_one_path_compare_equal(path: str) -> None:
    assert rule_path(path) == "src/auth/x"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "x/y/a.py", True),
        ("/*.py", "x/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("**/x", "x", True),
        ("x/**", "x/y/z", True),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("a[", "a[", True),
    ],
)
def test_a_listing_pattern_reads_as_in_ignore_files(
    pattern: str, path: str, *, matches: bool
) -> None:
    assert read_glob(pattern).matches(path.split("/")) is matches


def test_lines_of_an_ignore_file_are_read_as_git_reads_them() -> None:
    log, keep, build, odd = read_ignore_lines(
        ["# c", "", "*.log", "!keep.log", "build/ ", "\\#odd"]
    )

    assert log.matches(["x", "a.log"])
    assert keep.is_negated
    assert build.matches(["x", "build"], is_folder=True)
    assert not build.matches(["build"], is_folder=False)
    assert odd.matches(["#odd"])


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_pattern_breaks_matching(pattern: str, path: str) -> None:
    read_glob(pattern).matches(path.split("/"))
    rule_pattern(pattern).fullmatch(path)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    started = time.process_time()

    read_glob("*a" * 100 + "b").matches(["a" * 250])
    read_glob("/".join(["**", "a"] * 60)).matches(["a"] * 120 + ["b"])

    assert time.process_time() - started < 1
