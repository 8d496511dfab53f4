"""The file of a recording: `<notebook>.braincode.json`, made to be read, compared and committed.

It holds, for each run of the notebook, what its calls are recognised by (kinds, sources and digests
of their sections) and what came back. It holds no text of a prompt, since what a request refers to
may be private, and no key and no header. Replies are lists of lines, calls stand in the order of
the work and not in that in which they happened to end, and nothing tells the time: recording the
same again changes nothing in the file.

A file may come from anybody. It is read with limits, checked field by field, and nothing in it is
ever run; a reply from it goes the way of every other reply.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn, Self

from pydantic import Field, ValidationError, model_validator

from braincode_jupyter.errors import BraincodeError, ConfigurationError
from braincode_jupyter.machine.paths import locate, open_located
from braincode_jupyter.machine.whole_file import write_whole
from braincode_jupyter.models.fingerprints import CallPrint, Count, Digest, Name
from braincode_jupyter.protocol.packet import Packet
from braincode_jupyter.protocol.usage import ReasonCode, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from pydantic import JsonValue

MAX_FILE_BYTES = 32 * 1024 * 1024
"""Larger files are refused."""
LOCK_WAIT_S = 30.0
"""How long to wait for another kernel that is writing the same file; seconds."""
_MAX_CALLS = 2_000
_MAX_RUNS = 1_000
_LINE_CHARS = 200
_INDENT = " "

Lines = tuple[str, ...]
"""A text as its lines, each with its line break."""
Options = Annotated[dict[Name, bool | Count | Name | tuple[Name, ...]], Field(max_length=32)]
"""Options of a run, where they are not as usual."""
Cost = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Status = Literal["completed", "needs_clarification", "failed"]


class RecordedModel(Packet):
    """A model that could be used; what prompts say of models depends on all of them."""

    id: Name
    """Model id."""
    asked: Name = ""
    """Effort that was asked for."""
    thinking: Name = "off"
    """Effort that was given."""
    provider: Name
    """Provider id."""
    name: Name
    """Name for people."""
    vision: bool = False
    """It sees images."""
    tools: bool = False
    """It can call tools."""
    json_schema: bool = False
    """It can be held to a JSON schema."""
    is_local_demo: bool = False
    """The embedded model."""
    context_window: Count = 128_000
    """Tokens."""
    max_output_tokens: Count = 8_192
    """Tokens."""
    input_usd: Cost | None = None
    """Price of a token sent, where a budget in dollars asked for it."""
    output_usd: Cost | None = None
    """Price of a token received."""


class RecordedStep(Packet):
    """One call of a tool, or a sentence of the host, on the way to a reply."""

    turn: Count = 0
    """Calls of one turn were made beside each other."""
    tool: Name = ""
    """Tool; empty for a sentence."""
    arguments: str = ""
    """As the model wrote them."""
    said: str = ""
    """What the model wrote beside them."""
    result: Digest | None = None
    """Digest of what the tool gave back."""
    told: str = ""
    """The sentence."""


class RecordedFailure(Packet):
    """How a call failed."""

    code: ReasonCode
    """Why."""
    message: str
    """The provider's words, redacted."""
    hint: str = ""
    """What to do."""
    provider: Name = ""
    """Provider id."""
    status: Count | None = None
    """HTTP status."""
    partial: Lines = ()
    """Text that had arrived."""


class RecordedCall(Packet):
    """One call and what came back."""

    asked: CallPrint
    """What it is recognised by."""
    model: Name
    """Model that was asked."""
    steps: tuple[RecordedStep, ...] = ()
    """Tools on the way, in order."""
    reply: Lines | None = None
    """The reply; None: it failed."""
    finish_reason: Name = "stop"
    """``stop`` or ``length``."""
    usage: TokenUsage | None = None
    """What it spent then."""
    cost_usd: Cost | None = None
    """What it cost then."""
    retries: Count = 0
    """Tries that failed before this reply."""
    waited_ms: Count = 0
    """Time waited between them."""
    failure: RecordedFailure | None = None
    """How it failed; None: it did not."""

    @model_validator(mode="after")
    def _check_outcome(self) -> Self:
        if (self.reply is None) == (self.failure is None):
            raise ValueError("a call has either a reply or a failure")
        return self


class RecordedRun(Packet):
    """The calls of one run."""

    request: Digest
    """Digest of the request as typed."""
    cell: Name | None = None
    """Id of the cell, where the front end told it."""
    options: Options = Field(default_factory=dict)
    """What was asked for beside the request."""
    status: Status
    """How it ended."""
    by: Name = ""
    """Version of braincode_jupyter."""
    models: Annotated[tuple[RecordedModel, ...], Field(max_length=_MAX_CALLS)] = ()
    """Models that could be used."""
    calls: Annotated[tuple[RecordedCall, ...], Field(max_length=_MAX_CALLS)] = ()
    """In the order of the work."""

    def is_of(self, other: RecordedRun) -> bool:
        """Say whether two runs are of the same cell, so that one takes the other's place."""
        if self.cell is not None and other.cell is not None:
            return self.cell == other.cell
        return (self.request, self.options) == (other.request, other.options)


