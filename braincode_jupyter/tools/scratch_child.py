"""The processes of a scratch kernel: a guardian, and the kernel that it guards.

Run as a script, never imported by the package; knows nothing of it. ``guard`` reads one line of
JSON from standard input, starts the kernel in a session of its own and waits. When standard input
ends or its parent is gone (a fork of the user's kernel may hold the pipe open), it kills every
process that came of it, deletes their folder and leaves; when the scratch kernel ends, it kills
what is left of it.
On Linux it adopts orphans, so that a grandchild whose parent is gone is found too. It is a process
of its own because a thread in the scratch kernel would not run while compiled code holds the
interpreter.

``serve`` runs ipykernel within limits: no magics, no shell escapes, no history, output cut. A frame
that is shown is sent on as a table besides.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import pickle
import runpy
import shutil
import signal
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, cast

MAX_PRINTED_CHARS = 1024 * 1024
"""Printed text that one run sends on; the rest is dropped where it is made."""
MAX_SHOWN_CHARS = 256 * 1024
"""Text of one shown value."""
MAX_ERROR_CHARS = 4_000
MAX_FILE_BYTES = 1024 * 1024 * 1024
"""One file that it may write."""
EXTRA_TASKS = 512
"""Processes and threads that it may start beside those that the account has."""
SHOWN_TYPES = ("text/plain", "image/png")
TABLE_TYPE = "application/vnd.braincode.table+json"
"""Under this type the first rows of a frame are sent, beside its text."""
TABLES = Path(__file__).with_name("plain_table.py")
"""The file that knows frames."""
MODULE = "braincode_scratch"
"""Name by which code that we send finds this file in the kernel."""
_WATCH_S = 1.0
"""How often the guardian looks for its parent."""
_ENDING = threading.Lock()
_KILL_ROUNDS = 40
_KILL_WAIT_S = 0.05
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux."""


