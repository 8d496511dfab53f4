from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.text import clip, kept_texts, slug, unused, valid_text

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)


@given(ANY_TEXT)
def test_valid_text_can_be_encoded(text: str) -> None:
    valid_text(text).encode("utf-8")


def test_a_lone_surrogate_is_replaced_and_a_pair_is_joined() -> None:
    assert valid_text("a\ud800b") == "a\ufffdb"
    assert valid_text("\ud83d\ude00") == "😀"


@given(ANY_TEXT, st.integers(8, 40))
def test_clipping_keeps_the_limit_and_is_idempotent(text: str, limit: int) -> None:
    clipped = clip(text, limit)

    assert len(clipped) <= limit
    assert clip(clipped, limit) == clipped


def test_a_cut_text_says_so() -> None:
    assert clip("word " * 20, 20).endswith("[…]")
    assert clip("  short ", 20) == "short"


@given(ANY_TEXT)
def test_slugs_are_stable(text: str) -> None:
    assert slug(slug(text)) == slug(text)


def test_slugs_are_lower_case_words() -> None:
    assert slug("  Map Context! ") == "map-context"
    assert slug("日本") == ""


def test_a_taken_slug_gets_a_number() -> None:
    assert unused("a", []) == "a"
    assert unused("a", ["a", "a-2"]) == "a-3"


def test_lists_keep_their_strings_alone() -> None:
    assert kept_texts(["a ", 3, "", None, "b", "c"], items=2, chars=10) == ("a", "b")
    assert kept_texts("a", items=2, chars=10) == ()
