from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

import pytest
from original_reader import problems, read_original

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal import SessionWriter, read_lines, read_records
from braincode_jupyter.protocol.records import FinalReported, RunEnded, Warned

if TYPE_CHECKING:
    from pathlib import Path

_BIG = "Grüße \U0001f600 " * 200_000
_END = RunEnded(
    timestamp=1,
    summary=_BIG,
    worker_results=(),
    final_report={"parts": ["small", _BIG[::-1]], "note": "x" * 3000},
)


def _write(path: Path) -> None:
    writer = SessionWriter(path, writer_id="w1")
    writer.append(_END)
    writer.append(Warned(timestamp=2, message="after"))
    writer.close()


def test_large_texts_leave_the_line_and_come_back_on_reading(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    _write(path)

    assert path.stat().st_size < 20_000
    assert read_records(path) == (_END, Warned(timestamp=2, message="after"))


def test_the_original_sees_the_beginning_of_a_large_text(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    _write(path)

    summary = read_original(path)[0]["summary"]
    assert problems(path) == []
    assert isinstance(summary, str)
    assert _BIG.startswith(summary.removesuffix("…"))
    assert len(summary) > 1000


@pytest.mark.skipif(sys.platform == "win32", reason="permission bits")
def test_side_files_are_private_and_named_by_digest(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    _write(path)

    files = list((tmp_path / "s").iterdir())
    assert len(files) == 2
    assert all(len(file.stem) == 64 and file.suffix == ".txt" for file in files)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_a_damaged_side_file_leaves_the_beginning_and_a_notice(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "s.jsonl"
    _write(path)
    for file in (tmp_path / "s").iterdir():
        if damage == "missing":
            file.unlink()
        else:
            file.write_text("something else")

    read = read_lines(path)

    assert str(read.lines[0]["summary"]).startswith("Grüße")
    assert ["side file" in piece.reason for piece in read.bad] == [True]


@pytest.mark.parametrize(
    "pointer",
    [
        '"x"',
        "[1]",
        '[{"sha256":"../../etc/passwd","path":["summary"]}]',
        f'[{{"sha256":"{"0" * 64}","path":["no","such"]}}]',
        f'[{{"sha256":"{"0" * 64}","path":[]}}]',
    ],
)
def test_a_forged_pointer_reads_nothing_and_is_reported(tmp_path: Path, pointer: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f'{{"timestamp":1,"type":"run_end","summary":"head","spilled":{pointer}}}\n')

    read = read_lines(path)

    assert read.lines[0]["summary"] == "head"
    assert len(read.bad) == 1


def test_a_record_too_large_even_without_its_texts_is_refused(tmp_path: Path) -> None:
    writer = SessionWriter(tmp_path / "s.jsonl", writer_id="w1")
    report = {"numbers": [1234567890] * 2_000_000}

    with pytest.raises(JournalError, match="longer than"):
        writer.append(FinalReported(timestamp=1, final_report=report))

    writer.close()
