from __future__ import annotations

import asyncio
import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ModelError
from braincode_jupyter.models import ModelRegistry, ProviderModels, RetryPolicy, Timeouts
from braincode_jupyter.models.client import MAX_REPLY_BYTES
from braincode_jupyter.models.entries import THINKING_LEVELS
from braincode_jupyter.protocol.sections import ImagePart, ModelCall, ModelReply, Prompt

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.integration.conftest import LoopbackProvider

CHAT = "ollama/llama3.2"
RESPONSES = "azure-openai-responses/gpt-5.5"
ANTHROPIC = "anthropic/claude-sonnet-4-6"
GOOGLE = "google/gemini-3-flash-preview"
FORMATS = {CHAT: "chat", RESPONSES: "responses", ANTHROPIC: "anthropic", GOOGLE: "google"}
EVERY_FORMAT = pytest.mark.parametrize("model_id", FORMATS)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
QUICK = RetryPolicy(base_s=0.01)


@asynccontextmanager
async def opened(
    provider: LoopbackProvider, retries: RetryPolicy = QUICK, **settings: object
) -> AsyncIterator[ProviderModels]:
    environ = provider.environ | {"OLLAMA_BASE_URL": f"{provider.url}/v1"}
    registry = ModelRegistry(environ=environ, **settings)
    client = ProviderModels(
        registry,
        retries=retries,
        timeouts=Timeouts(first_s=5, thinking_first_s=5, between_s=5),
        jitter=lambda: 0.5,
    )
    yield client
    await client.aclose()


def call(  # noqa: PLR0913 - one keyword per thing that a test varies
    client: ProviderModels,
    model_id: str,
    *,
    user: str = "What is {this}?",
    images: tuple[ImagePart, ...] = (),
    thinking: str = "off",
    timeout_s: float = 10.0,
    output_tokens: int = 321,
) -> ModelCall:
    resolution = client.resolve([model_id], thinking=thinking, vision=bool(images))
    assert resolution.candidates, resolution.refusals
    return ModelCall(
        call_id="1",
        call_kind="worker",
        role="analyst",
        context_id="c1",
        attempt=1,
        candidate=resolution.candidates[0],
        prompt=Prompt(
            call_kind="worker",
            context_id="c1",
            sections=(),
            withheld=(),
            system="You are precise.",
            user=user,
            images=images,
        ),
        max_output_tokens=output_tokens,
        timeout_s=timeout_s,
    )


async def ask(
    provider: LoopbackProvider, model_id: str, *, shown: list[str] | None = None, **asked: object
) -> ModelReply:
    async with opened(provider) as client:
        pieces = [] if shown is None else shown
        return await client.complete(call(client, model_id, **asked), pieces.append)


async def failure(
    provider: LoopbackProvider, model_id: str, *, retries: RetryPolicy = QUICK, **asked: object
) -> ModelError:
    async with opened(provider, retries) as client:
        with pytest.raises(ModelError) as caught:
            await client.complete(call(client, model_id, **asked), lambda _: None)
    return caught.value


def events(
    provider: LoopbackProvider, model_id: str, *pieces: str, **ending: object
) -> list[object]:
    return getattr(provider, FORMATS[model_id])(*pieces, **ending)


def unfinished(provider: LoopbackProvider, model_id: str, *pieces: str) -> list[object]:
    ending = {"finished": False} if model_id == RESPONSES else {"reason": None}
    return events(provider, model_id, *pieces, **ending)


@EVERY_FORMAT
async def test_reply_is_streamed_and_counted(provider: LoopbackProvider, model_id: str) -> None:
    provider.streams(events(provider, model_id, "Hel", "lo"))
    shown: list[str] = []

    reply = await ask(provider, model_id, shown=shown)

    assert (reply.text, shown, reply.finish_reason) == ("Hello", ["Hel", "lo"], "stop")
    assert reply.usage is not None
    assert (reply.usage.input, reply.usage.output, reply.usage.cache_read) == (30, 7, 10)
    assert reply.usage.total == 37
    assert reply.retries == 0


