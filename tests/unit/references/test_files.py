from __future__ import annotations

import base64
import json
import os
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.grammar import parse_references
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.references import Content, Expansion, Missing, expand, file_tokens, limits
from braincode_jupyter.references.paths import locate, open_located

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def one(prompt: str, root: Path) -> Content | Missing:
    (found,) = expand(prompt, project_root=root).references
    return found.outcome


def content(prompt: str, root: Path) -> Content:
    found = one(prompt, root)
    assert isinstance(found, Content), found
    return found


def missing(prompt: str, root: Path) -> Missing:
    found = one(prompt, root)
    assert isinstance(found, Missing), found
    return found


def refused(prompt: str, root: Path) -> str:
    with pytest.raises(UnresolvedReferenceError) as caught:
        expand(prompt, project_root=root)
    return str(caught.value)


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
    assert record.uri == str((tmp_path / "a.py").resolve())
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


# Field report B20: nothing outside the project, nothing secret, nothing that blocks.


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key.txt").write_text("private")
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "project-secret").mkdir()
    (tmp_path / "project-secret" / "x.txt").write_text("private")
    return root


@pytest.mark.parametrize("target", ["../outside/key.txt", "../project-secret/x.txt", "../none"])
def test_a_path_out_of_the_project_stops_the_run_and_names_its_target(
    target: str, project: Path
) -> None:
    message = refused(f"@{target}", project)

    assert str((project / target).resolve()) in message
    assert "outside the project" in message


def test_absolute_paths_work_inside_the_project_alone(project: Path) -> None:
    (project / "a.txt").write_text("mine")

    assert content(f"@{project}/a.txt", project).text == "mine"
    assert "outside" in refused(f"@{project.parent}/outside/key.txt", project)


def test_links_are_followed_inside_the_project_and_refused_out_of_it(project: Path) -> None:
    (project / "a.txt").write_text("mine")
    (project / "inner.txt").symlink_to(project / "a.txt")
    (project / "outer.txt").symlink_to(project.parent / "outside" / "key.txt")
    (project / "folder").symlink_to(project.parent / "outside")

    assert content("@inner.txt", project).text == "mine"
    target = str((project.parent / "outside" / "key.txt").resolve())
    assert target in refused("@outer.txt", project)
    assert target in refused("@folder/key.txt", project)


def test_a_project_reached_through_a_link_is_the_project(project: Path) -> None:
    (project / "a.txt").write_text("mine")
    (project.parent / "link").symlink_to(project)

    assert content("@a.txt", project.parent / "link").text == "mine"


def test_links_in_a_circle_are_missing(project: Path) -> None:
    (project / "a.txt").symlink_to(project / "b.txt")
    (project / "b.txt").symlink_to(project / "a.txt")

    assert missing("@a.txt", project).reason == "file not found"


def test_a_file_exchanged_for_a_link_between_check_and_read_is_refused(project: Path) -> None:
    (project / "a.txt").write_text("mine")
    located = locate("a.txt", root=project)
    assert located is not None
    (project / "a.txt").unlink()
    (project / "a.txt").symlink_to(project.parent / "outside" / "key.txt")

    with pytest.raises(UnresolvedReferenceError, match="exchanged"):
        open_located(located)


def test_a_folder_exchanged_for_a_link_between_check_and_read_is_refused(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "key.txt").write_text("mine")
    located = locate("sub/key.txt", root=project)
    assert located is not None
    (project / "sub").rename(project / "old")
    (project / "sub").symlink_to(project.parent / "outside")

    with pytest.raises(UnresolvedReferenceError, match="exchanged"):
        open_located(located)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_a_fifo_is_refused_without_blocking(project: Path) -> None:
    (project / "real.txt").write_text("x")
    os.mkfifo(project / "pipe.txt")
    located = locate("real.txt", root=project)
    assert located is not None

    assert "it is a FIFO" in refused("@pipe.txt", project)
    (project / "real.txt").unlink()
    os.mkfifo(project / "real.txt")
    with pytest.raises(UnresolvedReferenceError, match="FIFO"):
        open_located(located)


@pytest.mark.skipif(os.name == "nt", reason="POSIX paths")
@pytest.mark.parametrize("target", ["/dev/zero", "/proc/self/environ", "/sys/kernel/notes"])
def test_system_folders_are_refused_even_for_a_project_at_the_root(target: str) -> None:
    assert "refused" in refused(f"@{target}", Path("/"))


