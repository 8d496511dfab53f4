from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.notebook.tables import WIDTH, first_line, table


def test_columns_are_aligned_and_the_last_one_is_wrapped() -> None:
    text = table([("a", "short"), ("longer", "word " * 40)], indent="  ")

    first, second, third, *_ = text.splitlines()
    assert first == "  a       short"
    assert second.startswith("  longer  word word")
    assert third.startswith("          word")
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_first_cell_that_is_too_long_stands_on_a_line_of_its_own() -> None:
    text = table([("a", "short"), ("b" * 60, "word " * 20)])

    first, second, third, *_ = text.splitlines()
    assert first == f"{'a':<38}short"
    assert second == "b" * 60
    assert third.startswith(f"{'':<38}word word")
    assert max(map(len, text.splitlines())) <= WIDTH


def test_no_rows_are_no_text() -> None:
    assert table([]) == ""


@given(st.text(), st.integers(min_value=1, max_value=80))
def test_a_first_line_is_one_line_of_bounded_length(text: str, limit_chars: int) -> None:
    line = first_line(text, limit_chars=limit_chars)

    assert len(line.splitlines()) <= 1
    assert len(line) <= limit_chars
