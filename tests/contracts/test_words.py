"""What people read: all of it in the catalogue, in every language, and all of it said."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from braincode_jupyter.brain.tool_rules import BUILT_IN_RULES
from braincode_jupyter.protocol.change_records import PatchKind, RiskTier
from braincode_jupyter.protocol.outside_records import ToolApprovalDecided
from braincode_jupyter.protocol.usage import ReasonCode
from braincode_jupyter.views.approval_view import ApprovalView
from braincode_jupyter.views.change_view import ChangeState, ChecksState, CheckState
from braincode_jupyter.views.matrix import Cell
from braincode_jupyter.views.reasons import hint_of
from braincode_jupyter.views.recorded import KINDS, NUMBERS, recorded
from braincode_jupyter.views.run_view import (
    AgentState,
    AgentView,
    AnswerState,
    ReviewState,
    RunPhase,
    RunState,
    TodoView,
    ToolCallState,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from braincode_jupyter.views.recorded import Kind

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "labextension" / "src"
DRAWING = sorted(path for path in SOURCE.rglob("*.ts") if path.parent.name != "words")
LANGUAGES = ("en", "fr", "zh")
Form = str | dict[str, str]
CATALOGUE = ROOT / "braincode_jupyter" / "views" / "catalogue"
CATALOGUES: dict[str, dict[str, dict[str, Form]]] = {
    language: {
        group: forms
        for part in ("", "records/", "kernel/")
        for group, forms in json.loads(
            (CATALOGUE / f"{part}{language}.json").read_text("utf-8")
        ).items()
    }
    for language in LANGUAGES
}
ENGLISH = CATALOGUES["en"]

# Groups with a text for each of a closed set; these are looked up by a name of it.
SETS = {
    "runStates": get_args(RunState),
    "phases": get_args(RunPhase),
    "agentStates": get_args(AgentState),
    "toolStates": get_args(ToolCallState),
    "todoStates": get_args(TodoView.model_fields["state"].annotation),
    "reviewStates": get_args(ReviewState),
    "answerStates": get_args(AnswerState),
    "answerNotes": get_args(AnswerState),
    "changedFiles": get_args(ChangeState),
    "checks": get_args(ChecksState),
    "checkStates": get_args(CheckState),
    "kindsOfRisk": get_args(RiskTier),
    "effects": get_args(ApprovalView.model_fields["effect"].annotation),
    "matrixCells": get_args(Cell),
    "matrixSigns": get_args(Cell),
    "severities": ("high", "medium", "low"),
    "independence": ("none", "weak", "moderate", "strong"),
    "reasons": get_args(ReasonCode),
    "codes": get_args(ReasonCode),
    "decisions": get_args(ToolApprovalDecided.model_fields["decision"].annotation),
    "approvers": get_args(ToolApprovalDecided.model_fields["approver"].annotation),
    "patchKinds": tuple(kind.replace("-", "_") for kind in get_args(PatchKind)),
    "saw": get_args(AgentView.model_fields["kind"].annotation),
}
KEY = re.compile(r"\w+\.\w*")
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
    """Return the places of a text; one with forms needs its count, in words or not."""
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

    # Chinese has one form, and may leave a number out that chooses between two elsewhere.
    assert [
        key
        for key, form in every_text("en").items()
        if places(form) != places(said[key])
        and not (isinstance(form, dict) and places(form) - {"count"} == places(said[key]))
    ] == []


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
    wrong = {
        key: form for key, form in every_text("fr").items() if loose.search(" ".join(texts(form)))
    }

    assert wrong == {}


def test_chinese_signs_are_those_of_chinese() -> None:
    latin = re.compile(r"[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]")
    wrong = {
        key: form for key, form in every_text("zh").items() if latin.search(" ".join(texts(form)))
    }

    # The name of a reference, not a sign.
    assert set(wrong) == {"lab.labelAsk"}


@pytest.mark.parametrize("group", SETS)
def test_every_name_of_a_closed_set_has_a_text(group: str) -> None:
    assert set(ENGLISH[group]) == set(SETS[group])


def test_every_reason_that_can_be_mended_has_a_hint() -> None:
    hinted = {f"hints.{code}" for code in get_args(ReasonCode) if hint_of(code)}

    assert {f"hints.{name}" for name in ENGLISH["hints"]} - {"hints.stopped", "hints.resume"} == (
        hinted
    )


@dataclass(frozen=True, kw_only=True)
class Use:
    """Where Python says a text: its key, or the group alone of one that is looked up."""

    key: str
    values: frozenset[str]
    place: str


def uses() -> Iterator[Use]:
    for path in sorted((ROOT / "braincode_jupyter").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and (key := spoken_by(node)):
                values = frozenset(word.arg or "" for word in node.keywords)
                yield Use(key=key, values=values, place=f"{path.name}:{node.lineno}")


def spoken_by(call: ast.Call) -> str:
    """Return the key that a call says, ``group.`` of one that is looked up, else nothing."""
    function = call.func.func if isinstance(call.func, ast.Call) else call.func
    name = function.id if isinstance(function, ast.Name) else ""
    first = call.args[0]
    if isinstance(call.func, ast.Attribute) and call.func.attr == "named":
        return f"{ast.literal_eval(first)}."
    if name == "recorded":
        return f"{ast.literal_eval(first)}."
    if name not in {"say", "sentence", "speaker"}:
        return ""
    if isinstance(first, ast.JoinedStr):
        first = first.values[0]
    said = str(first.value) if isinstance(first, ast.Constant) else ""
    return said if KEY.fullmatch(said) else ""


def test_python_says_texts_that_exist_with_their_values() -> None:
    known = {key: places(form) for key, form in every_text("en").items()}
    groups = {
        f"{group}.": set[str]().union(*map(places, forms.values()))
        for group, forms in ENGLISH.items()
    }
    found = list(uses())

    assert len(found) > 150
    spoken = [use for use in found if use.key[:-1] not in KINDS]
    assert [use for use in spoken if (known | groups).get(use.key) != use.values] == []


def written() -> str:
    """Return all texts of the code and its data, those of the catalogue left out."""
    package = ROOT / "braincode_jupyter"
    found = [path.read_text("utf-8") for path in (package / "brain" / "data").glob("*.json")]
    for path in package.rglob("*.py"):
        found += [
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
    return "\0".join(found)


def test_texts_of_records_are_written_as_the_catalogue_has_them() -> None:
    code = written()
    pieces = {
        piece.strip(" ,;:.()'")
        for kind in KINDS
        for form in ENGLISH[kind].values()
        for piece in re.split(r"\{\w+\}", texts(form)[-1])
    }

    # Three that the code puts together from two texts.
    pieces -= {"Answer as", "Look at it as", "failed with status"}
    assert [piece for piece in sorted(pieces) if piece not in code] == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_text_of_a_record_is_known_by_its_english(kind: Kind) -> None:
    names = {
        f"{kind}.{key}": re.sub(r"\{(\w+)\}", lambda place: sample(place[1]), text)
        for key, form in ENGLISH[kind].items()
        for text in texts(form)
        # Such a text only joins others.
        if re.search(r"\w", re.sub(r"\{\w+\}", "", text))
    }
    found = {key: recorded(kind, text) for key, text in names.items()}

    assert [key for key, said in found.items() if getattr(said, "key", "") != key] == []


def test_every_built_in_rule_gives_its_reason_in_words_of_the_catalogue() -> None:
    reasons = {rule.reason for rule in BUILT_IN_RULES}

    assert len(reasons) > 10
    assert [why for why in sorted(reasons) if isinstance(recorded("rules", why), str)] == []


def sample(place: str) -> str:
    return "1,234" if place in NUMBERS else "thing"


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
    catalogue = (SOURCE / "words" / "catalogue.ts").read_text(encoding="utf-8")
    drawn = "".join(path.read_text(encoding="utf-8") for path in DRAWING) + catalogue
    said = {use.key for use in uses()}
    said |= {f"words.{key}" for key in re.findall(r"\bWORDS\.(\w+)", drawn)}
    said |= {f"lab.{key}" for key in re.findall(r"\bLAB\.(\w+)", drawn)}
    said |= {f"{group}." for group in re.findall(r"\bsaid\.(\w+)", catalogue)} - {"words.", "lab."}
    texts = every_text("en")

    assert len(texts) > 350
    assert [key for key in texts if not {key, f"{key.partition('.')[0]}."} & said] == []