@pytest.mark.parametrize(
    "name",
    [".env", ".env.local", ".ENV", "id_ed25519", "server.pem", "server.KEY", ".netrc", "auth.json",
     ".npmrc", ".pypirc", "credentials.json", ".git-credentials", ".ssh/config", ".aws/config",
     ".docker/config.json", "kernel-0a1b2c3d.json", "secrets.toml"],
)  # fmt: skip
def test_secret_files_are_refused_by_name(name: str, project: Path) -> None:
    path = project / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("token")

    message = refused(f"@{name}", project)
    assert "holds secrets" in message
    assert "provider" in message


@pytest.mark.parametrize("name", ["environment.yml", "keys.py", "author.json", "pem.txt", "env"])
def test_ordinary_names_are_no_secrets(name: str, project: Path) -> None:
    (project / name).write_text("plain")

    assert content(f"@{name}", project).text == "plain"


def test_a_link_to_a_secret_is_a_secret(project: Path) -> None:
    (project / ".env").write_text("token")
    (project / "plain.txt").symlink_to(project / ".env")

    assert "'.env'" in refused("@plain.txt", project)


@pytest.mark.parametrize("target", ["~/x.txt", "~root/x.txt"])
def test_home_folders_are_refused(target: str, project: Path) -> None:
    assert "home folder" in refused(f"@{target}", project)


@pytest.mark.parametrize("target", ["a\x00b.txt", "a\u202etxt.exe", "a\u200bb.txt", "a\x1bb.txt"])
def test_invisible_characters_in_a_name_are_refused_and_shown_escaped(
    target: str, project: Path
) -> None:
    message = refused(f"@{target}", project)

    assert "invisible" in message
    assert target not in message


# Field report B19: names with blanks, @ and letters beyond ASCII.

