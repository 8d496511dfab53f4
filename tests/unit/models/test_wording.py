from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.models.wording import PieceJoiner, without_lone_surrogates

ANY_TEXT = st.text(st.characters())


@given(ANY_TEXT)
def test_text_can_always_be_encoded(text: str) -> None:
    assert without_lone_surrogates(text).encode("utf-8")[:0] == b""


@given(st.text())
def test_whole_text_stays_as_it_is(text: str) -> None:
    assert without_lone_surrogates(text) == text


@given(st.lists(ANY_TEXT))
def test_pieces_make_the_same_text_wherever_it_was_cut(pieces: list[str]) -> None:
    joiner = PieceJoiner()

    shown = "".join(joiner.feed(piece) for piece in pieces) + joiner.rest()

    assert shown == without_lone_surrogates("".join(pieces))


def test_halves_in_two_pieces_are_one_character() -> None:
    joiner = PieceJoiner()

    assert [joiner.feed("a\ud83d"), joiner.feed("\ude00b")] == ["a", "\U0001f600b"]
