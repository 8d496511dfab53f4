from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
import records_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views import UsageView, fold, fold_all, start_view
from braincode_jupyter.views.usage import sum_usage

if TYPE_CHECKING:
    from braincode_jupyter.protocol.records import AnyRecord
    from braincode_jupyter.views import RunView

ROLES = ("librarian", "analyst", "statistician")
TOKENS = dict(zip(ROLES, (10, 100, 1000), strict=True))


def call(role: str, *, fails_first: bool) -> list[AnyRecord]:
    records: list[AnyRecord] = []
    if fails_first:
        records += [
            sample.manifest("worker", role, 3, sample.SHARED),
            sample.failure("worker", role, 4, "provider_error"),
            sample.usage("support", role, 4, 5000, 0.5),
        ]
    attempt = 2 if fails_first else 1
    return [
        *records,
        sample.manifest("worker", role, 5, sample.SHARED, attempt=attempt),
        sample.reply("worker", role, 6, "{}", attempt=attempt),
        sample.usage("support", role, 6, TOKENS[role], 0.25, attempt=attempt),
    ]


def total(view: RunView) -> int:
    return sum(agent.usage.total_tokens for agent in view.agents)


@pytest.mark.parametrize("order", list(permutations(ROLES)))
def test_tokens_go_to_the_agent_that_spent_them_in_any_order(order: tuple[str, ...]) -> None:
    begun = [record for record in sample.beginning() if record.type != "token_usage"]
    calls = [record for role in order for record in call(role, fails_first=role == "analyst")]

    view = fold_all(sample.SESSION, [*begun, *calls])

    spent = {
        agent.role: agent.usage.total_tokens for agent in view.agents if agent.kind == "worker"
    }
    analyst = next(agent for agent in view.agents if agent.role == "analyst")
    assert spent == {"librarian": 10, "analyst": 5100, "statistician": 1000}
    assert [(one.attempt, one.tokens) for one in analyst.attempts] == [(1, 5000)]
    assert view.usage.total_tokens == 6110
    assert view.usage.cost_usd == pytest.approx(1.25)


def test_sums_agree_after_every_record() -> None:
    view = start_view(sample.SESSION)
    for record in sample.full_run():
        view = fold(view, record)

        assert view.usage == sum_usage(agent.usage for agent in view.agents)
        assert view.usage.total_tokens == total(view)


def test_tokens_may_come_before_the_reply_they_belong_to() -> None:
    asked, answered, spent = call("analyst", fails_first=False)

    before = fold_all(sample.SESSION, [asked, spent, answered])
    after = fold_all(sample.SESSION, [asked, answered, spent])

    assert before.usage == after.usage
    assert (before.usage.calls, before.usage.unmeasured_calls) == (1, 0)


def test_the_journal_and_the_view_agree() -> None:
    records = sample.full_run()

    view = fold_all(sample.SESSION, records)

    assert view.usage.total_tokens == sum(
        one.usage.total for one in records if one.type == "token_usage"
    )
    assert view.usage.calls == sum(one.type in {"model_reply", "model_error"} for one in records)


def test_one_unknown_price_makes_the_sum_unknown_and_never_zero() -> None:
    records = [
        *call("librarian", fails_first=False),
        sample.usage("support", "analyst", 6, 50, None),
    ]

    view = fold_all(sample.SESSION, [*sample.beginning(), *records])

    assert view.usage.cost_usd is None
    assert view.usage.total_tokens == 960


def test_a_call_whose_provider_told_nothing_is_counted_as_unmeasured() -> None:
    view = fold_all(sample.SESSION, [sample.reply("primary", "summarize", 3, "hi")])

    assert (view.usage.calls, view.usage.unmeasured_calls, view.usage.cost_usd) == (1, 1, None)


@pytest.mark.parametrize("code", ["not_configured", "token_limit", "vision_unsupported"])
def test_what_never_reached_a_provider_is_no_call(code: str) -> None:
    view = fold_all(sample.SESSION, [sample.failure("worker", "analyst", 3, code)])

    assert view.usage.calls == 0


COUNTS = st.integers(0, 10**9)
PARTS = st.builds(
    UsageView,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    total_tokens=COUNTS,
    calls=st.integers(1, 9),
    cost_usd=st.none() | st.integers(0, 100).map(float),
)


@given(st.lists(PARTS), st.lists(PARTS))
def test_sums_can_be_taken_in_parts(first: list[UsageView], second: list[UsageView]) -> None:
    assert sum_usage([sum_usage(first), sum_usage(second)]) == sum_usage([*first, *second])
