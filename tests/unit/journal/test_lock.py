from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import JournalError, SessionInUseError
from braincode_jupyter.journal import open_session, read_lines
from braincode_jupyter.protocol.records import Warned

if TYPE_CHECKING:
    from pathlib import Path

_HOLD = """
import sys
from pathlib import Path
from braincode_jupyter.journal import open_session
from braincode_jupyter.protocol.records import Warned
writer = open_session(Path(sys.argv[1]), "s")
writer.append(Warned(timestamp=1, message="mine"), durable=True)
print("held", flush=True)
sys.stdin.readline()
writer.close()
"""

_WRITE = """
import sys
from pathlib import Path
from braincode_jupyter.journal import SessionWriter
from braincode_jupyter.protocol.records import Warned
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
writer = SessionWriter(path, writer_id=name)
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    size = 200_000 if number % 50 == 0 else 20
    writer.append(Warned(timestamp=number, message=name * size))
"""


def _start(script: str, *arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() in {"held", "ready"}
    return process


def _finish(process: subprocess.Popen[str]) -> None:
    with process:
        process.communicate("\n", timeout=60)
    assert process.returncode == 0


def test_B28_a_second_process_is_told_who_writes_and_what_to_do(tmp_path: Path) -> None:
    process = _start(_HOLD, str(tmp_path))

    with pytest.raises(JournalError, match=f"in use by process {process.pid} since") as caught:
        open_session(tmp_path, "s")
    other = open_session(tmp_path, "another")
    other.close()
    _finish(process)

    assert "new session" in caught.value.hint
    open_session(tmp_path, "s").close()


def test_a_second_writer_in_one_process_is_refused_too(tmp_path: Path) -> None:
    writer = open_session(tmp_path, "s")

    with pytest.raises(JournalError, match="in use by this process"):
        open_session(tmp_path, "s")

    writer.close()
    open_session(tmp_path, "s").close()


def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    process = _start(_HOLD, str(tmp_path))
    with process:
        process.kill()

    writer = open_session(tmp_path, "s")
    writer.append(Warned(timestamp=2, message="mine now"))
    writer.close()

    messages = [line["message"] for line in read_lines(writer.path).lines]
    assert messages == ["mine", "mine now"]


def test_a_damaged_note_on_the_holder_does_not_hide_the_lock(tmp_path: Path) -> None:
    writer = open_session(tmp_path, "s")
    (tmp_path / "sessions" / "s.holder").write_text('{"pid": "\\u001b[2J", "since": 1e999}')

    with pytest.raises(JournalError, match="in use by another process"):
        open_session(tmp_path, "s")

    writer.close()


def test_a_session_whose_folder_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")

    with pytest.raises(JournalError, match="cannot be used"):
        open_session(tmp_path / "home", "s")


def test_the_note_names_this_process_while_it_writes(tmp_path: Path) -> None:
    writer = open_session(tmp_path, "s")
    note = tmp_path / "sessions" / "s.holder"

    assert str(os.getpid()) in note.read_text()

    writer.close()
    assert not note.exists()


def test_B28_lines_of_two_programs_that_take_no_lock_all_survive(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    count = 300
    processes = [_start(_WRITE, str(path), name, str(count)) for name in ("a", "b")]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        _finish(process)

    read = read_lines(path)

    messages = [line for line in read.lines if line["type"] == "warning"]
    assert read.bad == ()
    assert len(messages) == 2 * count


def test_R100_a_disk_without_file_locks_is_told(tmp_path: Path) -> None:
    # A folder in its place cannot be locked, as on a disk that has no locks.
    (tmp_path / "sessions" / "s.lock").mkdir(parents=True)

    writer = open_session(tmp_path, "s")
    with pytest.raises(SessionInUseError, match="is in use by this process"):
        open_session(tmp_path, "s")
    (notice,) = writer.notices
    writer.close()

    assert "s.lock-file" in notice
    assert open_session(tmp_path, "other").notices == ()
