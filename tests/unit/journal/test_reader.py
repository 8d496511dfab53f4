from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from original_reader import read_original

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal import SessionWriter, read_last_run, read_lines, read_records
from braincode_jupyter.protocol.records import OpaqueRecord, RunStart, Warned

if TYPE_CHECKING:
    from pathlib import Path


def _file(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    return path


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    read = read_lines(_file(tmp_path, b""))

    assert (read.lines, read.bad) == ((), ())


def test_a_last_line_without_line_feed_counts(tmp_path: Path) -> None:
    read = read_lines(_file(tmp_path, b'{"type":"a"}\n{"type":"b"}'))

    assert [line["type"] for line in read.lines] == ["a", "b"]


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"no\.jsonl") as caught:
        read_lines(tmp_path / "no.jsonl")

    assert caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/etc/passwd")])
def test_neither_a_pipe_nor_a_link_is_read(tmp_path: Path, make: object) -> None:
    path = tmp_path / "s.jsonl"
    assert callable(make)
    make(path)

    with pytest.raises(JournalError, match="cannot be read"):
        read_lines(path)


@pytest.mark.parametrize("depth", [129, 300, 200_000])
def test_a_line_nested_too_deep_is_a_bad_piece(tmp_path: Path, depth: int) -> None:
    deep = b'{"type":"x","data":' + b"[" * depth + b"]" * depth + b"}"
    path = _file(tmp_path, deep + b'\n{"type":"y"}\n')

    records = read_records(path)

    assert [record.type for record in records][-1] == "y"
    assert all(isinstance(record, OpaqueRecord) for record in records)


def test_a_line_longer_than_the_limit_is_a_bad_piece(tmp_path: Path) -> None:
    path = _file(tmp_path, b'{"type":"' + b"x" * 16_777_216 + b'"}\n{"type":"y"}\n')

    read = read_lines(path)

    assert [line["type"] for line in read.lines] == ["y"]
    assert "longer than" in read.bad[0].reason


def test_a_gap_in_the_numbers_of_a_writer_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = SessionWriter(path, writer_id="w1")
    for number in range(5):
        writer.append(Warned(timestamp=number, message=str(number)))
    writer.close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[3] + lines[4])

    read = read_lines(path)

    assert [line["message"] for line in read.lines] == ["0", "3", "4"]
    (gap,) = read.bad
    assert (gap.at_byte, gap.size_bytes) == (len(lines[0]), 0)
    assert "2 lines" in gap.reason


def test_a_damaged_line_is_not_reported_as_a_gap_as_well(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = SessionWriter(path, writer_id="w1")
    for number in range(3):
        writer.append(Warned(timestamp=number, message=str(number)))
    writer.close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:20] + b"\n" + lines[2])

    read = read_lines(path)

    assert [piece.size_bytes for piece in read.bad] == [20]


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=400) | st.text('{}[]",:\\u0123d\n\u2028ab ', max_size=200))
def test_no_content_breaks_the_reader_and_it_loses_nothing_that_the_original_reads(
    tmp_path_factory: pytest.TempPathFactory, content: bytes | str
) -> None:
    raw = content if isinstance(content, bytes) else content.encode()
    path = _file(tmp_path_factory.mktemp("s"), raw)

    read = read_lines(path)
    records = read_records(path)

    assert len(read.lines) == len(read_original(path)) == len(records)
    assert all(raw[piece.at_byte :][: piece.size_bytes].strip() for piece in read.bad)


def test_the_cycle_collector_is_left_as_it_was(tmp_path: Path) -> None:
    path = _file(tmp_path, b"{}\n")

    read_lines(path)
    was_on = gc.isenabled()
    gc.disable()
    try:
        read_lines(path)
        assert not gc.isenabled()
    finally:
        gc.enable()

    assert was_on


def test_lines_of_other_types_are_passed_over_unread(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    writer = SessionWriter(path, writer_id="w1")
    for number in range(3):
        writer.append(Warned(timestamp=number, message=str(number)))
    writer.append(RunStart(timestamp=9, prompt="Why?"))
    writer.close()
    with path.open("ab") as file:
        file.write(b'{"timestamp":1,"type":"warning"\n{"type":"run_start"}\n\n{"x":\n')

    read = read_lines(path, types={"run_start"})

    assert [line["type"] for line in read.lines] == ["run_start", "run_start"]
    assert [piece.size_bytes for piece in read.bad] == [5]


_STARTS = ('{"type":"run_start","n":%d}', '{"type":"run_start","n":%d,"plan":{}}')
_ENDS = ('{"type":"run_end","n":%d}', '{"type":"run_error","n":%d}')
_OTHERS = (
    '{"timestamp":1,"type":"model_reply","n":%d}',
    '{"timestamp":1,"type":"run_error","n":%d,"willFallback":true}',
    '{"type":"run_end" torn %d',
)


@given(
    st.lists(st.sampled_from(_STARTS + _ENDS + _OTHERS), max_size=30),
    st.sampled_from(_STARTS + _OTHERS[:2]),
)
def test_the_newest_run_reads_as_its_part_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], last: str
) -> None:
    texts = [form % n for n, form in enumerate([*before, last])]
    path = _file(tmp_path_factory.mktemp("s"), "\n".join(texts).encode() + b"\n\n")

    numbers = [line["n"] for line in read_last_run(path).lines]
    whole = read_lines(path).lines

    assert numbers == [line["n"] for line in whole[-len(numbers) :]]
    ends = [n for n, form in enumerate(before) if form in _ENDS]
    starts = [n for n, form in enumerate([*before, last]) if form == _STARTS[0]]
    first = max([*(n + 1 for n in ends), *starts, 0])
    assert numbers == [line["n"] for line in whole if int(str(line["n"])) >= first]


def test_the_newest_run_is_whole_when_it_has_ended(tmp_path: Path) -> None:
    texts = [_STARTS[0] % 0, _ENDS[0] % 1, _STARTS[0] % 2, _OTHERS[0] % 3, _ENDS[0] % 4]

    lines = read_last_run(_file(tmp_path, "\n".join(texts).encode())).lines

    assert [line["n"] for line in lines] == [2, 3, 4]
