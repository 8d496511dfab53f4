from __future__ import annotations

import sys
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from braincode_jupyter.errors import ConfigurationError, UnknownNameError
from braincode_jupyter.models.weights import WEIGHTS, Weights, install, installed

if TYPE_CHECKING:
    from threading import Event
    from types import ModuleType

CONTENT = bytes(range(256)) * 40
TOY = Weights(
    name="toy",
    title="Toy",
    file_name="toy.gguf",
    size_bytes=len(CONTENT),
    sha256=sha256(CONTENT).hexdigest(),
    licence="CC0",
    hub_repository="nobody/none",
    hub_file="none",
    packages=(("toy-part1", "1.0"), ("toy-part2", "1.0"), ("toy-part3", "1.0")),
)
PARTS = {"toy-part1": CONTENT[:5000], "toy-part2": CONTENT[5000:9000], "toy-part3": CONTENT[9000:]}


class Registry:
    def __init__(self, parts: dict[str, bytes], broken: str = "") -> None:
        self.parts = parts
        self.broken = broken
        self.asked: list[str] = []

    def __call__(self, name: str, version: str, *, folder: Path, stop: Event) -> None:
        assert not stop.is_set()
        self.asked.append(name)
        if name == self.broken:
            raise ConfigurationError("No network.", hint="Try again.")
        wheel = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("pkg/__init__.py", "raise RuntimeError('imported')")
            archive.writestr("data/part.bin", self.parts[name])


def fetch_toy(folder: Path, registry: Registry) -> Path:
    return install("toy", directory=folder, catalogue={"toy": TOY}, fetch=registry)


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)


def test_parts_are_joined_in_order_and_verified(tmp_path: Path) -> None:
    path = fetch_toy(tmp_path, Registry(PARTS))

    assert path.read_bytes() == CONTENT
    assert [p.name for p in tmp_path.iterdir()] == ["toy.gguf"]


class Hub:
    def __init__(self, content: bytes | None) -> None:
        self.content = content

    def hf_hub_download(self, repository: str, file: str, *, local_dir: str, **_: object) -> str:
        assert (repository, file) == ("nobody/none", "none")
        if self.content is None:
            raise OSError("offline")
        path = Path(local_dir) / file
        path.write_bytes(self.content)
        return str(path)


def test_publishers_hub_is_asked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", cast("ModuleType", Hub(CONTENT)))
    registry = Registry(PARTS)

    assert fetch_toy(tmp_path, registry).read_bytes() == CONTENT
    assert registry.asked == []


@pytest.mark.parametrize("content", [None, b"something else"])
def test_hub_that_fails_or_has_something_else_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", cast("ModuleType", Hub(content)))

    assert fetch_toy(tmp_path, Registry(PARTS)).read_bytes() == CONTENT


def test_installed_weights_are_not_fetched_again(tmp_path: Path) -> None:
    fetch_toy(tmp_path, Registry(PARTS))
    second = Registry(PARTS)

    fetch_toy(tmp_path, second)

    assert second.asked == []


def test_broken_fetch_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No network"):
        fetch_toy(tmp_path, Registry(PARTS, broken="toy-part3"))
    second = Registry(PARTS)

    fetch_toy(tmp_path, second)

    assert "toy-part1" not in second.asked
    assert (tmp_path / "toy.gguf").read_bytes() == CONTENT


@pytest.mark.parametrize("changed", [b"x" * 4000, b"", b"y" * 99_999])
def test_other_content_never_becomes_the_weights(tmp_path: Path, changed: bytes) -> None:
    with pytest.raises(ConfigurationError, match="SHA-256"):
        fetch_toy(tmp_path, Registry({**PARTS, "toy-part2": changed}))

    assert list(tmp_path.iterdir()) == []


def test_own_file_is_taken_if_it_is_the_right_one(tmp_path: Path) -> None:
    source = tmp_path / "download.bin"
    source.write_bytes(CONTENT)
    registry = Registry(PARTS)

    path = install(
        "toy",
        source=source,
        directory=tmp_path / "cache",
        catalogue={"toy": TOY},
        fetch=registry,
    )

    assert path.read_bytes() == CONTENT
    assert registry.asked == []


def test_missing_own_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"absent\.gguf"):
        install(
            "toy",
            source=tmp_path / "absent.gguf",
            directory=tmp_path,
            catalogue={"toy": TOY},
        )


def test_full_disk_is_noticed_before_anything_is_fetched(tmp_path: Path) -> None:
    registry = Registry(PARTS)
    huge = replace(TOY, size_bytes=1 << 60)

    with pytest.raises(ConfigurationError, match="MiB"):
        install("toy", directory=tmp_path, catalogue={"toy": huge}, fetch=registry)
    assert registry.asked == []


def test_progress_never_goes_beyond_the_whole(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    install(
        "toy",
        progress=lambda done, total, _what: seen.append((done, total)),
        directory=tmp_path,
        catalogue={"toy": TOY},
        fetch=Registry(PARTS),
    )

    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert all(0 <= done <= total for done, total in seen)


def test_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="tiny"):
        install("tyni", directory=tmp_path)


def test_environment_names_a_file_of_the_users_own(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")

    assert installed(None, {"BRAINCODE_LOCAL_GGUF": str(own)}, directory=tmp_path) == own
    assert installed("small", {"BRAINCODE_LOCAL_GGUF": str(own)}, directory=tmp_path) is None


def test_environment_that_names_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="BRAINCODE_LOCAL_GGUF"):
        installed(None, {"BRAINCODE_LOCAL_GGUF": str(tmp_path / "none.gguf")})


def test_file_of_another_size_is_not_installed(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS["tiny"].file_name).write_bytes(b"torn")

    assert installed(None, {}, directory=tmp_path) is None


def test_every_catalogue_entry_is_pinned_and_open() -> None:
    assert list(WEIGHTS) == ["small", "better", "tiny"]
    assert all(len(w.sha256) == 64 and w.licence == "Apache-2.0" for w in WEIGHTS.values())
    assert all(w.packages and w.size_bytes > 0 for w in WEIGHTS.values())
