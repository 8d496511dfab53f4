from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import httpx
import pytest

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models import ModelRegistry, ProviderModels
from braincode_jupyter.models.local import LocalServer, LocalServers
from braincode_jupyter.protocol.sections import ModelCall, Prompt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("xllamacpp", reason="the engine is missing: the extra [local]")
psutil = pytest.importorskip("psutil")

pytestmark = pytest.mark.local

SCHEMA = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "maxLength": 120},
        "risks": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 2},
    },
    "required": ["summary", "risks"],
    "additionalProperties": False,
}
ORPHAN = """
import sys
from pathlib import Path
from braincode_jupyter.models.local import LocalServer
server = LocalServer(Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def servers() -> Iterator[LocalServers]:
    shared = LocalServers()
    yield shared
    shared.close()


@pytest.fixture
def server(servers: LocalServers, local_weights: Path) -> LocalServer:
    return servers.get(local_weights)


@pytest.fixture
def client(servers: LocalServers, local_weights: Path) -> ProviderModels:
    return ProviderModels(ModelRegistry(local_gguf=local_weights), servers=servers)


def call(client: ProviderModels, user: str) -> ModelCall:
    resolution = client.resolve(["local/embedded"], thinking="off", vision=False)
    prompt = Prompt(
        call_kind="worker",
        context_id="c1",
        sections=(),
        withheld=(),
        system="You answer in JSON.",
        user=user,
    )
    return ModelCall(
        call_id="1",
        call_kind="worker",
        role="analyst",
        context_id="c1",
        attempt=1,
        candidate=resolution.candidates[0],
        prompt=prompt,
        reply_schema=SCHEMA,
        max_output_tokens=200,
    )


async def test_reply_has_the_asked_shape(client: ProviderModels) -> None:
    pieces: list[str] = []

    reply = await client.complete(call(client, "412 of 24310 prices are missing."), pieces.append)
    await client.aclose()

    assert set(json.loads(reply.text)) == {"summary", "risks"}
    assert "".join(pieces) == reply.text
    assert len(pieces) > 1
    assert reply.usage is not None
    assert reply.usage.input > 0 < reply.usage.output
    assert reply.cost_usd == 0.0


async def test_more_calls_than_slots_all_end(client: ProviderModels) -> None:
    calls = (
        client.complete(call(client, f"{n} prices are missing."), lambda _: None) for n in range(3)
    )

    replies = await asyncio.gather(*calls)
    await client.aclose()

    assert all(json.loads(reply.text) for reply in replies)


async def test_too_long_prompt_is_refused_and_never_cut(client: ProviderModels) -> None:
    with pytest.raises(ModelError) as caught:
        await client.complete(call(client, "1234567890 " * 1_000), lambda _: None)
    await client.aclose()

    assert caught.value.code == "context_too_long"


async def test_cancelled_call_leaves_the_server_usable(
    client: ProviderModels, server: LocalServer
) -> None:
    begun = asyncio.Event()
    asked = call(client, "Go on and on.")
    task = asyncio.create_task(client.complete(asked, lambda _: begun.set()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await client.complete(asked, lambda _: None)
    await client.aclose()

    assert server.is_running


def test_server_asks_for_its_key(server: LocalServer) -> None:
    url = server.start()

    answers = [httpx.get(f"{url}{path}", trust_env=False) for path in ("/v1/models", "/props")]

    assert [answer.status_code for answer in answers] == [401, 401]


def test_neither_key_nor_path_is_seen_by_other_processes(server: LocalServer) -> None:
    server.start()
    process = psutil.Process(server.pid)

    shown = " ".join(process.cmdline()) + str(process.environ())

    assert server.key.reveal() not in shown
    assert server.path.name not in shown


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_server_that_was_killed_is_started_again(
    client: ProviderModels, server: LocalServer
) -> None:
    server.start()
    first = server.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(first)] if psutil.pid_exists(first) else [], timeout=10)

    reply = await client.complete(call(client, "One price is missing."), lambda _: None)
    await client.aclose()

    assert reply.text
    assert server.pid not in {None, first}


def test_server_ends_with_the_process_that_started_it(local_weights: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - our interpreter, our text
        [sys.executable, "-c", ORPHAN, str(local_weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        served = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        parent.wait()

        gone, alive = psutil.wait_procs([served], timeout=20)

    assert [p.pid for p in gone] == [served.pid]
    assert alive == []
