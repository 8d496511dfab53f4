"""The saved forms of a card are complete: what a `RunView` says stands in the HTML and in the text.

Views are made whose every text is a word of its own; each word has to be found again, or its field
has to be on the list of those that are left out on purpose.
"""

from __future__ import annotations

import re
from itertools import count
from types import UnionType
from typing import Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from braincode_jupyter.views.block_view import Block
from braincode_jupyter.views.blocks import to_blocks
from braincode_jupyter.views.html import to_html, to_page
from braincode_jupyter.views.run_view import RunView
from braincode_jupyter.views.text import to_text

IDS = "an id, or a pointer between parts of the view; nothing to read"
STATES = "a state or a kind: said in words"
NUMBERED = "told by number, as are the todos that it needs"
LEFT_OUT = {
    "RunView.run_id": IDS,
    "ReferenceView.kind": "its token says it",
    "ReferenceView.uri": IDS,
    "FindingView.severity": STATES,
    "TodoView.id": IDS,
    "TodoView.needs": NUMBERED,
    "TodoView.summary": "the entry of its worker says it, and more",
    "AgentView.context_id": IDS,
    "AgentView.last_call_id": IDS,
    "AgentView.todo_ids": IDS,
    "AgentView.upstream": IDS,
    "ArtifactView.kind": STATES,
    "ArtifactView.media_type": STATES,
    "ToolCallView.call_id": IDS,
    "ToolCallView.name": "its action says it in words",
    "SectionView.kind": "its label says it",
    "SectionView.owner": IDS,
    "SectionView.source": IDS,
    "ApprovalView.approval_id": IDS,
    "ApprovalView.context_id": IDS,
    "ApprovalView.tool": "its action says it",
    "ApprovalView.whole": "what waits is answered on the live card or at the prompt, shown whole",
    "ApprovalView.bound_sha256": IDS,
    "GrantView.approval_id": IDS,
    "GrantView.tool": "its action says it",
    "GrantView.shown": "it is taken back on the live card or by line magic, shown whole",
    "PlotView.uri": IDS,
    "TableView.uri": IDS,
    "TableView.csv": "its cells are drawn; the card copies it",
    "TableView.code": "the card puts it into a cell",
    "MatrixColumn.key": IDS,
    "MatrixColumn.kind": "its label says it",
    "MatrixRow.context_id": IDS,
}
ONLY_IN_HTML = {
    "PlotView.label": "an artifact of the worker that made it is named in the text",
    "PlotView.data": "text has no images",
    "AnswerView.blocks": "the Markdown itself stands there",
    "AgentView.summary_blocks": "the Markdown itself stands there",
}
ONLY_IN_TEXT = {
    "AnswerView.text": "its blocks are the same",
    "AgentView.summary": "its blocks are the same",
}


class Marked:
    """Makes a view whose every text is a word of its own."""

    def __init__(self, chosen: dict[str, object]) -> None:
        self.words: dict[str, list[str]] = {}
        self._chosen = chosen
        self._numbers = count(1)

    def make(self, model: type[BaseModel]) -> BaseModel:
        return model.model_validate(
            {
                name: self._value(field.annotation, f"{model.__name__}.{name}")
                for name, field in model.model_fields.items()
            }
        )

    def _value(self, kind: object, path: str) -> object:
        if path in self._chosen:
            return self._chosen[path]
        match get_origin(kind):
            case origin if origin is Literal:
                return get_args(kind)[-1]
            case origin if origin in {Union, UnionType}:
                present = [one for one in get_args(kind) if one is not type(None)]
                return self._value(present[0], path)
            case origin if origin is tuple:
                items = [one for one in get_args(kind) if one is not Ellipsis]
                return tuple(self._item(one, path) for one in items)
            case _:
                return self._item(kind, path)

    def _item(self, kind: object, path: str) -> object:
        if kind is Block:
            return to_blocks(self._word(path))[0]
        if get_origin(kind) is not None:
            return self._value(kind, path)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self.make(kind)
        simple: dict[object, object] = {bool: True, float: 0.5}
        if kind is int:
            return next(self._numbers)
        return simple[kind] if kind in simple else self._word(path)

    def _word(self, path: str) -> str:
        word = f"w{next(self._numbers)}w"
        self.words.setdefault(path, []).append(word)
        return word


STATES_SHOWN: tuple[dict[str, object], ...] = (
    {"AgentView.state": "failed", "AgentView.kind": "worker", "ReferenceView.state": "cut"},
    {
        "RunView.clarification": None,
        "AgentView.state": "running",
        "ReviewView.reason": "",
        "SectionView.kind": "result",
        "SectionView.label": "",
        "MatrixColumn.kind": "result",
        "MatrixColumn.label": "",
        "ArtifactView.uri": "braincode://table",
        "TableView.uri": "braincode://table",
    },
    {
        "RunView.clarification": None,
        "ReferenceView.state": "missing",
        "ArtifactView.media_type": None,
    },
)
PLAIN: dict[str, object] = {
    "RunView.state": "failed",
    "PlotView.media_type": "image/png",
    "ReviewView.independence": "weak",
}


def missing(form: str, text: str, marked: Marked) -> set[str]:
    flat = re.sub(r"\s+", " ", text)
    lost = {path for path, words in marked.words.items() if any(w not in flat for w in words)}
    return lost - set(ONLY_IN_HTML if form == "text" else ONLY_IN_TEXT)


@pytest.mark.parametrize("form", ["html", "page", "text"])
def test_every_field_of_a_view_is_told_or_left_out_on_purpose(form: str) -> None:
    draw = {"html": to_html, "page": to_page, "text": to_text}[form]
    lost: list[set[str]] = []
    for chosen in STATES_SHOWN:
        marked = Marked({**PLAIN, **chosen})
        view = RunView.model_validate(marked.make(RunView))
        absent = {path for path in told_by(RunView) if path not in marked.words}
        lost.append(missing(form, draw(view), marked) | absent)

    assert set.intersection(*lost) - set(LEFT_OUT) == set()


def told_by(model: type[BaseModel]) -> set[str]:
    """Return every text field below a model."""
    everything = Marked(PLAIN)
    everything.make(model)
    return set(everything.words)


def test_nothing_is_left_out_that_is_no_field() -> None:
    assert {*LEFT_OUT, *ONLY_IN_HTML, *ONLY_IN_TEXT} - told_by(RunView) == set()


def test_an_image_is_part_of_the_page_with_its_label_for_those_who_do_not_see_it() -> None:
    marked = Marked({**PLAIN, "PlotView.data": "iVBORw0KGgo=", "PlotView.label": 'a "b" <c>'})

    html = to_html(RunView.model_validate(marked.make(RunView)))

    assert '<img src="data:image/png;base64,iVBORw0KGgo=" alt="a &quot;b&quot; &lt;c&gt;">' in html


@pytest.mark.parametrize("data", ['x" onerror="alert(1)', "", "https://a.example/x.png", "a b"])
def test_an_image_that_is_no_base64_is_a_caption(data: str) -> None:
    marked = Marked({**PLAIN, "PlotView.data": data, "PlotView.label": "the plot"})

    html = to_html(RunView.model_validate(marked.make(RunView)))

    assert "<img" not in html
    assert "<figcaption><bdi>the plot</bdi></figcaption>" in html


def test_a_page_forbids_everything_but_its_own_images_and_styles() -> None:
    page = to_page(RunView(session_id="s", title="Why?"))

    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert page.index(policy) < page.index("<title>")
    assert not re.search(r"<script|<link|<iframe|<object|\bon\w+=|@import|url\(", page)
