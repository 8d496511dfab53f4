"""What holds for every test: no network, no keys, and never the home of the person who runs it."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).parents[1]
_LOOPBACK = ("127.", "::1", "localhost")
_KEY_ENDINGS = ("_API_KEY", "_AUTH_TOKEN", "_BASE_URL")
_SYSTEM_CONNECT = socket.socket.connect


@pytest.fixture(scope="session")
def project_root() -> Path:
    return _ROOT


@pytest.fixture(scope="session", autouse=True)
def _foreign_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point the home elsewhere and take provider settings away, for child processes too."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        for name in list(os.environ):
            if name.endswith(_KEY_ENDINGS):
                patch.delenv(name)
        yield


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
