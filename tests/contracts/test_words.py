"""What the front end says: all of it in the catalogue, and never against what Python says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from braincode_jupyter.views import words

SOURCE = Path(__file__).parents[2] / "labextension" / "src"
CATALOGUE = SOURCE / "words"
DRAWING = sorted(path for path in SOURCE.rglob("*.ts") if path.parent not in {CATALOGUE})
ENGLISH = (CATALOGUE / "en.ts").read_text(encoding="utf-8")

# Both tables are named alike but for these.
TABLES = {
    "RUN_STATES": words.RUN_STATES,
    "PHASES": words.RUN_PHASES,
    "AGENT_STATES": words.AGENT_STATES,
    "TOOL_STATES": words.TOOL_STATES,
    "TODO_STATES": words.TODO_STATES,
    "REVIEW_STATES": words.REVIEW_STATES,
    "EFFECTS": words.EFFECTS,
    "INDEPENDENCE": words.INDEPENDENCE,
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


def table(name: str) -> dict[str, str]:
    """Read a table of the English catalogue."""
    found = re.search(rf"^export const {name} = {{\n(.*?)^}};", ENGLISH, re.DOTALL | re.MULTILINE)
    assert found, name
    return dict(re.findall(r"^  (\w+): '(.*)',?$", found[1], re.MULTILINE))


@pytest.mark.parametrize("name", TABLES)
def test_card_and_text_say_the_same_of_a_state(name: str) -> None:
    said = table(name)

    # A run that goes on and has no phase left says its state on the card.
    expected = {
        key: word for key, word in TABLES[name].items() if (name, key) != ("PHASES", "done")
    }
    assert {key: said.get(key) for key in expected} == expected


def test_card_and_text_name_their_parts_alike() -> None:
    said = table("WORDS")

    assert {key: said.get(key) for key in TITLES} == TITLES


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

    assert spoken == [], "Put it into labextension/src/words/ in every language."


@pytest.mark.parametrize("path", DRAWING, ids=lambda path: path.stem)
def test_nothing_is_left_to_a_language_pack_that_does_not_exist(path: Path) -> None:
    assert GETTEXT.findall(path.read_text(encoding="utf-8")) == [], "Use WORDS of words/catalogue."


def test_every_word_of_the_catalogue_is_said_somewhere() -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in [*DRAWING, CATALOGUE / "catalogue.ts"]
    )
    names = re.findall(r"^  (\w+):", ENGLISH[ENGLISH.index("export const WORDS") :], re.MULTILINE)
    names = names[: names.index("locale")]

    assert len(names) > 90
    assert [name for name in names if not re.search(rf"WORDS\.{name}\b", text)] == []


def test_every_word_of_commands_and_panels_is_said_somewhere() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in DRAWING)
    english = (CATALOGUE / "lab-en.ts").read_text(encoding="utf-8")
    names = re.findall(r"^  (\w+):", english, re.MULTILINE)

    assert len(names) > 40
    assert [name for name in names if not re.search(rf"LAB\.{name}\b", text)] == []
