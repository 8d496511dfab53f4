from __future__ import annotations

import pytest

from braincode_jupyter.errors import UsageError
from braincode_jupyter.notebook.keys import refuse_keys
from braincode_jupyter.notebook.request import read_request


@pytest.mark.parametrize("body", ["", "\n", "  \n\t\n"])
def test_an_empty_cell_gets_the_usage_in_three_lines(body: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_request(body)

    assert "\n".join(caught.value._render_traceback_()).count("\n") == 2


def test_the_request_is_what_was_typed_without_the_line_break_of_ipython() -> None:
    typed = (
        '  Explain {"a": {"b": 1}} and f"{x:>10}" and \\frac{1}{2} $x {{x}}\n\n!ls\n%time\nwhat??'
    )

    assert read_request(typed + "\n") == typed


@pytest.mark.parametrize(
    "key",
    [
        "sk-ant-api03-" + "Ab3" * 20,
        "sk-" + "0123456789abcdef" * 2,
        "AIza" + "b1" * 17 + "x",
        "ghp_" + "a1" * 18,
        "AKIA" + "A1" * 8,
    ],
)
def test_a_key_in_the_cell_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(UsageError, match="nothing was sent") as caught:
        read_request(f"use {key} please")

    assert key[:8] not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["sk-learn-contrib-imbalanced-learn-extensions", "task-1", "sk-proj", "AIza", "my api key"],
)
def test_words_that_look_a_little_like_keys_are_prose(text: str) -> None:
    refuse_keys(text, where="The cell")
