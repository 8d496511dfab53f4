"""What is known of providers and models: the built-in catalogue and the entries of `models.json`.

Known trade-off (accepted): an entry without an address is usable if its provider is in our
catalogue; whether the provider still serves that model is for the provider to say.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from braincode_jupyter.models.redaction import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

THINKING_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
"""Effort, in rising order."""
DEFAULT_CONTEXT_WINDOW = 128_000
"""Tokens, when an entry says nothing usable."""
IMAGE_CONTEXT_WINDOW = 32_000
"""Tokens, of an image generator."""
SUPPORTED_APIS = (
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
)
"""Wire formats that we can speak."""

_API_ALIASES = {
    "openai-chat-completions": "openai-completions",
    "anthropic": "anthropic-messages",
    "google": "google-generative-ai",
    "azure-openai-responses": "openai-responses",
}
_IMAGES = "openai-images"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderInfo:
    """What the catalogue knows of a provider."""

    id: str
    api: str
    base_url: str = ""
    base_url_env: tuple[str, ...] = ()
    key_env: tuple[str, ...] = ()
    prices: str = ""
    """Its id in the price list."""
    keyless: bool = False
    any_model: bool = False
    """Ids need no entry: the provider serves what its user has loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """One model, as configured; ``headers`` hold secrets, nothing else does."""

    id: str
    provider: str
    model_id: str
    name: str
    api: str = ""
    """Empty: the provider's own."""
    base_url: str = ""
    headers: tuple[tuple[str, Secret], ...] = ()
    context_window: int = DEFAULT_CONTEXT_WINDOW
    vision: bool | None = None
    """None: not said."""
    image_generation: bool = False
    tools: bool = True
    thinking: str = ""
    """Default effort; empty: not said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Providers and models that we know without any file."""

    providers: Mapping[str, ProviderInfo]
    models: tuple[ModelEntry, ...]


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """Return the built-in catalogue, read once."""
    text = files("braincode_jupyter.models").joinpath("catalogue.json").read_text("utf-8")
    raw = cast("dict[str, list[dict[str, JsonValue]]]", json.loads(text))
    providers = (_provider(p) for p in raw["providers"])
    models = (parse_entry(m) for m in raw["models"])
    return Catalogue(
        providers={p.id: p for p in providers}, models=tuple(m for m in models if m is not None)
    )


def load_entries(models: Sequence[Mapping[str, JsonValue]]) -> tuple[ModelEntry, ...]:
    """Return all entries, the configured ones before the built-in ones.

    Parameters
    ----------
    models : sequence of mapping
        The ``models`` of `models.json`; may be empty.

    Returns
    -------
    tuple of ModelEntry
        One per id; the first one counts. Unlike the original, own entries do not hide the built-in
        ones: a Brain preset of ours may name a model that an older file does not list.
    """
    own = [entry for entry in (parse_entry(m) for m in models) if entry is not None]
    built_in = {m.id: m for m in catalogue().models}
    own = [_with_catalogue(entry, built_in.get(entry.id)) for entry in own]
    by_id: dict[str, ModelEntry] = {}
    for entry in (*own, *built_in.values()):
        by_id.setdefault(entry.id, entry)
    return tuple(by_id.values())


def parse_entry(raw: Mapping[str, JsonValue]) -> ModelEntry | None:
    """Return one entry of `models.json`, or None if it names no model.

    Parameters
    ----------
    raw : mapping
        The JSON object.

    Returns
    -------
    ModelEntry or None
        Fields of the wrong type count as absent; old names of wire formats are rewritten.
    """
    entry_id = _text(raw, "id")
    provider, _, tail = entry_id.partition("/")
    provider = _text(raw, "provider") or provider
    model_id = _text(raw, "modelId") or tail
    if not (provider and model_id):
        return None
    api = _text(raw, "api")
    window = raw.get("contextWindow")
    is_number = isinstance(window, (int, float)) and not isinstance(window, bool) and window >= 1
    entry = ModelEntry(
        id=entry_id or f"{provider}/{model_id}",
        provider=provider,
        model_id=model_id,
        name=_text(raw, "name") or model_id,
        tools=raw.get("supportsTools") is not False,
        api=_API_ALIASES.get(api, api),
        base_url=_text(raw, "baseUrl"),
        headers=_headers(raw.get("headers"), provider),
        context_window=int(cast("float", window)) if is_number else DEFAULT_CONTEXT_WINDOW,
        vision=seen if isinstance(seen := raw.get("supportsVision"), bool) else None,
        image_generation=raw.get("supportsImageGeneration") is True,
        thinking=_thinking(raw),
    )
    if api != _IMAGES:
        return entry
    return replace(
        entry,
        vision=False,
        image_generation=True,
        thinking="off",
        context_window=entry.context_window if is_number else IMAGE_CONTEXT_WINDOW,
    )


def mapping_of(value: JsonValue) -> Mapping[str, JsonValue]:
    """Return a JSON object as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def _with_catalogue(entry: ModelEntry, known: ModelEntry | None) -> ModelEntry:
    # A models.json written by the original does not say that the built-in models see.
    if known is None or entry.base_url:
        return entry
    vision = known.vision if entry.vision is None else entry.vision
    return replace(entry, vision=vision, api=entry.api or known.api)


def _provider(raw: Mapping[str, JsonValue]) -> ProviderInfo:
    return ProviderInfo(
        id=_text(raw, "id"),
        api=_text(raw, "api"),
        base_url=_text(raw, "baseUrl"),
        base_url_env=_texts(raw.get("baseUrlEnv")),
        key_env=_texts(raw.get("keyEnv")),
        prices=_text(raw, "prices") or _text(raw, "id"),
        keyless=raw.get("keyless") is True,
        any_model=raw.get("anyModel") is True,
    )


def _headers(value: JsonValue, provider: str) -> tuple[tuple[str, Secret], ...]:
    return tuple(
        (name, Secret(f"{provider} header {name}", text))
        for name, text in mapping_of(value).items()
        if isinstance(text, str)
    )


def _thinking(raw: Mapping[str, JsonValue]) -> str:
    level = _text(raw, "defaultThinkingLevel")
    return level if level in THINKING_LEVELS else ""


def _text(raw: Mapping[str, JsonValue], key: str) -> str:
    value = raw.get(key)
    return value.strip() if isinstance(value, str) else ""


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()
