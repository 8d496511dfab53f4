from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from original_reader import list_original, problems, read_original

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal import SessionWriter, open_session, read_lines, read_records
from braincode_jupyter.protocol.records import (
    FinalReported,
    OpaqueRecord,
    ReviewDecided,
    RunEnded,
    RunStart,
    UsageRecorded,
    Warned,
)
from braincode_jupyter.protocol.usage import TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.records import AnyRecord

_IS_POSIX = sys.platform != "win32"
_RECORDS: tuple[AnyRecord, ...] = (
    RunStart(timestamp=1, context_id="s", prompt="Why?"),
    UsageRecorded(timestamp=2, usage=TokenUsage(input=3, output=4, total=7)),
    ReviewDecided(timestamp=3, context_id="s:review", decision="approved", rationale="Fine."),
    RunEnded(timestamp=4, summary="Because.", worker_results=(), final_report={"version": 1}),
)


def _writer(path: Path, writer_id: str = "w1") -> SessionWriter:
    return SessionWriter(path, writer_id=writer_id)


def _write(path: Path, *records: AnyRecord, writer_id: str = "w1") -> None:
    writer = _writer(path, writer_id)
    for record in records:
        writer.append(record)
    writer.close()


def test_what_is_written_is_read_back_and_the_original_reads_it_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    _write(path, *_RECORDS)

    assert read_records(path) == _RECORDS
    assert problems(path) == []
    assert list_original(path)["status"] == "completed"


def test_keys_begin_with_time_type_and_context_and_end_with_ours(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    _write(path, *_RECORDS)

    keys = [list(line) for line in read_original(path)]
    assert all(line[:2] == ["timestamp", "type"] for line in keys)
    assert keys[2][2] == "contextId"
    assert all(line[-4:] == ["v", "seq", "writer", "crc"] for line in keys)
    assert [line["seq"] for line in read_original(path)] == [1, 2, 3, 4]


def test_B29_R92_separators_and_half_characters_stay_inside_their_line(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    text = "a\u2028b\u2029c\u0085d\ud83de\nf\x00 数据"

    _write(path, Warned(timestamp=1, message=text), Warned(timestamp=2, message="next"))

    assert problems(path) == []
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2
    assert read_original(path)[0]["message"] == text
    assert read_lines(path).lines[0]["message"] == text.replace("\ud83d", "\ufffd")


def test_two_halves_of_a_character_become_one_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    _write(path, Warned(timestamp=1, message="\ud83d" + "\ude00"))

    assert read_lines(path).lines[0]["message"] == "\U0001f600"


@pytest.mark.parametrize("text", ["plain", "half \ud83d"])
def test_numbers_that_json_lacks_are_null(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.jsonl"
    report = {"text": text, "cost": float("nan"), "worst": [float("inf")], "none": None}

    _write(path, FinalReported(timestamp=1, final_report=report))

    (line,) = read_original(path)
    assert line["finalReport"] == {"text": text, "cost": None, "worst": [None], "none": None}


def test_an_opaque_record_is_written_as_it_came_with_a_new_number(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    data = {"x": [1], "type": "other", "timestamp": 5, "seq": 99, "crc": "0", "v": 7, "writer": "w"}

    _write(path, OpaqueRecord(type="other", timestamp=5, data=data))

    (line,) = read_lines(path).lines
    assert list(line)[:3] == ["timestamp", "type", "x"]
    assert (line["seq"], line["writer"], line["v"]) == (1, "w1", 1)


@pytest.mark.parametrize("after_cut", [b"", b"\n"])
def test_B27_a_cut_at_any_byte_of_the_last_record_loses_that_record_alone(
    tmp_path: Path, after_cut: bytes
) -> None:
    whole = tmp_path / "whole.jsonl"
    _write(whole, *_RECORDS)
    content = whole.read_bytes()
    last = content[:-1].rfind(b"\n") + 1
    path = tmp_path / "cut.jsonl"

    for cut in range(last, len(content)):
        path.write_bytes(content[:cut] + after_cut)
        _write(path, Warned(timestamp=9, message="next"), writer_id="w2")
        read = read_lines(path)

        types = [line["type"] for line in read.lines]
        assert types[:3] == ["run_start", "token_usage", "review_decision"]
        assert types[-1] == "warning"
        is_whole = cut == len(content) - 1
        assert ("run_end" in types) == is_whole
        is_sealed = not after_cut and cut > last
        assert ("recovered" in types) == is_sealed
        places = [(piece.at_byte, piece.size_bytes) for piece in read.bad]
        assert places == ([] if is_whole or cut == last else [(last, cut - last)])
        assert path.read_bytes().startswith(content[:cut])


def test_B27_a_torn_piece_is_reported_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    _write(path, *_RECORDS)
    size = path.stat().st_size
    torn = b'{"timestamp":5,"type":"run_st' + b"x" * 100_000
    with path.open("ab") as file:
        file.write(torn)

    _write(path, Warned(timestamp=6, message="next"), writer_id="w2")

    recovered = read_lines(path).lines[-2]
    assert recovered["timestamp"] == 6
    assert (recovered["atByte"], recovered["sizeBytes"]) == (size, len(torn))


def test_a_piece_torn_between_two_appends_of_ours_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = _writer(path)
    writer.append(_RECORDS[0])
    with path.open("ab") as other_program:
        other_program.write(b'{"timestamp":')

    writer.append(_RECORDS[3])
    writer.close()

    assert [line["type"] for line in read_lines(path).lines] == [
        "run_start",
        "recovered",
        "run_end",
    ]


@settings(max_examples=60, deadline=None)
@given(
    pieces=st.lists(
        st.one_of(
            st.text(max_size=40).map(lambda text: Warned(timestamp=1, message=text)),
            st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"")),
        ),
        max_size=8,
    )
)
def test_whatever_others_leave_in_between_every_record_of_ours_is_read(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[Warned | bytes]
) -> None:
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    writer = _writer(path)

    for piece in pieces:
        if isinstance(piece, bytes):
            with path.open("ab") as file:
                file.write(piece)
        else:
            writer.append(piece)
    writer.close()

    written = [piece.message for piece in pieces if isinstance(piece, Warned)]
    read = read_lines(path).lines if path.exists() else ()
    assert [line["message"] for line in read if line.get("type") == "warning"] == written


@pytest.mark.skipif(not _IS_POSIX, reason="permission bits")
def test_file_and_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        writer = open_session(tmp_path / "home", "s")
        writer.append(_RECORDS[0], durable=True)
        writer.close()
    finally:
        os.umask(before)

    folder = tmp_path / "home" / "sessions"
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(not _IS_POSIX, reason="permission bits")
def test_an_open_file_of_the_original_is_tightened(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")
    path.chmod(0o644)

    _write(path, _RECORDS[0])

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not _IS_POSIX, reason="links and pipes")
@pytest.mark.parametrize("make", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_refused_without_waiting(tmp_path: Path, make: str) -> None:
    path = tmp_path / "s.jsonl"
    target = tmp_path / "target"
    target.write_bytes(b"mine")
    if make == "link":
        path.symlink_to(target)
    elif make == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()

    with pytest.raises(JournalError, match=r"s\.jsonl"):
        _writer(path).append(_RECORDS[0])

    assert target.read_bytes() == b"mine"


def test_nothing_is_made_before_the_first_record(tmp_path: Path) -> None:
    writer = _writer(tmp_path / "sessions" / "s.jsonl")
    writer.close()

    assert list(tmp_path.iterdir()) == []


def test_a_closed_writer_refuses_and_closing_twice_does_nothing(tmp_path: Path) -> None:
    writer = _writer(tmp_path / "s.jsonl")
    writer.close()
    writer.close()

    with pytest.raises(JournalError, match="closed"):
        writer.append(_RECORDS[0])


def test_a_writer_id_that_could_break_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="writer id"):
        _writer(tmp_path / "s.jsonl", 'w","x":"')


def test_after_a_failed_sync_the_line_goes_in_anew_and_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    failures = [OSError(5, "Input/output error")]
    synced: list[int] = []

    def sync(descriptor: int) -> None:
        if failures:
            raise failures.pop()
        synced.append(descriptor)

    writer = SessionWriter(path, writer_id="w1", sync=sync)
    writer.append(_RECORDS[0], durable=True)
    writer.append(_RECORDS[3])
    writer.close()

    assert len(synced) == 1
    assert len(read_original(path)) == 3
    assert read_records(path) == (_RECORDS[0], _RECORDS[3])


def test_a_second_failed_sync_is_an_error_and_the_next_append_works(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    failures = [OSError(5, "Input/output error"), OSError(5, "Input/output error")]

    def sync(descriptor: int) -> None:
        del descriptor
        if failures:
            raise failures.pop()

    writer = SessionWriter(path, writer_id="w1", sync=sync)
    with pytest.raises(JournalError, match="could not be written"):
        writer.append(_RECORDS[0], durable=True)
    writer.append(_RECORDS[3], durable=True)
    writer.close()

    assert read_records(path)[-1] == _RECORDS[3]


def test_only_durable_records_are_synced(tmp_path: Path) -> None:
    synced: list[int] = []
    writer = SessionWriter(tmp_path / "s.jsonl", writer_id="w1", sync=synced.append)

    writer.append(_RECORDS[0])
    writer.append(_RECORDS[1], durable=True)
    writer.append(_RECORDS[2])
    writer.close()

    assert len(synced) == 1


_FULL_DISK = """
import resource, sys
from pathlib import Path
from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal import SessionWriter
from braincode_jupyter.protocol.records import Warned
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = Path(sys.argv[1])
writer = SessionWriter(path, writer_id="w1")
writer.append(Warned(timestamp=1, message="first"))
size = path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, resource.RLIM_INFINITY))
try:
    writer.append(Warned(timestamp=2, message="does not fit" * 20))
    print("no error")
except JournalError as error:
    print(type(error).__name__)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
writer.append(Warned(timestamp=3, message="third"))
"""


@pytest.mark.skipif(not _IS_POSIX, reason="file size limits")
def test_a_full_disk_costs_the_record_that_met_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"

    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _FULL_DISK, str(path)], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "JournalError"
    read = read_lines(path)
    messages = [line["message"] for line in read.lines if line["type"] == "warning"]
    assert messages == ["first", "third"]
    assert len(read.bad) == 1


def test_a_line_says_what_its_checksum_is_of(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    _write(path, Warned(timestamp=1, message="naïve"))
    raw = path.read_bytes()

    path.write_bytes(raw.replace(b"na", b"ma"))

    assert json.loads(raw)["crc"] == raw[-11:-3].decode()
    (piece,) = read_lines(path).bad
    assert (piece.at_byte, piece.reason) == (0, "checksum does not fit")


def test_a_record_that_json_cannot_hold_is_an_error_that_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    nested: list[object] = []
    for _ in range(3000):
        nested = [nested]
    writer = _writer(path)
    record = OpaqueRecord.model_construct(timestamp=1, type="x", data={"nested": nested})

    with pytest.raises(JournalError, match="could not be written"):
        writer.append(record)

    writer.append(_RECORDS[0])
    writer.close()
    assert read_records(path) == (_RECORDS[0],)
