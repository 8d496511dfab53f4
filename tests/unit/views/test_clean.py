from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views import clean_line, clean_text, count_hidden
from braincode_jupyter.views.clean import clip_text

FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
NASTY = st.text(
    st.sampled_from(
        "ab\n\r\t\x1b[]0;m\x07\\\x9b\x90\x9c\u202e\u2066\u200b\u200d\ufe0f👩💻é\ud800\U000e0041"
    )
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("x\x1b]8;;http://e\x07link\x1b]8;;\x1b\\", "xlink"),
        ("\x9b2Jgone", "gone"),
        ("10%\r100%\nnext", "100%\nnext"),
        ("line\r\nline\r", "line\nline"),
        ("a\u2028b", "a\nb"),
        ("tab\tstays", "tab\tstays"),
        ("\ud800", "\ufffd"),
    ],
)
def test_controls_are_removed(raw: str, shown: str) -> None:
    assert clean_text(raw) == shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("safe\u202egnp.exe", "safe⟨U+202E⟩gnp.exe"),
        ("a\u200b\u200b\u200bb", "a⟨U+200B ×3⟩b"),
        ("\U000e0041\U000e0042", "⟨U+E0041 ×2⟩"),
    ],
)
def test_hidden_characters_are_shown_as_marks(raw: str, shown: str) -> None:
    assert clean_text(raw) == shown
    assert count_hidden(raw) == len(raw) - len(
        re.sub("[\u200b\u202e\U000e0041\U000e0042]", "", raw)
    )


@pytest.mark.parametrize(
    "text",
    ["👩\u200d💻", "❤\ufe0f", "1\ufe0f\u20e3", "\u0645\u06cc\u200c\u062e\u0648", "naïve – 数据"],
)
def test_joiners_stay_where_scripts_and_emoji_need_them(text: str) -> None:
    assert clean_text(text) == text
    assert count_hidden(text) == 0


def test_a_line_is_cut_with_an_ellipsis() -> None:
    assert clean_line("a\n b\t" + "c" * 50, 10) == "a b ccccc…"


def test_what_is_clipped_is_counted() -> None:
    assert clip_text("a" * 12, 10) == "a" * 10 + "\n… 2 more characters"


@pytest.mark.parametrize(
    "piece", ["a", "\r", "a\r", "\x1b]a", "\x9d", "\u200b", "\x1b[", "\u200d\u200c"]
)
@pytest.mark.timeout(20)
def test_large_texts_are_cleaned_in_linear_time(piece: str) -> None:
    text = "\x00" + piece * (1_000_000 // len(piece))

    assert not FORBIDDEN.search(clean_text(text))


@given(NASTY)
def test_nothing_forbidden_survives(text: str) -> None:
    assert not FORBIDDEN.search(clean_text(text))


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)

    assert clean_text(once) == once
