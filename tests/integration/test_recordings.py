"""Recordings in runs: what is stale is named, nobody is asked, and no file is trusted."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import BraincodeError, ConfigurationError, ModelError, UsageError
from braincode_jupyter.models import load_models
from braincode_jupyter.models.recording_file import RecordedRun, read_recording, save_run
from braincode_jupyter.protocol.sentence import sentence
from braincode_jupyter.runtime import RunArguments, Sources, plan_run, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.ports import ModelClient
    from braincode_jupyter.runtime import Run
    from tests.integration.conftest import LoopbackProvider

REQUEST = "why did revenue fall @notes.md"
KEY = "sk-planted-0123456789abcdefghijklmnop"
PLANTED = "SECRET-OF-THE-NOTES"
LOOK = Reply(
    text="",
    tool_calls=(("read_file", {"path": "notes.md"}),),
    then=lambda returns: json.dumps({"summary": f"read {len(returns)} file"}),
)
SCRIPT = {"analyst": LOOK, "primary": "the north lost a customer"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.md").write_text(f"the north lost a customer, {PLANTED}")
    return folder


def asking(project: Path, models: ModelClient | None = None, **more: object) -> RunArguments:
    first = {"roles": ("librarian", "analyst"), "review": False} | more
    return RunArguments(
        home=project.parent / "home",
        project_root=project,
        models=models,
        **first,
    )


def asked(
    project: Path, models: ModelClient | None = None, *, request: str = REQUEST, **more: object
) -> Run:
    prepared = prepare_run(request, asking(project, models, **more), Sources())
    return asyncio.run(prepared.execute())


async def answered(project: Path, models: ModelClient, **more: object) -> Run:
    arguments = asking(project, models, brain="notebook", **more)
    return await prepare_run(REQUEST, arguments, Sources()).execute()


def recorded(project: Path, **more: object) -> Path:
    run = asked(project, ScriptedModel(SCRIPT), record=True, **more)
    assert run.view.recorded == sentence(
        "said.recorded", count=len(run.calls), file="recording.braincode.json"
    )
    return project / "recording.braincode.json"


def failure(run: Run) -> ModelError:
    assert isinstance(run.error, ModelError)
    assert run.error.code == "stale_recording"
    return run.error


def test_a_changed_reference_is_stale_and_named_and_its_text_is_not(project: Path) -> None:
    recorded(project)
    (project / "notes.md").write_text("the south, another secret")

    run = asked(project, replay="only")

    error = failure(run)
    assert "analyst: the reference '@notes.md' has changed" in error.message
    assert "--record" in error.hint
    assert "another secret" not in str(error)
    assert run.status == "failed"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"allow_edits": True}, "the tool"),
        ({"mode": "radical"}, None),
        ({"roles": ("librarian", "security")}, "security: no such call is left in the recording"),
    ],
)
def test_what_changed_with_the_options_is_named(
    project: Path, change: dict[str, object], named: str | None
) -> None:
    recorded(project)

    run = asked(project, replay="only", **change)

    if named is None:
        assert run.status == "completed"
    else:
        assert named in failure(run).message


@pytest.mark.parametrize("replay", ["only", True])
def test_a_request_that_was_not_recorded_is_refused_where_nobody_can_be_asked(
    project: Path, replay: object
) -> None:
    recorded(project)

    with pytest.raises(ModelError, match=r"not recorded in recording\.braincode\.json") as caught:
        asked(project, request="another one", replay=replay)

    assert caught.value.code == "stale_recording"


def test_a_request_that_was_changed_in_its_cell_is_told_as_that(project: Path) -> None:
    recorded(project, cell_id="c1")

    with pytest.raises(ModelError, match="request of this cell has changed"):
        asked(project, request="another one", replay="only", cell_id="c1")


def test_recording_a_changed_cell_again_takes_the_place_of_what_it_was(project: Path) -> None:
    file = recorded(project, cell_id="c1")
    asked(project, ScriptedModel(), request="another one", record=True, cell_id="c1")
    asked(project, ScriptedModel(), request="a second cell", record=True, cell_id="c2")

    runs = json.loads(file.read_text())["runs"]

    assert [run["cell"] for run in runs] == ["c1", "c2"]
    assert asked(project, request="another one", replay="only").status == "completed"


def test_what_is_missing_is_asked_and_the_card_says_which(project: Path) -> None:
    recorded(project)
    (project / "notes.md").write_text("the south")
    model = ScriptedModel(SCRIPT)

    run = asked(project, model, replay=True)

    assert run.answer == "the north lost a customer"
    assert len(model.calls) == 2
    assert (run.usage.calls, run.usage.replayed_calls) == (2, 0)
    assert "analyst was asked anew: the reference '@notes.md' has changed." in run.view.warnings


def test_a_tool_that_gives_something_else_is_told(project: Path) -> None:
    request = {"request": "why did revenue fall", "roles": ("analyst",)}
    asked(project, ScriptedModel({"primary": LOOK}), record=True, **request)
    again = asked(project, replay="only", **request)
    (project / "notes.md").write_text("something else")

    run = asked(project, replay="only", **request)

    assert again.answer == '{"summary": "read 1 file"}'
    assert len(again.view.agents[-1].tool_calls) == 1
    assert "the tool 'read_file' gives something else than it did" in failure(run).message


def test_what_a_tool_did_is_not_done_twice_to_ask_anew(project: Path) -> None:
    edit = {"path": "notes.md", "oldString": "north", "newString": "NORTH"}
    act = Reply(
        text="",
        tool_calls=(("edit_file", edit), ("read_file", {"path": "notes.md"})),
        then=lambda _: "done",
    )
    request = {
        "request": "write the north in capitals in notes.md",
        "roles": ("backend",),
        "allow_edits": True,
        "yes": True,
    }
    first = (project / "notes.md").read_text()
    asked(project, ScriptedModel({"backend": act}), record=True, **request)
    (project / "notes.md").write_text(f"{first} and more")
    model = ScriptedModel({"backend": act})

    run = asked(project, model, replay=True, **request)

    assert "gives something else" in failure(run).message
    assert model.calls == []
    assert (project / "notes.md").read_text().count("NORTH") == 1


async def test_a_provider_gets_no_request_while_its_replies_are_replayed(
    project: Path, provider: LoopbackProvider
) -> None:
    provider.streams_always(provider.chat("the north ", f"fell {KEY}"))
    environ = provider.environ | {"OPENAI_API_KEY": KEY}
    with_key, without = load_models((), {}, environ), load_models((), {}, {})
    run = await answered(project, with_key, record=True)
    seen = len(provider.seen)

    again = await answered(project, with_key, replay=True)
    keyless = await answered(project, without, replay=True)
    await with_key.aclose()

    assert seen == len(run.calls) == len(provider.seen) > 0
    assert again.answer == keyless.answer == run.answer
    assert again.usage.total_tokens == run.usage.total_tokens
    assert again.usage.replayed_calls == again.usage.calls == seen
    text = (project / "recording.braincode.json").read_text()
    assert KEY not in text
    assert PLANTED not in text
    assert REQUEST not in text


def test_a_failed_run_never_takes_the_place_of_one_that_completed(project: Path) -> None:
    file = recorded(project)
    before = file.read_bytes()

    run = asked(project, ScriptedModel({"primary": ModelError("x", code="network")}), record=True)

    assert run.status == "failed"
    assert run.view.warnings[-1] == sentence("said.notRecordedFailed")
    assert file.read_bytes() == before


async def test_a_stopped_run_is_not_recorded(project: Path) -> None:
    prepared = prepare_run(
        REQUEST, asking(project, ScriptedModel(latency_s=30), record=True), Sources()
    )
    running = asyncio.create_task(prepared.execute())
    await asyncio.sleep(0.05)
    prepared.stop()

    run = await running

    assert run.view.warnings[-1] == sentence("said.notRecordedStopped")
    assert os.listdir(project) == ["notes.md"]


@pytest.mark.parametrize(
    "content",
    [
        b"not json",
        b"[" * 100_000,
        b'{"format": "braincode recording", "version": 2, "runs": []}',
        b'{"format": "another", "version": 1, "runs": []}',
        b'{"format": "braincode recording", "version": 1, "runs": [{"request": "x"}]}',
        b"\xff\xfe\x00",
        b" " * (33 * 1024 * 1024),
    ],
)
@pytest.mark.parametrize("how", [{"record": True}, {"replay": "only"}])
def test_a_file_that_is_no_recording_is_said_before_anybody_is_asked(
    project: Path, content: bytes, how: dict[str, object]
) -> None:
    (project / "recording.braincode.json").write_bytes(content)
    model = ScriptedModel()

    with pytest.raises(ConfigurationError, match=r"The recording 'recording.braincode.json' is"):
        asked(project, model, **how)

    assert model.calls == []


def test_a_recording_beside_the_open_notebook_goes_before_others(project: Path) -> None:
    notebook = project / "lesson.1.ipynb"
    notebook.write_text("{}")
    asked(project, ScriptedModel({"primary": "old"}), record=True)
    asked(project, ScriptedModel({"primary": "new"}), record=True, open_notebook=notebook)

    run = asked(project, replay="only", open_notebook=notebook)

    assert run.answer == "new"
    assert (project / "lesson.1.braincode.json").is_file()


def test_no_tool_lists_or_searches_a_recording(project: Path) -> None:
    recorded(project)
    given: list[str] = []
    look = Reply(
        text="",
        tool_calls=(("list_files", {"path": "."}), ("search_files", {"query": "customer"})),
        then=lambda returns: given.extend(one.text for one in returns) or "looked",
    )

    asked(project, ScriptedModel({"primary": look}), request="look around")

    assert "notes.md" in given[0]
    assert "notes.md" in given[1]
    assert "braincode.json" not in "".join(given)


@pytest.mark.parametrize("value", ["only", "ONLY "])
def test_the_environment_lets_no_cell_make_a_call(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    recorded(project)
    monkeypatch.setenv("BRAINCODE_REPLAY", value)
    model = ScriptedModel()

    runs = [asked(project, model), asked(project, model, record=True)]

    assert [run.usage.replayed_calls for run in runs] == [2, 2]
    assert model.calls == []
    monkeypatch.setenv("BRAINCODE_REPLAY", "sometimes")
    with pytest.raises(ConfigurationError, match="BRAINCODE_REPLAY"):
        asked(project, model)


@pytest.mark.parametrize("value", ["always", 1.5, None])
def test_replay_takes_nothing_else(project: Path, value: object) -> None:
    with pytest.raises(UsageError, match="replay cannot be"):
        asked(project, ScriptedModel(), replay=value)


async def test_a_run_is_not_recorded_and_replayed_at_once_and_a_plan_never_recorded(
    project: Path,
) -> None:
    with pytest.raises(UsageError, match="recorded and replayed at once"):
        prepare_run(REQUEST, asking(project, record=True, replay=True), Sources())
    with pytest.raises(UsageError, match="plan is not recorded"):
        await plan_run(REQUEST, asking(project, ScriptedModel(), record=True), Sources())


def test_replayed_calls_are_not_spent_again(project: Path) -> None:
    recorded(project)
    run = asked(project, replay="only")

    spent = [record for record in run.records if record.type == "token_usage"]

    assert [record.is_replayed for record in spent] == [True, True]
    assert "replayed" in str(run)


WRITER = """
import sys
from pathlib import Path
from braincode_jupyter.models.recording_file import RecordedRun, save_run
name, path, lock = sys.argv[1:]
for number in range(10):
    run = RecordedRun(request=f"{number:064x}", cell=f"{name}{number}", status="completed")
    save_run(Path(path), run, lock=Path(lock))
