from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models.retries import Allowance, RetryPolicy, wait_before_retry

POLICY = RetryPolicy(max_tries=3, base_s=1.0, longest_s=60.0)


def error(
    code: str = "rate_limited",
    *,
    status: int | None = None,
    retry_after_s: float | None = None,
    partial: str = "",
) -> ModelError:
    return ModelError("x", code=code, status=status, retry_after_s=retry_after_s, partial=partial)


def wait(failed: ModelError, tries: int = 1, *, jitter: float = 0.5) -> float | None:
    return wait_before_retry(failed, tries, policy=POLICY, jitter=jitter)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("rate_limited", 429),
        ("overloaded", 529),
        ("overloaded", None),
        ("provider_error", 500),
        ("timeout", 408),
        ("network", None),
    ],
)
def test_what_may_pass_is_tried_again(code: str, status: int | None) -> None:
    assert wait(error(code, status=status)) == 1.0


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("authentication", 401),
        ("refused_request", 400),
        ("refused_request", 429),
        ("provider_error", None),
        ("timeout", None),
        ("cut_off", None),
        ("empty_reply", None),
        ("context_too_long", 400),
        ("internal_error", None),
    ],
)
def test_what_will_not_pass_is_not_tried_again(code: str, status: int | None) -> None:
    assert wait(error(code, status=status)) is None


def test_nothing_is_tried_again_once_text_was_shown() -> None:
    assert wait(error("network", partial="Hel")) is None


def test_tries_are_few() -> None:
    assert [wait(error(), tries) for tries in (1, 2, 3)] == [1.0, 2.0, None]


@given(st.floats(0, 60), st.floats(0, 1))
def test_wait_is_never_shorter_than_asked(asked: float, jitter: float) -> None:
    waited = wait(error(retry_after_s=asked), jitter=jitter)

    assert waited is not None
    assert asked <= waited <= asked * 1.1


def test_what_is_asked_beyond_a_minute_is_not_waited_for() -> None:
    assert wait(error(retry_after_s=60.1)) is None


def test_allowance_is_spent_by_all_together() -> None:
    allowance = Allowance(10)

    assert [allowance.take(s) for s in (6, 6, 4, 0.1)] == [True, False, True, False]
