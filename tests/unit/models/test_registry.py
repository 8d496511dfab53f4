from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.models.keys import Endpoint
from braincode_jupyter.models.registry import ModelRegistry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.sections import Candidate, Refusal

KEYS = {"OPENAI_API_KEY": "sk-openai-key", "ANTHROPIC_API_KEY": "sk-ant-key-value"}
NOW_MS = 1_000_000


def registry(
    *models: Mapping[str, JsonValue],
    auth: Mapping[str, JsonValue] | None = None,
    environ: Mapping[str, str] | None = None,
    local: Path | None = None,
) -> ModelRegistry:
    return ModelRegistry(
        models=models,
        auth=auth,
        environ=KEYS if environ is None else environ,
        find_local=lambda _name, _environ: local,
        now_ms=lambda: NOW_MS,
    )


def usable(found: ModelRegistry, *ids: str, thinking: str = "", vision: bool = False) -> list[str]:
    resolution = found.resolve(ids, thinking=thinking, vision=vision)
    return [c.model_id for c in resolution.candidates]


def refusal(found: ModelRegistry, model_id: str, *, vision: bool = False) -> Refusal:
    resolution = found.resolve([model_id], thinking="", vision=vision)
    assert resolution.candidates == ()
    return resolution.refusals[0]


def candidate(found: ModelRegistry, model_id: str, *, thinking: str = "") -> Candidate:
    return found.resolve([model_id], thinking=thinking, vision=False).candidates[0]


def endpoint(found: ModelRegistry, model_id: str) -> Endpoint:
    reached = found.endpoint(model_id)
    assert isinstance(reached, Endpoint)
    return reached


def key_of(found: ModelRegistry, model_id: str) -> str | None:
    key = endpoint(found, model_id).key
    return None if key is None else key.reveal()


CUSTOM: dict[str, JsonValue] = {
    "id": "lab/coder",
    "provider": "lab",
    "modelId": "coder",
    "name": "Coder",
    "baseUrl": "https://lab.example/api",
    "contextWindow": 32000,
}


def test_chain_keeps_its_order_and_repetitions_go() -> None:
    chain = ["openai/gpt-5.5", "", "anthropic/claude-sonnet-4-6", "openai/gpt-5.5"]

    assert usable(registry(), *chain) == ["openai/gpt-5.5", "anthropic/claude-sonnet-4-6"]


@pytest.mark.parametrize(
    ("variable", "model_id"),
    [
        ("OPENAI_API_KEY", "openai/gpt-5.5"),
        ("ANTHROPIC_API_KEY", "anthropic/claude-sonnet-4-6"),
        ("GOOGLE_API_KEY", "google/gemini-3.1-pro-preview"),
        ("GEMINI_API_KEY", "google/gemini-3-flash-preview"),
    ],
)
def test_one_variable_is_enough_for_one_provider(variable: str, model_id: str) -> None:
    assert usable(registry(environ={variable: "key-0123456789"}), model_id) == [model_id]


def test_missing_key_names_variable_and_file() -> None:
    refused = refusal(registry(environ={}), "google/gemini-3-flash-preview")

    assert refused.reason == "has no key"
    assert "GEMINI_API_KEY" in refused.hint
    assert "auth.json" in refused.hint


def test_unknown_id_gets_near_names() -> None:
    refused = refusal(registry(), "openai/gpt-5.6")

    assert refused.reason == "is not a known model"
    assert "openai/gpt-5.5" in refused.hint


def test_environment_goes_before_the_file() -> None:
    both = registry(auth={"openai": "sk-from-file"})

    assert key_of(both, "openai/gpt-5.5") == KEYS["OPENAI_API_KEY"]


@pytest.mark.parametrize(
    "entry",
    [
        " sk-from-file ",
        {"apiKey": " sk-from-file "},
        {"oauth": {"credentials": {"access": " sk-from-file ", "expires": NOW_MS + 1}}},
    ],
)
def test_every_form_of_the_file_is_read(entry: JsonValue) -> None:
    found = registry(environ={}, auth={"providers": {"anthropic": entry}})

    assert key_of(found, "anthropic/claude-sonnet-4-6") == " sk-from-file "


@pytest.mark.parametrize("expires", [NOW_MS, 0, "soon", None])
def test_sign_in_that_is_over_is_refused_with_what_to_do(expires: JsonValue) -> None:
    oauth: JsonValue = {"oauth": {"credentials": {"access": "token-value", "expires": expires}}}
    refused = refusal(registry(environ={}, auth={"openai": oauth}), "openai/gpt-5.5")

    assert refused.reason == "has an expired sign-in"
    assert "Sign in" in refused.hint


@pytest.mark.parametrize("entry", ["", {"apiKey": " "}, {"oauth": 3}, 7, None, []])
def test_unusable_file_entry_is_no_key(entry: JsonValue) -> None:
    assert (
        "has no" in refusal(registry(environ={}, auth={"openai": entry}), "openai/gpt-5.5").reason
    )


def test_own_address_works_without_a_key() -> None:
    assert key_of(registry(CUSTOM), "lab/coder") is None


def test_own_provider_has_its_own_variable() -> None:
    assert (
        key_of(registry(CUSTOM, environ={"LAB_API_KEY": "lab-key-1"}), "lab/coder") == "lab-key-1"
    )


def test_key_from_the_environment_does_not_follow_an_address_from_the_file() -> None:
    elsewhere: dict[str, JsonValue] = {"id": "openai/x", "baseUrl": "https://elsewhere.example"}
    at_home: dict[str, JsonValue] = {"id": "openai/y", "baseUrl": "https://api.openai.com/v1"}
    found = registry(elsewhere, at_home)

    assert key_of(found, "openai/x") is None
    assert key_of(found, "openai/y") == KEYS["OPENAI_API_KEY"]


@pytest.mark.parametrize(
    ("given", "api", "expected"),
    [
        ("http://h/api", "openai-completions", "http://h/api/v1"),
        ("http://h/v1/", "openai-responses", "http://h/v1"),
        ("http://h/v1beta/openai", "openai-completions", "http://h/v1beta/openai"),
        ("http://h/v1", "anthropic-messages", "http://h"),
        ("http://h", "google-generative-ai", "http://h"),
    ],
)
def test_version_in_an_address_follows_the_wire_format(given: str, api: str, expected: str) -> None:
    found = registry({**CUSTOM, "baseUrl": given, "api": api})

    assert endpoint(found, "lab/coder").base_url == expected


@pytest.mark.parametrize(
    ("alias", "api"),
    [
        ("openai-chat-completions", "openai-completions"),
        ("anthropic", "anthropic-messages"),
        ("google", "google-generative-ai"),
    ],
)
def test_old_names_of_wire_formats_are_understood(alias: str, api: str) -> None:
    assert endpoint(registry({**CUSTOM, "api": alias}), "lab/coder").api == api


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ({**CUSTOM, "api": "openai-images"}, "makes images and no text"),
        ({**CUSTOM, "api": "google-vertex"}, "speaks 'google-vertex', which is not supported here"),
        ({**CUSTOM, "baseUrl": ""}, "names the unknown provider 'lab' and no address"),
        (
            {**CUSTOM, "baseUrl": "file:///etc", "api": "google"},
            "has an address that is no http(s) address",
        ),
    ],
)
def test_unusable_entry_says_why(model: dict[str, JsonValue], reason: str) -> None:
    assert refusal(registry(model), "lab/coder").reason == reason


def test_base_address_from_the_environment_is_used() -> None:
    found = registry(environ={**KEYS, "OPENAI_BASE_URL": "http://127.0.0.1:9/v1/"})
    reached = endpoint(found, "openai/gpt-5.5")

    assert (reached.base_url, reached.api) == ("http://127.0.0.1:9/v1", "openai-completions")


def test_loopback_address_from_the_environment_needs_no_key() -> None:
    found = registry(environ={"ANTHROPIC_BASE_URL": "http://localhost:9"})

    assert usable(found, "anthropic/claude-sonnet-4-6") == ["anthropic/claude-sonnet-4-6"]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"AZURE_OPENAI_ENDPOINT": "https://r.example/"}, "https://r.example/openai/v1"),
        ({"AZURE_OPENAI_BASE_URL": "https://r.example/openai/v1"}, "https://r.example/openai/v1"),
        ({"AZURE_OPENAI_RESOURCE_NAME": "r"}, "https://r.openai.azure.com/openai/v1"),
    ],
)
def test_azure_needs_key_and_address(environ: dict[str, str], expected: str) -> None:
    key = {"AZURE_OPENAI_API_KEY": "azure-key-1"}
    model_id = "azure-openai-responses/gpt-5.5"

    assert "AZURE_OPENAI_ENDPOINT" in refusal(registry(environ=key), model_id).hint
    assert endpoint(registry(environ=key | environ), model_id).base_url == expected


@pytest.mark.parametrize("model_id", ["ollama/llama3.2:3b", "lmstudio/qwen/qwen3-8b"])
def test_local_servers_take_any_model_without_a_key(model_id: str) -> None:
    found = registry(environ={})

    assert usable(found, model_id) == [model_id]
    assert endpoint(found, model_id).is_loopback
    assert endpoint(found, model_id).entry.model_id == model_id.partition("/")[2]


def test_image_needs_a_model_that_sees() -> None:
    blind: dict[str, JsonValue] = {**CUSTOM, "id": "lab/blind", "supportsVision": False}
    seeing: dict[str, JsonValue] = {**CUSTOM, "id": "lab/seeing", "supportsVision": True}
    found = registry(CUSTOM, blind, seeing)

    assert usable(found, "lab/coder", "lab/blind", "lab/seeing", vision=True) == ["lab/seeing"]
    assert refusal(found, "lab/blind", vision=True).reason == "cannot see images"


def test_listed_built_in_model_still_sees_unless_the_file_says_no() -> None:
    silent: dict[str, JsonValue] = {"id": "openai/gpt-5.5", "contextWindow": 272000}
    denying: dict[str, JsonValue] = {**silent, "supportsVision": False}

    assert usable(registry(silent), "openai/gpt-5.5", vision=True) == ["openai/gpt-5.5"]
    assert usable(registry(denying), "openai/gpt-5.5", vision=True) == []


@pytest.mark.parametrize(
    ("model", "asked", "given"),
    [
        ({"id": "openai/gpt-5.5", "defaultThinkingLevel": "low"}, "", "low"),
        ({"id": "openai/gpt-5.5", "defaultThinkingLevel": "odd"}, "minimal", "minimal"),
        ({"id": "openai/gpt-5.5"}, "nonsense", "off"),
        ({**CUSTOM, "id": "openai/gpt-5.5"}, "minimal", "low"),
        ({**CUSTOM, "id": "openai/gpt-5.5", "defaultThinkingLevel": "off"}, "high", "off"),
    ],
)
def test_effort_is_as_asked_as_far_as_the_model_can(
    model: dict[str, JsonValue], asked: str, given: str
) -> None:
    assert candidate(registry(model), "openai/gpt-5.5", thinking=asked).thinking == given


def test_long_thinking_gets_room_but_never_more_than_a_quarter_of_the_window() -> None:
    found = registry(CUSTOM)

    assert candidate(found, "openai/gpt-5.5", thinking="xhigh").max_output_tokens == 32_768
    assert candidate(found, "lab/coder", thinking="xhigh").max_output_tokens == 8_000


@pytest.mark.parametrize("model", [{}, {"id": "x"}, {"id": 3, "contextWindow": True}])
def test_entry_that_names_no_model_is_passed_over(model: dict[str, JsonValue]) -> None:
    assert usable(registry(model), "openai/gpt-5.5") == ["openai/gpt-5.5"]


def test_keys_headers_and_addresses_are_redacted() -> None:
    found = registry(
        {**CUSTOM, "headers": {"x-team": "team-secret"}, "baseUrl": "https://me:passw0rd@h/v1"},
        auth={"lab": "lab-key-01"},
    )
    endpoint(found, "lab/coder")

    assert "team-secret" not in found.redactor.redact("bad header team-secret")
    assert "passw0rd" not in found.redactor.redact("passw0rd lab-key-01")
    assert "lab-key-01" not in found.redactor.redact("passw0rd lab-key-01")


def test_status_says_where_a_key_is_and_nothing_of_it() -> None:
    status = {s.provider: s for s in registry(auth={"google": "google-key-1"}).status()}

    assert status["openai"].key == "environment"
    assert status["google"].key == "auth.json"
    assert status["ollama"].key == "not needed"
    assert status["mistral"].key == "missing"
    assert "google-key-1" not in repr(status)


def test_embedded_model_is_a_demo_that_can_be_held_to_a_schema(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    found = candidate(registry(local=tmp_path / "own.gguf"), "local/embedded")

    assert (found.is_local_demo, found.json_schema, found.vision) == (True, True, False)
    assert found.name == "own (local demo model)"


def test_embedded_model_refuses_images_and_unknown_names(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    found = registry(local=tmp_path / "own.gguf")

    assert refusal(found, "local/embedded", vision=True).reason == "cannot see images"
    assert "tiny" in refusal(found, "local/tinyy").hint


def test_missing_weights_name_the_command() -> None:
    pytest.importorskip("xllamacpp")

    assert "%braincode local install small" in refusal(registry(), "local/small").hint
