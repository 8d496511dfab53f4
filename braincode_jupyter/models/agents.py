"""The adapter to pydantic_ai: the one module that imports it, and only inside functions.

It makes a provider's client, and makes one request of one `ModelCall`, taking the library's direct
request and not its agents: calls without tools need no agent loop, and this costs half the time.
Model objects are made for each call and share nothing. Everything that the library raises goes
through; the caller turns it into a `ModelError`.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

from braincode_jupyter.models.entries import THINKING_LEVELS, catalogue
from braincode_jupyter.models.keys import Endpoint, same_origin
from braincode_jupyter.models.wording import without_lone_surrogates
from braincode_jupyter.protocol.tools import ToolUse
from braincode_jupyter.protocol.usage import TokenUsage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from httpx2 import AsyncClient
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

    from braincode_jupyter.models.retries import Timeouts
    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.protocol.tools import ToolReturn, ToolSpec

_WRITE_TIMEOUT_S = 60.0
_LOCAL_SETTINGS: dict[str, Any] = {
    # Greedy small models loop; these mild settings stopped it without breaking the JSON.
    "temperature": 0.2,
    "presence_penalty": 0.3,
    "extra_body": {"min_p": 0.05, "repeat_penalty": 1.05, "repeat_last_n": 256},
}

_MODULES = {
    "openai-completions": "pydantic_ai.models.openai",
    "openai-responses": "pydantic_ai.models.openai",
    "anthropic-messages": "pydantic_ai.models.anthropic",
    "google-generative-ai": "pydantic_ai.models.google",
}
_ROOM = (("minimal", 1_024), ("low", 2_048), ("medium", 8_192), ("high", 16_384))
"""The most effort below so many output tokens."""

Ending = Literal["stop", "length", "filtered", "failed", "missing"]
"""How a stream ended; ``missing``: it stopped without saying why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEnd:
    """What is known once a stream has ended."""

    ending: Ending
    usage: TokenUsage | None
    tool_uses: tuple[ToolUse, ...] = ()
    response: object = None
    """The reply as the library holds it, for the next request of the same conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What one request of a call sends beside its prompt; made without the library.

    ``exchanges`` holds each earlier reply with what the tools gave, ``tools`` what may be named;
    ``max_output_tokens`` is less than that of the call where a budget has less left.
    """

    exchanges: tuple[tuple[StreamEnd, tuple[tuple[ToolUse, ToolReturn], ...]], ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int | None = None


IMPORTS = threading.RLock()
"""Held while the library is imported. It and the providers' packages import in circles, and two
threads that enter such a circle at different points see each other's half-made modules."""


def warm_up(environ: Mapping[str, str] = os.environ) -> None:
    """Import the library, and the clients of the providers whose keys are in the environment.

    Takes seconds, so call it in a thread.
    """
    apis = {
        info.api
        for info in catalogue().providers.values()
        if any(environ.get(variable) for variable in info.key_env)
    }
    with IMPORTS:
        for module in ("pydantic_ai.direct", *sorted({_MODULES[api] for api in apis})):
            import_module(module)


def new_http_client(timeouts: Timeouts, *, is_direct: bool) -> AsyncClient:
    """Make a pool of connections; ``is_direct`` leaves the proxies of the environment out."""
    from httpx2 import AsyncHTTPTransport, Timeout  # noqa: PLC0415 - comes with pydantic_ai
    from pydantic_ai.models import create_async_httpx2_client  # noqa: PLC0415 - heavy

    limits = Timeout(
        connect=timeouts.connect_s,
        read=timeouts.thinking_first_s,
        write=_WRITE_TIMEOUT_S,
        pool=timeouts.thinking_first_s,
    )
    # This client follows no redirect: a key must not go on to another origin (security R72).
    transport = AsyncHTTPTransport() if is_direct else None
    return create_async_httpx2_client(timeout=limits, transport=transport)


def new_provider(endpoint: Endpoint, http: AsyncClient) -> object:
    """Make the client of a provider, and load what its first request would have to wait for."""
    provider = _provider_object(endpoint, http)
    _model_object(endpoint, provider)
    return provider


def close_provider(provider: Any) -> None:  # noqa: ANN401 - three classes
    """Free what a provider's client holds beside the pool of connections it was given."""
    if type(provider).__name__ == "GoogleProvider":
        provider.client.close()


async def stream_reply(
    call: ModelCall,
    endpoint: Endpoint,
    *,
    request: Request,
    provider: object,
    on_piece: Callable[[str], None],
) -> StreamEnd:
    """Make one request and stream its reply.

    Parameters
    ----------
    call : ModelCall
        The call.
    endpoint : Endpoint
        The model that is asked.
    request : Request
        What is sent.
    provider : object
        What `new_provider` made.
    on_piece : callable
        Takes each piece of text as it came, and an empty one for every other sign of life.

    Returns
    -------
    StreamEnd
        How it ended and what it cost; whatever goes wrong is raised as the library does.
    """
    from pydantic_ai.direct import model_request_stream  # noqa: PLC0415 - heavy

    async with model_request_stream(
        _model_object(endpoint, provider),
        _messages(call, request),
        model_settings=_settings(call, endpoint, request),
        model_request_parameters=_parameters(call, request.tools),
    ) as stream:
        async for piece in _texts(stream):
            on_piece(piece)
        response = stream.get()
    return StreamEnd(
        ending=_ending(response),
        usage=_usage(response),
        tool_uses=_tool_uses(response),
        response=response,
    )


def _provider_object(endpoint: Endpoint, http: AsyncClient) -> object:
    key = _key_of(endpoint)
    match endpoint.api:
        case "anthropic-messages":
            return _anthropic_provider(endpoint, http, key)
        case "google-generative-ai":
            from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - heavy

            base_url = endpoint.base_url
            return GoogleProvider(api_key=key or "not-needed", base_url=base_url, http_client=http)
        case _:
            return _openai_provider(endpoint, http, key)


def _anthropic_provider(endpoint: Endpoint, http: AsyncClient, key: str) -> object:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - heavy
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - heavy

    token = key or "not-needed"
    is_own = same_origin(endpoint.base_url, catalogue().providers["anthropic"].base_url)
    client = AsyncAnthropic(
        api_key=None if endpoint.is_sign_in else token,
        auth_token=token if endpoint.is_sign_in else None,
        base_url=endpoint.base_url,
        http_client=http,
        max_retries=0,
        # The SDK sends a bearer token; many proxies still look for the older header.
        default_headers=None if is_own or endpoint.is_sign_in else {"x-api-key": token},
    )
    return AnthropicProvider(anthropic_client=client)


def _openai_provider(endpoint: Endpoint, http: AsyncClient, key: str) -> object:
    from openai import AsyncOpenAI  # noqa: PLC0415 - heavy
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - heavy
    from pydantic_ai.providers.openai_compatible import (  # noqa: PLC0415 - heavy
        OpenAICompatibleProvider,
    )

    client = AsyncOpenAI(
        api_key=key or "not-needed", base_url=endpoint.base_url, http_client=http, max_retries=0
    )
    if endpoint.entry.provider in {"openai", "azure-openai-responses"}:
        return OpenAIProvider(openai_client=client)
    # The SDK takes these from the environment; they are OpenAI's business alone.
    client.organization = client.project = None
    return OpenAICompatibleProvider(endpoint.entry.provider, openai_client=client)


def _model_object(endpoint: Endpoint, provider: Any) -> Model:  # noqa: ANN401 - four classes
    name = endpoint.entry.model_id
    match endpoint.api:
        case "anthropic-messages":
            from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - heavy

            return AnthropicModel(name, provider=provider)
        case "google-generative-ai":
            from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - heavy

            return GoogleModel(name, provider=provider)
        case "openai-responses":
            from pydantic_ai.models.openai import OpenAIResponsesModel  # noqa: PLC0415 - heavy

            return OpenAIResponsesModel(name, provider=provider)
        case _:
            from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - heavy
            from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415 - heavy

            profile = OpenAIModelProfile(
                openai_chat_streaming_requires_finish_reason=True,
                # Marks inside control-like text would change the user's prompt.
                may_tokenize_special_tokens_in_content=False,
            )
            return OpenAIChatModel(name, provider=provider, profile=profile)


def _messages(call: ModelCall, request: Request) -> list[ModelMessage]:
    from pydantic_ai.messages import (  # noqa: PLC0415 - heavy
        BinaryContent,
        ModelRequest,
        SystemPromptPart,
        ToolReturnPart,
        UserPromptPart,
    )

    user = without_lone_surrogates(call.prompt.user)
    images = [BinaryContent(i.data, media_type=i.media_type) for i in call.prompt.images]
    content = [user, *images] if images else user
    parts: list[SystemPromptPart | UserPromptPart] = [UserPromptPart(content)]
    if call.prompt.system:
        parts.insert(0, SystemPromptPart(without_lone_surrogates(call.prompt.system)))
    messages: list[ModelMessage] = [ModelRequest(parts=parts)]
    for end, returns in request.exchanges:
        messages.append(cast("ModelResponse", end.response))
        given = [
            ToolReturnPart(
                tool_name=use.name,
                content=without_lone_surrogates(answer.text),
                tool_call_id=use.call_id,
            )
            for use, answer in returns
        ]
        messages.append(ModelRequest(parts=given))
    return messages


def _settings(call: ModelCall, endpoint: Endpoint, request: Request) -> ModelSettings:
    most = min(call.max_output_tokens, request.max_output_tokens or call.max_output_tokens)
    settings: dict[str, Any] = {"max_tokens": most}
    if endpoint.entry.headers:
        headers = endpoint.entry.headers
        settings["extra_headers"] = {name: secret.reveal() for name, secret in headers}
    if call.candidate.is_local_demo:
        settings.update(_LOCAL_SETTINGS)
        settings["max_tokens"] = min(most, call.candidate.max_output_tokens)
    elif endpoint.entry.thinking not in {"", "off"}:
        # Servers that nobody described may refuse a request with a parameter for thinking.
        level = _affordable(call.candidate.thinking, most)
        settings["thinking"] = False if level == "off" else level
    if endpoint.api == "openai-responses":
        settings["openai_store"] = False
    return cast("ModelSettings", settings)


def _affordable(level: str, output_tokens: int) -> str:
    """Lower an effort until thinking, which counts as output, leaves room for the answer."""
    highest = next((known for known, room in _ROOM if output_tokens < room), "max")
    return THINKING_LEVELS[min(THINKING_LEVELS.index(level), THINKING_LEVELS.index(highest))]


def _parameters(call: ModelCall, tools: Sequence[ToolSpec]) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415 - heavy
    from pydantic_ai.output import OutputObjectDefinition  # noqa: PLC0415 - heavy

    if tools:
        from pydantic_ai.tools import ToolDefinition  # noqa: PLC0415 - heavy

        named = [
            ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=dict(tool.parameters),
            )
            for tool in tools
        ]
        return ModelRequestParameters(function_tools=named)
    if not (call.candidate.json_schema and call.reply_schema):
        return ModelRequestParameters()
    schema = OutputObjectDefinition(json_schema=dict(call.reply_schema), name="reply")
    return ModelRequestParameters(output_mode="native", output_object=schema)


