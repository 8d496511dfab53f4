"""A provider on the loopback address that speaks four wire formats and fails as it is told."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence


@dataclass(frozen=True, kw_only=True)
class Seen:
    line: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Step:
    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    events: Sequence[object] | None = None
    """Objects become SSE data, strings raw SSE blocks, `RESET` a reset, an asyncio.Event a wait."""
    hold: asyncio.Event | None = None
    """Nothing is answered until it is set."""


RESET = "reset"


class LoopbackProvider:
    RESET = RESET
    """In a stream: the connection is reset here."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.always: Step | None = None
        self.seen: list[Seen] = []
        self.url = ""

    def streams(self, events: Sequence[object], *, hold: asyncio.Event | None = None) -> None:
        self.steps.append(Step(events=events, hold=hold))

    def fails(self, status: int, message: str = "scripted failure", **headers: str) -> None:
        self.steps.append(_failure(status, message, headers))

    def streams_always(self, events: Sequence[object]) -> None:
        self.always = Step(events=events)

    def always_fails(self, status: int, message: str = "scripted", **headers: str) -> None:
        self.always = _failure(status, message, headers)

    @property
    def environ(self) -> dict[str, str]:
        return {
            "OPENAI_API_KEY": "sk-openai-0123456789",
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "ANTHROPIC_API_KEY": "sk-ant-0123456789",
            "ANTHROPIC_BASE_URL": self.url,
            "GEMINI_API_KEY": "AIza-google-0123456789",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "AZURE_OPENAI_API_KEY": "azure-0123456789",
            "AZURE_OPENAI_BASE_URL": f"{self.url}/openai/v1",
        }

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._receive(reader)
                step = self.steps.pop(0) if self.steps else self.always or Step(status=500)
                if step.hold is not None:
                    await step.hold.wait()
                if step.events is None:
                    _answer(writer, step)
                elif not await _stream(writer, step.events):
                    return
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.partition(":") for line in head[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.seen.append(Seen(line=head[0], headers=headers, body=json.loads(body or b"{}")))

    @staticmethod
    def chat(*pieces: str, reason: str | None = "stop") -> list[object]:
        def chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, object]:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | {
                "choices": [choice]
            }

        events: list[object] = [chunk({"role": "assistant", "content": piece}) for piece in pieces]
        if reason is None:
            return events
        usage = {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37}
        details = {"prompt_tokens_details": {"cached_tokens": 10}}
        last = {**chunk({}), "choices": [], "usage": usage | details}
        return [*events, chunk({}, reason), last, "data: [DONE]"]

    @staticmethod
    def responses(*pieces: str, finished: bool = True) -> list[object]:
        response: dict[str, object] = {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "status": "in_progress",
            "output": [],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
        item = {"type": "message", "id": "i", "role": "assistant", "status": "in_progress"}
        where = {"item_id": "i", "output_index": 0, "content_index": 0}
        part = {"type": "output_text", "text": "", "annotations": []}
        events: list[dict[str, object]] = [
            {"type": "response.created", "response": response},
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {**item, "content": []},
            },
            {"type": "response.content_part.added", **where, "part": part},
            *(
                {"type": "response.output_text.delta", **where, "delta": piece, "logprobs": []}
                for piece in pieces
            ),
        ]
        if finished:
            usage = {
                "input_tokens": 30,
                "output_tokens": 7,
                "total_tokens": 37,
                "input_tokens_details": {"cached_tokens": 10},
                "output_tokens_details": {"reasoning_tokens": 0},
            }
            done = {**response, "status": "completed", "usage": usage}
            events.append({"type": "response.completed", "response": done})
        return [{**event, "sequence_number": n} for n, event in enumerate(events)]

    @staticmethod
    def anthropic(*pieces: str, reason: str | None = "end_turn") -> list[object]:
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 20,
                "output_tokens": 1,
                "cache_read_input_tokens": 10,
                "cache_creation_input_tokens": 0,
            },
        }
        block = {"type": "text", "text": ""}
        events: list[dict[str, object]] = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *(
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": piece},
                }
                for piece in pieces
            ),
        ]
        if reason is not None:
            delta = {"stop_reason": reason, "stop_sequence": None}
            events += [
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7}},
                {"type": "message_stop"},
            ]
        return [f"event: {e['type']}\ndata: {json.dumps(e)}" for e in events]

    @staticmethod
    def google(*pieces: str, reason: str | None = "STOP") -> list[object]:
        def chunk(text: str, finish: str | None) -> dict[str, object]:
            content = {"role": "model", "parts": [{"text": text}]}
            ending = {"finishReason": finish} if finish else {}
            usage = {
                "promptTokenCount": 30,
                "candidatesTokenCount": 7,
                "totalTokenCount": 37,
                "cachedContentTokenCount": 10,
            }
            return {
                "candidates": [{"index": 0, "content": content, **ending}],
                "usageMetadata": usage,
                "modelVersion": "m",
            }

        last = len(pieces) - 1
        return [chunk(piece, reason if n == last else None) for n, piece in enumerate(pieces)]


def _failure(status: int, message: str, headers: dict[str, str]) -> Step:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status=status, body={"error": {"message": message}}, headers=named)


def _answer(writer: asyncio.StreamWriter, step: Step) -> None:
    body = json.dumps(step.body or {"error": {"message": "scripted failure"}}).encode()
    extra = "".join(f"{name}: {value}\r\n" for name, value in step.headers.items())
    head = f"HTTP/1.1 {step.status} X\r\ncontent-type: application/json\r\n{extra}"
    writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)


async def _stream(writer: asyncio.StreamWriter, events: Sequence[object]) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
    writer.write(b"transfer-encoding: chunked\r\n\r\n")
    for event in events:
        await writer.drain()
        if event == RESET:
            # Let the client read what it was sent before the reset throws it away.
            await asyncio.sleep(0.05)
            writer.transport.abort()
            return False
        if isinstance(event, asyncio.Event):
            await event.wait()
            continue
        block = event if isinstance(event, str) else f"data: {json.dumps(event)}"
        data = block.encode() + b"\n\n"
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    writer.write(b"0\r\n\r\n")
    return True


@pytest.fixture
async def provider() -> AsyncIterator[LoopbackProvider]:
    loopback = LoopbackProvider()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        await loopback.serve(reader, writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    loopback.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield loopback
    server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await server.wait_closed()
