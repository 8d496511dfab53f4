"""What must never leave the machine, nor stay in a notebook: keys, and where a home folder is."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import BraincodeError, UsageError
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import ScriptedModel
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import LoopbackProvider

KEY = "0f3c55aa7d2b4e9196c8d0e1f2a3b4c5"
"""A key without the shape of one."""


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


@pytest.fixture
def on_provider(user: Path, provider: LoopbackProvider, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the user a key of the loopback provider."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    return user


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
    assert any("@gone.txt" in warning for warning in map(speaker().said, run.view.warnings))


def test_R73_an_error_names_files_of_the_user_without_the_home_folder(user: Path) -> None:
    (user / ".braincode" / "brains.json").write_text("{", encoding="utf-8")

    with pytest.raises(BraincodeError) as caught:
        prepare_run("why?", arguments(user, ScriptedModel()), Sources())

    text = "\n".join(caught.value._render_traceback_())
    assert "brains.json" in text
    assert "~" in text
    assert str(user) not in text


async def test_R67_a_configured_key_of_any_shape_in_a_reference_is_masked(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (user / "sales" / "notes.txt").write_text(f"curl -H 'api: {KEY}'", encoding="utf-8")
    (user / "sales" / "AGENTS.md").write_text(f"The key is {KEY}.", encoding="utf-8")
    model = ScriptedModel()

    run = await prepare_run("read @notes.txt", arguments(user, model), Sources()).execute()

    sent = "".join(call.prompt.system + call.prompt.user for call in model.calls)
    assert KEY not in sent
    assert "[secret:OPENAI_API_KEY]" in sent
    assert any(
        "2 of your configured keys" in warning for warning in map(speaker().said, run.view.warnings)
    )


def test_R69_a_request_with_a_configured_key_is_refused_without_showing_it(
    user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    with pytest.raises(UsageError) as caught:
        prepare_run(f"use {KEY}", arguments(user, ScriptedModel()), Sources())

    assert KEY not in str(caught.value)


async def test_R68_a_key_that_a_provider_sends_back_is_shown_and_saved_nowhere(
    on_provider: Path, provider: LoopbackProvider
) -> None:
    user = on_provider
    provider.streams_always(provider.chat("You sent ", KEY[:9], KEY[9:20], KEY[20:], "."))
    streamed: list[str] = []

    class Watcher:
        def on_view(self, view: object) -> None:
            pass

        def on_text(self, context_id: str, offset: int, text: str) -> None:
            streamed.append(text)

    asked = RunArguments(home=user / ".braincode", project_root=user / "sales", heuristic=True)
    run = await prepare_run("echo", asked, Sources()).execute(Watcher())

    assert run.answer == "You sent [secret:OPENAI_API_KEY]."
    assert not [piece for piece in streamed if KEY[:9] in piece or KEY[9:20] in piece]
    (session,) = (user / ".braincode" / "sessions").glob("*.jsonl")
    assert KEY not in session.read_text(encoding="utf-8")


async def test_R70_a_log_of_everything_holds_no_key(
    on_provider: Path, provider: LoopbackProvider, caplog: pytest.LogCaptureFixture
) -> None:
    user = on_provider
    provider.fails(401, f"Incorrect API key provided: {KEY}")
    caplog.set_level(logging.DEBUG)

    asked = RunArguments(home=user / ".braincode", project_root=user / "sales", heuristic=True)
    run = await prepare_run("echo", asked, Sources()).execute()

    assert run.status == "failed"
    assert caplog.records
    assert KEY not in caplog.text
    assert run.error.__context__ is None
