from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.tokens import estimate_tokens

ANY_TEXT = st.text(st.characters(), max_size=400)


@given(ANY_TEXT)
def test_estimate_lies_between_one_and_the_number_of_bytes(text: str) -> None:
    estimate = estimate_tokens(text)

    assert estimate <= len(text.encode("utf-8", "surrogatepass"))
    assert estimate >= (1 if text else 0)


@given(ANY_TEXT, ANY_TEXT)
def test_a_longer_text_never_costs_less_than_its_start(start: str, rest: str) -> None:
    assert estimate_tokens(start + rest) >= estimate_tokens(start) - 1


@given(ANY_TEXT, ANY_TEXT)
def test_lines_can_be_estimated_one_by_one(first: str, second: str) -> None:
    whole = estimate_tokens(f"{first}\n{second}")

    assert whole <= estimate_tokens(first) + estimate_tokens(second) + 1


@given(st.lists(st.sampled_from(["a", "is", "the", "cat", "Sat", "IO"]), min_size=1, max_size=50))
def test_every_word_costs_at_least_one_token(words: list[str]) -> None:
    assert estimate_tokens(" ".join(words)) >= len(words)


@given(st.integers(min_value=0))
def test_every_digit_costs_a_token(number: int) -> None:
    assert estimate_tokens(str(number)) == len(str(number))


def test_lone_surrogate_is_counted() -> None:
    assert estimate_tokens("\ud83d") == 2
