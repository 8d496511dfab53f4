"""Calls with tools over each wire format: asked, carried out, answered."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models import ModelRegistry, ProviderModels, RetryPolicy, Timeouts
from braincode_jupyter.models.conversation import MAX_TURNS
from braincode_jupyter.protocol.sections import ModelCall, Prompt
from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec, ToolUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.usage import TokenUsage
    from tests.integration.conftest import LoopbackProvider

FORMATS = {
    "ollama/llama3.2": "chat",
    "azure-openai-responses/gpt-5.5": "responses",
    "anthropic/claude-sonnet-4-6": "anthropic",
    "google/gemini-3-flash-preview": "google",
}
ARGUMENTS = {"sql": "select 1"}


class Box:
    """Answers every call, as long as it is told to go on."""

    def __init__(self, *, room: int = 300) -> None:
        self.used: list[ToolUse] = []
        self.asked: list[tuple[int, int]] = []
        self.told: list[str] = []
        self.room = room
        self.size = 0

    def specs(self) -> Sequence[ToolSpec]:
        sql: dict[str, JsonValue] = {
            "type": "object",
            "properties": {"sql": {"type": "string"}},
            "required": ["sql"],
        }
        return (ToolSpec(name="query_data", description="Run SQL.", parameters=sql),)

    async def use(self, wanted: ToolUse) -> ToolReturn:
        self.used.append(wanted)
        return ToolReturn(text=f"row {len(self.used)} \ud83d" + "word " * self.size)

    def tell(self, message: str) -> None:
        self.told.append(message)

    def turn_tokens(self, spent: TokenUsage, sent_tokens: int) -> int:
        self.asked.append((spent.total, sent_tokens))
        return self.room


def asks(
    kind: str, name: str = "query_data", arguments: dict[str, str] = ARGUMENTS
) -> list[object]:
    """Return the events of a reply that asks for one tool."""
    text = json.dumps(arguments)
    match kind:
        case "chat":
            call = {
                "index": 0,
                "id": "t1",
                "type": "function",
                "function": {"name": name, "arguments": text},
            }
            return [_chunk({"role": "assistant", "tool_calls": [call]}), _chunk({}, "tool_calls")]
        case "anthropic":
            return _anthropic(name, text)
        case "google":
            part = {"functionCall": {"name": name, "args": arguments}}
            candidate = {
                "index": 0,
                "content": {"role": "model", "parts": [part]},
                "finishReason": "STOP",
            }
            usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}
            return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}]
        case _:
            return _responses(name, text)


def _chunk(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": [choice]}


def _anthropic(name: str, text: str) -> list[object]:
    usage = {"input_tokens": 5, "output_tokens": 1}
    message: dict[str, object] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
    }
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    block: dict[str, object] = {"type": "tool_use", "id": "t1", "name": name, "input": {}}
    piece = {"type": "input_json_delta", "partial_json": text}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": piece},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 2},
        },
        {"type": "message_stop"},
    ]
    return [f"event: {e['type']}\ndata: {json.dumps(e)}" for e in events]


def _responses(name: str, text: str) -> list[object]:
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
    item = {"type": "function_call", "id": "f", "call_id": "t1", "name": name, "arguments": ""}
    done = {**item, "arguments": text, "status": "completed"}
    usage = {
        "input_tokens": 5,
        "output_tokens": 2,
        "total_tokens": 7,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    events: list[dict[str, object]] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {
            "type": "response.function_call_arguments.delta",
            "item_id": "f",
            "output_index": 0,
            "delta": text,
        },
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [done], "usage": usage},
        },
    ]
    return [{**event, "sequence_number": n} for n, event in enumerate(events)]


def client_of(provider: LoopbackProvider) -> ProviderModels:
    environ = provider.environ | {"OLLAMA_BASE_URL": f"{provider.url}/v1"}
    return ProviderModels(
        ModelRegistry(environ=environ),
        retries=RetryPolicy(base_s=0.01),
        timeouts=Timeouts(first_s=5, thinking_first_s=5, between_s=5),
    )


def call_to(client: ProviderModels, model_id: str) -> ModelCall:
    (candidate,) = client.resolve([model_id], thinking="off", vision=False).candidates
    prompt = Prompt(
        call_kind="worker", context_id="c", sections=(), withheld=(), system="s", user="u"
    )
    return ModelCall(
        call_id="1",
        call_kind="worker",
        role="analyst",
        context_id="c",
        attempt=1,
        candidate=candidate,
        prompt=prompt,
        max_output_tokens=300,
        timeout_s=20,
    )


@pytest.mark.parametrize(("model_id", "kind"), FORMATS.items())
async def test_a_tool_is_asked_for_carried_out_and_answered(
    provider: LoopbackProvider, model_id: str, kind: str
) -> None:
    client, box = client_of(provider), Box()
    provider.streams(asks(kind))
    provider.streams(getattr(provider, kind)("the ", "answer"))

    reply = await client.complete(call_to(client, model_id), lambda _: None, box)
    await client.aclose()

    assert reply.text == "the answer"
    assert [(use.name, json.loads(use.arguments)) for use in box.used] == [
        ("query_data", ARGUMENTS)
    ]
    second = json.dumps(provider.seen[1].body, ensure_ascii=False)
    assert "row 1 \ufffd" in second
    assert "query_data" in json.dumps(provider.seen[0].body)


async def test_a_failing_request_is_tried_again_without_repeating_the_tool(
    provider: LoopbackProvider,
) -> None:
    client, box = client_of(provider), Box()
    provider.streams(asks("chat"))
    provider.fails(503)
    provider.streams(provider.chat("done"))

    reply = await client.complete(call_to(client, "ollama/llama3.2"), lambda _: None, box)
    await client.aclose()

    assert reply.text == "done"
    assert reply.retries == 1
    assert len(box.used) == 1


async def test_a_model_that_never_stops_asking_has_to_answer_at_last(
    provider: LoopbackProvider,
) -> None:
    client, box = client_of(provider), Box()
    for _ in range(MAX_TURNS - 1):
        provider.streams(asks("chat"))
    provider.streams(provider.chat("all right"))

    reply = await client.complete(call_to(client, "ollama/llama3.2"), lambda _: None, box)
    await client.aclose()

    assert reply.text == "all right"
    assert len(box.used) == MAX_TURNS - 1
    assert "tools" not in provider.seen[-1].body


async def test_B13_a_model_that_asks_in_its_last_turn_too_has_failed(
    provider: LoopbackProvider,
) -> None:
    client, box = client_of(provider), Box()
    for _ in range(MAX_TURNS + 5):
        provider.streams(asks("chat"))

    with pytest.raises(ModelError) as failure:
        await client.complete(call_to(client, "ollama/llama3.2"), lambda _: None, box)
    await client.aclose()

    assert failure.value.code == "empty_reply"
    assert f"{MAX_TURNS} turns" in str(failure.value)
    assert (len(provider.seen), len(box.used)) == (MAX_TURNS, MAX_TURNS - 1)


async def test_old_results_of_a_long_conversation_are_left_out_and_it_is_said(
    provider: LoopbackProvider,
) -> None:
    client, box = client_of(provider), Box()
    box.size = 3_000
    call = call_to(client, "ollama/llama3.2")
    call = replace(call, candidate=replace(call.candidate, context_window=32_000))
    for _ in range(12):
        provider.streams(asks("chat"))
    provider.streams(provider.chat("all right"))

    reply = await client.complete(call, lambda _: None, box)
    await client.aclose()

    last = [m["content"] for m in provider.seen[-1].body["messages"] if m["role"] == "tool"]
    stubs = [text for text in last if "left out to keep" in text]
    assert reply.text == "all right"
    assert len(last) == 12
    assert last[-1].startswith("row 12 ")
    assert last[: len(stubs)] == stubs
    assert 0 < len(stubs) < 12
    assert stubs[0].startswith(
        "[left out to keep the conversation short enough: query_data gave 15,0"
    )
    assert "sha256 " in stubs[0]
    assert len(box.told) == len(stubs)
    assert "1 earlier results of tools were left out" in box.told[0]


async def test_the_budget_is_asked_before_every_further_request(
    provider: LoopbackProvider,
) -> None:
    client, box = client_of(provider), Box(room=0)
    provider.streams(asks("chat"))

    with pytest.raises(ModelError) as failure:
        await client.complete(call_to(client, "ollama/llama3.2"), lambda _: None, box)
    await client.aclose()

    assert failure.value.code == "token_limit"
    assert len(provider.seen) == 1
    assert len(box.asked) == 1


async def test_a_reply_is_no_longer_than_the_budget_pays_for(provider: LoopbackProvider) -> None:
    client, box = client_of(provider), Box(room=120)
    provider.streams(asks("anthropic"))
    provider.streams(provider.anthropic("short"))

    await client.complete(call_to(client, "anthropic/claude-sonnet-4-6"), lambda _: None, box)
    await client.aclose()

    assert [seen.body["max_tokens"] for seen in provider.seen] == [300, 120]