class Recording(Packet):
    """All runs of one notebook."""

    format: Literal["braincode recording"] = "braincode recording"
    """Says what this file is."""
    version: Literal[1] = 1
    """Version of this shape."""
    runs: Annotated[tuple[RecordedRun, ...], Field(max_length=_MAX_RUNS)] = ()
    """In the order in which they were first recorded."""


def read_recording(path: Path) -> Recording | None:
    """Read a recording.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Recording or None
        None if there is no such file.

    Raises
    ------
    ConfigurationError
        If it cannot be read, is too large, or is no recording.
    """
    try:
        located = locate(path.name, root=path.parent)
        if located is None:
            return None
        with open_located(located) as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except (OSError, BraincodeError) as error:
        why = error.strerror or "" if isinstance(error, OSError) else str(error)
        _refuse(path, f"cannot be read: {why}".rstrip(": ."))
    if len(content) > MAX_FILE_BYTES:
        _refuse(path, f"is larger than {MAX_FILE_BYTES:,} bytes")
    try:
        return Recording.model_validate_json(content)
    except ValidationError as error:
        _refuse(path, f"is no recording of this version: {_first(error)}")


def save_run(path: Path, run: RecordedRun, *, lock: Path) -> bool:
    """Put a run into a recording, in the place of an earlier one of the same cell.

    Parameters
    ----------
    path : Path
        The file; made if need be.
    run : RecordedRun
        The run.
    lock : Path
        File that is locked meanwhile, so that two kernels do not lose each other's runs.

    Returns
    -------
    bool
        False if nothing was written: the run failed, and an earlier one had not.

    Raises
    ------
    ConfigurationError
        If what stands there is no recording.
    UsageError
        If it cannot be written.
    """
    with _locked(lock):
        runs = list((read_recording(path) or Recording()).runs)
        same = [index for index, one in enumerate(runs) if one.is_of(run)]
        if run.status == "failed" and any(runs[index].status != "failed" for index in same):
            return False
        if same:
            earlier = runs[same[0]]
            runs[same[0]] = run.model_copy(update={"cell": run.cell or earlier.cell})
            runs = [one for index, one in enumerate(runs) if index not in same[1:]]
        else:
            runs.append(run)
        write_whole(path, written(Recording(runs=tuple(runs))), may_replace=True)
        return True


def written(recording: Recording) -> bytes:
    """Return the text of a recording: one fact a line, and a line break at its end."""
    wire = recording.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    head = {"format": recording.format, "version": recording.version}
    return (_pretty({**head, "runs": wire.get("runs", [])}, "") + "\n").encode()


def to_lines(text: str) -> Lines:
    """Return a text as its lines, each with its line break."""
    return tuple(text.splitlines(keepends=True))


@contextlib.contextmanager
def _locked(lock: Path) -> Generator[None]:
    """Hold a lock while writing; where there can be none, go without, as the file stays whole."""
    import filelock  # noqa: PLC0415 - 50 ms to import

    held = filelock.FileLock(lock, timeout=LOCK_WAIT_S, thread_local=False)
    try:
        held.acquire()
    except filelock.Timeout:
        raise ConfigurationError(
            "Another kernel has been writing the recording for too long.",
            hint="Stop it, and record this cell again.",
        ) from None
    except (OSError, NotImplementedError):
        pass
    try:
        yield
    finally:
        held.release()


def _is_short(values: Iterable[JsonValue]) -> bool:
    return not any(isinstance(one, dict | list) for one in values)


def _pretty(value: JsonValue, indent: str) -> str:
    """Return JSON with short objects on one line and everything else on lines of its own."""
    flat = json.dumps(value, ensure_ascii=False)
    inner = indent + _INDENT
    if isinstance(value, dict) and not (len(flat) <= _LINE_CHARS and _is_short(value.values())):
        items = [f"{json.dumps(key)}: {_pretty(one, inner)}" for key, one in value.items()]
        return f"{{\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        items = [_pretty(one, inner) for one in value]
        return f"[\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}]"
    return flat


def _first(error: ValidationError) -> str:
    """Return the first thing that is wrong, without what stands there."""
    found = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, found["loc"]))[:100]
    return f"{found['msg'][:200]}" + (f" at {place}" if place else "")


def _refuse(path: Path, why: str) -> NoReturn:
    raise ConfigurationError(
        f"The recording {path.name!r} {why}.",
        hint="Take it from where it came from again, or delete it and record anew with --record.",
    ) from None
