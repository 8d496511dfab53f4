from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from namespace import Namespace
from watched_kernel import Kernel

from braincode_jupyter.brain.grammar import parse_references
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.notebook.choices import Offers
from braincode_jupyter.notebook.page_completion import (
    MAX_CELL_CHARS,
    PREVIEW_CHARS,
    PageCompletion,
)
from braincode_jupyter.notebook.page_questions import PageQuestions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from braincode_jupyter.runtime import Sources
    from braincode_jupyter.views.speaker import Language

NAMES = ("my data.csv", "a@b.txt", "naïve–ü.md", "数据.csv", "<img src=x onerror=alert()>.md")


@pytest.fixture
def completion(tmp_path: Path) -> PageCompletion:
    for name in NAMES:
        (tmp_path / name).write_text("x")
    kernel = Kernel()
    kernel.run("ran", "#| label: known\nx = 1")
    option = SimpleNamespace(flag="--review", metavar="", choices=(), later="", help="Review it.")
    offers = Offers(
        project_root=lambda: tmp_path,
        cells=kernel.source,
        variables=Namespace(sales=1),
        options=(option,),
    )

    def preview(token: str, sources: Sources, _: Language) -> str:
        if token.endswith("gone"):
            raise UnresolvedReferenceError("There is no variable.", hint="Run it first.")
        cells = sources.cells.cells() if sources.cells else ()
        return f"{token} {[cell.source for cell in cells]}\x1b[31m" + "x" * 2 * PREVIEW_CHARS

    return PageCompletion(offers, cells_on_page=kernel.source.cells_on_page, preview=preview)


def items(answer: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    return {item["text"]: (item["kind"], item["detail"]) for item in answer["items"]}


def ask(text: str, **more: object) -> dict[str, object]:
    lines = text.split("\n")
    place = {"line": len(lines) - 1, "column": len(lines[-1])}
    return {"kind": "offers", "text": text, **place, **more}


def page_cell(cell_id: str, source: str, cell_type: str = "code") -> dict[str, object]:
    return {"id": cell_id, "cell_type": cell_type, "source": source}


def test_cells_are_those_of_the_page_but_for_the_one_that_is_typed_in(
    completion: PageCompletion,
) -> None:
    cells = [
        page_cell("m", "# Title", "markdown"),
        page_cell("n", "#| label: new\ny = 2"),
        page_cell("me", "%%braincode\n@ce"),
    ]

    answer = completion.answer(ask("%%braincode\n@cell:", cells=cells, active="me"))

    assert answer["fragment"] == "@cell:"
    assert items(answer) == {
        "@cell:m": ("markdown", "# Title"),
        "@cell:new": ("cell", "y = 2"),
        "@cell:above": ("cell", "y = 2"),
        "@cell:n": ("cell", "y = 2"),
    }


def test_without_cells_of_the_page_those_of_the_kernel_are_offered(
    completion: PageCompletion,
) -> None:
    assert "@cell:known" in items(completion.answer(ask("%%braincode\n@cell:")))


@pytest.mark.parametrize("typed", ["@", "@my", "@na", "@<"])
def test_B19_every_offered_reference_parses_back_to_itself(
    completion: PageCompletion, typed: str
) -> None:
    answer = completion.answer(ask(f"%%braincode\n{typed}"))

    offered = [text for text, (kind, _) in items(answer).items() if kind != "prefix"]
    assert offered
    for text in offered:
        (reference,) = parse_references(text)
        assert reference.token == text


def test_options_have_their_help_beside_them(completion: PageCompletion) -> None:
    assert items(completion.answer(ask("%%braincode --r"))) == {
        "--review": ("option", "have the answer reviewed")
    }


@pytest.mark.parametrize(
    "question",
    [
        {}, {"kind": "other"}, {"kind": "offers"}, ask("print(1)"),
        ask("x" * MAX_CELL_CHARS + "%braincode @"),
        {**ask("%%braincode\n@"), "line": 7}, {**ask("%%braincode\n@"), "line": -1},
        {**ask("%%braincode\n@"), "column": "1"}, {**ask("%%braincode\n@"), "text": None},
        {"kind": "preview", "token": "@" + "x" * PREVIEW_CHARS}, {"kind": "preview", "token": 1},
    ],
)  # fmt: skip
def test_a_question_that_is_none_gets_an_empty_answer(
    completion: PageCompletion, question: dict[str, object]
) -> None:
    assert completion.answer(question) == {}


def test_a_preview_is_what_would_be_sent_bounded_and_without_controls(
    completion: PageCompletion,
) -> None:
    question = {"kind": "preview", "token": "@var:sales", "cells": [page_cell("n", "not run")]}

    preview = completion.answer(question)["preview"]

    assert isinstance(preview, str)
    assert preview.startswith("@var:sales ['not run']x")
    assert len(preview) < PREVIEW_CHARS + 100


def test_details_are_in_the_language_of_the_page(completion: PageCompletion) -> None:
    answer = completion.answer(ask("%%braincode\n@", language="fr-FR"))

    assert items(answer)["@out:"] == ("prefix", "les sorties d’une cellule")


def test_the_preview_of_what_does_not_resolve_says_why(completion: PageCompletion) -> None:
    answer = completion.answer({"kind": "preview", "token": "@var:gone"})

    assert answer == {"preview": "There is no variable. Run it first."}


class Comm:
    """What a kernel hands over when the page opens a comm."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.is_closed = False

    def send(self, data: object) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def open_comm() -> Iterator[Any]:
    import comm  # noqa: PLC0415 - part of ipykernel

    def answer(question: Mapping[str, object]) -> dict[str, object] | None:
        if question.get("fails"):
            raise RuntimeError("broken")
        return None if question.get("quiet") else {"got": dict(question)}

    questions = PageQuestions({"braincode.test": answer})
    questions.register()

    def open_(data: object) -> Comm:
        made = Comm()
        target = comm.get_comm_manager().targets["braincode.test"]
        target(made, {"content": {"data": data}})
        return made

    yield open_
    questions.unregister()
    assert "braincode.test" not in comm.get_comm_manager().targets


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"a": 1}, [{"got": {"a": 1}}]),
        ([], [{"got": {}}]),
        ({"fails": 1}, [{}]),
        ({"quiet": 1}, []),
    ],
)  # fmt: skip
def test_a_comm_gets_at_most_one_answer_and_is_closed_with_it(
    open_comm: Any,  # noqa: ANN401 - a function of the fixture
    data: object,
    expected: list[object],
) -> None:
    made = open_comm(data)

    assert made.sent == expected
    assert made.is_closed == bool(expected)
