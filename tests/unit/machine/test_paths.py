from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.brain.grammar import parse_references
from braincode_jupyter.errors import UnresolvedReferenceError
from braincode_jupyter.machine.paths import folds_case, locate, open_located
from braincode_jupyter.references import expand, file_tokens
from tests.unit.references.outcomes import content, missing


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "key.txt").write_text("private")
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "project-secret").mkdir()
    (tmp_path / "project-secret" / "x.txt").write_text("private")
    return root


def refused(prompt: str, root: Path) -> str:
    with pytest.raises(UnresolvedReferenceError) as caught:
        expand(prompt, project_root=root)
    return str(caught.value)


# Field report B20: nothing outside the project, nothing secret, nothing that blocks.


@pytest.mark.parametrize("target", ["../outside/key.txt", "../project-secret/x.txt", "../none"])
def test_B20_a_path_out_of_the_project_stops_the_run_and_names_its_target(
    target: str, project: Path
) -> None:
    message = refused(f"@{target}", project)

    assert str((project / target).resolve()) in message
    assert "outside the project" in message


def test_absolute_paths_work_inside_the_project_alone(project: Path) -> None:
    (project / "a.txt").write_text("mine")

    assert content(f"@{project}/a.txt", project).text == "mine"
    assert "outside" in refused(f"@{project.parent}/outside/key.txt", project)


def test_B20_links_are_followed_inside_the_project_and_refused_out_of_it(project: Path) -> None:
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

    assert missing("@a.txt", project).reason == "is a link that leads nowhere"


def test_B20_a_file_exchanged_for_a_link_between_check_and_read_is_refused(project: Path) -> None:
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
def test_B20_a_fifo_is_refused_without_blocking(project: Path) -> None:
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
def test_B20_secret_files_are_refused_by_name(name: str, project: Path) -> None:
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
def test_B19_completion_offers_a_form_that_resolves_to_exactly_that_file(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(name)

    (token,) = file_tokens(name[:2], root=tmp_path)

    assert content(f"look at {token}, please", tmp_path).text == name


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_B19_a_name_is_found_in_the_other_unicode_form(
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


def test_r124_a_folder_with_a_twin_of_another_case_tells_cases_apart(tmp_path: Path) -> None:
    folder, twin = tmp_path / "Project", tmp_path / "pROJECT"
    folder.mkdir()
    try:
        twin.mkdir()
    except FileExistsError:
        assert folds_case(folder)
        return

    assert not folds_case(folder)


def test_r124_names_without_letters_are_told_by_the_folder_above(tmp_path: Path) -> None:
    (tmp_path / "a" / "1").mkdir(parents=True)

    assert folds_case(tmp_path / "a" / "1") == folds_case(tmp_path / "a")


@pytest.mark.skipif(os.name == "nt", reason="a link needs rights there")
def test_r124_a_twin_that_is_the_same_folder_means_that_case_is_folded(tmp_path: Path) -> None:
    (tmp_path / "Project").mkdir()
    twin = tmp_path / "pROJECT"
    if not twin.exists():
        twin.symlink_to(tmp_path / "Project")

    assert folds_case(tmp_path / "Project")
