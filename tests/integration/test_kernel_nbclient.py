"""Notebooks that are executed without a page: nbclient, as papermill and nbconvert use it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from braincode_jupyter.notebook.shell import version_note

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nbformat import NotebookNode

    Execute = Callable[..., NotebookNode]

RUN_MIME = "application/vnd.braincode.run+json"
SETUP = """
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import ScriptedModel
use_models(ScriptedModel())
%load_ext braincode_jupyter
"""
SIZES = re.compile(r"\d[\d.]*k?")
"""Estimates of tokens; they depend on the ids in a prompt."""
ASK = "%%braincode --roles librarian,analyst --review\nWhy did the sales fall?"


@pytest.fixture
def execute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Execute:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    def execute_(*sources: str) -> NotebookNode:
        cells = [nbformat.v4.new_code_cell(source) for source in (SETUP, *sources)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        NotebookClient(
            notebook,
            timeout=60,
            kernel_name="python3",
            resources={"metadata": {"path": str(tmp_path)}},
        ).execute()
        return notebook

    return execute_


def test_B32_the_saved_output_is_the_final_state_and_no_widget(execute: Execute) -> None:
    notebook = execute(ASK, ASK.replace("--review", "--background"))

    for cell in notebook.cells[1:]:
        (output,) = cell.outputs
        assert sorted(output.data) == [RUN_MIME, "text/html", "text/plain"]
        assert output.data[RUN_MIME]["state"] == "completed"
        assert "Scripted answer of librarian." in output.data["text/html"]
        assert "Scripted answer of librarian." in output.data["text/plain"]
    assert "widgets" not in notebook.metadata


def test_B32_two_executions_give_the_same_text(execute: Execute) -> None:
    first, second = (execute(ASK).cells[1].outputs[0].data["text/plain"] for _ in range(2))

    assert SIZES.sub("#", first) == SIZES.sub("#", second)
    assert "Session" not in first


@pytest.mark.parametrize("line", ["--replay", "--replay=only", "--record"])
def test_a_recording_plays_where_no_model_is_configured(
    execute: Execute, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    first = execute("x = 3", f"{ASK.replace('--review', '--review --record')} @var:x")
    if line == "--record":  # as it is left in the notebook of whoever recorded it
        monkeypatch.setenv("BRAINCODE_REPLAY", "only")

    again = execute(
        "use_models(None)\nx = 3", f"{ASK.replace('--review', f'--review {line}')} @var:x"
    )
    told, played = (notebook.cells[2].outputs[0].data[RUN_MIME] for notebook in (first, again))

    assert played["answer"] == told["answer"]
    assert played["usage"]["replayedCalls"] == 3
    assert "replayed" in again.cells[2].outputs[0].data["text/html"]
    with pytest.raises(CellExecutionError, match=r"'@var:x' has changed"):
        execute("use_models(None)\nx = 4", f"{ASK.replace('--review', f'--review {line}')} @var:x")


def test_B04_a_failed_run_stops_the_notebook_with_its_one_line(execute: Execute) -> None:
    with pytest.raises(CellExecutionError, match=r"braincode: No .* is called 'nope'"):
        execute("%%braincode --brain nope\nWhy?", "after = True")


def test_references_reach_cells_and_variables_of_the_notebook(execute: Execute) -> None:
    notebook = execute(
        "#| label: cleaning\nsales = [1, 2, 3]\nprint('cleaned')",
        f"{ASK} @var:sales @cell:cleaning @out:[2]",
    )

    references = notebook.cells[2].outputs[0].data[RUN_MIME]["references"]
    assert [(r["token"], r["state"]) for r in references] == [
        ("@var:sales", "sent"),
        ("@cell:cleaning", "sent"),
        ("@out:[2]", "sent"),
    ]


@pytest.mark.skipif(version_note(has_kernel=True) is not None, reason="old versions are told of")
def test_loading_is_quiet_and_says_nothing_when_unloaded(execute: Execute) -> None:
    notebook = execute("%reload_ext braincode_jupyter", "%unload_ext braincode_jupyter")

    assert [cell.outputs for cell in notebook.cells] == [[], [], []]
