from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views.exact import is_diff, to_exact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm -rf /\recho hi", "rm -rf /⟨U+000D⟩echo hi"),
        ("echo \x1b[2Kls", "echo ⟨U+001B⟩[2Kls"),
        ("if user != '\u202e' ", "if user != '⟨U+202E⟩' "),
        ("a\u200b\u200bb", "a⟨U+200B ×2⟩b"),
        ("x\U000e0041\U000e0042", "x⟨U+E0041 and 1 more⟩"),
        ("rm\u00a0-rf", "rm⟨U+00A0⟩-rf"),
        ("a\u2028b", "a⟨U+2028⟩b"),
        ("a\u3164=1", "a⟨U+3164⟩=1"),
        ("lone \ud800", "lone ⟨U+D800⟩"),
        ("a\x0bb\x85c", "a⟨U+000B⟩b⟨U+0085⟩c"),
    ],
)
def test_what_hides_is_shown_and_counted(text: str, shown: str) -> None:
    exact = to_exact(text)

    assert exact.shown == shown
    assert exact.hidden > 0


@pytest.mark.parametrize("text", ["", "x = 1\n\ty\n", "größe = '数据'\n", "a\n\n\nb"])
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert to_exact(text).shown == text
    assert (to_exact(text).whole, to_exact(text).hidden) == ("", 0)


def test_windows_line_ends_are_line_ends() -> None:
    assert to_exact("a\r\nb").shown == "a\nb"
    assert to_exact("a\r\nb").hidden == 0


def test_a_run_of_blank_lines_is_one_mark() -> None:
    assert to_exact("a\n" + " \n" * 50 + "b").shown == "a\n⟨50 blank lines⟩\nb"


def test_a_long_text_is_head_and_tail_with_the_number_between() -> None:
    exact = to_exact("\n".join(f"line {number}" for number in range(100)))

    lines = exact.shown.split("\n")
    assert (lines[29], lines[30], lines[31]) == ("line 29", "… 60 more lines …", "line 90")
    assert exact.whole.count("\n") == 99


def test_a_long_line_is_cut_in_the_middle() -> None:
    exact = to_exact("echo " + "x" * 5_000 + " ; rm -rf /")

    assert "more characters …" in exact.shown
    assert exact.shown.endswith("; rm -rf /")
    assert len(exact.whole) == 5_016


@given(st.text())
def test_nothing_without_ink_is_left_and_nothing_is_lost(text: str) -> None:
    exact = to_exact(text)
    whole = exact.whole or exact.shown

    assert to_exact(whole).hidden == 0
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.strip() and line.isascii() and line.isprintable():
            assert line in whole


def test_only_a_unified_diff_is_one() -> None:
    assert is_diff("--- a.py\n+++ b.py\n@@ -1 +1 @@\n-x\n+y\n")
    assert not is_diff("--- not a diff")
    assert not is_diff("print(1)\n+++ \n@@ ")
