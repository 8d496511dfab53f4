from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, ClassVar

import pytest
from mcp_hub import SERVER, connected

from braincode_jupyter.protocol.outside import McpServerEntry
from braincode_jupyter.tools.mcp_servers import McpLimits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LIMITS = McpLimits(connect_s=60.0, call_s=20.0)
_LATER_S = 60.0


def _entry(url: str, **headers: str) -> McpServerEntry:
    return McpServerEntry(
        scope="user", name="web", transport="http", digest="d", url=url, headers=headers
    )


@pytest.fixture(scope="module")
def http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """Start the server of the tests on a free port of this machine; give address and process."""
    with _started(tmp_path_factory.mktemp("http")) as found:
        yield found


@contextmanager
def _started(folder: Path) -> Iterator[tuple[str, int]]:
    started = folder / "started"
    process = subprocess.Popen(  # noqa: S603 - fixed words
        [sys.executable, str(SERVER), "--http", "0", "--started", str(started)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = next(line for line in process.stderr if "running on http" in line)
        address = line.split("running on ")[1].split()[0]
        drain = Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield f"{address}/mcp", process.pid
    finally:
        process.kill()
        process.wait(_LATER_S)
        process.stderr.close()


async def test_a_tool_of_a_real_server_is_called_over_http(
    tmp_path: Path, http_server: tuple[str, int]
) -> None:
    async with connected(tmp_path, _entry(http_server[0]), limits=_LIMITS) as run:
        given = await run.call("add", "web", a=2, b=3)

    assert given.text.splitlines()[-1] == "5"
    assert [server.name for server in run.report.connected] == ["web"]


async def test_progress_and_large_results_come_over_http(
    tmp_path: Path, http_server: tuple[str, int]
) -> None:
    async with connected(tmp_path, _entry(http_server[0]), limits=_LIMITS) as run:
        slow = await run.call("slow", "web", seconds=1.0, every=0.25)
        large = await run.call("large", "web", size=5_000_000)

    assert slow.text.endswith("done")
    assert run.notes[0].message == "step 0"
    assert "5,000,000 bytes" in large.text[-120:]


async def test_a_server_that_never_answers_over_http_ends_at_the_limit(
    tmp_path: Path, http_server: tuple[str, int]
) -> None:
    limits = McpLimits(connect_s=60.0, call_s=1.0)
    async with connected(tmp_path, _entry(http_server[0]), limits=limits) as run:
        given = await run.call("never", "web")
        after = await run.call("add", "web", a=1, b=1)

    assert given.details["code"] == "timeout"
    assert after.text.endswith("2")


async def test_a_server_that_is_killed_is_down_and_nothing_hangs(tmp_path: Path) -> None:
    with _started(tmp_path) as (url, pid):
        async with connected(tmp_path, _entry(url), limits=_LIMITS) as run:
            async with asyncio.TaskGroup() as group:
                waiting = group.create_task(run.call("never", "web"))
                await run.call("add", "web", a=1, b=1)
                os.kill(pid, 9)
            after = run.hub.report()

    assert waiting.result().is_error
    assert waiting.result().details["code"] in {"server_down", "server_error"}
    assert after.pending == ()


async def test_nobody_listening_is_a_failed_server(tmp_path: Path) -> None:
    async with connected(tmp_path, _entry("http://127.0.0.1:9/mcp"), limits=_LIMITS) as run:
        (failed,) = run.report.failed

    assert failed.error


class _Answers(BaseHTTPRequestHandler):
    """Answers every request as ``kind`` says and remembers what it was sent."""

    kind = ""
    seen: ClassVar[list[tuple[str, str | None]]] = []
    other = ""

    def do_POST(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization")))
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.kind == "redirect":
            self.send_response(307)
            self.send_header("Location", self.other)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = b"x" * 20_000_000 if self.kind == "huge" else b"not json"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if self.kind != "huge":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            return

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def _answering(kind: str, other: str = "") -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    handler = type("Handler", (_Answers,), {"kind": kind, "seen": [], "other": other})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", handler.seen  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()


async def test_r64_headers_go_to_their_own_origin_alone(tmp_path: Path) -> None:
    with (
        _answering("plain") as (other, elsewhere),
        _answering("redirect", other) as (url, here),
    ):
        entry = _entry(url, Authorization="Bearer KEY-secret")
        async with connected(tmp_path, entry, limits=_LIMITS) as run:
            (failed,) = run.report.failed

    assert {authorization for _, authorization in here} == {"Bearer KEY-secret"}
    assert elsewhere == []
    assert "KEY" not in failed.error


@pytest.mark.parametrize("kind", ["plain", "huge"])
async def test_an_answer_that_is_no_protocol_or_too_large_fails_the_server(
    tmp_path: Path, kind: str
) -> None:
    with _answering(kind) as (url, _):
        async with connected(tmp_path, _entry(url), limits=_LIMITS) as run:
            (failed,) = run.report.failed

    assert failed.error
    assert len(json.dumps(failed.error)) < 1_500
