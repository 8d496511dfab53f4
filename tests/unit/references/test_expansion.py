from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.references import Expansion, SessionText, expand, limits

if TYPE_CHECKING:
    from pathlib import Path


def test_a_request_without_references_gives_nothing(tmp_path: Path) -> None:
    body = 'Explain {"a": {"b": 1}} and f"{x:>10}" and \\frac{1}{2} and {{x}} what is in df??'

    assert expand(body, project_root=tmp_path) == Expansion()


def test_sections_follow_the_order_of_first_occurrence(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)

    found = expand("@b.txt @a.txt @b.txt", project_root=tmp_path)

    assert [section.source for section in found.sections] == ["@b.txt", "@a.txt"]
    assert [record.token for record in found.records(0)] == ["@b.txt", "@a.txt"]


def test_a_record_points_and_holds_no_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("private words")

    (record,) = expand("@a.txt", project_root=tmp_path).records(5)

    assert "private words" not in record.model_dump_json()
    assert record.sha256 == hashlib.sha256(b"private words").hexdigest()
    assert record.label == "a.txt, 13 bytes"


def test_a_lone_surrogate_in_a_request_does_no_harm(tmp_path: Path) -> None:
    with pytest.raises(UnresolvedReferenceError, match="invisible"):
        expand("@a\ud83d.txt", project_root=tmp_path)


def test_64_references_are_taken_and_65_refused(tmp_path: Path) -> None:
    prompt = " ".join(f"@no/{n}" for n in range(64))

    assert len(expand(prompt, project_root=tmp_path).references) == 64
    with pytest.raises(UnresolvedReferenceError, match="more than 64"):
        expand(f"{prompt} @no/64", project_root=tmp_path)


def test_words_that_stay_prose_do_not_count(tmp_path: Path) -> None:
    prompt = " ".join(f"@word{n}" for n in range(500))

    assert expand(prompt, project_root=tmp_path).references == ()


def test_more_words_than_can_be_looked_up_stop_the_run(tmp_path: Path) -> None:
    prompt = " ".join(f"@词{n}" for n in range(limits.MAX_TOKENS + 1))

    with pytest.raises(UnresolvedReferenceError, match="more than 1,000 words"):
        expand(prompt, project_root=tmp_path)


def test_all_references_together_have_a_limit(tmp_path: Path) -> None:
    for number in range(17):
        (tmp_path / f"{number}.txt").write_text("x" * 65_000)
    prompt = " ".join(f"@{number}.txt" for number in range(17))

    with pytest.raises(UnresolvedReferenceError, match="limit 1,048,576"):
        expand(prompt, project_root=tmp_path)


def test_images_together_have_a_limit(tmp_path: Path) -> None:
    data = b"\x89PNG\r\n\x1a\n" + bytes(limits.MAX_IMAGE_BYTES - 8)
    for number in range(5):
        (tmp_path / f"{number}.png").write_bytes(data)

    with pytest.raises(UnresolvedReferenceError, match="images"):
        expand(" ".join(f"@{n}.png" for n in range(5)), project_root=tmp_path)


def test_a_session_is_found_by_its_lookup_and_capped(tmp_path: Path) -> None:
    asked: list[str] = []

    def lookup(target: str) -> SessionText:
        asked.append(target)
        return SessionText(session_id="s1", text="x" * 30_000, uri="/home/s1.jsonl")

    found = expand("@@last @@s1,", project_root=tmp_path, session_lookup=lookup)

    assert asked == ["last", "s1"]
    (section, _) = found.sections
    assert section.title == "Session"
    assert len(section.text) <= limits.MAX_SNAPSHOT_CHARS
    record = found.records(0)[0]
    assert (record.state, record.uri) == ("cut", "/home/s1.jsonl")
    assert "s1" in record.label


@pytest.mark.parametrize("target", ["nope", "..", ".hidden", "../x", "a/b", "a\\b"])
def test_a_session_that_is_not_there_is_missing(target: str, tmp_path: Path) -> None:
    asked: list[str] = []

    def lookup(target: str) -> None:
        asked.append(target)

    found = expand(f"@@{target}x", project_root=tmp_path, session_lookup=lookup)

    record = found.records(0)[0]
    assert (record.state, record.reason) == ("missing", "session not found")
    assert found.warnings == ()
    assert all("/" not in asked_for and not asked_for.startswith(".") for asked_for in asked)


def test_without_a_place_to_look_typed_references_stop_the_run(tmp_path: Path) -> None:
    for token in ("@cell:a", "@out:[1]", "@var:df"):
        with pytest.raises(UnresolvedReferenceError, match="no notebook here"):
            expand(token, project_root=tmp_path)


@pytest.mark.parametrize(
    ("name", "token"), [("my data.csv", '@"my data.csv"'), ("a@b.txt", '@"a@b.txt"')]
)
def test_B19_a_name_that_needs_quotes_is_told_with_the_form_that_works(
    tmp_path: Path, name: str, token: str
) -> None:
    (tmp_path / name).write_text("x", encoding="utf-8")

    found = expand(f"look at @{name} please", project_root=tmp_path)

    assert found.sections == ()
    assert found.warnings == (f"@{name} was not sent: write {token}.",)
    assert expand("look at @my friend and @a friend", project_root=tmp_path).warnings == ()
