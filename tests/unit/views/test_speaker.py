from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.views.speaker import LANGUAGES, Language, speaker

# The front end has to say the same: tests/browser/gallery/test_languages.py.
SPOKEN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "spoken.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", SPOKEN, ids=lambda row: row["en"][:30])
def test_a_sentence_is_said_in_each_language(row: dict[str, Any], language: Language) -> None:
    said = speaker(language).said(Sentence.model_validate(row["sentence"]))

    assert said == row[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_from_outside_is_said_as_it_came(language: Language) -> None:
    assert speaker(language).said("words.stop {count}") == "words.stop {count}"


def test_numbers_are_written_as_in_the_language() -> None:
    told = [(speaker(one).number(24_310), speaker(one).decimal(18.25, 1)) for one in LANGUAGES]

    assert told == [("24,310", "18.2"), ("24\u202f310", "18,2"), ("24,310", "18.2")]


def test_a_name_that_has_no_word_is_said_as_it_is() -> None:
    say = speaker("fr")

    assert say.named("patchKinds", "docs-only") == "documentation seule"
    assert say.named("codes", "of_a_later_version") == "of_a_later_version"
