"""A real JupyterLab with our extension, in a folder of its own, and a page with a notebook."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError

import pytest
from playwright.sync_api import expect, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Locator, Page

ROOT = Path(__file__).parents[2]
WAIT_MS = 60_000
# A busy machine may be slow to draw; what is claimed of speed, an order of events shows.
expect.set_options(timeout=WAIT_MS)
END_WAIT_S = 20
ENDING_TRIES = 50
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
IS_OPEN = "() => !!window.jupyterapp?.shell?.currentWidget?.sessionContext"
OPENED = """async () => {
  await window.jupyterapp.restored;
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.revealed;
  await panel.sessionContext.ready;
}"""
CONNECTED = """() => {
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  return !!kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}"""
NONE_RUNNING = """() => ![...document.querySelectorAll('.jp-NotebookPanel .jp-InputPrompt')]
  .some(n => n.textContent.includes('*'))"""
EXTENSION = "braincode-jupyter-labextension"
NUMBERED = re.compile(r"\[\d+\]")

# The scripted model; calls whose kind stands in `slow`, and cells with `block()`, take longer than
# any test waits. They end with their kernel.
SETUP = """
from braincode_jupyter.notebook import use_models
from braincode_jupyter.testing import Reply, ScriptedModel
slow = None
def script(call):
    if slow not in (call.call_kind, call.role):
        return None
    return Reply(text="late", delay_s=600)
use_models(ScriptedModel(script))
def block():
    import time
    time.sleep(600)
%load_ext braincode_jupyter
"""


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    base: str
    token: str
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with _running(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="module")
def french_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Give a JupyterLab that speaks French, with a language pack and our package installed."""
    root = tmp_path_factory.mktemp("french")
    _install(root / "site", "languagepack", fr_FR="jupyterlab_language_pack_fr_FR")
    _install(root / "site", "locale", braincode_jupyter="braincode_jupyter")
    messages = root / "site" / "jupyterlab_language_pack_fr_FR" / "locale/fr_FR/LC_MESSAGES"
    messages.mkdir(parents=True)
    (messages.parents[2] / "__init__.py").touch()
    head = {"domain": "jupyterlab", "language": "fr-FR", "plural_forms": "nplurals=2; plural=n>1;"}
    (messages / "jupyterlab.json").write_text(json.dumps({"": head}))
    with _running(root, PYTHONPATH=os.pathsep.join([str(root / "site"), str(ROOT)])) as running:
        _choose(running, "@jupyterlab/translation-extension:plugin", {"locale": "fr_FR"})
        yield running


def _install(site: Path, group: str, **entries: str) -> None:
    """Make an installed distribution that has entry points for JupyterLab, and nothing else."""
    folder = site / f"made_{group}-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: made-{group}\nVersion: 1.0\n")
    lines = [f"[jupyterlab.{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (folder / "entry_points.txt").write_text("\n".join(lines))


@contextlib.contextmanager
def _running(root: Path, **environment: str) -> Iterator[Lab]:
    folder = root / "notebooks"
    folder.mkdir()
    _install_extension(root / "data")
    _silence_news(root / "settings")
    _skip_build_check(root / "config")
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, base = secrets.token_hex(16), f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", "--expose-app-in-browser"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
    command += [f"--ServerApp.root_dir={folder}"]
    variables = _environment(root) | environment
    with (root / "lab.log").open("w") as log:
        process = subprocess.Popen(command, env=variables, stdout=log, stderr=log)  # noqa: S603 - our own interpreter
        try:
            _wait_for(f"{base}/api/status?token={token}", process, root / "lab.log")
            yield Lab(base=base, token=token, folder=folder)
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END_WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(END_WAIT_S)


def _end_kernels(lab: Lab) -> None:
    """End what a test has started, so that the next one has the machine to itself."""
    for _ in range(ENDING_TRIES):
        # While a kernel is being ended, the server may not be able to list or find it.
        with contextlib.suppress(HTTPError):
            kernels = json.loads(_ask(lab, "kernels"))
            if not kernels:
                return
            for kernel in kernels:
                _ask(lab, f"kernels/{kernel['id']}", method="DELETE")
        time.sleep(0.2)


def _ask(lab: Lab, path: str, *, method: str = "GET") -> bytes:
    headers = {"Authorization": f"token {lab.token}"}
    request = urllib.request.Request(f"{lab.base}/api/{path}", headers=headers, method=method)  # noqa: S310 - our own server
    with urllib.request.urlopen(request, timeout=END_WAIT_S) as answer:  # noqa: S310 - the same
        return answer.read()


def _choose(lab: Lab, plugin: str, choices: dict[str, object]) -> None:
    url = f"{lab.base}/lab/api/settings/{plugin}?token={lab.token}"
    body = json.dumps({"raw": json.dumps(choices)}).encode()
    request = urllib.request.Request(url, data=body, method="PUT")  # noqa: S310 - our own server
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request, timeout=END_WAIT_S).close()  # noqa: S310 - the same


