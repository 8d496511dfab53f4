from __future__ import annotations

import json
import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home import read_json, update_json, write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic import JsonValue

_IS_POSIX = sys.platform != "win32"


def _file(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "brains.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("content", ["", "  \n\t", "\ufeff"])
def test_a_blank_file_counts_as_missing(tmp_path: Path, content: str) -> None:
    assert read_json(_file(tmp_path, content)) is None
    assert read_json(tmp_path / "missing.json") is None


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert read_json(_file(tmp_path, '\ufeff{"a": [1, "\\u00fc", null]}')) == {"a": [1, "ü", None]}


_BROKEN: list[tuple[str | bytes, str]] = [
    ('{"a": 1,\n  "b": }', "line 2, column 8"),
    ('{\n "a": [1, 2,]\n}', "line 2, column 13"),
    ('{"a": 1}\n// note', "line 2, column 1"),
    ('{"a": 1,\n "b": {"c": 2, "c": 3}}', "line 2, column 16: the key 'c' is there twice"),
    ('{"a": 1, "\\u0061": 2}', "line 1, column 10: the key 'a' is there twice"),
    ('{"a":\n NaN}', "line 2, column 2"),
    ('{"a": -Infinity}', "line 1, column 8"),
    ('{"a": ' + "9" * 5000 + "}", "line 1, column 7"),
    ("[" * 200_000, "line 1, column 17: more than 16 levels"),
    (b'{"a":\n "\xff"}', "line 2, column 3: this is not UTF-8"),
    ('{"a": "\\ud83d"}', "half of a character"),
    ("{", "line 1"),
    ('"', "line 1"),
]


@pytest.mark.parametrize(("content", "place"), _BROKEN)
def test_a_broken_file_is_an_error_with_its_place_and_stays(
    tmp_path: Path, content: str | bytes, place: str
) -> None:
    path = _file(tmp_path, content)
    before = path.read_bytes()

    with pytest.raises(ConfigurationError) as caught:
        read_json(path)

    assert place in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert path.read_bytes() == before


def test_what_looks_broken_inside_a_string_is_text(tmp_path: Path) -> None:
    value = {"a": 'NaN {"a": 1, "a": 2} [[[[[[[[[[[[[[[[[[[', "b": ["a", "a"], 'c"': {"a": 1}}

    assert read_json(_file(tmp_path, json.dumps(value))) == value


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"a": "' + "x" * 262_144 + '"}')

    with pytest.raises(ConfigurationError, match="larger than 262,144 bytes"):
        read_json(path)


@pytest.mark.skipif(not _IS_POSIX, reason="pipes and permission bits")
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkfifo, "not a regular file"),
        (lambda path: path.mkdir(), "not a regular file|cannot be read"),
        (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    ],
)
def test_what_is_no_plain_file_is_refused_without_waiting(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "settings.json"
    make(path)

    with pytest.raises(ConfigurationError, match=reason):
        read_json(path)


@pytest.mark.skipif(not _IS_POSIX, reason="permission bits")
def test_a_file_that_everybody_can_change_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "{}")
    path.chmod(0o666)

    with pytest.raises(ConfigurationError, match="Everybody"):
        read_json(path)


@pytest.mark.skipif(not _IS_POSIX or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "{}")
    os.chown(path, 12345, 12345)

    with pytest.raises(ConfigurationError, match="another user"):
        read_json(path)


def test_a_write_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"old": 1}')

    write_json(path, {"b": "ü", "a": [1]})

    assert path.read_text(encoding="utf-8") == '{\n  "b": "ü",\n  "a": [\n    1\n  ]\n}\n'
    assert [item.name for item in tmp_path.iterdir()] == ["brains.json"]


@pytest.mark.skipif(not _IS_POSIX, reason="permission bits")
def test_a_write_keeps_the_mode_and_a_new_file_is_private(tmp_path: Path) -> None:
    old = _file(tmp_path, "{}")
    old.chmod(0o640)
    new = tmp_path / "new.json"

    write_json(old, {})
    write_json(new, {})
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (old, new)]
    write_json(old, {}, mode=0o600)

    assert modes == [0o640, 0o600]
    assert stat.S_IMODE(old.stat().st_mode) == 0o600


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()

    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_json(path, {})

    assert [item.name for item in tmp_path.iterdir()] == ["folder"]


def test_an_update_keeps_unknown_keys_and_their_order(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"zebra": {"x": [1]}, "mode": "auto", "apple": null}')

    update_json(path, lambda document: document | {"mode": "radical"})

    assert list(json.loads(path.read_text()).items()) == [
        ("zebra", {"x": [1]}),
        ("mode", "radical"),
        ("apple", None),
    ]


def test_an_update_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"a":1}')

    update_json(path, lambda document: document)

    assert path.read_text() == '{"a":1}'


def test_an_update_of_a_broken_file_leaves_it(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"a": 1,}')

    with pytest.raises(ConfigurationError):
        update_json(path, lambda document: document | {"b": 1})

    assert path.read_text() == '{"a": 1,}'


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(value=st.dictionaries(st.text(max_size=4), _VALUES, min_size=1))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, JsonValue]
) -> None:
    path = tmp_path_factory.mktemp("home") / "x.json"

    write_json(path, value)

    assert read_json(path) == value


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=60) | st.text('{}[]",:\\u0d8N1 \n', max_size=60))
def test_any_content_is_read_or_refused_with_our_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes | str
) -> None:
    path = _file(tmp_path_factory.mktemp("home"), content)

    try:
        value = read_json(path)
    except ConfigurationError:
        return
    assert json.dumps(value, ensure_ascii=False).encode()
