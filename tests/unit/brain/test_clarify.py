from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.brain.clarify import (
    default_clarification,
    heuristic_clarification,
    normalise_clarification,
)

OPTION_IDS = ["make-scoped-change", "plan-first", "provide-details"]


@pytest.mark.parametrize(
    "prompt",
    ["", "  \n ", "fix it", "Please  improve this!!", "do that.", "Optimise", "take care of it ?"],
)
def test_vague_english_asks_in_english(prompt: str) -> None:
    assert heuristic_clarification(prompt) == default_clarification("en")


@pytest.mark.parametrize("prompt", ["看一下", "帮我改一下", "请优化一下。", "麻烦搞定"])
def test_vague_chinese_asks_in_chinese(prompt: str) -> None:
    assert heuristic_clarification(prompt) == default_clarification("zh")


@pytest.mark.parametrize(
    "prompt", ["fix it in app.py", "fix the bug", "prefix it", "do it now", "看一下数据", "hello"]
)
def test_a_request_that_names_something_is_not_asked_about(prompt: str) -> None:
    assert heuristic_clarification(prompt) is None


def test_continuing_suspends_the_question_and_words_in_the_prompt_do_not() -> None:
    assert heuristic_clarification("fix it", has_continuity=True) is None
    assert heuristic_clarification("", has_continuity=True) is not None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_default_question_has_three_ways_on_and_two_missing_things(
    language: Literal["en", "zh"],
) -> None:
    question = default_clarification(language)

    assert [option.id for option in question.options] == OPTION_IDS
    assert len(question.missing) == 2
    assert question.question.isascii() is (language == "en")


@pytest.mark.parametrize("raw", [None, [], {}, {"required": "true"}, {"required": 1}, "yes"])
def test_only_exactly_true_is_a_question(raw: object) -> None:
    assert normalise_clarification(raw) is None


def test_a_routers_question_is_brought_within_limits() -> None:
    options = [{"id": "Plan First!"}, {"id": "plan-first", "label": "L"}, {}, {"id": "fourth"}]
    question = normalise_clarification(
        {
            "required": True,
            "question": " Which? ",
            "missing": ["a", "a", "", 3, *"bcdefgh"],
            "options": ["x", *options],
        }
    )

    assert question is not None
    assert question.question == "Which?"
    assert question.reason == default_clarification().reason
    assert question.missing == tuple("abcdef")
    assert [o.id for o in question.options] == ["plan-first", "plan-first-2", "option-3"]
    assert [o.label for o in question.options] == ["Option 1", "L", "Option 3"]


def test_fewer_than_two_options_give_the_default_ones() -> None:
    question = normalise_clarification({"required": True, "options": [{"id": "only"}]})

    assert question is not None
    assert [option.id for option in question.options] == OPTION_IDS


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    st.fixed_dictionaries(
        {}, optional={"reason": _JSON, "question": _JSON, "missing": _JSON, "options": _JSON}
    )
)
def test_normalising_a_question_twice_changes_nothing(fields: dict[str, object]) -> None:
    once = normalise_clarification({**fields, "required": True})

    assert once is not None
    assert normalise_clarification(once.to_wire()) == once
