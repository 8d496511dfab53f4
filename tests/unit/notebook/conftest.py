"""A shell with the extension, in a home and a folder of its own, and a loop for runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import braincode_jupyter
from braincode_jupyter.notebook import use_models
from braincode_jupyter.notebook.loop import RunLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Shell = Any  # IPython has no complete types


@pytest.fixture
def loop() -> Iterator[RunLoop]:
    made = RunLoop()
    yield made
    made.shut_down()


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shell(own_home: Path) -> Iterator[Shell]:
    made = InteractiveShell.instance()
    made.reset()
    made.rl_next_input = None
    braincode_jupyter.load_ipython_extension(made)
    yield made
    use_models(None)
    braincode_jupyter.unload_ipython_extension(made)


@pytest.fixture
def run(shell: Shell, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Run a cell; give what it printed, raise what it raised."""

    def run_(cell: str) -> str:
        capsys.readouterr()
        result = shell.run_cell(cell, store_history=True)
        printed = capsys.readouterr().out
        result.raise_error()
        return printed

    return run_


@pytest.fixture
def line(run: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: run(f"%braincode {text}")
