from __future__ import annotations

import pytest

from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.views.recorded import MAX_CHARS, recorded
from braincode_jupyter.views.speaker import speaker


@pytest.mark.parametrize(
    "text",
    [
        "frame 24,310 × 7, schema and statistics",
        "a, b.csv, frame 24,310 × 7, schema and statistics",
        "3 characters, 1 output, 2 pictures left out",
        "statistics from 20,000 of 1,000,000 rows; 1,960 columns without type and statistics",
        "is a folder; name a file in it",
    ],
)
def test_a_text_of_ours_is_said_in_english_as_the_record_has_it(text: str) -> None:
    found = recorded("references", text)

    assert isinstance(found, Sentence)
    assert speaker().said(found) == text


def test_texts_inside_one_another_and_numbers_are_found() -> None:
    found = recorded("references", "sales.csv, 1,204 bytes")

    assert isinstance(found, Sentence)
    size = Sentence(key="references.bytes", values={"count": 1_204}, english="1,204 bytes")
    assert found.values == {"first": "sales.csv", "rest": size}


def test_what_a_provider_said_stays_as_it_came() -> None:
    text = "acme/large failed with status 429: slow down (3 tries, 1.5 s waited)"

    said = speaker("fr").said(recorded("failures", text))

    assert said == (
        "acme/large a échoué avec le statut 429\u00a0: slow down (3 essais, 1.5\u00a0s d’attente)"
    )


@pytest.mark.parametrize("text", ["", "one, two; three", "it only looks around", "rule"])
def test_any_other_text_stays_as_it_came(text: str) -> None:
    assert recorded("references", text) == text
    assert recorded("rules", text) == text


def test_a_text_is_ours_only_where_it_can_stand() -> None:
    assert isinstance(recorded("rules", "it only looks"), Sentence)
    assert recorded("references", "it only looks") == "it only looks"


def test_a_name_that_reads_like_a_text_of_ours_stays_as_it_is() -> None:
    found = recorded("rules", "tests can change what runs on this machine")

    assert isinstance(found, Sentence)
    assert found.values == {"path": "tests"}


def test_a_key_that_is_not_known_is_said_as_the_record_has_it() -> None:
    later = Sentence(key="rules.fromALaterVersion", english="it is too new")

    assert speaker("fr").said(later) == "it is too new"


def test_a_long_text_is_none_of_ours() -> None:
    text = "type " + "x" * MAX_CHARS

    assert recorded("references", text) == text
