"""Recording the model calls of a run, and playing them: where the file is and which run is meant.

A recording stands beside the notebook, ``lesson.ipynb`` beside ``lesson.braincode.json``. Where the
notebook is not known, as under nbclient, what is played is found in the project's folder by the
request, and what is recorded goes to ``recording.braincode.json`` there.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.errors import (
    BraincodeError,
    ConfigurationError,
    ModelError,
    UsageError,
    without_home,
)
from braincode_jupyter.machine.paths import RECORDING_SUFFIX
from braincode_jupyter.models.fingerprints import text_digest
from braincode_jupyter.models.recording import RecordingModels
from braincode_jupyter.models.recording_file import (
    RecordedRun,
    read_recording,
    save_run,
)
from braincode_jupyter.models.replayed import ReplayedModels
from braincode_jupyter.protocol.sentence import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from braincode_jupyter.models.redaction import Redactor
    from braincode_jupyter.protocol.ports import ModelClient
    from braincode_jupyter.protocol.sentence import Sentence
    from braincode_jupyter.runtime.settings import RunArguments

REPLAY_VARIABLE = "BRAINCODE_REPLAY"
"""Environment variable by which every run of a process replays; ``only`` or ``yes``."""
MAX_FILES = 64
"""Recordings of one folder that are looked into."""
_DISTRIBUTION = "braincode_jupyter"
_SHAPING = (
    "mode",
    "brain",
    "roles",
    "review",
    "max_workers",
    "heuristic",
    "need_to_know",
    "allow_edits",
    "allow_compute",
)
"""Arguments that shape what is asked; budgets and places do not."""
_RECORD_HINT = "Record it with --record on its line, where the models can be asked."


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The models of a run, as it was asked to use them."""

    models: ModelClient
    recorder: RunRecorder | None = None
    notices: tuple[str, ...] = ()
    missing: ModelError | None = None
    """Why nothing can be played; to be raised where no model can be asked either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecorder:
    """Keeps what the models of one run say.

    Parameters
    ----------
    path : Path
        The recording.
    lock : Path
        Locked while it is written.
    models : RecordingModels
        Who is asked.
    request : str
        Digest of the request.
    cell : str or None
        Id of the cell.
    options : mapping
        What shapes the run.
    """

    path: Path
    lock: Path
    models: RecordingModels
    request: str
    cell: str | None
    options: Mapping[str, bool | int | str | tuple[str, ...]]

    async def keep(self, status: str) -> tuple[Sentence, bool]:
        """Write the recording of a run that has ended.

        Parameters
        ----------
        status : str
            How it ended; one that was stopped is not kept.

        Returns
        -------
        tuple of (Sentence, bool)
            What became of it, and whether it was written.
        """
        if status not in {"completed", "needs_clarification", "failed"}:
            return sentence("said.notRecordedStopped"), False
        calls = self.models.calls()
        run = RecordedRun.model_validate(
            {
                "request": self.request,
                "cell": self.cell,
                "options": self.options,
                "status": status,
                "by": own_version(),
                "models": self.models.models(),
                "calls": calls,
            }
        )
        try:
            is_kept = await asyncio.to_thread(partial(save_run, self.path, run, lock=self.lock))
        except BraincodeError as error:
            return sentence("said.notRecorded", reason=str(error)), False
        if not is_kept:
            return sentence("said.notRecordedFailed"), False
        return sentence("said.recorded", count=len(calls), file=self.path.name), True


def own_version() -> str:
    """Return the version of this package; empty where it is not installed."""
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return ""


def open_models(
    prompt: str,
    arguments: RunArguments,
    *,
    models: ModelClient,
    root: Path,
    home: Path,
    secrets: Redactor,
) -> Opened:
    """Return the models of a run: as they are, listened to, or played from a recording.

    Parameters
    ----------
    prompt : str
        The request as typed.
    arguments : RunArguments
        With what was asked for.
    models : ModelClient
        Who can be asked.
    root, home : Path
        The project, and the home folder.
    secrets : Redactor
        Takes the configured keys out of what is written.

    Returns
    -------
    Opened
        Ready to resolve models.

    Raises
    ------
    ModelError
        With code ``stale_recording`` if only a recording may answer and there is none.
    ConfigurationError
        If the recording cannot be read, or the environment variable says something else.
    UsageError
        If the recording cannot be written.
    """
    replay = replay_wanted(arguments, os.environ)
    if replay:
        may_ask = replay != "only"
        return _replayed(prompt, arguments, models=models if may_ask else None, root=root)
    if not arguments.record:
        return Opened(models=models)
    path = _own_file(arguments) or root / f"recording{RECORDING_SUFFIX}"
    read_recording(path)
    if not os.access(path.parent, os.W_OK):
        raise UsageError(
            f"A recording cannot be written to {without_home(repr(str(path.parent)))}.",
            hint="Nothing was sent. Open the notebook in a folder of your own, and try again.",
        )
    digest = sha256(os.fsencode(path.resolve())).hexdigest()[:16]
    listening = RecordingModels(models, hide=lambda text: secrets.hide(text)[0])
    recorder = RunRecorder(
        path=path,
        lock=home / "cache" / f"recording-{digest}.lock",
        models=listening,
        request=text_digest(prompt),
        cell=arguments.cell_id,
        options=_options(arguments),
    )
    return Opened(models=listening, recorder=recorder)


def replay_wanted(arguments: RunArguments, environ: Mapping[str, str]) -> bool | Literal["only"]:
    """Return how a run replays; ``only`` in the environment holds whatever a cell says.

    Parameters
    ----------
    arguments : RunArguments
        What was asked for.
    environ : mapping
        The environment.

    Returns
    -------
    bool or "only"
        False: it does not.

    Raises
    ------
    ConfigurationError
        If the variable holds another word.
    """
    value = environ.get(REPLAY_VARIABLE, "").strip().lower()
    if value not in {"", "only", "yes"}:
        raise ConfigurationError(
            f"The environment variable {REPLAY_VARIABLE} is neither only nor yes.",
            hint="only: no call is ever made. yes: what is not recorded is asked.",
        )
    if value == "only":
        return "only"
    if arguments.record:
        return False
    return arguments.replay or value == "yes"


def _replayed(
    prompt: str, arguments: RunArguments, *, models: ModelClient | None, root: Path
) -> Opened:
    found = _find(prompt, arguments, root)
    if isinstance(found, RecordedRun):
        return Opened(models=ReplayedModels(found, models=models, version=own_version()))
    missing = ModelError(found, code="stale_recording", hint=_RECORD_HINT)
    if models is None:
        raise missing
    return Opened(models=models, notices=(f"{found} The models are asked.",), missing=missing)


def _find(prompt: str, arguments: RunArguments, root: Path) -> RecordedRun | str:
    """Return the run that was recorded of this request, or a sentence on why there is none."""
    request, options, cell = text_digest(prompt), _options(arguments), arguments.cell_id
    broken: ConfigurationError | None = None
    names: list[str] = []
    runs: list[RecordedRun] = []
    own = _own_file(arguments)
    for path in _files(own, root):
        try:
            recording = read_recording(path)
        except ConfigurationError as error:
            if path == own:
                raise
            broken = broken or error
            continue
        if recording is not None:
            names.append(path.name)
            runs += recording.runs
    same = [run for run in runs if run.request == request]
    if same:
        return max(same, key=lambda run: (run.options == options, run.cell == cell))
    if cell is not None and any(run.cell == cell for run in runs):
        return "The request of this cell has changed since it was recorded."
    if broken is not None:
        raise broken
    if not names:
        return "There is no recording beside this notebook."
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"This request, as it stands now, is not recorded in {names[0]}{more}."


def _files(own: Path | None, root: Path) -> Iterator[Path]:
    """Give the recordings in which a run may be, that of the open notebook first."""
    if own is not None:
        yield own
    try:
        found = sorted(path for path in root.glob(f"*{RECORDING_SUFFIX}") if path != own)
    except OSError:
        return
    yield from found[:MAX_FILES]


def _own_file(arguments: RunArguments) -> Path | None:
    notebook = arguments.open_notebook
    return None if notebook is None else notebook.with_suffix(RECORDING_SUFFIX)


def _options(arguments: RunArguments) -> dict[str, bool | int | str | tuple[str, ...]]:
    """Return what shapes the run, where it is not as usual."""
    given = {name: getattr(arguments, name) for name in _SHAPING}
    said = {name: value for name, value in given.items() if value not in {None, False, ()}}
    if arguments.review is False:
        said["review"] = False
    if not arguments.expand_references:
        said["expand_references"] = False
    if arguments.continue_session is not None:
        said["continues"] = True
    return said
