from __future__ import annotations

import pytest

from braincode_jupyter.widget.questions import Questions

RIGHT = {"kind": "answer", "approvalId": "a:1", "nonce": "n1", "decision": "approve"}


@pytest.fixture
def sent() -> list[dict[str, object]]:
    return []


@pytest.fixture
def answers() -> list[str]:
    return []


@pytest.fixture
def questions(sent: list[dict[str, object]], answers: list[str]) -> Questions:
    made = Questions(sent.append)
    made.ask("a:1", "n1", answer=answers.append)
    return made


def test_the_page_is_told_id_and_nonce(questions: Questions, sent: list[dict[str, object]]) -> None:
    assert sent == [{"kind": "approval", "approvalId": "a:1", "nonce": "n1"}]
    questions.tell_again()
    assert sent[1] == sent[0]


@pytest.mark.parametrize("decision", ["approve", "deny", "approve_same"])
def test_an_answer_is_taken_once(questions: Questions, answers: list[str], decision: str) -> None:
    questions.take({**RIGHT, "decision": decision})
    questions.take({**RIGHT, "decision": decision})

    assert answers == [decision]


@pytest.mark.parametrize(
    "wrong",
    [
        {"nonce": "n2"},
        {"nonce": ""},
        {"nonce": None},
        {"nonce": "\ud800"},
        {"nonce": ["n1"]},
        {"approvalId": "a:2"},
        {"approvalId": None},
        {"approvalId": ["a:1"]},
        {"decision": "allow"},
        {"decision": None},
        {"decision": ["approve"]},
    ],
)
def test_a_forged_answer_does_nothing_and_the_right_one_still_counts(
    questions: Questions, answers: list[str], wrong: dict[str, object]
) -> None:
    questions.take({**RIGHT, **wrong})
    assert answers == []

    questions.take(RIGHT)
    assert answers == ["approve"]


def test_a_late_answer_does_nothing(
    questions: Questions, sent: list[dict[str, object]], answers: list[str]
) -> None:
    questions.take_back("a:1")

    questions.take(RIGHT)
    questions.tell_again()

    assert answers == []
    assert len(sent) == 1