@EVERY_FORMAT
async def test_prompt_arrives_byte_for_byte(provider: LoopbackProvider, model_id: str) -> None:
    provider.streams(events(provider, model_id, "ok"))
    user = 'Keep {braces}, "quotes", $x^2$, <|im_end|>, `ticks`, \u2028 and 日本語\n'

    await ask(provider, model_id, user=user)

    sent = json.dumps(provider.seen[0].body, ensure_ascii=False)
    assert json.dumps(user, ensure_ascii=False)[1:-1] in sent
    assert "You are precise." in sent
    assert "321" in sent


@EVERY_FORMAT
async def test_lone_surrogate_is_sent_as_a_mark(provider: LoopbackProvider, model_id: str) -> None:
    provider.streams(events(provider, model_id, "ok"))

    await ask(provider, model_id, user="half \ud83d, whole \ud83d\ude00")

    assert "half \ufffd, whole \U0001f600" in json.dumps(provider.seen[0].body, ensure_ascii=False)


@EVERY_FORMAT
async def test_image_is_sent(provider: LoopbackProvider, model_id: str) -> None:
    if model_id == CHAT:
        pytest.skip("this model does not see")
    provider.streams(events(provider, model_id, "a dot"))

    await ask(provider, model_id, images=(ImagePart(media_type="image/png", data=PNG),))

    sent = json.dumps(provider.seen[0].body).replace("_", "/").replace("-", "+")
    assert base64.b64encode(PNG).decode().rstrip("=").replace("_", "/") in sent


@EVERY_FORMAT
async def test_rejected_key_is_said_without_the_key(
    provider: LoopbackProvider, model_id: str
) -> None:
    keys = list(provider.environ.values())
    provider.fails(401, f"Incorrect API key: {keys[0]} {keys[2]} {keys[4]} {keys[6]} sk-12****89")

    error = await failure(provider, model_id)

    assert (error.code, error.status) == ("authentication", 401)
    assert "[secret" in error.message
    assert not any(key in repr((error, error.__dict__)) for key in keys if "://" not in key)
    assert "****" not in error.message
    assert error.__cause__ is None
    assert error.__context__ is None
    assert len(provider.seen) == 1


@EVERY_FORMAT
async def test_passing_failure_is_tried_again(provider: LoopbackProvider, model_id: str) -> None:
    provider.fails(429, "slow down", retry_after="0")
    provider.fails(500)
    provider.streams(events(provider, model_id, "ok"))

    reply = await ask(provider, model_id)

    assert (reply.text, reply.retries) == ("ok", 2)
    assert reply.waited_ms > 0
    waits = reply.details["retries"]
    assert isinstance(waits, list)
    assert [w["code"] for w in waits if isinstance(w, dict)] == ["rate_limited", "provider_error"]


@EVERY_FORMAT
async def test_lasting_failure_ends_after_three_tries(
    provider: LoopbackProvider, model_id: str
) -> None:
    provider.always_fails(503, "The model is overloaded")

    error = await failure(provider, model_id)

    assert (error.code, error.status, len(provider.seen)) == ("overloaded", 503, 3)
    assert "3 tries" in error.message


@EVERY_FORMAT
async def test_long_retry_after_is_not_waited_for(
    provider: LoopbackProvider, model_id: str
) -> None:
    provider.fails(429, "slow down", retry_after="61")

    error = await failure(provider, model_id)

    assert (error.code, error.retry_after_s, len(provider.seen)) == ("rate_limited", 61.0, 1)


async def test_workers_of_a_run_share_one_allowance_of_waiting(provider: LoopbackProvider) -> None:
    provider.always_fails(429, "slow down", retry_after_ms="20")
    scarce = RetryPolicy(max_tries=5, run_allowance_s=0.07)

    async with opened(provider, scarce) as client:
        asked = call(client, CHAT)
        calls = (client.complete(asked, lambda _: None) for _ in range(3))
        outcomes = await asyncio.gather(*calls, return_exceptions=True)

    assert {getattr(o, "code", None) for o in outcomes} == {"rate_limited"}
    assert len(provider.seen) == 3 + 3


@EVERY_FORMAT
async def test_stream_without_an_ending_is_cut_off(
    provider: LoopbackProvider, model_id: str
) -> None:
    provider.streams(unfinished(provider, model_id, "Hel", "lo"))

    error = await failure(provider, model_id)

    assert (error.code, error.partial) == ("cut_off", "Hello")
    assert len(provider.seen) == 1


