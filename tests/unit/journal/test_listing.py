from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from braincode_jupyter.errors import JournalError
from braincode_jupyter.journal import (
    is_session_id,
    list_sessions,
    open_session,
    read_lines,
    resolve_session,
    session_path,
)
from braincode_jupyter.protocol.records import (
    AnyRecord,
    RunCancelled,
    RunEnded,
    RunFailed,
    RunStart,
)
from braincode_jupyter.views.session_context import CONTEXT_TYPES, read_context

_START = RunStart(timestamp=1, run_id="r1", prompt="Why?", project_support={"root": "/repo"})
_END = RunEnded(timestamp=2, summary="Because.", worker_results=(), final_report={})
_STOP = RunCancelled(timestamp=2, by="stop")
_FAIL = RunFailed(timestamp=3, error="no model", will_fallback=False)


def _session(home: Path, session_id: str, *, second: int, content: bytes = b"{}\n") -> Path:
    folder = home / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session_id}.jsonl"
    path.write_bytes(content)
    os.utime(path, ns=(0, second * 1_000_000_000))
    return path


def test_a_home_that_is_not_there_has_no_sessions_and_stays_away(tmp_path: Path) -> None:
    assert list_sessions(tmp_path / "home") == ()
    assert resolve_session(tmp_path / "home", "last") is None
    assert not (tmp_path / "home").exists()


def test_sessions_come_newest_first_with_ties_by_id_and_within_the_limit(tmp_path: Path) -> None:
    for session_id, second in (("a", 5), ("b", 9), ("c", 5), ("d", 1)):
        _session(tmp_path, session_id, second=second)

    entries = list_sessions(tmp_path, limit=3)

    assert [entry.session_id for entry in entries] == ["b", "c", "a"]
    assert entries[0].updated_ms == 9000
    assert len(list_sessions(tmp_path, limit=0)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_links_folders_hidden_and_other_files_are_no_sessions(tmp_path: Path) -> None:
    real = _session(tmp_path, "real", second=1)
    folder = real.parent
    (folder / "link.jsonl").symlink_to(real)
    (folder / "folder.jsonl").mkdir()
    (folder / ".hidden.jsonl").write_text("{}")
    (folder / "notes.txt").write_text("{}")

    assert [entry.session_id for entry in list_sessions(tmp_path)] == ["real"]
    assert resolve_session(tmp_path, "link") is None


_RUNS = [
    ((_START,), ("incomplete", "interrupted")),
    ((_START, _END), ("completed", "completed")),
    ((_START, _FAIL), ("failed", "failed")),
    ((_START, _STOP, _FAIL), ("failed", "cancelled")),
    ((_START, _STOP), ("incomplete", "cancelled")),
    ((_START, _END, _START, _FAIL), ("completed", "failed")),
    ((_START, _END, _START), ("completed", "interrupted")),
]


@pytest.mark.parametrize(("records", "states"), _RUNS)
def test_status_follows_the_original_and_detail_the_last_run(
    tmp_path: Path, records: tuple[AnyRecord, ...], states: tuple[str, str]
) -> None:
    writer = open_session(tmp_path, "s")
    for record in records:
        writer.append(record)
    writer.close()

    (entry,) = list_sessions(tmp_path)

    assert (entry.facts.status, entry.facts.detail) == states


def test_a_project_filter_wants_exactly_this_project(tmp_path: Path) -> None:
    line = b'{"type":"run_start","projectSupport":{"root":"%b"}}\n'
    for number in range(200):
        _session(tmp_path, f"other{number}", second=1000 + number, content=line % b"/repo2")
    _session(tmp_path, "mine", second=3, content=line % b"/repo")
    _session(tmp_path, "none", second=4)

    entries = list_sessions(tmp_path, project_root=Path("/repo"), limit=1)

    assert [entry.session_id for entry in entries] == ["mine"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_listed_as_incomplete(tmp_path: Path) -> None:
    _session(tmp_path, "locked", second=1).chmod(0)

    (entry,) = list_sessions(tmp_path)

    assert entry.facts.status == "incomplete"


def test_a_reference_means_the_exact_id_before_a_newer_prefix(tmp_path: Path) -> None:
    _session(tmp_path, "abc", second=1)
    _session(tmp_path, "abcd", second=2)
    _session(tmp_path, "abce", second=3)

    found = [resolve_session(tmp_path, ref) for ref in ("abc", " abcd ", "ab", "@@abc", "x", "")]

    ids = [entry.session_id if entry else None for entry in found]
    assert ids == ["abc", "abcd", "abce", "abc", None, None]


def test_last_is_the_newest_session_but_not_the_one_that_asks(tmp_path: Path) -> None:
    _session(tmp_path, "old", second=1)
    _session(tmp_path, "new", second=2)

    last = resolve_session(tmp_path, "last")
    other = resolve_session(tmp_path, "@@last", exclude={"new"})

    assert last is not None
    assert other is not None
    assert (last.session_id, other.session_id) == ("new", "old")


def test_beyond_the_hundred_newest_only_a_full_id_is_found(tmp_path: Path) -> None:
    for number in range(100):
        _session(tmp_path, f"n{number}", second=1000 + number)
    content = b'{"type":"run_start","prompt":"Old question"}\n'
    _session(tmp_path, "oldest", second=1, content=content)

    by_id = resolve_session(tmp_path, "oldest")

    assert resolve_session(tmp_path, "old") is None
    assert by_id is not None
    assert (by_id.facts.prompt, by_id.facts.status) == (None, "incomplete")


_NO_IDS = [".", "..", ".hidden", "a/b", "../x", "a\\b", "a b", "", "ä", "x" * 201, "CON", "nul.a"]


@pytest.mark.parametrize("session_id", _NO_IDS)
def test_ids_that_could_lead_elsewhere_are_refused(tmp_path: Path, session_id: str) -> None:
    _session(tmp_path, "a", second=1)

    assert not is_session_id(session_id)
    assert resolve_session(tmp_path, session_id) is None
    for refuse in (session_path, open_session):
        with pytest.raises(JournalError, match="no session id"):
            refuse(tmp_path, session_id)


def test_ids_of_the_original_are_accepted() -> None:
    for session_id in ("7d0f6f5e-3a52-4f37-9d0b-0c6f3a0f4a11", "a.b_c-1", "Console", "-x"):
        assert is_session_id(session_id)


def test_a_session_in_short_is_the_same_as_from_all_of_its_lines(
    tmp_path: Path, sessions: Path
) -> None:
    for path in sessions.glob("*.jsonl"):
        _session(tmp_path, path.stem, second=1, content=path.read_bytes())

    for entry in list_sessions(tmp_path):
        few = read_lines(entry.path, types=CONTEXT_TYPES).lines
        every = read_lines(entry.path).lines

        assert read_context(entry.facts, few) == read_context(entry.facts, every)
