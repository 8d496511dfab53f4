from __future__ import annotations

import json
import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.named_files import named_files
from braincode_jupyter.home.trust import (
    Approval,
    Subject,
    approve,
    describe_project_entry,
    judge,
    read_approvals,
    revoke,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

_TEXT = st.text(max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


def _subject(root: Path, *words: str, **entry: JsonValue) -> Subject:
    whole: dict[str, JsonValue] = {"command": " ".join(words), "trusted": True, **entry}
    return describe_project_entry("mcp", root, name="srv", entry=whole, words=words)


def _project(tmp_path: Path) -> tuple[Path, Path]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "server.py").write_text("print(1)", encoding="utf-8")
    return tmp_path / "home", root


def test_what_was_never_approved_is_inert(tmp_path: Path) -> None:
    _, root = _project(tmp_path)

    verdict = judge(_subject(root, "python", "server.py"), ())

    assert (verdict.state, verdict.is_trusted) == ("new", False)


def test_an_approval_lets_exactly_this_run(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    subject = _subject(root, "python", "server.py")

    approve(home, subject, now_ms=5)

    assert judge(subject, read_approvals(home)).is_trusted
    assert read_approvals(home)[0].approved_at == 5


def test_the_claim_of_the_project_is_necessary(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    subject = _subject(root, "python", "server.py", trusted=False)

    approve(home, subject, now_ms=1)

    assert judge(subject, read_approvals(home)).state == "unclaimed"


def test_a_changed_entry_is_inert_again_and_shows_the_difference(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    approve(home, _subject(root, "python", "server.py"), now_ms=1)

    verdict = judge(_subject(root, "python", "server.py", "--evil"), read_approvals(home))

    assert verdict.state == "changed"
    assert '+ "command": "python server.py --evil"' in verdict.difference
    assert '- "command": "python server.py"' in verdict.difference


def test_a_changed_file_is_inert_again_and_is_named(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    approve(home, _subject(root, "python", "server.py"), now_ms=1)
    (root / "server.py").write_text("print(2)", encoding="utf-8")

    verdict = judge(_subject(root, "python", "server.py"), read_approvals(home))

    assert verdict.state == "changed"
    assert "server.py: its content changed" in verdict.difference


def test_a_file_that_appears_later_is_a_change(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    approve(home, _subject(root, "python", "late.py"), now_ms=1)
    (root / "late.py").write_text("", encoding="utf-8")

    verdict = judge(_subject(root, "python", "late.py"), read_approvals(home))

    assert (verdict.state, verdict.difference) == ("changed", "late.py: is named now")


def test_another_project_is_not_covered(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    approve(home, _subject(root, "python", "server.py"), now_ms=1)
    other = tmp_path / "other"
    other.mkdir()
    (other / "server.py").write_text("print(1)", encoding="utf-8")

    assert judge(_subject(other, "python", "server.py"), read_approvals(home)).state == "new"


def test_an_approval_can_be_taken_back(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    subject = _subject(root, "python", "server.py")
    approve(home, subject, now_ms=1)

    revoke(home, subject)

    assert read_approvals(home) == ()


def test_values_of_variables_are_not_kept_but_their_change_is_seen(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    approve(home, _subject(root, "x", env={"KEY": "very-secret-1"}), now_ms=1)

    verdict = judge(_subject(root, "x", env={"KEY": "very-secret-2"}), read_approvals(home))

    assert "very-secret" not in (home / "trust.json").read_text(encoding="utf-8")
    assert verdict.state == "changed"
    assert '+  "KEY": "[sha256:' in verdict.difference
    assert "very-secret" not in verdict.difference


@pytest.mark.skipif(sys.platform == "win32", reason="permission bits are POSIX")
def test_the_file_is_the_users_alone_and_keeps_what_it_does_not_know(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    home.mkdir()
    (home / "trust.json").write_text('{"later": 1, "approvals": [7, {}]}', encoding="utf-8")

    approve(home, _subject(root, "x"), now_ms=1)

    assert stat.S_IMODE((home / "trust.json").stat().st_mode) == 0o600
    assert json.loads((home / "trust.json").read_text(encoding="utf-8"))["later"] == 1
    assert len(read_approvals(home)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("{}", encoding="utf-8")
    (tmp_path / "trust.json").symlink_to(target)

    with pytest.raises(ConfigurationError, match="is a link"):
        read_approvals(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="FIFOs are POSIX")
def test_a_named_fifo_cannot_be_pinned_and_never_blocks(tmp_path: Path) -> None:
    home, root = _project(tmp_path)
    os.mkfifo(root / "pipe")
    subject = _subject(root, "sh", "pipe")

    assert judge(subject, ()).state == "unusable"
    with pytest.raises(ConfigurationError, match="cannot be trusted"):
        approve(home, subject, now_ms=1)


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("server.py", ["server.py"]),
        ("./server.py", ["server.py"]),
        ("sub/../server.py", ["server.py"]),
        ("--config=server.py", ["server.py"]),
        ("cd x && python server.py; ls", ["server.py"]),
        ("(./server.py)", ["server.py"]),
        ("package.tool", ["package/tool.py"]),
        ("package", ["package/__main__.py"]),
        (".", []),
        ("../outside.py", []),
        ("nothing.py", []),
        ("a\0b", []),
        ("'unbalanced server.py", ["server.py"]),
    ],
)
def test_words_name_the_files_of_a_project(tmp_path: Path, word: str, names: list[str]) -> None:
    _, root = _project(tmp_path)
    (tmp_path / "outside.py").write_text("", encoding="utf-8")
    (root / "package").mkdir()
    (root / "package" / "tool.py").write_text("", encoding="utf-8")
    (root / "package" / "__main__.py").write_text("", encoding="utf-8")

    assert [name for name, _ in named_files(root.resolve(), [word])] == names


@given(_JSON, _JSON)
def test_an_approval_covers_no_other_entry(approved: JsonValue, now: JsonValue) -> None:
    def subject(entry: JsonValue) -> Subject:
        return Subject(kind="hook", project="/p", name="n", entry=entry, is_claimed=True)

    approval = Approval(kind="hook", project="/p", name="n", digest=subject(approved).digest)

    is_same = json.dumps(approved, sort_keys=True) == json.dumps(now, sort_keys=True)
    assert judge(subject(now), [approval]).is_trusted == is_same
