from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import MissingDependencyError, ModelError
from braincode_jupyter.models.local import LocalServer, LocalServers

if TYPE_CHECKING:
    from pathlib import Path


def test_missing_engine_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    with pytest.raises(MissingDependencyError) as caught:
        LocalServer(tmp_path / "m.gguf").start()

    assert "braincode_jupyter[local]" in caught.value.hint


def test_file_that_is_no_model_ends_in_a_model_error(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "m.gguf"
    path.write_bytes(b"no model")
    server = LocalServer(path)

    with pytest.raises(ModelError) as caught:
        server.start()

    assert caught.value.code == "provider_error"
    assert server.pid is None


def test_runs_share_the_server_of_a_file(tmp_path: Path) -> None:
    servers = LocalServers()
    first = servers.get(tmp_path / "a.gguf")

    assert servers.get(tmp_path / "a.gguf") is first
    assert servers.get(tmp_path / "b.gguf") is not first
    servers.close()


def test_server_that_never_ran_can_be_closed(tmp_path: Path) -> None:
    server = LocalServer(tmp_path / "m.gguf")

    server.close()
    server.close()

    assert not server.is_running
    assert server.key.reveal() not in repr(vars(server))
