"""``models.json``: the user's model entries as they stand, older ones brought up in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import read_object
from braincode_jupyter.home.paths import MODELS

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

_NEW_APIS: Final = {
    "openai-chat-completions": "openai-completions",
    "anthropic": "anthropic-messages",
    "google": "google-generative-ai",
}
_FOUR_DEFAULTS: Final = frozenset(
    {
        "azure-openai-responses/gpt-5.5",
        "anthropic/claude-sonnet-4-6",
        "google/gemini-3.1-pro-preview",
        "google/gemini-3-flash-preview",
    }
)
_IMAGE_MODEL_ID: Final = "openai/gpt-image-2"
_IMAGE_CONTEXT_WINDOW: Final = 32_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsFile:
    """Raw entries; they may hold header secrets, so they are never shown or stored."""

    models: tuple[Mapping[str, JsonValue], ...] = ()
    providers: tuple[Mapping[str, JsonValue], ...] = ()

    def __repr__(self) -> str:
        return f"ModelsFile({len(self.models)} models, {len(self.providers)} providers)"


def read_models(home: Path) -> ModelsFile:
    """Read the model entries of the user.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    ModelsFile
        Empty when the built-in entries are to be used.

    Raises
    ------
    ConfigurationError
        If the file is broken, holds no list under ``models``, or an entry is no object with an id.
    """
    path = home / MODELS
    document = read_object(path)
    if document is None:
        return ModelsFile()
    models = document.get("models")
    if not isinstance(models, list):
        raise ConfigurationError(
            f"{str(path)!r} has no list under 'models'.", hint='Write {"models": [ … ]}.'
        )
    entries = [_brought_up(entry, path, index) for index, entry in enumerate(models)]
    known = {str(entry["id"]) for entry in entries}
    if known >= _FOUR_DEFAULTS and _IMAGE_MODEL_ID not in known:
        entries.append(_image_model())
    providers = document.get("providers")
    listed = providers if isinstance(providers, list) else []
    return ModelsFile(
        models=tuple(entries),
        providers=tuple(provider for provider in listed if isinstance(provider, Mapping)),
    )


def _brought_up(entry: JsonValue, path: Path, index: int) -> Mapping[str, JsonValue]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
        raise ConfigurationError(
            f"Model number {index + 1} in {str(path)!r} is no object with an 'id'.",
            hint="Give each model an id such as 'openai/gpt-5.5', or remove it from the list.",
        )
    changed = dict(entry)
    api = changed.get("api")
    if isinstance(api, str):
        changed["api"] = _NEW_APIS.get(api, api)
    if changed.get("api") == "openai-images":
        changed.update(_image_traits(changed.get("contextWindow")))
    return changed


def _image_traits(context_window: JsonValue) -> dict[str, JsonValue]:
    is_number = isinstance(context_window, int | float) and not isinstance(context_window, bool)
    return {
        "supportsTools": False,
        "supportsVision": False,
        "supportsImageGeneration": True,
        "defaultThinkingLevel": "off",
        "contextWindow": context_window if is_number else _IMAGE_CONTEXT_WINDOW,
    }


def _image_model() -> dict[str, JsonValue]:
    provider, model_id = _IMAGE_MODEL_ID.split("/")
    return {
        "id": _IMAGE_MODEL_ID,
        "provider": provider,
        "modelId": model_id,
        "name": "GPT Image 2",
        "api": "openai-images",
        "baseUrl": "https://api.openai.com/v1",
        **_image_traits(None),
    }
