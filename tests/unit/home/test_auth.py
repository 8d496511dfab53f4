from __future__ import annotations

import json
import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home import load_home, read_auth

if TYPE_CHECKING:
    from pathlib import Path

_IS_POSIX = sys.platform != "win32"
_OAUTH = {
    "providerId": "anthropic",
    "credentials": {"access": "KEY-a", "refresh": "KEY-r", "expires": 5, "account": "me"},
}
_PROVIDERS = {
    "openai": "KEY-1",
    "google": {"apiKey": "KEY-2", "note": "work"},
    "anthropic": {"oauth": _OAUTH},
    "empty": " ",
    "odd": 7,
}


def _auth_file(home: Path, value: object, mode: int = 0o600) -> Path:
    path = home / "auth.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    path.chmod(mode)
    return path


def test_entries_are_given_to_callers_as_they_stand(tmp_path: Path) -> None:
    _auth_file(tmp_path, {"providers": _PROVIDERS, "other": 1})

    auth = read_auth(tmp_path)

    assert dict(auth.providers) == _PROVIDERS
    assert auth.notices == ()


def test_no_text_of_ours_holds_any_part_of_a_key(tmp_path: Path) -> None:
    _auth_file(tmp_path, {"providers": _PROVIDERS})

    home = load_home(tmp_path)

    for text in (repr(home.auth), str(home), f"{home.auth.status()}"):
        assert "KEY" not in text
    assert "openai" in repr(home.auth)


def test_status_names_the_kind_of_each_provider(tmp_path: Path) -> None:
    _auth_file(tmp_path, {"providers": _PROVIDERS})

    status = {item.provider: item for item in read_auth(tmp_path).status()}

    kinds = {name: item.kind for name, item in status.items()}
    assert kinds == {
        "openai": "api-key",
        "google": "api-key",
        "anthropic": "oauth",
        "empty": "unknown",
        "odd": "unknown",
    }
    assert (status["anthropic"].oauth_provider_id, status["anthropic"].expires_ms) == (
        "anthropic",
        5,
    )


def test_every_secret_is_listed_for_redaction_and_nothing_else(tmp_path: Path) -> None:
    _auth_file(tmp_path, {"providers": _PROVIDERS})

    assert read_auth(tmp_path).secrets() == (
        ("openai", "KEY-1"),
        ("google", "KEY-2"),
        ("anthropic", "KEY-a"),
        ("anthropic", "KEY-r"),
    )


@pytest.mark.skipif(not _IS_POSIX, reason="permission bits")
def test_a_file_open_to_others_is_closed_with_a_notice(tmp_path: Path) -> None:
    path = _auth_file(tmp_path, {"providers": {}}, mode=0o644)

    (notice,) = read_auth(tmp_path).notices

    assert "644" in notice
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_home(tmp_path).notices == ()


@pytest.mark.skipif(not _IS_POSIX, reason="links")
def test_a_link_is_refused_and_its_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text('{"providers": {}}')
    target.chmod(0o644)
    home = tmp_path / "home"
    home.mkdir()
    (home / "auth.json").symlink_to(target)

    with pytest.raises(ConfigurationError, match="is a link"):
        read_auth(home)

    assert stat.S_IMODE(target.stat().st_mode) == 0o644


@pytest.mark.skipif(not _IS_POSIX or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    os.chown(_auth_file(tmp_path, {"providers": {}}), 12345, 12345)

    with pytest.raises(ConfigurationError, match="another user"):
        read_auth(tmp_path)


@pytest.mark.parametrize("value", [{}, {"providers": []}, []])
def test_a_document_without_providers_is_an_error(tmp_path: Path, value: object) -> None:
    _auth_file(tmp_path, value)

    with pytest.raises(ConfigurationError, match=r"auth\.json"):
        read_auth(tmp_path)


def test_a_broken_file_shows_its_place_and_no_key(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text('{"providers": {"openai": "KEY-1" "x": 1}}')
    path.chmod(0o600)

    with pytest.raises(ConfigurationError, match="line 1, column 34") as caught:
        read_auth(tmp_path)

    assert "KEY" not in str(caught.value)
