"""What people read: all of it in the catalogue, in every language, and all of it said."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from braincode_jupyter.views import words

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "labextension" / "src"
DRAWING = sorted(path for path in SOURCE.rglob("*.ts") if path.parent.name != "words")
LANGUAGES = ("en", "fr", "zh")
Form = str | dict[str, str]
CATALOGUES: dict[str, dict[str, dict[str, Form]]] = {
    language: json.loads(
        (ROOT / "braincode_jupyter" / "views" / "catalogue" / f"{language}.json").read_text("utf-8")
    )
    for language in LANGUAGES
}
ENGLISH = CATALOGUES["en"]

TABLES = {
    "runStates": words.RUN_STATES,
    "phases": words.RUN_PHASES,
    "agentStates": words.AGENT_STATES,
    "toolStates": words.TOOL_STATES,
    "todoStates": words.TODO_STATES,
    "reviewStates": words.REVIEW_STATES,
    "effects": words.EFFECTS,
    "independence": words.INDEPENDENCE,
}
TITLES = {
    "answer": words.ANSWER,
    "question": words.QUESTION,
    "grants": words.GRANTS,
    "review": words.REVIEW,
    "plan": words.PLAN,
    "time": words.TIME,
    "matrix": words.MATRIX,
    "warnings": words.WARNINGS,
    "references": words.REFERENCES,
    "partial": words.PARTIAL,
    "request": words.REQUEST,
    "stopping": words.STOPPING,
}
# A language pack for `trans.__` does not exist: it would stay English.
GETTEXT = re.compile(r"\b(?:trans|translation|bundle)\w*\._")
# Two words beside each other, the second in small letters, in a text that is no list of classes.
PROSE = re.compile(r"(['`])(?! )((?:(?!\1).)*[A-Za-z]{2,} [a-z]{2,}(?:(?!\1).)*)\1")
NOT_SHOWN = re.compile(
    r"^\s*(?:/?\*|//|import |export \* |description:|console\.)|console\.error|throw new"
)


def texts(form: Form) -> list[str]:
    return [form] if isinstance(form, str) else list(form.values())


def places(form: Form) -> set[str]:
    """Return the places of a text, and of its forms together."""
    found = {place for text in texts(form) for place in re.findall(r"\{(\w+)\}", text)}
    return found if isinstance(form, str) else found | {"count"}


def every_text(language: str) -> dict[str, Form]:
    return {
        f"{group}.{key}": form
        for group, forms in CATALOGUES[language].items()
        for key, form in forms.items()
    }


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_says_the_same_texts_in_the_same_order(language: str) -> None:
    assert list(every_text(language)) == list(every_text("en"))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_has_the_same_places(language: str) -> None:
    said = every_text(language)

    assert {key: places(form) for key, form in every_text("en").items() if places(form)} == {
        key: places(form) for key, form in said.items() if places(form)
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_empty_in_every_language_or_in_none(language: str) -> None:
    empty = {key for key, form in every_text("en").items() if form == ""}

    assert {key for key, form in every_text(language).items() if "" in texts(form)} == empty


def test_numbers_have_the_forms_of_their_language() -> None:
    forms = {
        language: {tuple(form) for form in every_text(language).values() if isinstance(form, dict)}
        for language in LANGUAGES
    }

    assert forms == {"en": {("one", "other")}, "fr": {("one", "other")}, "zh": set()}


def test_french_keeps_its_double_signs_on_the_line() -> None:
    loose = re.compile(r"(?<!\u00a0)(?:[;?!»]| :)|«(?!\u00a0)")
    wrong = {key: form for key, form in every_text("fr").items() if loose.search(str(form))}

    assert wrong == {}


def test_chinese_signs_are_those_of_chinese() -> None:
    latin = re.compile(r"[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]")
    wrong = {key: form for key, form in every_text("zh").items() if latin.search(str(form))}

    # The name of a reference, not a sign.
    assert set(wrong) == {"lab.labelAsk"}


@pytest.mark.parametrize("name", TABLES)
def test_card_and_text_say_the_same_of_a_state(name: str) -> None:
    # A run that goes on and has no phase left says its state on the card.
    expected = {
        key: word for key, word in TABLES[name].items() if (name, key) != ("phases", "done")
    }
    assert {key: ENGLISH[name].get(key) for key in expected} == expected


def test_card_and_text_name_their_parts_alike() -> None:
    assert {key: ENGLISH["words"].get(key) for key in TITLES} == TITLES


@pytest.mark.parametrize("path", DRAWING, ids=lambda path: path.stem)
def test_nothing_is_said_past_the_catalogue(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    spoken = [
        text
        for line in lines
        if not NOT_SHOWN.search(line)
        for _, text in PROSE.findall(line)
        if not text.startswith(("bc-", "noopener "))
    ]

    assert spoken == [], "Put it into braincode_jupyter/views/catalogue/."


@pytest.mark.parametrize("path", DRAWING, ids=lambda path: path.stem)
def test_nothing_is_left_to_a_language_pack_that_does_not_exist(path: Path) -> None:
    assert GETTEXT.findall(path.read_text(encoding="utf-8")) == [], "Use WORDS of words/catalogue."


def test_every_text_is_said_somewhere() -> None:
    paths = [*DRAWING, SOURCE / "words" / "catalogue.ts"]
    source = "".join(path.read_text(encoding="utf-8") for path in paths)
    spoken = {"WORDS": ENGLISH["words"], "LAB": ENGLISH["lab"]}

    assert {name: len(forms) > 40 for name, forms in spoken.items()} == dict.fromkeys(spoken, True)
    silent = [
        f"{name}.{key}"
        for name, forms in spoken.items()
        for key in forms
        if not re.search(rf"\b{name}\.{key}\b", source)
    ]
    assert silent == []
