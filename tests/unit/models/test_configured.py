from __future__ import annotations

import subprocess
import sys

from braincode_jupyter.models import __all__ as public
from braincode_jupyter.models import load_models
from braincode_jupyter.models.pricing import cost_usd
from braincode_jupyter.protocol.usage import TokenUsage

LIGHT = """
import sys
from braincode_jupyter import models
client = models.load_models(environ={"OPENAI_API_KEY": "sk-0123456789"})
assert client.resolve(["openai/gpt-5.5"], thinking="", vision=False).candidates
heavy = {"pydantic_ai", "openai", "anthropic", "google.genai", "httpx2", "genai_prices"}
print(sorted(heavy & set(sys.modules)))
"""


def test_no_model_library_is_loaded_before_a_call() -> None:
    done = subprocess.run(  # noqa: S603 - our interpreter, our text
        [sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there() -> None:
    package = __import__("braincode_jupyter.models", fromlist=["x"])

    assert all(getattr(package, name) is not None for name in public)


def test_client_says_what_is_known_and_configured() -> None:
    client = load_models(environ={"OPENAI_API_KEY": "sk-0123456789"})

    assert "openai/gpt-5.5" in client.known()
    assert "local/embedded" in client.known()
    assert {s.provider: s.key for s in client.status()}["openai"] == "environment"


def test_cached_tokens_are_cheaper() -> None:
    fresh = cost_usd(TokenUsage(input=1000, output=10), "claude-sonnet-4-6", provider="anthropic")
    cached = cost_usd(
        TokenUsage(input=1000, output=10, cache_read=900),
        "claude-sonnet-4-6",
        provider="anthropic",
    )

    assert fresh is not None
    assert cached is not None
    assert 0 < cached < fresh


def test_unknown_price_is_none_and_never_zero() -> None:
    usage = TokenUsage(input=10, output=10)

    assert cost_usd(usage, "claude-sonnet-4-6", provider="") is None
    assert cost_usd(usage, "no-such-model", provider="anthropic") is None
    assert cost_usd(usage, "llama", provider="ollama") is None
