from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.references import Expansion, Missing, expand, limits
from tests.unit.references.outcomes import content, missing, one

if TYPE_CHECKING:
    from pathlib import Path

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_a_text_file_is_sent_byte_for_byte_as_one_labelled_section(tmp_path: Path) -> None:
    text = "x = 1\n```\n@other.txt\n\u2028end"
    (tmp_path / "a.py").write_bytes(text.encode())

    found = expand("see @a.py.", project_root=tmp_path)

    (section,) = found.sections
    assert section.text == text
    assert (section.kind, section.owner, section.source) == ("reference", "user", "@a.py")
    assert section.title == "File"
    (record,) = found.records(7)
    assert (record.state, record.timestamp, record.size_bytes) == ("sent", 7, len(text.encode()))
    assert record.uri == "a.py"
    assert found.warnings == ()


def test_what_a_file_holds_is_not_expanded_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("@b.txt")
    (tmp_path / "b.txt").write_text("secret")

    found = expand("@a.txt", project_root=tmp_path)

    assert len(found.references) == 1


def test_a_missing_file_is_told_to_the_model_and_its_near_names_to_the_user_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.txt").write_text("x")

    found = expand("@note.txt", project_root=tmp_path)

    assert found.sections[0].text == "Reference @note.txt could not be inlined: file not found."
    assert "Did you mean @notes.txt?" in found.warnings[0]
    assert found.records(0)[0].state == "missing"


@pytest.mark.parametrize("prompt", ["@cached\ndef f(): ...", "@property", "hello @team"])
def test_a_bare_word_that_is_no_file_stays_prose(prompt: str, tmp_path: Path) -> None:
    assert expand(prompt, project_root=tmp_path) == Expansion()


@pytest.mark.parametrize("prompt", ["@pytest.fixture", "@docs/x", '@"nothing here"'])
def test_what_looks_like_a_path_is_missing_and_not_prose(prompt: str, tmp_path: Path) -> None:
    assert missing(prompt, tmp_path).reason == "file not found"


def test_a_bare_word_that_is_a_file_is_sent(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:")

    assert content("@Makefile", tmp_path).text == "all:"


def test_a_file_at_the_limit_is_sent_and_one_byte_more_is_missing(tmp_path: Path) -> None:
    (tmp_path / "at.txt").write_bytes(b"x" * 65_536)
    (tmp_path / "over.txt").write_bytes(b"x" * 65_537)

    assert len(content("@at.txt", tmp_path).text) == 65_536
    assert missing("@over.txt", tmp_path).reason == "file is 65537 bytes (limit 65536)"


def test_a_file_of_3_gigabytes_is_missing_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.bin").open("wb") as stream:
        stream.truncate(3 * 1024**3)

    assert missing("@huge.bin", tmp_path).reason == f"file is {3 * 1024**3} bytes (limit 65536)"


@pytest.mark.parametrize("token", ["@folder", "@folder/", "@./"])
def test_a_folder_is_missing_with_a_sentence(token: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    assert missing(token, tmp_path).reason == "is a folder; name a file in it"


def test_binary_files_are_missing_and_other_encodings_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"MZ\x00\x01")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "bom.txt").write_bytes("\ufeffé".encode())
    (tmp_path / "excel.txt").write_bytes("é".encode("utf-16"))

    assert missing("@a.bin", tmp_path).reason == "binary file"
    assert content("@latin.txt", tmp_path).text == "caf\ufffd"
    assert content("@bom.txt", tmp_path).text == "é"
    assert content("@excel.txt", tmp_path).text == "é"


def test_a_file_without_permission_is_missing_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "closed.txt"
    path.write_text("x")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")

    assert missing("@closed.txt", tmp_path).reason == "cannot be read: Permission denied"


@pytest.mark.parametrize("target", ["a" * 300 + ".txt", "x/" * 400 + "y.txt"])
def test_a_path_too_long_for_the_system_is_missing(target: str, tmp_path: Path) -> None:
    assert isinstance(one(f"@{target}", tmp_path), Missing)


def test_an_image_is_attached_with_the_type_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "plot.jpg").write_bytes(PNG)

    found = expand("@plot.jpg", project_root=tmp_path)

    (image,) = found.images
    assert (image.media_type, image.data) == ("image/png", PNG)
    (section,) = found.sections
    assert (section.title, section.image) == ("Image", image)
    assert found.records(0)[0].kind == "image"


def test_pictures_that_cannot_be_attached_say_why(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text("<svg/>")
    (tmp_path / "a.png").write_text("no picture")
    with (tmp_path / "big.png").open("wb") as stream:
        stream.truncate(limits.MAX_IMAGE_BYTES + 1)

    svg = content("@a.svg", tmp_path)
    assert (svg.images, svg.kind) == ((), "image")
    assert "only the path is sent" in (svg.cut or "")
    assert "no PNG" in missing("@a.png", tmp_path).reason
    assert "limit 5242880" in missing("@big.png", tmp_path).reason
