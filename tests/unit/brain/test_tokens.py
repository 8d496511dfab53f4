from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("before", ["é", "中", "😀", "\ud83d", "a"])
def test_question_mark_costs_a_token_beside_any_character(before: str) -> None:
    assert estimate_tokens(f"{before}?") == estimate_tokens(before) + 1


def test_lone_surrogate_is_counted() -> None:
    assert estimate_tokens("\ud83d") == 2


@pytest.mark.parametrize(
    ("text", "measured"),
    [
        ("The quarterly numbers fell because two large customers moved their orders. " * 6, 73),
        ("Выручка за третий квартал упала, потому что два клиента перенесли заказы. " * 6, 163),
        ("第三季度收入下降因为两个大客户将订单推迟到下一期。" * 8, 120),
        ("세 번째 분기 매출이 감소한 이유를 설명해 주세요. " * 8, 145),
        ("Donaudampfschifffahrtsgesellschaftskapitän erklärt die Umsatzrückgänge. " * 8, 194),
        ('{"id": 17, "price": 812.345, "ok": true}, ' * 30, 721),
        ("| 17 | 0.8123 | row17 |\n" * 30, 510),
        ("        x = 1\n                y = 2\n" * 20, 240),
        ("SELECT CUSTOMER_ID, SUM(AMOUNT) FROM ORDERS WHERE STATUS = 'OPEN'; " * 8, 153),
        ("q7Zk3vJx9TfLw2RbYc5HnGs8MdPaUe4oKiV6yXtQ1lNjWzSrCmBhEgFuDpA0" * 8, 432),
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" * 8, 472),
        ("qzxjvkwpghtrmdnbfclsyaoieuqzxjvkwp" * 20, 380),
        ("😀🎉✅👩‍💻 " * 20, 141),
        (r"$$\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}$$ " * 10, 281),
    ],
)
def test_estimate_is_above_what_a_real_tokenizer_counted(text: str, measured: int) -> None:
    # Counted once with the tokenizer of Qwen2.5, in which every digit is a token.
    assert measured <= estimate_tokens(text) <= 3 * measured
