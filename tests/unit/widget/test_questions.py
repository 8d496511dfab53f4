from __future__ import annotations

import pytest

from braincode_jupyter.widget.questions import MAX_TOLD, Questions

RIGHT = {
    "kind": "answer",
    "approvalId": "a:1",
    "nonce": "n1",
    "digest": "d1",
    "decision": "approve",
}


class Heard(Questions):
    """Questions, with what came of them."""

    def __init__(self) -> None:
        self.sent: list[dict[str, object]] = []
        self.answers: list[str] = []
        self.ignored: list[tuple[str, str]] = []
        super().__init__(self.sent.append)
        self.on_ignored(lambda approval_id, why: self.ignored.append((approval_id, why)))


@pytest.fixture
def heard() -> Heard:
    made = Heard()
    made.ask("a:1", "n1", digest="d1", answer=made.answers.append)
    return made


def test_the_page_is_told_id_and_nonce(heard: Heard) -> None:
    assert heard.sent == [{"kind": "approval", "approvalId": "a:1", "nonce": "n1"}]
    heard.tell_again()
    assert heard.sent[1] == heard.sent[0]


@pytest.mark.parametrize("decision", ["approve", "deny", "approve_same"])
def test_r50_an_answer_is_taken_once_and_a_second_page_is_told_of(
    heard: Heard, decision: str
) -> None:
    heard.take({**RIGHT, "decision": decision})
    heard.take({**RIGHT, "decision": "approve"})

    assert heard.answers == [decision]
    assert heard.ignored == [("a:1", "repeated")]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"nonce": "n2"}, "wrong_nonce"),
        ({"nonce": ""}, "wrong_nonce"),
        ({"nonce": None}, "wrong_nonce"),
        ({"nonce": "\ud800"}, "wrong_nonce"),
        ({"nonce": ["n1"]}, "wrong_nonce"),
        ({"digest": "d2"}, "wrong_digest"),
        ({"digest": None}, "wrong_digest"),
        ({"approvalId": "a:2"}, "unknown"),
        ({"approvalId": None}, "unknown"),
        ({"approvalId": ["a:1"]}, "unknown"),
        ({"decision": "allow"}, "unreadable"),
        ({"decision": None}, "unreadable"),
        ({"decision": ["approve"]}, "unreadable"),
    ],
)
def test_r50_a_forged_answer_does_nothing_but_is_told_of_and_the_right_one_still_counts(
    heard: Heard, wrong: dict[str, object], why: str
) -> None:
    heard.take({**RIGHT, **wrong})
    assert heard.answers == []
    given = wrong.get("approvalId", "a:1")
    assert heard.ignored == [(given if isinstance(given, str) else "", why)]

    heard.take(RIGHT)
    assert heard.answers == ["approve"]


def test_r50_a_late_answer_does_nothing_but_is_told_of(heard: Heard) -> None:
    heard.take_back("a:1")

    heard.take(RIGHT)
    heard.tell_again()

    assert heard.answers == []
    assert len(heard.sent) == 1
    assert heard.ignored == [("a:1", "late")]


def test_a_question_that_is_asked_again_takes_an_answer_again(heard: Heard) -> None:
    heard.take(RIGHT)
    heard.ask("a:1", "n2", digest="d2", answer=heard.answers.append)

    heard.take({**RIGHT, "nonce": "n2", "digest": "d2", "decision": "deny"})

    assert heard.answers == ["approve", "deny"]


def test_a_flood_of_forged_answers_is_told_of_up_to_a_limit(heard: Heard) -> None:
    for number in range(MAX_TOLD + 50):
        heard.take({**RIGHT, "approvalId": f"x:{number}"})

    assert len(heard.ignored) == MAX_TOLD
