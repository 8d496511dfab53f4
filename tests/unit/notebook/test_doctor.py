from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.notebook.doctor import doctor_text, probe_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "sk-test-" + "Zz9" * 12
PAGES = {
    "/v1/models": json.dumps({"object": "list", "data": [{"id": "qwen3:4b"}, {"id": "other"}]}),
    "/empty": json.dumps({"data": []}),
    "/strange": json.dumps({"models": 1}),
    "/html": "<html>",
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = PAGES.get(self.path)
            self.send_response(404 if page is None else 200)
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


def test_a_key_is_told_by_the_name_of_its_place_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "auth.json").write_text(json.dumps({"providers": {"anthropic": KEY}}))
    (tmp_path / "auth.json").chmod(0o600)

    text = doctor_text(tmp_path, has_kernel=True, probe=lambda url: None)

    assert "OPENAI_API_KEY" in text
    assert "auth.json" in text
    assert not any(KEY[i : i + 6] in text for i in range(len(KEY) - 6))
    assert str(len(KEY)) not in text


def test_a_local_server_is_offered(tmp_path: Path) -> None:
    found = {"http://127.0.0.1:11434/v1/models": ["qwen3:4b"]}

    text = doctor_text(tmp_path, has_kernel=True, probe=found.get)

    assert "Ollama: answers (qwen3:4b); not used unless models.json names it" in text
    assert "LM Studio: no answer at http://127.0.0.1:1234/v1" in text


def test_a_missing_home_is_not_made(tmp_path: Path) -> None:
    text = doctor_text(tmp_path / "home", has_kernel=False, probe=lambda url: None)

    assert "does not exist yet" in text
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("name", ["brains.json", "settings.json", "models.json", "auth.json"])
def test_a_broken_file_is_named_with_its_position(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"a": \n oops}')

    text = doctor_text(tmp_path, has_kernel=True, probe=lambda url: None)

    assert name in text
    assert "line 2" in text


@pytest.mark.parametrize(
    ("page", "models"),
    [
        ("/v1/models", ["qwen3:4b", "other"]),
        ("/empty", []),
        ("/strange", None),
        ("/html", None),
        ("/nothing", None),
    ],
)
def test_a_server_is_asked_for_its_models(server: str, page: str, models: list[str] | None) -> None:
    assert probe_server(server + page) == models


def test_an_address_where_nothing_listens_gives_nothing() -> None:
    assert probe_server("http://127.0.0.1:9/v1/models") is None