def _environment(root: Path) -> dict[str, str]:
    return dict(
        os.environ,
        HOME=str(root),
        USERPROFILE=str(root),
        IPYTHONDIR=str(root / "ipython"),
        JUPYTERLAB_SETTINGS_DIR=str(root / "settings"),
        JUPYTERLAB_WORKSPACES_DIR=str(root / "workspaces"),
        JUPYTER_CONFIG_DIR=str(root / "config"),
        JUPYTER_DATA_DIR=str(root / "data"),
        JUPYTER_RUNTIME_DIR=str(root / "runtime"),
        # In a virtual environment an installed front end would else go before the one beside us.
        JUPYTER_PREFER_ENV_PATH="0",
    )


def _install_extension(data: Path) -> None:
    """Use the built front end beside the source, if there is one; else the installed one."""
    import braincode_jupyter  # noqa: PLC0415 - only its folder

    built = Path(braincode_jupyter.__file__).parent / "labextension"
    if (built / "package.json").is_file():
        shutil.copytree(built, data / "labextensions" / EXTENSION)


def _silence_news(settings: Path) -> None:
    folder = settings / "@jupyterlab" / "apputils-extension"
    folder.mkdir(parents=True)
    text = json.dumps({"fetchNews": "false", "checkForUpdates": False})
    (folder / "notification.jupyterlab-settings").write_text(text)


def _skip_build_check(config: Path) -> None:
    """Let no page ask whether JupyterLab must be built: prebuilt extensions need none, and each
    answer takes a second of Node.
    """
    folder = config / "labconfig"
    folder.mkdir(parents=True)
    (folder / "page_config.json").write_text(json.dumps({"buildCheck": False}))


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(480):
        try:
            urllib.request.urlopen(url, timeout=2).close()  # noqa: S310 - our own server
        except (URLError, OSError):
            assert process.poll() is None, log.read_text()[-2000:]
            time.sleep(0.25)
        else:
            return
    raise AssertionError(log.read_text()[-2000:])


# Not for the whole session: while Playwright's own loop is running, no asyncio test can run.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("no Chromium")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


# Loading JupyterLab is half of what a test costs; a second page of one reader has it in its cache.
@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1100, "height": 1400})
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    made = context.new_page()
    made.set_default_timeout(WAIT_MS)
    yield made
    for page in context.pages:
        page.close()
    context.clear_permissions()


@pytest.fixture
def choose(lab: Lab) -> Iterator[Callable[..., None]]:
    """Give a function that sets settings of a plugin; afterwards they are what they were."""
    chosen: set[str] = set()

    def choose_(plugin: str, **choices: object) -> None:
        chosen.add(plugin)
        _choose(lab, plugin, choices)

    yield choose_
    for plugin in chosen:
        _choose(lab, plugin, {})


@pytest.fixture
def without_subshells(choose: Callable[..., None]) -> None:
    """Let the page send all that it says to the kernel's main thread."""
    choose("@jupyterlab/apputils-extension:kernels-settings", commsOverSubshells="disabled")


@pytest.fixture
def without_extension(page: Page) -> None:
    """Let the page come without our extension."""
    page.route(re.compile(rf"/{EXTENSION}/static/"), lambda route: route.abort())


class Notebook:
    """A notebook on the page."""

    def __init__(self, page: Page, path: Path, *, urls: dict[str, str], app: str) -> None:
        self.page = page
        self.path = path
        self._urls = urls
        self._app = app

    def open(self, *, has_kernel: bool = True, app: str = "") -> None:
        """Open it where it was before, or in another application."""
        self._app = app or self._app
        self.page.goto(self._urls[self._app])
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        if has_kernel:
            self.page.wait_for_function(IS_OPEN)
            self.page.evaluate(OPENED)
            self.page.wait_for_function(CONNECTED)

    def cell(self, index: int) -> Locator:
        return self.page.locator(".jp-NotebookPanel .jp-CodeCell").nth(index)

    def card(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-OutputArea-output")

    def start(self, index: int) -> Locator:
        self.cell(index).locator(".cm-content").first.click()
        self.page.keyboard.press("Control+Enter")
        return self.cell(index)

    def run(self, index: int) -> Locator:
        started = self.start(index)
        expect(started.locator(".jp-InputPrompt").first).to_have_text(NUMBERED, timeout=WAIT_MS)
        self.wait_idle()
        return started

    def wait_idle(self) -> None:
        self.page.wait_for_function(NONE_RUNNING)

    def in_new_tab(self) -> Notebook:
        """Open the same notebook in a second tab of the browser."""
        tab = self.page.context.new_page()
        tab.set_default_timeout(WAIT_MS)
        urls = {
            app: url.replace("/workspaces/", "/workspaces/2") for app, url in self._urls.items()
        }
        other = Notebook(tab, self.path, urls=urls, app=self._app)
        other.open()
        return other

    def command(self, name: str) -> None:
        self.page.evaluate("name => window.jupyterapp.commands.execute(name)", name)

    def saved(self) -> dict[str, Any]:
        self.command("docmanager:save")
        return json.loads(self.path.read_text(encoding="utf-8"))

    def reopen_changed_elsewhere(self) -> None:
        """Open it as somebody else saved it: its signature is not ours, and no kernel runs."""
        document = self.saved()
        self.command("notebook:shutdown-kernel")
        document["cells"][0]["source"] += "\n# changed elsewhere"
        self.path.write_text(json.dumps(document), encoding="utf-8")
        self.open(has_kernel=False)


@pytest.fixture
def open_notebook(lab: Lab, page: Page) -> Iterator[Callable[..., Notebook]]:
    def open_(*sources: str | dict[str, Any], in_notebook_7: bool = False) -> Notebook:
        name = f"t{secrets.token_hex(4)}.ipynb"
        cells = [
            {
                "cell_type": "code",
                "id": f"cell-{index}",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                **({"source": source} if isinstance(source, str) else source),
            }
            for index, source in enumerate((SETUP, *sources))
        ]
        spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        document = {
            "cells": cells,
            "metadata": {"kernelspec": spec},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path = lab.folder / name
        path.write_text(json.dumps(document), encoding="utf-8")
        workspace = secrets.token_hex(4)
        urls = {
            "lab": f"{lab.base}/lab/workspaces/{workspace}/tree/{name}?reset&token={lab.token}",
            "notebook 7": f"{lab.base}/notebooks/{name}?token={lab.token}",
        }
        app = "notebook 7" if in_notebook_7 else "lab"
        notebook = Notebook(page, path, urls=urls, app=app)
        notebook.open()
        assert notebook.run(0).locator(".jp-OutputArea-output").all_inner_texts() == []
        return notebook

    yield open_
    _end_kernels(lab)
