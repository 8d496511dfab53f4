"""A kernel that is killed in the middle of a run: the next one pays for what is missing alone."""

from __future__ import annotations

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from kernel_process import RUN_MIME, Kernel, end_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

LOAD = "%load_ext braincode_jupyter"
ASK = "%%braincode --roles analyst,librarian,security --no-review\nWhy did sales fall?"
FOUND = '{"summary": "found by a worker"}'
WAIT_S = 60.0


class Provider(ThreadingHTTPServer):
    """A loopback provider that keeps what it was sent; it may leave a request unanswered."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.texts: list[str | None] = []
        self.seen: list[str] = []
        self.is_over = Event()

    def server_close(self) -> None:
        self.is_over.set()
        super().server_close()


class Answering(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        size = int(self.headers["content-length"])
        self.server.seen.append(self.rfile.read(size).decode())
        text = self.server.texts.pop(0)
        if text is None:
            self.server.is_over.wait(WAIT_S)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for delta, reason in (({"role": "assistant", "content": text}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    for name in [one for one in os.environ if one.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    with Provider() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("OPENAI_API_KEY", "test-key-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        yield server
        server.shutdown()
        thread.join(WAIT_S)


def wait_for_requests(provider: Provider, count: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while len(provider.seen) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(provider.seen) == count


def test_a_killed_kernel_leaves_a_run_that_is_resumed_with_the_missing_call_alone(
    provider: Provider, tmp_path: Path
) -> None:
    provider.texts += [FOUND, FOUND, None, "The **answer**."]
    first = Kernel(tmp_path, setup=LOAD)
    first.send(ASK)
    session_id = first.wait_for_call("primary")
    wait_for_requests(provider, 3)

    first.kill()
    first.close()
    assert end_records(tmp_path / ".braincode", session_id) == []
    second = Kernel(tmp_path, setup=LOAD)
    outcome = second.run("%braincode resume", cell_id="c1")
    state = second.value("_braincode.status, _braincode.session_id")
    second.close()

    assert not outcome.error, outcome.text
    assert state == f"completed {session_id}"
    wait_for_requests(provider, 4)
    assert "found by a worker" in provider.seen[-1]
    card = outcome.outputs[-1][RUN_MIME]
    assert (card["state"], card["answer"]["text"]) == ("completed", "The **answer**.")
    assert end_records(tmp_path / ".braincode", session_id) == ["run_end"]
