"""The processes of one scratch kernel, and the folder of its own that they live in.

A guardian is started, which starts the kernel: it ends everything below it when its input is closed
or its parent is gone. What they are told of the environment comes from an allow-list.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from braincode_jupyter.tools import scratch_child
from braincode_jupyter.tools.sandbox import python_folders

if TYPE_CHECKING:
    from braincode_jupyter.tools.sandbox import Sandbox

_SCRIPT = Path(scratch_child.__file__).resolve()
_MARK = "BRAINCODE_SCRATCH"
"""Environment variable by which every process of one scratch kernel is known."""
_ENVIRONMENT = (
    "PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME", "TZ", "VIRTUAL_ENV",
    "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "NUMBER_OF_PROCESSORS",
)  # fmt: skip
"""What the scratch kernel is told of the environment; no keys, no tokens."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
_MAX_THREADS = 4
"""Threads of one library: workers run side by side, and each thread takes address space."""
_CLOSE_S = 2.0
"""Time for the guardian to end everything before it is killed itself."""
_LOG_CHARS = 600


class ScratchProcess:
    """A guardian with all that came of it.

    Parameters
    ----------
    sandbox : Sandbox
        How the kernel is shut in.
    memory_bytes : int
        Address space of each process; Linux only.
    """

    def __init__(self, sandbox: Sandbox, memory_bytes: int) -> None:
        self._sandbox, self._memory_bytes = sandbox, memory_bytes
        self.folder = Path(tempfile.mkdtemp(prefix="braincode-")).resolve()
        self._mark = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def inbox(self) -> Path:
        """Where copies of variables are laid."""
        return self.folder / "in"

    @property
    def pid(self) -> int | None:
        """Process id of the guardian."""
        return None if self._process is None else self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the guardian runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> Path:
        """Start it, and return the connection file of the kernel."""
        self._prepare_folder()
        connection = self.folder / "connection.json"
        self._spawn(connection)
        return connection

    def last_words(self) -> str:
        """Return the end of what the kernel wrote to its log."""
        try:
            text = (self.folder / "kernel.log").read_text("utf-8", "replace")
        except OSError:
            return "none"
        return " ".join(text[-_LOG_CHARS:].split()) or "none"

    def end(self) -> None:
        """Let the guardian end everything, look for what it missed, and delete the folder."""
        process = self._process
        if process is not None:
            if process.stdin is not None:
                with contextlib.suppress(OSError):
                    process.stdin.close()
            try:
                process.wait(_CLOSE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            _kill_marked(self._mark)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _prepare_folder(self) -> None:
        for name in ("in", "home", "tmp", "ipython", "matplotlib"):
            (self.folder / name).mkdir()
        for source in _font_lists():  # without it matplotlib looks at every font anew
            with contextlib.suppress(OSError):
                shutil.copy(source, self.folder / "matplotlib")

    def _spawn(self, connection: Path) -> None:
        connect = import_module("jupyter_client.connect")
        launcher = import_module("jupyter_client.launcher")
        has_sockets = sys.platform != "win32"
        connect.write_connection_file(
            str(connection),
            ip=str(self.folder / "k") if has_sockets else "127.0.0.1",
            transport="ipc" if has_sockets else "tcp",
            key=secrets.token_hex(32).encode(),
        )
        python = [sys.executable, "-P", str(_SCRIPT)]
        command = [*python, "serve", str(connection), str(self._memory_bytes)]
        command = self._sandbox.command(
            command,
            self.folder,
            home=Path.home(),
            kept=[*python_folders(), _SCRIPT, scratch_child.TABLES],
        )
        self._process = launcher.launch_kernel(
            [*python, "guard"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._environment(),
            cwd=str(self.folder),
        )
        settings = {"command": command, "log": str(self.folder / "kernel.log")}
        stdin = self._process.stdin if self._process is not None else None
        if stdin is not None:
            with contextlib.suppress(OSError):
                stdin.write(json.dumps(settings).encode() + b"\n")
                stdin.flush()

    def _environment(self) -> dict[str, str]:
        """Return what the processes are told; homes and caches are in their own folder."""
        folder = self.folder
        home = str(folder / "home")
        given = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "tmp"))
        homes = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"), home)
        threads = str(min(_MAX_THREADS, os.cpu_count() or 1))
        own = {
            **{name: os.environ.get(name, threads) for name in _THREADS},
            "MALLOC_ARENA_MAX": "2",
            "IPYTHONDIR": str(folder / "ipython"),
            "MPLCONFIGDIR": str(folder / "matplotlib"),
            "JUPYTER_CONFIG_DIR": home,
            "JUPYTER_RUNTIME_DIR": str(folder),
            "PYTHONNOUSERSITE": "" if _uses_user_site() else "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",
            _MARK: self._mark,
        }
        if _uses_user_site():  # its place is derived from HOME, which is another one here
            own["PYTHONUSERBASE"] = str(import_module("site").getuserbase())
        return {**given, **temporary, **homes, **own}


def _kill_marked(mark: str) -> None:
    """Kill processes that carry the mark: found by what they were given, never by name."""
    psutil = import_module("psutil")
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(_MARK) == mark:
                process.kill()


def _uses_user_site() -> bool:
    return bool(import_module("site").ENABLE_USER_SITE)


def _font_lists() -> list[Path]:
    """Return matplotlib's lists of fonts in its usual places."""
    home = Path.home()
    cache = os.environ.get("XDG_CACHE_HOME") or str(home / ".cache")
    places = (Path(cache) / "matplotlib", home / ".matplotlib")
    return [path for place in places for path in place.glob("fontlist-*.json")]
