"""What holds for every test: no network, no keys, and never the home of the person who runs it."""

from __future__ import annotations

import gc
import os
import socket
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.machine.child_guard import descendants
from braincode_jupyter.models.weights import OVERRIDE_VARIABLE, WEIGHTS, weights_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROOT = Path(__file__).parents[1]
_LOOPBACK = ("127.", "::1", "localhost")
_SETTINGS = ("_API_KEY", "_AUTH_TOKEN", "_BASE_URL")
_CHOICES = (OVERRIDE_VARIABLE, "BRAINCODE_LANGUAGE", "BRAINCODE_REPLAY", "LC_ALL", "LC_MESSAGES")
_SYSTEM_CONNECT = socket.socket.connect


_FIRST_HALF = ("test_a", "test_c", "test_e", "test_i", "test_k", "test_p")
"""How about half of the files begin whose tests need a JupyterLab."""


def pytest_collection_finish() -> None:
    """Let no collection of garbage look at thousands of tests again; IPython asks for many."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep tests that share a JupyterLab in one process; there are two of them, and a third one."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - only with --numprocesses

    class ByPlace(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = PurePosixPath(nodeid.split("::", 1)[0])
            if path.parent.name != "browser":
                return "gallery" if path.parent.name == "gallery" else str(path)
            return f"browser, {'first' if path.name.startswith(_FIRST_HALF) else 'second'} half"

    return ByPlace(config, log)


@pytest.fixture(scope="session")
def project_root() -> Path:
    return _ROOT


@pytest.fixture
def left_alive() -> Callable[[], dict[int, str]]:
    """Return what tells the processes that came of this test and still live."""
    before = descendants(os.getpid()).items()
    return lambda: dict(descendants(os.getpid()).items() - before)


def _installed_weights() -> Path | None:
    """Find the smallest model file that this machine has; tests never fetch one."""
    given = os.environ.get(OVERRIDE_VARIABLE)
    if given is not None:
        return Path(given)
    by_size = sorted(WEIGHTS.values(), key=lambda weights: weights.size_bytes)
    paths = (weights_directory() / weights.file_name for weights in by_size)
    return next((path for path in paths if path.is_file()), None)


@pytest.fixture(scope="session", autouse=True)
def _foreign_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | None]:
    """Point the home elsewhere and take provider settings away, for child processes too."""
    weights = _installed_weights()
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("LOCALAPPDATA", str(home))
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        patch.setenv("LC_ALL", "C.UTF-8")
        patch.delenv("BRAINCODE_LANGUAGE", raising=False)
        patch.setenv("LANG", "C.UTF-8")
        for name in list(os.environ):
            if name.startswith("XDG_") or name.endswith(_SETTINGS) or name in _CHOICES:
                patch.delenv(name)
        yield weights


@pytest.fixture(scope="session")
def local_weights(_foreign_home: Path | None) -> Path:
    """Give an installed model file, for tests of the embedded model."""
    if _foreign_home is None:
        pytest.skip("no weights here: braincode-jupyter local install tiny")
    return _foreign_home


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Refuse every connection that leaves the machine."""

    def connect(self: socket.socket, address: object) -> None:
        is_remote = self.family in {socket.AF_INET, socket.AF_INET6} and not (
            isinstance(address, tuple) and str(address[0]).startswith(_LOOPBACK)
        )
        if is_remote:
            raise AssertionError(f"A test tried to connect to {address!r}.")
        _SYSTEM_CONNECT(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield
