from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from braincode_jupyter.models.weights import OVERRIDE_VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "01_first_run.ipynb"
LESSON = "02_what_a_worker_sees.ipynb"
DATA = "03_ask_your_data.ipynb"
RECORD = "04_record_and_replay.ipynb"
CARD = "application/vnd.braincode.run+json"
FINAL_TODO_STATES = {"completed", "blocked", "failed"}
LOCAL_LIMIT_S = 300
STARTUP = """
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import ScriptedModel

use_models(ScriptedModel())
"""

Notebook = nbformat.NotebookNode


@pytest.fixture
def scripted_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the scripted model answer in every kernel; the notebooks know nothing of it."""
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "models.py").write_text(STARTUP)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))


def _read(project_root: Path, name: str) -> Notebook:
    return nbformat.read(project_root / "notebooks" / name, as_version=4)


def _execute(notebook: Notebook, folder: Path, *, timeout_s: int = 120) -> Notebook:
    client = NotebookClient(
        notebook,
        timeout=timeout_s,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    return client.execute()


def _cell(notebook: Notebook, cell_id: str) -> Notebook:
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def _text(cell: Notebook) -> str:
    return "".join(
        o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs
    )


def _card(cell: Notebook) -> dict[str, object]:
    return next(o.data[CARD] for o in cell.outputs if CARD in o.get("data", {}))


@pytest.mark.parametrize("name", [FIRST, LESSON, DATA, RECORD])
def test_a_notebook_is_stored_without_output(name: str, project_root: Path) -> None:
    notebook = _read(project_root, name)
    nbformat.validate(notebook)

    kept = [c.id for c in notebook.cells if c.get("outputs") or c.get("execution_count")]

    assert kept == []
    assert "widgets" not in notebook.metadata


@pytest.mark.parametrize("name", [FIRST, LESSON, DATA, RECORD])
@pytest.mark.usefixtures("scripted_kernels")
def test_nbval_accepts_a_notebook(name: str, project_root: Path, tmp_path: Path) -> None:
    settings = tmp_path / "pytest.ini"
    settings.write_text("[pytest]\n")
    shutil.copy(project_root / "notebooks" / name, tmp_path)

    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [
            sys.executable,
            "-m",
            "pytest",
            "--nbval",
            "-q",
            "-c",
            str(settings),
            str(tmp_path / name),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "nbval.plugin",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )

    assert ended.returncode == 0, ended.stdout[-4000:]


@pytest.mark.usefixtures("scripted_kernels")
def test_the_first_run_shows_and_keeps_what_it_promises(project_root: Path, tmp_path: Path) -> None:
    done = _execute(_read(project_root, FIRST), tmp_path)

    card = _card(_cell(done, "refs"))
    assert card["state"] == "completed"
    assert {todo["state"] for todo in card["todos"]} <= FINAL_TODO_STATES
    assert card["review"]["state"] == "approved"
    assert _text(_cell(done, "cleaning")) == "6 of 12 orders kept\n"
    assert "librarian: completed" in _text(_cell(done, "workers"))
    assert "statistician: completed" in _text(_cell(done, "workers"))
    assert "run_end" in _text(_cell(done, "records"))


@pytest.mark.usefixtures("scripted_kernels")
def test_the_saved_card_of_the_first_run_needs_no_kernel(
    project_root: Path, tmp_path: Path
) -> None:
    done = _execute(_read(project_root, FIRST), tmp_path)

    bundle = next(o.data for o in _cell(done, "plain").outputs if CARD in o.get("data", {}))

    assert {CARD, "text/html", "text/plain"} <= set(bundle)
    assert "<script" not in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" not in json.dumps(done)


def test_the_lesson_works_without_any_model_configured(project_root: Path, tmp_path: Path) -> None:
    done = _execute(_read(project_root, LESSON), tmp_path)

    assert "osprey" in _text(_cell(done, "prompt"))
    assert "heron" not in _text(_cell(done, "prompt"))
    assert "Isolation holds" in _text(_cell(done, "proof"))


@pytest.mark.parametrize(
    ("edges", "verdict"),
    [
        ('[("map", "test")]', "Not yet"),
        ('[("map", "privacy")]', "Not quite"),
        ('[("map", "test"), ("map", "privacy")]', "Right"),
    ],
)
def test_the_exercise_tells_right_from_wrong(
    *, edges: str, verdict: str, project_root: Path, tmp_path: Path
) -> None:
    notebook = _read(project_root, LESSON)
    _cell(notebook, "exercise").source = _cell(notebook, "exercise").source.replace(
        'edges = [("map", "test")]', f"edges = {edges}"
    )
    needed = {"load", "script", "words", "first-run", "exercise", "check"}
    notebook.cells = [c for c in notebook.cells if c.id in needed]

    done = _execute(notebook, tmp_path)

    assert _text(_cell(done, "check")).startswith(verdict)


def test_the_data_notebook_computes_what_pandas_computes(
    project_root: Path, tmp_path: Path
) -> None:
    done = _execute(_read(project_root, DATA), tmp_path)

    card = _card(_cell(done, "run"))
    calls = {a["role"]: [c["name"] for c in a["toolCalls"]] for a in card["agents"]}
    assert card["state"] == "completed"
    assert calls["statistician"] == ["query_data"]
    assert calls["visualizer"] == calls["analyst"] == ["run_python"]
    assert len(card["plots"]) == 1
    assert "says what pandas says" in _text(_cell(done, "check"))
    assert "Nothing of yours" in _text(_cell(done, "same"))
    assert "image/png" in _cell(done, "plot").outputs[0].data


def test_a_wrong_number_of_a_worker_is_found(project_root: Path, tmp_path: Path) -> None:
    notebook = _read(project_root, DATA)
    script = _cell(notebook, "script")
    script.source = script.source.replace("alcohol.mean().items()", "alcohol.max().items()")
    needed = {"load", "data", "script", "run", "check"}
    notebook.cells = [c for c in notebook.cells if c.id in needed]

    with pytest.raises(CellExecutionError, match="AssertionError"):
        _execute(notebook, tmp_path)


def test_the_exercise_on_recordings_tells_right_from_wrong(
    project_root: Path, tmp_path: Path
) -> None:
    notebook = _read(project_root, RECORD)
    needed = {"load", "script", "record", "recorded", "environment"}
    exercise, check = _cell(notebook, "exercise"), _cell(notebook, "check")
    answers = ["A", "BDE", "BD", "BDF"]
    notebook.cells = [c for c in notebook.cells if c.id in needed]
    for letters in answers:
        solved = nbformat.from_dict({**exercise, "id": f"exercise-{letters}"})
        solved.source = f"stale = set({letters!r})"
        notebook.cells += [solved, nbformat.from_dict({**check, "id": letters})]

    done = _execute(notebook, tmp_path)

    said = [_text(_cell(done, letters)).split(":")[0] for letters in answers]
    assert said == ["Not yet", "Not yet", "Not yet", "Right"]
    assert "F makes it stale" in _text(_cell(done, "BD"))
    assert _card(_cell(done, "record"))["usage"]["calls"] == 3


@pytest.mark.local
@pytest.mark.slow
@pytest.mark.timeout(LOCAL_LIMIT_S + 60)
def test_the_first_run_works_on_the_embedded_model(
    *, project_root: Path, tmp_path: Path, local_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OVERRIDE_VARIABLE, str(local_weights))
    started_s = time.monotonic()

    done = _execute(_read(project_root, FIRST), tmp_path, timeout_s=LOCAL_LIMIT_S)

    card = _card(_cell(done, "refs"))
    assert card["state"] == "completed"
    assert {todo["state"] for todo in card["todos"]} <= FINAL_TODO_STATES
    assert card["answer"]["text"]
    assert time.monotonic() - started_s < LOCAL_LIMIT_S
