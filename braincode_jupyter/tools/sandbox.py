"""How far a scratch kernel is shut in: bubblewrap where it works, else a process and no more.

With bubblewrap (Linux) it has no network, sees the file system read-only except for its folder, and
sees neither other processes nor the places where keys, tokens and sockets usually lie. Without, it
runs under the same account as the user's kernel, and every place that names it says so. Whether
bubblewrap works is tried, with the very options that are used later: containers often forbid it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PROBE_S = 5.0
"""Time for the try."""
_EMPTIED = ("/tmp", "/run", "/var/run")  # noqa: S108 - shut off, never written to
"""Folders of sockets and of other programs' files."""
_PRIVATE_FOLDERS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".braincode", ".jupyter", ".config",
    ".local/share/jupyter", ".local/share/keyrings", ".cache/huggingface", ".mozilla",
    ".password-store",
)  # fmt: skip
_PRIVATE_FILES = (".netrc", ".pypirc", ".git-credentials", ".pgpass", ".npmrc", ".bash_history")
"""Of the home folder: what holds keys and tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """What a scratch kernel is started in.

    Parameters
    ----------
    program : str or None
        Path of bubblewrap; None: a process of the same account.
    """

    program: str | None = None

    @property
    def kind(self) -> Literal["bubblewrap", "process"]:
        """One word for the journal."""
        return "process" if self.program is None else "bubblewrap"

    @property
    def sentence(self) -> str:
        """What is said on the card."""
        if self.program is None:
            return "separate process, same account"
        return "bubblewrap: no network, read-only files"

    def command(
        self, command: Sequence[str], folder: Path, *, home: Path, kept: Iterable[Path] = ()
    ) -> list[str]:
        """Return a command that runs another inside.

        Parameters
        ----------
        command : sequence of str
            What to run.
        folder : Path
            The one folder that can be written to; absolute.
        home : Path
            Home folder of the user; its keys are hidden.
        kept : iterable of Path
            Folders that must be readable although they lie in a hidden one.

        Returns
        -------
        list of str
            The command itself where there is no sandbox.
        """
        if self.program is None:
            return list(command)
        hidden = [Path(name) for name in _EMPTIED if _is_real_folder(Path(name))]
        hidden += [home / name for name in _PRIVATE_FOLDERS if _is_real_folder(home / name)]
        files = [home / name for name in _PRIVATE_FILES if (home / name).is_file()]
        shut = [*hidden, *files]
        arguments = [
            self.program, "--die-with-parent", "--new-session", "--unshare-all",
            "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
        ]  # fmt: skip
        for path in hidden:
            arguments += ["--tmpfs", str(path)]
        for path in files:
            arguments += ["--ro-bind", "/dev/null", str(path)]
        for path in _inside(kept, shut):
            arguments += ["--ro-bind", str(path), str(path)]
        arguments += ["--bind", str(folder), str(folder)]
        for path in hidden:
            arguments += ["--remount-ro", str(path)]
        return [*arguments, "--chdir", str(folder), "--", *command]


@cache
def find_sandbox() -> Sandbox:
    """Return the best sandbox in which this Python starts; tried once, in some milliseconds."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return Sandbox()
    sandbox = Sandbox(program=program)
    with tempfile.TemporaryDirectory(prefix="braincode-") as name:
        folder = Path(name).resolve()
        python = [sys.executable, "-I", "-S", "-c", "pass"]
        command = sandbox.command(python, folder, home=Path.home(), kept=python_folders())
        try:
            done = subprocess.run(  # noqa: S603 - a command of ours
                command, capture_output=True, timeout=_PROBE_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return Sandbox()
    return sandbox if done.returncode == 0 else Sandbox()


def python_folders() -> list[Path]:
    """Return what this Python needs to read, wherever it is installed."""
    places = (sys.prefix, sys.base_prefix, sys.executable, *sys.path)
    return [Path(place) for place in places if Path(place).is_absolute()]


def _inside(paths: Iterable[Path], hidden: Sequence[Path]) -> list[Path]:
    """Return the existing paths that lie in a hidden folder, without those inside of another."""
    found: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        is_hidden = path.exists() and any(map(path.is_relative_to, hidden))
        if is_hidden and not any(map(path.is_relative_to, found)):
            found.append(path)
    return found


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()
