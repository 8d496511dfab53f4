"""A whole run, told to a reader of another language: nothing of ours is left in English."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views.speaker import forms_of, speaker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from braincode_jupyter.models.scripted import Script
    from braincode_jupyter.runtime import Run

# What a model writes and what it calls have no two words here: a text with them is ours.
WORDS = re.compile(r"[A-Za-z] [A-Za-z]")
FINDS: Script = {"primary": "Replied.", "librarian": "Found.", "analyst": "Found.", "review": "x"}
CALLS: Script = {
    **FINDS,
    "primary": Reply(text="x", tool_calls=(("edit_everything", {}),), then=lambda _: "y"),
}
EDITS: Script = {
    **FINDS,
    "primary": Reply(
        text="x",
        tool_calls=(
            ("edit_file", {"path": "a.md", "content": "b"}),
            ("edit_file", {"path": "AGENTS.md", "content": "b"}),
        ),
        then=lambda _: "y",
    ),
}


def finished(prompt: str, script: Script, folder: Path, **more: object) -> Run:
    """Return a run that came to its end in a folder of its own."""
    (folder / "home").mkdir()
    (folder / "project").mkdir()
    (folder / "project" / "data.md").write_text("figures")
    asked = {"home": folder / "home", "project_root": folder / "project", **more}
    arguments = RunArguments(models=ScriptedModel(script), **asked)  # pyright: ignore[reportArgumentType] - of each test

    async def execute() -> Run:
        return await prepare_run(prompt, arguments, Sources()).execute()

    return asyncio.run(execute())


@pytest.mark.parametrize(
    ("prompt", "script", "more"),
    [
        ("why?", FINDS, {"roles": ("librarian", "analyst", "review")}),
        ("Plot:the:data @data.md @daata.md @gone.md @@none", FINDS, {"heuristic": True}),
        ("Plot:the:data", {**FINDS, "routeBrain": "no-json"}, {}),
        ("hello", FINDS, {}),
        ("fix", FINDS, {"heuristic": True}),
        ("why?", EDITS, {"roles": ("backend", "review"), "allow_edits": True}),
        ("why?", CALLS, {"roles": ("backend",)}),
    ],
    ids=["named", "references", "unrouted", "short", "vague", "edited", "no-tool"],
)
def test_a_run_has_no_english_of_ours_but_in_sentences(
    prompt: str, script: Script, *, more: dict[str, object], tmp_path: Path
) -> None:
    run = finished(prompt, script, tmp_path, **more)

    # Why a section was kept from an agent is a name, said by another group of the catalogue.
    named = {name.replace("_", " ") for name in forms_of("en")["withheld"]}
    calls = {call.action for agent in run.view.agents for call in agent.tool_calls}
    outside = {prompt, run.view.request, run.view.title, *named, *calls}
    told = set(told_by(run.view.model_dump())) - outside

    assert sorted(text for text in told if WORDS.search(text)) == []


def told_by(value: object) -> Iterator[str]:
    """Return the texts that stand in a view outside sentences, and those that they hold."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        items = list(value.values())
        if value.keys() == Sentence.model_fields.keys():
            items = [value["values"]]
        for item in items:
            yield from told_by(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from told_by(item)


def test_sentences_of_a_run_are_french_and_in_english_what_was_recorded(tmp_path: Path) -> None:
    run = finished("Plot:the:data @gone.md", FINDS, tmp_path, heuristic=True)
    said = [one for one in run.view.todos if isinstance(one.title, Sentence)]

    assert said
    for todo in said:
        assert isinstance(todo.title, Sentence)
        assert speaker().said(todo.title) == todo.title.english
        assert speaker("fr").said(todo.title) != todo.title.english
