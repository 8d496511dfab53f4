"""What the wheel is made of: both bundles, built by one command, none of them in git."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "braincode_jupyter"
STATIC = PACKAGE / "widget" / "static"
LABEXTENSION = PACKAGE / "labextension"
MAX_GZIPPED = 60_000

built = pytest.mark.skipif(
    not (STATIC / "run-widget.js").is_file() or not (LABEXTENSION / "package.json").is_file(),
    reason="front end not built",
)


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _npm() -> dict[str, Any]:
    return json.loads((ROOT / "labextension" / "package.json").read_text(encoding="utf-8"))


def test_one_command_builds_both_bundles() -> None:
    hook = _project()["tool"]["hatch"]["build"]["hooks"]["jupyter-builder"]
    command = _npm()["scripts"][hook["build-kwargs"]["build_cmd"]]

    assert "build:widget" in command
    assert "jupyter-builder build" in command
    assert "--development" not in command


def test_names_and_versions_agree() -> None:
    project, npm = _project(), _npm()
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    install = json.loads((ROOT / "labextension" / "install.json").read_text(encoding="utf-8"))

    assert npm["version"] == project["project"]["version"]
    assert install["packageName"] == project["project"]["name"]
    assert all(target.split("/")[3] == npm["name"] for target in shared.values() if "/" in target)
    assert (ROOT / "labextension" / npm["jupyterlab"]["outputDir"]).resolve() == LABEXTENSION


def test_lock_file_names_no_host() -> None:
    lock = (ROOT / "labextension" / "yarn.lock").read_text(encoding="utf-8")

    assert re.findall(r"https?(?::|%3A)|__archiveUrl|\bregistry\b", lock) == []


def test_install_scripts_of_packages_are_not_run() -> None:
    settings = (ROOT / "labextension" / ".yarnrc.yml").read_text(encoding="utf-8")

    assert "enableScripts: false" in settings


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="not a git checkout"
)
def test_built_files_are_not_in_git() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "braincode_jupyter", "labextension"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    made = r"/static/|braincode_jupyter/labextension/|node_modules|labextension/lib/|\.map$"
    assert [name for name in listed if re.search(made, name)] == []


@built
def test_built_extension_is_whole_and_has_no_source_map() -> None:
    names = [path.name for path in LABEXTENSION.rglob("*")]

    assert sum(bool(re.fullmatch(r"remoteEntry\.[0-9a-f]+\.js", name)) for name in names) == 1
    assert "style.js" in names
    assert [name for name in names if name.endswith(".map") or name == "build_log.json"] == []


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
@pytest.mark.parametrize(("language", "locale"), [("fr", "fr_FR"), ("zh", "zh_CN")])
def test_translator_of_jupyterlab_is_given_every_text(
    language: str, locale: str, tmp_path: Path
) -> None:
    subprocess.run(  # noqa: S603 - our own script
        ["node", ROOT / "labextension" / "locales.mjs", tmp_path],  # noqa: S607
        check=True,
        timeout=60,
    )
    project = _project()["project"]["entry-points"]["jupyterlab.locale"]
    (domain,) = project
    path = tmp_path / locale / "LC_MESSAGES" / f"{domain}.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    catalogue = PACKAGE / "views" / "catalogue"
    files = (catalogue / f"{language}.json", catalogue / "records" / f"{language}.json")
    groups = [json.loads(file.read_text(encoding="utf-8")).items() for file in files]
    texts: dict[str, str] = {}
    for group, forms in chain.from_iterable(groups):
        for name, form in forms.items():
            several = {"": form} if isinstance(form, str) else form
            texts |= {f"{group}.{name}.{one}".rstrip("."): text for one, text in several.items()}

    assert (domain, project[domain]) == (PACKAGE.name, PACKAGE.name)
    head = told.pop("")
    assert (head["domain"], head["language"]) == (domain, locale.replace("_", "-"))
    assert head["plural_forms"].startswith("nplurals=")
    assert {key: text.replace("%%", "%") for key, (text,) in told.items()} == texts


@built
def test_bundles_stay_small() -> None:
    widget = sum(
        len(gzip.compress((STATIC / f"run-widget.{kind}").read_bytes())) for kind in ("js", "css")
    )
    extension = sum(len(gzip.compress(path.read_bytes())) for path in LABEXTENSION.rglob("*.js"))

    assert widget <= MAX_GZIPPED
    assert extension <= MAX_GZIPPED


@built
def test_B09_built_code_asks_for_nothing_from_outside() -> None:
    code = (STATIC / "run-widget.js").read_text(encoding="utf-8")
    style = (STATIC / "run-widget.css").read_text(encoding="utf-8")

    assert re.findall(r"\bimport\s*[({'\"]|\bfetch\(|innerHTML|https?://(?!\W)\w", code) == []
    assert re.findall(r"url\(|@import", style) == []
