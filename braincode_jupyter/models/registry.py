"""From the model ids of a role's chain to models that can be called.

The registry is built from data that others have read (`models.json`, `auth.json`, the environment);
it opens no file but to see whether the embedded model is there, and makes no request. Nothing but
the ids of the chain is ever tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from time import time_ns
from typing import TYPE_CHECKING, Literal

from braincode_jupyter.errors import UnknownNameError
from braincode_jupyter.models.entries import (
    SUPPORTED_APIS,
    THINKING_LEVELS,
    ModelEntry,
    ProviderInfo,
    catalogue,
    load_entries,
    mapping_of,
)
from braincode_jupyter.models.keys import (
    Endpoint,
    FoundKey,
    MissingKey,
    entry_base_url,
    find_key,
    is_loopback,
    own_base_url,
    same_origin,
    variable_of,
)
from braincode_jupyter.models.redaction import Redactor, address_secrets
from braincode_jupyter.models.weights import WEIGHTS, installed
from braincode_jupyter.protocol.sections import UNKNOWN_MODEL, Candidate, Refusal, Resolution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

LOCAL_PROVIDER = "local"
"""Provider id of the embedded model; ``local/embedded`` takes what is installed."""
LOCAL_CONTEXT_WINDOW = 4096
"""Tokens that one request to the embedded model may use, reply included."""
LOCAL_OUTPUT_TOKENS = 640
"""Tokens of a reply of the embedded model; above the longest reply that our schemas allow."""
OUTPUT_TOKENS = 8_192
"""Tokens of a reply, thinking included."""
THINKING_OUTPUT_TOKENS = {"high": 16_384, "xhigh": 32_768, "max": 32_768}
"""The same when a model is asked to think long; thinking counts as output."""

_EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderStatus:
    """Whether a provider can be used; never a part of its key."""

    provider: str
    key: Literal["environment", "auth.json", "not needed", "missing"]
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelFile:
    """The embedded model that an id names."""

    name: str
    path: Path


class ModelRegistry:
    """The configured models.

    Parameters
    ----------
    models : sequence of mapping
        The ``models`` of `models.json`; empty means the built-in defaults.
    auth : mapping
        The ``providers`` of `auth.json`, or the whole document.
    environ : mapping
        The environment: keys and base addresses of the providers.
    local_gguf : Path or None
        A model file that ``local/embedded`` means; None: what is installed.
    find_local : callable
        Finds an installed model file by catalogue name, or any for None.
    now_ms : callable
        Time, for sign-ins that expire; milliseconds since the epoch.
    """

    def __init__(
        self,
        *,
        models: Sequence[Mapping[str, JsonValue]] = (),
        auth: Mapping[str, JsonValue] | None = None,
        environ: Mapping[str, str] | None = None,
        local_gguf: Path | None = None,
        find_local: Callable[[str | None, Mapping[str, str]], Path | None] = installed,
        now_ms: Callable[[], int] = lambda: time_ns() // 1_000_000,
    ) -> None:
        self._environ = dict(environ or {})
        self._auth = _providers(auth or {})
        self._entries = {entry.id: entry for entry in load_entries(models)}
        self._local_gguf = local_gguf
        self._find_local = find_local
        self._now_ms = now_ms
        self.redactor = Redactor()
        for entry in self._entries.values():
            self.redactor.add(*(secret for _, secret in entry.headers))
            self.redactor.add(*address_secrets(entry.provider, entry.base_url))
        # One provider may send back the key of another, so all are known from the start.
        for info in self._infos():
            self._key(info.id, info.key_env)
            self._key(info.id, ())

    def known(self) -> tuple[str, ...]:
        """Return every id that has an entry, the embedded models included."""
        local = (f"{LOCAL_PROVIDER}/{name}" for name in (_EMBEDDED, *WEIGHTS))
        return (*self._entries, *local)

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        """Return what can be used of a role's chain.

        Parameters
        ----------
        model_ids : sequence of str
            The chain; empty ids and repetitions are left out.
        thinking : str
            Requested effort; empty: the model's own default.
        vision : bool
            Whether an image is attached.

        Returns
        -------
        Resolution
            Usable models in order, and one reason and hint for each of the others.
        """
        candidates: list[Candidate] = []
        refusals: list[Refusal] = []
        for model_id in dict.fromkeys(filter(None, model_ids)):
            found = self._candidate(model_id, thinking=thinking, vision=vision)
            if isinstance(found, Candidate):
                candidates.append(found)
            else:
                refusals.append(found)
        return Resolution(candidates=tuple(candidates), refusals=tuple(refusals))

    def endpoint(self, model_id: str) -> Endpoint | Refusal:
        """Return how to reach one model.

        Parameters
        ----------
        model_id : str
            Id of an entry, or of a model of a provider that serves any.

        Returns
        -------
        Endpoint or Refusal
            Address and key, or why it cannot be used.
        """
        entry = self._entry(model_id)
        if entry is None:
            unknown = UnknownNameError("model", model_id, self.known())
            return Refusal(model_id=model_id, reason=UNKNOWN_MODEL, hint=unknown.hint)
        info = catalogue().providers.get(entry.provider)
        if entry.base_url:
            return self._own_endpoint(entry, info)
        if info is None:
            reason = f"names the unknown provider {entry.provider!r} and no address"
            return _refusal(entry, reason, "Give the entry a baseUrl in ~/.braincode/models.json.")
        return self._catalogue_endpoint(entry, info)

    def local_file(self, model_id: str) -> LocalModelFile | Refusal:
        """Return the file of an embedded model.

        Parameters
        ----------
        model_id : str
            ``local/embedded`` or ``local/`` and a name of the weights catalogue.

        Returns
        -------
        LocalModelFile or Refusal
            Name and path, or why it cannot be used.
        """
        name = model_id.partition("/")[2]
        if name != _EMBEDDED and name not in WEIGHTS:
            hint = UnknownNameError("local model", name, (_EMBEDDED, *WEIGHTS)).hint
            return Refusal(model_id=model_id, reason="is not a known local model", hint=hint)
        if find_spec("xllamacpp") is None:
            hint = "Install it with: pip install 'braincode_jupyter[local]'"
            return Refusal(model_id=model_id, reason="needs the local engine", hint=hint)
        wanted = None if name == _EMBEDDED else name
        path = self._local_gguf if wanted is None else None
        path = path or self._find_local(wanted, self._environ)
        if path is None:
            hint = f"Fetch it with: %braincode local install {wanted or ''}".rstrip()
            return Refusal(model_id=model_id, reason="has no weights installed", hint=hint)
        return LocalModelFile(name=_weights_title(path), path=path)

    def status(self) -> tuple[ProviderStatus, ...]:
        """Return for every provider whether it can be used; makes no request."""
        return tuple(self._provider_status(info) for info in self._infos())

    def _infos(self) -> Iterable[ProviderInfo]:
        infos = dict(catalogue().providers)
        for entry in self._entries.values():
            infos.setdefault(entry.provider, _unknown(entry))
        return infos.values()

    def _provider_status(self, info: ProviderInfo) -> ProviderStatus:
        found = self._key(info.id, info.key_env)
        if isinstance(found, FoundKey):
            return ProviderStatus(provider=info.id, key=found.place, detail=found.secret.name)
        if info.keyless:
            return ProviderStatus(provider=info.id, key="not needed")
        return ProviderStatus(provider=info.id, key="missing", detail=found.hint)

    def _candidate(self, model_id: str, *, thinking: str, vision: bool) -> Candidate | Refusal:
        if model_id.partition("/")[0] == LOCAL_PROVIDER and model_id not in self._entries:
            return self._local_candidate(model_id, vision=vision)
        endpoint = self.endpoint(model_id)
        if isinstance(endpoint, Refusal):
            return endpoint
        entry = endpoint.entry
        if vision and entry.vision is not True:
            hint = "Take the image out, or use a model with supportsVision in models.json."
            return _refusal(entry, "cannot see images", hint)
        level = _effort(entry, thinking)
        reply = THINKING_OUTPUT_TOKENS.get(level, OUTPUT_TOKENS)
        return Candidate(
            model_id=model_id,
            provider=entry.provider,
            name=entry.name,
            vision=entry.vision is True,
            context_window=entry.context_window,
            max_output_tokens=max(1, min(reply, entry.context_window // 4)),
            thinking=level,
            tools=entry.tools,
        )

    def _local_candidate(self, model_id: str, *, vision: bool) -> Candidate | Refusal:
        found = self.local_file(model_id)
        if isinstance(found, Refusal):
            return found
        if vision:
            hint = "Take the image out, or set the key of a provider."
            return Refusal(model_id=model_id, reason="cannot see images", hint=hint)
        return Candidate(
            model_id=model_id,
            provider=LOCAL_PROVIDER,
            name=found.name,
            context_window=LOCAL_CONTEXT_WINDOW,
            max_output_tokens=LOCAL_OUTPUT_TOKENS,
            json_schema=True,
            is_local_demo=True,
        )

    def _entry(self, model_id: str) -> ModelEntry | None:
        if entry := self._entries.get(model_id):
            return entry
        provider, _, name = model_id.partition("/")
        info = catalogue().providers.get(provider)
        if info is None or not info.any_model or not name:
            return None
        return ModelEntry(id=model_id, provider=provider, model_id=name, name=name)

    def _own_endpoint(self, entry: ModelEntry, info: ProviderInfo | None) -> Endpoint | Refusal:
        default_api = info.api if info is not None else "openai-completions"
        api = entry.api or default_api
        base_url = entry_base_url(entry, api)
        is_own = info is None or same_origin(base_url, own_base_url(info, self._environ))
        variables = _unknown(entry).key_env if info is None else info.key_env
        found = self._key(entry.provider, variables if is_own else ())
        return self._made(entry, info, api=api, base_url=base_url, found=found)

    def _catalogue_endpoint(self, entry: ModelEntry, info: ProviderInfo) -> Endpoint | Refusal:
        base_url = own_base_url(info, self._environ)
        if not base_url:
            names = " or ".join(info.base_url_env)
            return _refusal(entry, "has no address", f"Set {names} before the kernel starts.")
        api = entry.api or info.api
        if info.id == "openai" and not entry.api and not same_origin(base_url, info.base_url):
            # Proxies and local servers behind OPENAI_BASE_URL rarely speak more than this.
            api = "openai-completions"
        found = self._key(info.id, info.key_env)
        if not isinstance(found, FoundKey) and not info.keyless and not is_loopback(base_url):
            return _refusal(entry, found.reason, found.hint)
        return self._made(entry, info, api=api, base_url=base_url, found=found)

    def _made(
        self,
        entry: ModelEntry,
        info: ProviderInfo | None,
        *,
        api: str,
        base_url: str,
        found: FoundKey | MissingKey,
    ) -> Endpoint | Refusal:
        if entry.image_generation or api == "openai-images":
            return _refusal(entry, "makes images and no text", "Name a text model for this role.")
        if api not in SUPPORTED_APIS:
            hint = f"Supported: {', '.join(SUPPORTED_APIS)}."
            return _refusal(entry, f"speaks {api!r}, which is not supported here", hint)
        if not base_url.startswith(("http://", "https://")):
            return _refusal(entry, "has an address that is no http(s) address", "Correct baseUrl.")
        key = found if isinstance(found, FoundKey) else None
        self.redactor.add(*address_secrets(entry.provider, base_url))
        return Endpoint(
            entry=entry,
            api=api,
            base_url=base_url,
            key=key.secret if key else None,
            is_sign_in=key.is_sign_in if key else False,
            prices=info.prices if info else "",
        )

    def _key(self, provider: str, variables: tuple[str, ...]) -> FoundKey | MissingKey:
        found = find_key(
            provider,
            variables,
            environ=self._environ,
            auth=self._auth,
            now_ms=self._now_ms(),
        )
        if isinstance(found, FoundKey):
            self.redactor.add(found.secret)
        return found


def _providers(auth: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return mapping_of(auth.get("providers")) or auth


def _unknown(entry: ModelEntry) -> ProviderInfo:
    return ProviderInfo(
        id=entry.provider,
        api="openai-completions",
        base_url=entry.base_url,
        key_env=(variable_of(entry.provider),),
        keyless=True,
    )


def _refusal(entry: ModelEntry, reason: str, hint: str) -> Refusal:
    return Refusal(model_id=entry.id, reason=reason, hint=hint)


def _effort(entry: ModelEntry, thinking: str) -> str:
    level = thinking if thinking in THINKING_LEVELS else entry.thinking or "off"
    if not entry.base_url:
        return level
    if entry.thinking == "off":
        return "off"
    return "low" if level == "minimal" else level


def _weights_title(path: Path) -> str:
    known = next((w.title for w in WEIGHTS.values() if w.file_name == path.name), path.stem)
    return f"{known} (local demo model)"
