from __future__ import annotations

import pytest

from braincode_jupyter.models.entries import ModelEntry
from braincode_jupyter.models.failures import MAX_WORDS_CHARS, to_model_error
from braincode_jupyter.models.keys import Endpoint
from braincode_jupyter.models.redaction import Redactor, Secret

ENDPOINT = Endpoint(
    entry=ModelEntry(id="lab/m", provider="lab", model_id="m", name="M"),
    api="openai-completions",
    base_url="http://h/v1",
    key=None,
)
REDACTOR = Redactor([Secret("LAB_API_KEY", "lab-key-0123")])


class ProviderError(Exception):
    def __init__(self, text: str, *, status: int | None = None, body: object = None) -> None:
        super().__init__(text)
        self.status_code = status
        self.body = body


class ModelRateLimitError(ProviderError):
    retry_after = 3


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConnectionResetError("reset by peer"), "network"),
        (TimeoutError("late"), "timeout"),
        (ProviderError("x", status=408), "timeout"),
        (ProviderError("the prompt is too long", status=400), "context_too_long"),
        (ProviderError("image input is not supported", status=500), "vision_unsupported"),
        (ProviderError("Streamed response ended without a `finish_reason`"), "cut_off"),
        (ModelRateLimitError("slow down", status=429), "rate_limited"),
        (KeyError("oops"), "internal_error"),
    ],
)
def test_every_failure_has_one_of_the_known_reasons(error: Exception, code: str) -> None:
    assert to_model_error(error, ENDPOINT, REDACTOR).code == code


def test_facts_of_the_failure_are_kept() -> None:
    error = to_model_error(ModelRateLimitError("x", status=429), ENDPOINT, REDACTOR, partial="Hel")

    assert (error.status, error.retry_after_s, error.partial) == (429, 3.0, "Hel")
    assert error.provider == "lab"
    assert error.hint


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "said so"}},
        [{"error": {"message": "said so"}}],
        {"message": "said so"},
        {"error": "said so"},
        '{"error": {"message": "said so"}}',
        "said so",
    ],
)
def test_words_of_the_provider_are_found(body: object) -> None:
    error = to_model_error(ProviderError("dump", status=400, body=body), ENDPOINT, REDACTOR)

    assert error.message == "lab/m failed with status 400: said so"


@pytest.mark.parametrize("body", [None, [], {}, {"error": None}, {"error": {}}, 7])
def test_without_words_the_library_is_quoted(body: object) -> None:
    assert "dump" in to_model_error(ProviderError("dump", body=body), ENDPOINT, REDACTOR).message


def test_words_are_short_and_without_secrets() -> None:
    error = to_model_error(ProviderError("lab-key-0123 " * 500), ENDPOINT, REDACTOR)

    assert "0123" not in error.message
    assert len(error.message) < MAX_WORDS_CHARS + 50


def test_secret_cannot_hide_in_the_shortened_end() -> None:
    text = "x" * (MAX_WORDS_CHARS - 4) + "lab-key-0123"

    assert "lab-" not in to_model_error(ProviderError(text), ENDPOINT, REDACTOR).message
