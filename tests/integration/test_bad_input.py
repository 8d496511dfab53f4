"""What a user can get wrong before any model is asked, and what is said then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.errors import ConfigurationError, UsageError
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import ScriptedModel
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.runtime import PreparedRun

HERE = {"id": "mine", "provider": "lan", "baseUrl": "http://127.0.0.1:9/v1", "modelId": "m"}


def configured(tmp_path: Path, roles: dict[str, Any]) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    brain = {"id": "own", "extends": "brain", "roles": roles}
    (home / "models.json").write_text(json.dumps({"models": [HERE]}), encoding="utf-8")
    (home / "brains.json").write_text(json.dumps({"brains": [brain]}), encoding="utf-8")
    return home


def prepared(home: Path, models: ScriptedModel | None = None) -> PreparedRun:
    arguments = RunArguments(home=home, project_root=home.parent, brain="own", models=models)
    return prepare_run("why did sales fall", arguments, Sources())


def test_without_any_model_the_error_lists_three_ways_out_one_a_line(tmp_path: Path) -> None:
    arguments = RunArguments(home=tmp_path, project_root=tmp_path)

    with pytest.raises(ConfigurationError) as caught:
        prepare_run("why?", arguments, Sources())

    starts = [line.strip()[:2] for line in caught.value.hint.splitlines()]
    assert [start for start in starts if start[0].isdigit()] == ["1.", "2.", "3."]
    assert max(map(len, caught.value.hint.splitlines())) < 100


def test_an_unknown_model_of_the_brain_is_named_with_near_ones(tmp_path: Path) -> None:
    home = configured(tmp_path, {"librarian": {"modelId": "mien", "fallbackModelIds": []}})

    with pytest.raises(ConfigurationError, match=r"'mien'\. Did you mean mine\?"):
        prepared(home)


def test_a_run_that_can_go_on_warns_of_unknown_models(tmp_path: Path) -> None:
    home = configured(tmp_path, {"librarian": {"modelId": "mien", "fallbackModelIds": ["mine"]}})

    warnings = prepared(home).warnings

    assert "Brain 'own' names the unknown model 'mien'. Did you mean mine?" in warnings


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("libraryan", "No role is called 'libraryan'. Did you mean librarian"),
        ("analyst", "has no role 'analyst'; a Brain that extends 'notebook' has all of them."),
    ],
)
def test_a_role_that_the_brain_does_not_have_is_told(tmp_path: Path, role: str, said: str) -> None:
    home = configured(tmp_path, {role: {"modelId": "mine"}})

    warnings = prepared(home, models=ScriptedModel()).warnings

    assert any(said in warning for warning in warnings), warnings


@pytest.mark.parametrize("ref", ["last", "@@last"])
def test_the_last_session_of_an_empty_home_is_told_as_such(tmp_path: Path, ref: str) -> None:
    with pytest.raises(UsageError, match=r"There is no session yet\."):
        read_run(ref, tmp_path)


def test_an_unknown_session_to_continue_is_named_as_typed(tmp_path: Path) -> None:
    arguments = RunArguments(home=tmp_path, models=ScriptedModel(), continue_session="nope")

    with pytest.raises(UsageError, match="No session starts with 'nope'"):
        prepare_run("why?", arguments, Sources())


@pytest.mark.parametrize("place", ["home", "home/sessions"])
async def test_R107_a_home_that_cannot_be_written_costs_no_answer(
    tmp_path: Path, place: str
) -> None:
    in_the_way = tmp_path / place
    in_the_way.parent.mkdir(exist_ok=True)
    in_the_way.write_text("no folder", encoding="utf-8")
    arguments = RunArguments(home=tmp_path / "home", project_root=tmp_path, models=ScriptedModel())

    run = await prepare_run("why?", arguments, Sources()).execute()

    assert run.status == "completed"
    assert run.answer
    assert not run.view.is_saved
    assert any(speaker().said(warning).startswith("Not saved: ") for warning in run.view.warnings)
