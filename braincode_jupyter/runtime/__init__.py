"""The orchestrator: one effect, one port, one record.

`prepare_run` resolves everything that can be wrong before a model is asked; the `PreparedRun` it
gives is executed once and becomes a `Run`. Invariants: the runtime decides nothing
(``brain.step`` does); a record is written before the effect that depends on it; one task group
owns every task of a run; a cancelled run still writes its terminal record; every run has exactly
one of those.

May import journal, home, models, references, brain, views, protocol and errors; knows neither
IPython nor widgets.
"""

from __future__ import annotations

from braincode_jupyter.runtime.launch import (
    SystemClock,
    plan_run,
    prepare_resume,
    prepare_retry,
    prepare_run,
)
from braincode_jupyter.runtime.playing import DEFAULT_SPEED, Playing, prepare_play
from braincode_jupyter.runtime.prepared import PreparedRun
from braincode_jupyter.runtime.reading import read_run
from braincode_jupyter.runtime.run import Run
from braincode_jupyter.runtime.settings import RunArguments, RunObserver, Sources, default_home
from braincode_jupyter.runtime.undoing import UndoneRun, undo_run

__all__ = [
    "DEFAULT_SPEED",
    "Playing",
    "PreparedRun",
    "Run",
    "RunArguments",
    "RunObserver",
    "Sources",
    "SystemClock",
    "UndoneRun",
    "default_home",
    "plan_run",
    "prepare_play",
    "prepare_resume",
    "prepare_retry",
    "prepare_run",
    "read_run",
    "undo_run",
]
