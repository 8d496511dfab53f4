"""Settings, Brains and models: what the files mean, without a change to them."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home import (
    ensure_home,
    load_home,
    read_models,
    read_presets,
    read_settings,
)

_FOUR = (
    "azure-openai-responses/gpt-5.5",
    "anthropic/claude-sonnet-4-6",
    "google/gemini-3.1-pro-preview",
    "google/gemini-3-flash-preview",
)


def _write(home: Path, name: str, value: object) -> Path:
    path = home / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_home_that_is_not_there_gives_the_defaults_and_stays_away(tmp_path: Path) -> None:
    home = load_home(tmp_path / "home")

    assert (home.settings.mode, home.settings.default_brain_id) == ("auto", "brain")
    assert home.settings.are_hooks_on
    assert (home.presets, home.models.models, dict(home.auth.providers)) == ((), (), {})
    assert list(tmp_path.iterdir()) == []


def test_reading_changes_no_byte_of_any_file(tmp_path: Path) -> None:
    files = [
        _write(tmp_path, "settings.json", {"theme": "dark", "defaultBrainId": "default"}),
        _write(tmp_path, "brains.json", {"brains": [{"id": "default", "roles": {"rush": {}}}]}),
        _write(tmp_path, "models.json", {"models": [{"id": "a/b", "api": "google"}]}),
        _write(tmp_path, "auth.json", {"providers": {"openai": "k"}}),
    ]
    before = [path.read_bytes() for path in files]

    load_home(tmp_path)

    assert [path.read_bytes() for path in files] == before
    assert len(list(tmp_path.iterdir())) == len(files)


def test_settings_are_what_the_file_says_over_the_defaults(tmp_path: Path) -> None:
    _write(
        tmp_path,
        "settings.json",
        {"mode": "radical", "defaultBrainId": " mine ", "features": {"hooks": False}, "new": 1},
    )

    settings = read_settings(tmp_path)

    assert (settings.mode, settings.default_brain_id) == ("radical", "mine")
    assert not settings.are_hooks_on
    assert settings.is_dynamic_dispatch_on
    assert settings.raw["new"] == 1


@pytest.mark.parametrize("brain_id", ["default", " default "])
def test_the_old_name_of_the_default_brain_is_read_as_the_new_one(
    tmp_path: Path, brain_id: str
) -> None:
    _write(tmp_path, "settings.json", {"defaultBrainId": brain_id, "features": None})

    assert read_settings(tmp_path).default_brain_id == "brain"


@pytest.mark.parametrize("value", [{"mode": "fast"}, {"mode": []}, {"defaultBrainId": 7}, []])
def test_a_setting_that_cannot_be_used_is_an_error(tmp_path: Path, value: object) -> None:
    _write(tmp_path, "settings.json", value)

    with pytest.raises(ConfigurationError, match=r"settings\.json"):
        read_settings(tmp_path)


def test_presets_stay_raw_and_old_ones_are_brought_up(tmp_path: Path) -> None:
    old = {
        "id": "default",
        "name": "Default Brain",
        "roles": {
            "summarize": {"modelId": "x/y", "thinkingLevel": "low", "systemPrompt": "mine"},
            "coding": {"modelId": "x/z"},
            "research": {},
        },
        "unknown": [1],
    }
    mine = {"id": "mine", "extends": "default"}
    _write(tmp_path, "brains.json", {"brains": [old, mine]})

    first, second = read_presets(tmp_path)

    assert (first["id"], first["name"], first["unknown"]) == ("brain", "Brain", [1])
    assert first["roles"] == {
        "summarize": {"modelId": "x/y", "thinkingLevel": "low", "systemPrompt": "mine"},
        "pet": {"modelId": "x/y", "thinkingLevel": "minimal"},
        "imageMaker": {"modelId": "openai/gpt-image-2", "thinkingLevel": "off"},
    }
    assert second == {"id": "mine", "extends": "brain"}


def test_present_roles_are_left_alone(tmp_path: Path) -> None:
    roles = {"rush": {"modelId": "a"}, "pet": {"modelId": "p"}, "imageMaker": {"modelId": "i"}}
    _write(tmp_path, "brains.json", {"brains": [{"id": "b", "roles": roles}]})

    assert read_presets(tmp_path)[0]["roles"] == roles


def test_models_are_brought_up_and_the_image_model_joins_the_four_defaults(tmp_path: Path) -> None:
    entries = [{"id": model_id, "api": "anthropic"} for model_id in _FOUR]
    _write(tmp_path, "models.json", {"models": entries, "providers": [{"provider": "x"}, 7]})

    file = read_models(tmp_path)

    assert [entry["id"] for entry in file.models] == [*_FOUR, "openai/gpt-image-2"]
    assert file.models[0]["api"] == "anthropic-messages"
    assert file.models[-1]["supportsImageGeneration"] is True
    assert file.providers == ({"provider": "x"},)


def test_an_image_model_gets_its_traits_and_keeps_its_window(tmp_path: Path) -> None:
    entry = {"id": "x/i", "api": "openai-images", "supportsTools": True, "contextWindow": 5}
    _write(tmp_path, "models.json", {"models": [entry, entry | {"contextWindow": "many"}]})

    first, second = read_models(tmp_path).models

    assert (first["supportsTools"], first["contextWindow"]) == (False, 5)
    assert second["contextWindow"] == 32_000


def test_header_secrets_of_models_are_in_no_text(tmp_path: Path) -> None:
    _write(tmp_path, "models.json", {"models": [{"id": "a/b", "headers": {"x": "CANARY"}}]})

    assert "CANARY" not in repr(load_home(tmp_path))


@pytest.mark.parametrize("name", ["brains", "models"])
@pytest.mark.parametrize("value", [{}, {"brains": 1, "models": 1}, {"models": [7], "brains": [{}]}])
def test_a_document_of_a_wrong_shape_is_an_error(tmp_path: Path, name: str, value: object) -> None:
    _write(tmp_path, f"{name}.json", value)

    with pytest.raises(ConfigurationError, match=name):
        load_home(tmp_path)


def test_a_home_is_made_with_folders_and_defaults_once(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"

    first = ensure_home(home)
    (home / "settings.json").write_text('{"mode": "radical"}')
    second = ensure_home(home)

    assert (first, second) == ((), ())
    assert sorted(item.name for item in home.iterdir()) == [
        "auth.json",
        "cache",
        "hooks.json",
        "logs",
        "sessions",
        "settings.json",
    ]
    assert load_home(home).settings.mode == "radical"


@pytest.mark.skipif(sys.platform == "win32", reason="permission bits")
def test_a_home_is_private_and_an_open_one_is_closed_with_a_notice(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)

    (notice,) = ensure_home(home)

    assert "755" in notice
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (home, *home.iterdir())}
    assert modes == {0o700, 0o600}


def test_a_file_in_place_of_the_home_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("x")

    with pytest.raises(ConfigurationError, match="cannot be used"):
        ensure_home(tmp_path / "home")


@pytest.mark.skipif(sys.platform == "win32", reason="owners are a POSIX matter")
def test_R55_a_home_of_another_user_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    home = Path("/")
    if os.geteuid() == 0:
        home = tmp_path / "theirs"
        home.mkdir(mode=0o755)
        os.chown(home, 65534, -1)
    before = home.stat().st_mode

    with pytest.raises(ConfigurationError, match="belongs to another user"):
        ensure_home(home)

    assert home.stat().st_mode == before