def guard() -> None:
    """Start the kernel, wait for the end of standard input or of the kernel, then end all."""
    settings = json.loads(sys.stdin.readline())
    if hasattr(signal, "SIGINT"):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JPY_", "IPY_"))}
    with Path(settings["log"]).open("wb") as log:
        kernel = subprocess.Popen(  # noqa: S603 - the command comes from our own kernel
            [*settings["command"], str(_tasks())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
    folder, parent = Path.cwd(), os.getppid()
    threading.Thread(target=_end_with_input, args=(folder,), daemon=True).start()
    while os.getppid() == parent:
        with contextlib.suppress(subprocess.TimeoutExpired):
            kernel.wait(_WATCH_S)
            _end(None)
    _end(folder)


def _end_with_input(folder: Path) -> None:
    sys.stdin.read()
    _end(folder)


def _end(folder: Path | None) -> None:
    """Kill all, delete the folder and leave; whoever comes second waits for the first."""
    _ENDING.acquire()
    _kill_all()
    if folder is not None:
        os.chdir(folder.parent)
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _kill_all() -> None:
    """Kill everything below this process, what is born meanwhile included."""
    psutil = import_module("psutil")
    with contextlib.suppress(Exception):  # whatever happens, this process ends
        this = psutil.Process()
        for _ in range(_KILL_ROUNDS):
            below = this.children(recursive=True)
            if not below:
                break
            for process in below:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(below, timeout=_KILL_WAIT_S)


def serve(connection_file: str, memory_bytes: int, tasks: int) -> None:
    """Run a Jupyter kernel within limits until it is killed."""
    _limit_resources(memory_bytes, tasks)
    sys.modules[MODULE] = sys.modules["__main__"]
    application = import_module("ipykernel.kernelapp").IPKernelApp
    config = import_module("traitlets.config").Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShellApp.exec_PYTHONSTARTUP = False
    config.DisplayFormatter.active_types = list(SHOWN_TYPES)
    config.IPKernelApp.capture_fd_output = False
    config.IPKernelApp.quiet = True
    app = application.instance(config=config)
    app.initialize(["-f", connection_file])
    _restrict(app.shell)
    _shorten_replies(app.kernel)
    app.start()


def _limit_resources(memory_bytes: int, tasks: int) -> None:
    try:
        resource = import_module("resource")
    except ImportError:
        return
    wanted = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": MAX_FILE_BYTES}
    if sys.platform == "linux":
        wanted |= {"RLIMIT_AS": memory_bytes, "RLIMIT_NPROC": tasks + EXTRA_TASKS}
    for name, value in wanted.items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (limit, limit))


def _tasks() -> int:
    """Return how many processes and threads this account has now: the limit counts them all."""
    if sys.platform != "linux":
        return 0
    count = 0
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with contextlib.suppress(OSError):
                count += (path.stat().st_uid == os.getuid()) and len(os.listdir(path / "task"))
    return count


def _restrict(shell: Any) -> None:  # noqa: ANN401 - IPython has no complete types
    """Switch magics and shell escapes off, and cut what is printed, shown and raised."""
    shell.transform_cell = _as_typed
    shell.run_line_magic = shell.run_cell_magic = _refuse
    shell.system = shell.getoutput = _refuse
    budget = Budget()
    shell.events.register("pre_execute", budget.renew)
    sys.stdout, sys.stderr = Limited(sys.stdout, budget), Limited(sys.stderr, budget)
    _shorten_values(shell)
    _shorten_errors(shell)


def _as_typed(code: str) -> str:
    return code if code.endswith("\n") else f"{code}\n"


def _refuse(*_: object, **__: object) -> None:
    raise RuntimeError("Magics and shell escapes are off here; use plain Python.")


class Budget:
    """What one run may still print."""

    def __init__(self) -> None:
        self._left = MAX_PRINTED_CHARS

    def renew(self) -> None:
        """Begin a run."""
        self._left = MAX_PRINTED_CHARS

    def take(self, text: str) -> str:
        """Return what of a text may be printed, with a mark where the budget ends."""
        if self._left <= 0:
            return ""
        self._left -= len(text)
        if self._left > 0:
            return text
        return f"{text[: self._left or None]}\n[... output cut: limit reached ...]\n"


class Limited:
    """A stream that prints within a budget and is otherwise the stream that it wraps."""

    def __init__(self, stream: Any, budget: Budget) -> None:  # noqa: ANN401 - any text stream
        self._stream, self._budget = stream, budget

    def write(self, text: str) -> int:
        """Print what the budget allows; the rest counts as written."""
        if not isinstance(cast("object", text), str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        allowed = self._budget.take(text)
        if allowed:
            self._stream.write(allowed)
        return len(text)

    def writelines(self, lines: Any) -> None:  # noqa: ANN401 - any iterable
        """Print lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _shorten_values(shell: Any) -> None:  # noqa: ANN401 - IPython has no complete types
    formatter = shell.display_formatter
    show, frame_table = formatter.format, runpy.run_path(str(TABLES))["frame_table"]

    def short(value: object, **kwargs: object) -> tuple[dict[str, object], dict[str, object]]:
        data, metadata = show(value, **kwargs)
        shown = {kind: _cut(text, MAX_SHOWN_CHARS) for kind, text in data.items()}
        with contextlib.suppress(Exception):  # a frame of odd values has its text alone
            if (table := frame_table(value)) is not None:
                shown[TABLE_TYPE] = {**table, "name": _name_of(value, shell.user_ns)}
        return shown, metadata

    formatter.format = short


def _name_of(value: object, names: dict[str, object]) -> str:
    """Return the name of a variable that holds a value; empty if none does."""
    own = (name for name, held in names.items() if held is value and not name.startswith("_"))
    return next(own, "")


def _shorten_errors(shell: Any) -> None:  # noqa: ANN401 - IPython has no complete types
    tell = shell._showtraceback  # noqa: SLF001 - the one place that all errors pass

    def short(etype: type, evalue: object, stb: list[str]) -> None:
        try:
            message = str(evalue)
        except Exception:  # its own __str__ may fail
            message = "(its message cannot be shown)"
        tell(etype, _cut(message, MAX_ERROR_CHARS), [_cut("\n".join(stb), 2 * MAX_ERROR_CHARS)])

    shell._showtraceback = short  # noqa: SLF001 - as above


def _shorten_replies(kernel: Any) -> None:  # noqa: ANN401 - ipykernel has no complete types
    execute = kernel.do_execute

    @functools.wraps(execute)  # the kernel looks at the signature
    async def short(*args: object, **kwargs: object) -> dict[str, object]:
        reply = await execute(*args, **kwargs)
        return {key: _cut(value, MAX_ERROR_CHARS) for key, value in reply.items()}

    kernel.do_execute = short


def _cut(value: Any, limit: int) -> Any:  # noqa: ANN401 - text, or a picture that stays as it is
    if not isinstance(value, str) or len(value) <= limit:
        return value
    half, left = limit // 2, len(value) - limit
    return f"{value[:half]}\n[... {left:,} characters cut ...]\n{value[-half:]}"


def load_variables(folder: str, manifest: str) -> None:
    """Bind the copies of variables to their names; print the failures as one line of JSON."""
    shell = import_module("IPython").get_ipython()
    failures: dict[str, str] = {}
    for entry in json.loads((Path(folder) / manifest).read_text("utf-8")):
        path = Path(folder) / entry["file"]
        try:
            shell.user_ns[entry["name"]] = load_copy(path, entry["form"])
        except Exception as error:  # one bad copy must not stop the others
            failures[entry["name"]] = type(error).__name__
        with contextlib.suppress(OSError):
            path.unlink()
    print(json.dumps(failures))  # noqa: T201 - the reply


def load_copy(path: Path, form: str) -> object:
    """Return the value of one copy.

    Parameters
    ----------
    path : Path
        The file.
    form : str
        How it was written.

    Returns
    -------
    object
        Equal to the value that was copied.
    """
    if form == "pickle":
        return pickle.loads(path.read_bytes())  # noqa: S301 - written by the user's own kernel
    if form == "numpy":
        return import_module("numpy").load(path, allow_pickle=False)
    library, shape, *rest = form.split()
    with import_module("pyarrow").memory_map(str(path)) as source:
        table = import_module("pyarrow.ipc").open_file(source).read_all()
    if library == "pyarrow":
        return table if shape == "Table" else table.combine_chunks().to_batches()[0]
    if library == "polars":
        frame = import_module("polars").from_arrow(table)
        return frame.to_series(0) if shape == "Series" else frame
    frame = table.to_pandas()
    if shape == "DataFrame":
        return frame
    return frame.iloc[:, 0].rename(None) if rest else frame.iloc[:, 0]


def main() -> None:
    """Run one of the two processes."""
    if sys.argv[1] == "guard":
        guard()
    else:
        serve(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))


if __name__ == "__main__":
    main()
