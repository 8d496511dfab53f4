"""What must never leave the machine, nor stay in a notebook: keys, and where a home folder is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import BraincodeError
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a user with a home folder and a project in it, each with support files."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    home, root = tmp_path / ".braincode", tmp_path / "sales"
    for folder in (home, root):
        folder.mkdir()
        (folder / "AGENTS.md").write_text("Be brief.", encoding="utf-8")
    (home / "skills").mkdir()
    (home / "skills" / "mail.md").write_text("Write mail.", encoding="utf-8")
    (home / "mcp.json").write_text('{"mcpServers": {"docs": {}}}', encoding="utf-8")
    (root / "notes.txt").write_text("Sales fell.", encoding="utf-8")
    return tmp_path


def arguments(user: Path, models: ScriptedModel) -> RunArguments:
    return RunArguments(
        home=user / ".braincode",
        project_root=user / "sales",
        models=models,
        roles=("analyst", "librarian"),
        review=True,
    )


async def test_R8_R73_no_prompt_and_no_saved_card_tells_where_the_home_folder_is(
    user: Path,
) -> None:
    model = ScriptedModel()
    (user / ".braincode").chmod(0o755)

    run = await prepare_run(
        "why did @notes.txt and @gone.txt fall", arguments(user, model), Sources()
    ).execute()

    assert "Be brief." in model.calls[0].prompt.user
    for call in model.calls:
        assert str(user) not in call.prompt.system + call.prompt.user
    for content in run._repr_mimebundle_().values():
        shown = content if isinstance(content, str) else json.dumps(content)
        assert str(user) not in shown
    assert any("@gone.txt" in warning for warning in run.view.warnings)


def test_R73_an_error_names_files_of_the_user_without_the_home_folder(user: Path) -> None:
    (user / ".braincode" / "brains.json").write_text("{", encoding="utf-8")

    with pytest.raises(BraincodeError) as caught:
        prepare_run("why?", arguments(user, ScriptedModel()), Sources())

    text = "\n".join(caught.value._render_traceback_())
    assert "brains.json" in text
    assert "~" in text
    assert str(user) not in text