ODD_NAMES = ["my data.csv", "a@b.txt", "naïve–ü.md", "数据.csv", 'say "hi".txt', "data数据", "a's"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_completion_offers_a_form_that_resolves_to_exactly_that_file(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(name)

    (token,) = file_tokens(name[:2], root=tmp_path)

    assert content(f"look at {token}, please", tmp_path).text == name


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_is_found_in_the_other_unicode_form(
    form: Literal["NFC", "NFD"], tmp_path: Path
) -> None:
    name = unicodedata.normalize(form, "naïve–ü.md")
    other = unicodedata.normalize("NFD" if form == "NFC" else "NFC", name)
    (tmp_path / "sübdir").mkdir()
    (tmp_path / "sübdir" / name).write_text("found")

    assert content(f"@sübdir/{other}", tmp_path).text == "found"


def test_of_two_names_that_look_alike_the_one_typed_is_read(tmp_path: Path) -> None:
    for form in ("NFC", "NFD"):
        (tmp_path / unicodedata.normalize(form, "ü.md")).write_text(form)
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system holds both forms for one name")

    assert content("@" + unicodedata.normalize("NFD", "ü.md"), tmp_path).text == "NFD"
    assert content("@" + unicodedata.normalize("NFC", "ü.md"), tmp_path).text == "NFC"


NAMES = st.text(
    alphabet=st.one_of(
        st.sampled_from(" @\"'`\\.,!:;()[]{}数据ü\u0308~-#$%&=+"),
        st.characters(exclude_categories=("Cs",), exclude_characters="/\0"),
    ),
    min_size=1,
    max_size=30,
).filter(lambda name: name not in {".", ".."} and len(name.encode()) < 200)


@given(name=NAMES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
def test_whatever_completion_inserts_parses_back_to_that_file_or_is_not_offered(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    try:
        path.write_text("here")
    except (OSError, ValueError):
        return
    partial = "." if name.startswith(".") else ""

    for token in file_tokens(partial, root=tmp_path):
        (reference,) = parse_references(f"see {token} now")
        assert reference.kind == "file"
        assert (tmp_path / reference.target).samefile(path)
        assert content(f"see {token} now", tmp_path).text == "here"
    path.unlink()


def test_folders_are_offered_open_ended_and_refused_files_not_at_all(project: Path) -> None:
    (project / "my dir").mkdir()
    (project / "my dir" / "x.txt").write_text("x")
    (project / ".env").write_text("token")
    (project / "out").symlink_to(project.parent / "outside")

    assert file_tokens("", root=project) == ('@"my dir/',)
    assert file_tokens("my dir/", root=project) == ('@"my dir/x.txt"',)
    assert file_tokens(".e", root=project) == ()
    assert file_tokens("../", root=project) == ()
    assert file_tokens("out/", root=project) == ()


# Field report B21: notebooks.


def notebook(cells: list[dict[str, object]]) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def code(source: str, outputs: list[dict[str, object]], number: int) -> dict[str, object]:
    return {
        "cell_type": "code", "id": f"id{number}", "metadata": {}, "execution_count": number,
        "source": source.splitlines(keepends=True), "outputs": outputs,
    }  # fmt: skip


def test_a_large_notebook_gives_sources_and_text_outputs_without_base64(tmp_path: Path) -> None:
    payload = base64.b64encode(os.urandom(1_100_000)).decode()
    plot: dict[str, object] = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"image/png": payload, "text/plain": "<Figure>"},
    }
    wide = "  ".join(f"column{i}" for i in range(3_000))
    table: dict[str, object] = {
        "output_type": "execute_result", "metadata": {}, "execution_count": 2,
        "data": {"text/html": f"<table><tr><td>{wide}</td></tr></table>", "text/plain": wide},
    }  # fmt: skip
    cells = [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": "# Title\n![x](data:"
         "image/png;base64," + payload[:400] + ")"},
        code("plot()", [plot, plot], 1),
        code("table", [table], 2),
        *(code(f"x = {n}\n" + "y = 1\n" * 300, [], n) for n in range(3, 42)),
    ]  # fmt: skip
    (tmp_path / "analysis.ipynb").write_text(notebook(cells))
    assert (tmp_path / "analysis.ipynb").stat().st_size > 2_900_000

    found = content("@analysis.ipynb", tmp_path)

    assert len(found.text.encode()) <= limits.MAX_FILE_BYTES
    assert payload[:40] not in found.text
    assert found.images == ()
    for piece in (
        "id intro",
        "# Title",
        "id id1",
        "plot()",
        "[picture image/png, about",
        "column0",
    ):
        assert piece in found.text
    assert found.text.index("id intro") < found.text.index("id id1") < found.text.index("id id2")
    assert "characters cut" in found.text
    assert "of 42 cells" in found.text
    assert "left out" in (found.cut or "")


def test_a_small_notebook_is_whole(tmp_path: Path) -> None:
    stream: dict[str, object] = {
        "output_type": "stream",
        "name": "stdout",
        "text": ["one\n", "two"],
    }
    error: dict[str, object] = {
        "output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["\x1b[31m"]
    }  # fmt: skip
    (tmp_path / "a.ipynb").write_text(notebook([code("#| label: x\nf()", [stream, error], 5)]))

    found = content("@a.ipynb", tmp_path)

    assert found.cut is None
    for piece in ("label x", "executed as [5]", "f()", "one\ntwo", "error ValueError", "bad"):
        assert piece in found.text


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"cells": 3}', "[" * 100_000, '{"cells": [' + "9" * 5_000 + "]}",
     '{"worksheets": []}'],
)  # fmt: skip
def test_what_is_no_notebook_is_missing_or_empty(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(text)

    assert missing("@a.ipynb", tmp_path).reason == "is no notebook of format 4"


def test_cells_of_odd_shapes_are_taken_as_far_as_they_go(tmp_path: Path) -> None:
    odd = [3, None, {"source": 4}, {"cell_type": "code", "outputs": {"a": 1}, "source": ["a", 1]}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": odd}))

    assert "4 cells" in content("@a.ipynb", tmp_path).label


# Large tables.


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_large_table_is_a_summary_without_cell_values(suffix: str, tmp_path: Path) -> None:
    separator = {"csv": ",", "tsv": "\t"}[suffix]
    row = separator.join(["7", "anna@example.org"])
    (tmp_path / f"big.{suffix}").write_text(
        f"amount{separator}mail\n" + f"{row}\n" * 400_000, encoding="utf-8"
    )

    found = content(f"@big.{suffix}", tmp_path)

    assert "amount: Int64" in found.text
    assert "mail: String" in found.text
    assert "example.org" not in found.text
    assert "of 7,6" in found.text
    assert "a summary of" in (found.cut or "")


def test_a_small_table_is_sent_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text("a,b\n1,x\n")

    assert content("@small.csv", tmp_path).text == "a,b\n1,x\n"


@pytest.mark.parametrize("data", [b'"' * 100_000, b",\n" * 60_000, b"\xff\xfe,a\n" * 20_000])
def test_broken_tables_give_some_summary(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_bytes(data)

    found = one("@odd.csv", tmp_path)

    assert isinstance(found, (Content, Missing))
    if isinstance(found, Content):
        assert len(found.text) <= limits.MAX_SNAPSHOT_CHARS


def test_parquet_is_a_summary_with_exact_shape_or_missing(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    pl.DataFrame({"a": range(50_000), "s": ["x"] * 50_000}).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")

    found = content("@t.parquet", tmp_path)

    assert "50,000 rows × 2 columns" in found.text
    assert "No cell values" in found.text
    assert missing("@bad.parquet", tmp_path).reason == "is no readable Parquet file"
