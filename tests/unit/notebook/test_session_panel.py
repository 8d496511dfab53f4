from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.notebook.session_panel import SessionPanel
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path


async def finished(home: Path, prompt: str, model: ScriptedModel | None = None) -> str:
    arguments = RunArguments(
        models=model or ScriptedModel(), home=home, roles=("librarian",), heuristic=True
    )
    prepared = prepare_run(prompt, arguments, Sources())
    await prepared.execute(None)
    return prepared.session_id


async def test_the_panel_gets_rows_and_the_card_of_one(tmp_path: Path) -> None:
    session_id = await finished(tmp_path, "Why did the sales fall?")
    panel = SessionPanel(lambda: tmp_path)

    listed: Any = panel.answer({"kind": "list", "query": "sales", "start": 0, "limit": 50})
    opened: Any = panel.answer({"kind": "open", "sessionId": session_id})

    (row,) = listed["page"]["rows"]
    assert (listed["kind"], row["sessionId"], row["state"]) == ("page", session_id, "completed")
    assert opened["kind"] == "run"
    assert opened["view"]["sessionId"] == session_id
    assert opened["view"]["answer"]["text"]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"kind": "delete", "sessionId": "x"},
        {"kind": "open"},
        {"kind": "open", "sessionId": ["a"]},
        {"kind": "open", "sessionId": "../../etc/passwd"},
        {"kind": "open", "sessionId": "nowhere"},
    ],
)
def test_what_cannot_be_answered_is_said_in_one_line(
    tmp_path: Path, question: dict[str, object]
) -> None:
    answer = SessionPanel(lambda: tmp_path).answer(question)

    assert answer["kind"] == "error"
    assert answer["message"]
    assert answer["hint"]


def test_odd_numbers_of_a_page_are_no_error(tmp_path: Path) -> None:
    question = {"kind": "list", "query": 7, "start": "x", "limit": -3}

    assert SessionPanel(lambda: tmp_path).answer(question)["kind"] == "page"


async def test_a_card_that_is_too_large_names_the_cell_that_shows_it(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(lambda _call: Reply(text="long " * 2_000))
    session_id = await finished(tmp_path, "Tell me all", model)

    panel = SessionPanel(lambda: tmp_path, max_card_bytes=2_000)
    answer = panel.answer({"kind": "open", "sessionId": session_id})

    assert answer["kind"] == "error"
    assert f"%braincode show {session_id[:8]}" in str(answer["hint"])