async def test_a_reply_without_an_end_is_cut_off_at_the_limit(provider: LoopbackProvider) -> None:
    provider.streams(provider.chat(*(["x" * 1_048_576] * 12)))

    error = await failure(provider, CHAT)

    assert error.code == "cut_off"
    assert MAX_REPLY_BYTES < len(error.partial) <= MAX_REPLY_BYTES + 1_048_576


@EVERY_FORMAT
async def test_reset_after_the_first_token_keeps_the_text_and_is_not_tried_again(
    provider: LoopbackProvider, model_id: str
) -> None:
    provider.streams([*unfinished(provider, model_id, "Hello"), provider.RESET])

    error = await failure(provider, model_id)

    assert (error.code, error.partial) == ("network", "Hello")
    assert len(provider.seen) == 1


@EVERY_FORMAT
async def test_reset_before_the_first_token_is_tried_again(
    provider: LoopbackProvider, model_id: str
) -> None:
    provider.streams([provider.RESET])
    provider.streams(events(provider, model_id, "ok"))

    reply = await ask(provider, model_id)

    assert (reply.text, reply.retries) == ("ok", 1)


@EVERY_FORMAT
async def test_empty_reply_is_a_failure(provider: LoopbackProvider, model_id: str) -> None:
    provider.streams(events(provider, model_id, "  "))

    assert (await failure(provider, model_id)).code == "empty_reply"


@pytest.mark.parametrize(
    ("model_id", "reason"), [(CHAT, "length"), (ANTHROPIC, "max_tokens"), (GOOGLE, "MAX_TOKENS")]
)
async def test_full_reply_says_so(provider: LoopbackProvider, model_id: str, reason: str) -> None:
    provider.streams(events(provider, model_id, "half a sent", reason=reason))

    assert (await ask(provider, model_id)).finish_reason == "length"


@pytest.mark.parametrize(
    ("model_id", "reason"), [(CHAT, "content_filter"), (ANTHROPIC, "refusal"), (GOOGLE, "SAFETY")]
)
async def test_filtered_reply_is_a_refused_request(
    provider: LoopbackProvider, model_id: str, reason: str
) -> None:
    provider.streams(events(provider, model_id, "I", reason=reason))

    assert (await failure(provider, model_id)).code == "refused_request"


@EVERY_FORMAT
async def test_silence_is_a_timeout(provider: LoopbackProvider, model_id: str) -> None:
    never = asyncio.Event()
    provider.streams([*unfinished(provider, model_id, "Hello"), never])

    error = await failure(provider, model_id, timeout_s=1.0)

    assert (error.code, error.partial) == ("timeout", "Hello")


@EVERY_FORMAT
async def test_too_long_prompt_has_its_own_code(provider: LoopbackProvider, model_id: str) -> None:
    provider.fails(400, "This model's maximum context length is 10 tokens: prompt is too long")

    assert (await failure(provider, model_id)).code == "context_too_long"


async def test_wait_that_would_outlast_the_call_is_not_begun(provider: LoopbackProvider) -> None:
    provider.fails(429, "slow down", retry_after="30")

    error = await failure(provider, CHAT, timeout_s=5.0)

    assert (error.code, len(provider.seen)) == ("rate_limited", 1)


async def test_unknown_model_says_where_to_look(provider: LoopbackProvider) -> None:
    provider.fails(404, "model not found")

    error = await failure(provider, CHAT)

    assert (error.code, error.status) == ("refused_request", 404)
    assert "models.json" in error.hint


async def test_spent_quota_is_not_tried_again(provider: LoopbackProvider) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    provider.always_fails(429)
    assert provider.always is not None
    object.__setattr__(provider.always, "body", body)

    error = await failure(provider, RESPONSES)

    assert len(provider.seen) == 1
    assert "billing" in error.hint


async def test_address_where_nobody_listens_is_a_network_failure(
    provider: LoopbackProvider,
) -> None:
    provider.url = "http://127.0.0.1:1"

    error = await failure(provider, CHAT)

    assert error.code == "network"