async def _texts(stream: StreamedResponse) -> AsyncIterator[str]:
    """Yield the pieces of the answer, and an empty piece for every other sign of life."""
    from pydantic_ai.messages import (  # noqa: PLC0415 - heavy
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
    )

    async for event in stream:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                yield text
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                yield text
            case _:
                yield ""


def _ending(response: ModelResponse) -> Ending:
    # Some clients put in a reason when there was none; the provider's own word decides.
    is_told = "finish_reason" in (response.provider_details or {})
    match response.finish_reason:
        case "content_filter":
            return "filtered"
        case "error":
            return "failed"
        case "length":
            return "length"
        case "stop" | "tool_call" if is_told:
            return "stop"
        case _:
            return "missing"


def _tool_uses(response: ModelResponse) -> tuple[ToolUse, ...]:
    return tuple(
        ToolUse(
            call_id=part.tool_call_id,
            name=part.tool_name,
            arguments=part.args_as_json_str(),
            said=response.text or "",
        )
        for part in response.tool_calls
    )


def _usage(response: ModelResponse) -> TokenUsage | None:
    usage = response.usage
    if not (usage.input_tokens or usage.output_tokens):
        return None
    return TokenUsage(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        total=usage.input_tokens + usage.output_tokens,
    )


def _key_of(endpoint: Endpoint) -> str:
    return endpoint.key.reveal() if endpoint.key else ""