"""


def test_kernels_that_record_at_once_lose_nothing(tmp_path: Path) -> None:
    path, lock = tmp_path / "a.braincode.json", tmp_path / "locks" / "a.lock"

    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, name, str(path), str(lock)])  # noqa: S603
        for name in "ab"
    ]
    for number in range(10):
        run = RecordedRun(request=f"{number:064x}", cell=f"c{number}", status="completed")
        save_run(path, run, lock=lock)

    assert [writer.wait(60) for writer in writers] == [0, 0]
    recording = read_recording(path)
    assert recording is not None
    assert {run.cell for run in recording.runs} == {f"{n}{i}" for n in "abc" for i in range(10)}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.braincode.json", "locks"]


def test_threads_that_record_at_once_lose_nothing(tmp_path: Path) -> None:
    path, lock = tmp_path / "a.braincode.json", tmp_path / "a.lock"

    def write(name: str) -> None:
        run = RecordedRun(request="0" * 64, cell=name, status="completed")
        save_run(path, run, lock=lock)

    threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    recording = read_recording(path)
    assert recording is not None
    assert len(recording.runs) == 8


def test_a_recording_that_is_a_link_is_replaced_and_not_followed(project: Path) -> None:
    outside = project.parent / "outside.json"
    outside.write_text("untouched")
    (project / "recording.braincode.json").symlink_to(outside)

    with pytest.raises(BraincodeError):
        asked(project, ScriptedModel(), record=True)

    assert outside.read_text() == "untouched"