@EVERY_FORMAT
async def test_cancelled_call_closes_its_connection(
    provider: LoopbackProvider, model_id: str
) -> None:
    never = asyncio.Event()
    provider.streams([*unfinished(provider, model_id, "Hello"), never])
    begun = asyncio.Event()
    async with opened(provider) as client:
        asked = call(client, model_id)
        task = asyncio.create_task(client.complete(asked, lambda _: begun.set()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        provider.streams(events(provider, model_id, "next"))

        assert (await client.complete(asked, lambda _: None)).text == "next"


async def test_character_split_over_two_pieces_is_whole(provider: LoopbackProvider) -> None:
    provider.streams(provider.chat("a \ud83d", "\ude00", " and half \ud83d"))
    shown: list[str] = []

    reply = await ask(provider, CHAT, shown=shown)

    assert reply.text == "".join(shown) == "a \U0001f600 and half \ufffd"


async def test_redirect_to_another_origin_gets_no_key(provider: LoopbackProvider) -> None:
    provider.fails(307, "elsewhere", location=f"{provider.url}/stolen")

    await failure(provider, ANTHROPIC)

    assert len(provider.seen) == 1


@pytest.mark.parametrize(
    ("model_id", "header", "value"),
    [
        (RESPONSES, "authorization", "Bearer azure-0123456789"),
        (ANTHROPIC, "x-api-key", "sk-ant-0123456789"),
        (GOOGLE, "x-goog-api-key", "AIza-google-0123456789"),
    ],
)
async def test_key_goes_where_the_provider_looks_for_it(
    provider: LoopbackProvider, model_id: str, *, header: str, value: str
) -> None:
    provider.streams(events(provider, model_id, "ok"))

    await ask(provider, model_id)

    assert provider.seen[0].headers[header] == value


async def test_headers_of_an_entry_are_sent(provider: LoopbackProvider) -> None:
    entry = {"id": "lab/m", "baseUrl": provider.url, "headers": {"x-team": "team-secret"}}
    provider.streams(provider.chat("ok"))

    async with opened(provider, models=[entry]) as client:
        await client.complete(call(client, "lab/m"), lambda _: None)

    assert provider.seen[0].line.startswith("POST /v1/chat/completions ")
    assert provider.seen[0].headers["x-team"] == "team-secret"
    assert "sk-openai" not in str(provider.seen[0].headers)


async def test_effort_is_sent_to_models_that_think(provider: LoopbackProvider) -> None:
    provider.streams(provider.responses("ok"))
    provider.streams(provider.chat("ok"))

    await ask(provider, RESPONSES, thinking="high", output_tokens=10_000)
    await ask(provider, CHAT, thinking="high")

    assert provider.seen[0].body["reasoning"]["effort"] == "high"
    assert provider.seen[0].body["store"] is False
    assert "reasoning_effort" not in provider.seen[1].body


async def test_effort_leaves_room_for_the_answer(provider: LoopbackProvider) -> None:
    provider.streams(provider.responses("ok"))

    await ask(provider, RESPONSES, thinking="xhigh", output_tokens=4_096)

    assert provider.seen[0].body["reasoning"]["effort"] == "medium"


@pytest.mark.parametrize("level", THINKING_LEVELS)
@EVERY_FORMAT
async def test_every_effort_can_be_asked_for(
    provider: LoopbackProvider, model_id: str, level: str
) -> None:
    provider.streams(events(provider, model_id, "ok"))

    assert (await ask(provider, model_id, thinking=level, output_tokens=32_768)).text == "ok"


async def test_price_is_known_for_known_models_and_unknown_for_others(
    provider: LoopbackProvider,
) -> None:
    provider.streams(provider.anthropic("ok"))
    provider.streams(provider.chat("ok"))

    known, unknown = await ask(provider, ANTHROPIC), await ask(provider, CHAT)

    assert known.cost_usd is not None
    assert 0 < known.cost_usd < 0.01
    assert unknown.cost_usd is None


async def test_model_without_a_key_is_refused_before_any_request(
    provider: LoopbackProvider,
) -> None:
    client = ProviderModels(ModelRegistry(environ=provider.environ))
    asked = call(client, ANTHROPIC)
    keyless = ProviderModels(ModelRegistry())

    with pytest.raises(ModelError) as caught:
        await keyless.complete(asked, lambda _: None)

    assert caught.value.code == "not_configured"
    assert provider.seen == []
