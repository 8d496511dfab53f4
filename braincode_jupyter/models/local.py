"""The embedded model's server, seen from the kernel.

It is started at the first call that needs it, shared by all runs of the kernel, started again if it
died, and ended with the kernel. A crash or an out-of-memory kill ends a call, never the kernel
(security R115).
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from threading import Lock, Thread
from typing import TYPE_CHECKING

from braincode_jupyter.errors import MissingDependencyError, ModelError
from braincode_jupyter.models.redaction import Secret

if TYPE_CHECKING:
    from pathlib import Path

SLOTS = 2
"""Requests served at once; more gain nothing on a laptop."""
CONTEXT_TOKENS = 4096
"""Context of one request."""
START_TIMEOUT_S = 60.0
"""For the weights to be loaded on a busy machine."""
ALIAS = "braincode-local"
"""Name of the model in the server's answers."""

_CLOSE_TIMEOUT_S = 3.0
_FEW_CORES = 2
_CALM_THREADS = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
"""OpenMP threads that spin while they wait make a busy machine with two cores ten times slower."""
_INSTALL_HINT = "Install the engine with: pip install 'braincode_jupyter[local]'"


class LocalServer:
    """One model file and the process that serves it; all methods may be called from any thread.

    Parameters
    ----------
    path : Path
        The model file.
    threads : int or None
        Threads of the engine; None: all of two cores, and all but one of more.
    start_timeout_s : float
        Longest wait for the server to answer; seconds.
    """

    def __init__(
        self, path: Path, *, threads: int | None = None, start_timeout_s: float = START_TIMEOUT_S
    ) -> None:
        cores = os.cpu_count() or 1
        self.path = path
        self.key = Secret("local model", secrets.token_urlsafe(24))
        self._threads = threads or (cores if cores <= _FEW_CORES else cores - 1)
        self._start_timeout_s = start_timeout_s
        self._lock = Lock()
        self._process: subprocess.Popen[str] | None = None
        self._url = ""

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """Process id, or None if it does not run."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> str:
        """Start the server unless it runs; blocks, so call it in a thread.

        Returns
        -------
        str
            Its address.

        Raises
        ------
        MissingDependencyError
            If the engine is not installed.
        ModelError
            If the server ends at once or does not answer in time.
        """
        with self._lock:
            if not self.is_running:
                self._launch()
            return self._url

    def close(self) -> None:
        """End the server; a second call does nothing."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            atexit.unregister(self.close)
            _end(process)

    def _launch(self) -> None:
        if find_spec("xllamacpp") is None:
            raise MissingDependencyError("The local model needs xllamacpp.", hint=_INSTALL_HINT)
        if self._process is not None:
            _end(self._process)
        process = subprocess.Popen(
            [sys.executable, "-m", "braincode_jupyter.models.local_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=_CALM_THREADS | os.environ,
            # An interrupt of the kernel is not meant for the server.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._process = process
        atexit.register(self.close)
        settings = {
            "path": str(self.path),
            "key": self.key.reveal(),
            "alias": ALIAS,
            "slots": SLOTS,
            "context": CONTEXT_TOKENS,
            "threads": self._threads,
        }
        line = _first_line(process, json.dumps(settings), self._start_timeout_s)
        if not line:
            _end(process)
            raise ModelError(
                f"The local model {self.path.name!r} could not be started "
                f"within {self._start_timeout_s:g} s (exit status {process.returncode}).",
                code="provider_error",
                provider="local",
                hint="Close programs that need much memory, or install smaller weights.",
            )
        self._url = str(json.loads(line)["url"])


class LocalServers:
    """The servers of this process, one for each model file."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._servers: dict[Path, LocalServer] = {}

    def get(self, path: Path, *, start_timeout_s: float = START_TIMEOUT_S) -> LocalServer:
        """Return the server of a model file; it is not started by this."""
        with self._lock:
            if path not in self._servers:
                self._servers[path] = LocalServer(path, start_timeout_s=start_timeout_s)
            return self._servers[path]

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            servers = list(self._servers.values())
            self._servers.clear()
        for server in servers:
            server.close()


SHARED_SERVERS = LocalServers()
"""What all runs of a kernel share: loading a model again for each run would cost seconds."""


def _first_line(process: subprocess.Popen[str], settings: str, timeout_s: float) -> str:
    # A pipe cannot be read with a time-out on every platform, so a thread reads it.
    lines: list[str] = []

    def talk() -> None:
        with suppress(OSError, ValueError):
            if process.stdin is not None and process.stdout is not None:
                process.stdin.write(settings + "\n")
                process.stdin.flush()
                lines.append(process.stdout.readline())

    reader = Thread(target=talk, name="braincode-local-start", daemon=True)
    reader.start()
    reader.join(timeout_s)
    return lines[0].strip() if lines else ""


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(_CLOSE_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_CLOSE_TIMEOUT_S)
    if process.stdout is not None:
        process.stdout.close()
