"""Where a provider is reached and with which key.

A key is looked for in the provider's environment variables first, then in `auth.json`. It goes only
to the address that it was configured for (security R72): a key from the environment is not sent to
an address from `models.json`, unless that is the provider's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from braincode_jupyter.models.entries import ModelEntry, ProviderInfo, mapping_of
from braincode_jupyter.models.redaction import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts on this machine."""

_VERSION_SEGMENT = re.compile(r"v\d\w*")
_AZURE = "azure-openai-responses"
_AZURE_PATH = "/openai/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """All that is needed to reach one model."""

    entry: ModelEntry
    api: str
    base_url: str
    key: Secret | None
    is_sign_in: bool = False
    """The key is an access token of a sign-in."""
    prices: str = ""
    """Id of the provider in the price list."""

    @property
    def is_loopback(self) -> bool:
        """Whether the model is served on this machine."""
        return is_loopback(self.base_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKey:
    """A key and where it was found."""

    secret: Secret
    place: Literal["environment", "auth.json"]
    is_sign_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingKey:
    """Why there is no key, and what to do."""

    reason: str
    hint: str


def is_loopback(url: str) -> bool:
    """Return whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    return host in LOOPBACK_HOSTS or host.startswith("127.")


def find_key(
    provider: str,
    variables: tuple[str, ...],
    *,
    environ: Mapping[str, str],
    auth: Mapping[str, JsonValue],
    now_ms: int,
) -> FoundKey | MissingKey:
    """Look a key up.

    Parameters
    ----------
    provider : str
        Provider id, as in `auth.json`.
    variables : tuple of str
        Environment variables, in order; the first non-blank one counts.
    environ : mapping
        The environment.
    auth : mapping
        The ``providers`` of `auth.json`.
    now_ms : int
        Time; milliseconds since the epoch.

    Returns
    -------
    FoundKey or MissingKey
        The key, or why there is none.
    """
    for variable in variables:
        value = environ.get(variable, "")
        if value.strip():
            return FoundKey(secret=Secret(variable, value.strip()), place="environment")
    entry = auth.get(provider)
    if isinstance(entry, str) and entry.strip():
        return _from_file(provider, entry)
    fields = mapping_of(entry)
    api_key = fields.get("apiKey")
    if isinstance(api_key, str) and api_key.strip():
        return _from_file(provider, api_key)
    if "oauth" in fields:
        return _sign_in(provider, fields["oauth"], now_ms)
    return MissingKey(reason="has no key", hint=_how_to(provider, variables))


def own_base_url(info: ProviderInfo, environ: Mapping[str, str]) -> str:
    """Return the address of a provider: from the environment, else from the catalogue."""
    for variable in info.base_url_env:
        if value := environ.get(variable, "").strip():
            return _azure_base(value) if info.id == _AZURE else value.rstrip("/")
    resource = environ.get("AZURE_OPENAI_RESOURCE_NAME", "").strip()
    if info.id == _AZURE and resource:
        return f"https://{resource}.openai.azure.com{_AZURE_PATH}"
    return info.base_url


def entry_base_url(entry: ModelEntry, api: str) -> str:
    """Return the address of an own entry, with ``/v1`` or without, as its client expects it."""
    url = entry.base_url.rstrip("/")
    if api == "anthropic-messages":
        return url.removesuffix("/v1")
    if api == "google-generative-ai":
        return url.removesuffix("/v1beta")
    has_version = any(_VERSION_SEGMENT.fullmatch(s) for s in urlsplit(url).path.split("/"))
    return url if has_version else f"{url}/v1"


def same_origin(first: str, second: str) -> bool:
    """Return whether two addresses have one scheme, host and port."""
    return _origin(first) == _origin(second)


def variable_of(provider: str) -> str:
    """Return the environment variable of a provider that the catalogue does not know."""
    return re.sub(r"\W", "_", provider).upper() + "_API_KEY"


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def _azure_base(url: str) -> str:
    url = url.rstrip("/")
    path = urlsplit(url).path
    if path.endswith("/v1"):
        return url
    return f"{url}/v1" if path.endswith("/openai") else f"{url}{_AZURE_PATH}"


def _from_file(provider: str, value: str) -> FoundKey:
    return FoundKey(secret=Secret(provider, value), place="auth.json")


def _sign_in(provider: str, oauth: JsonValue, now_ms: int) -> FoundKey | MissingKey:
    credentials = mapping_of(mapping_of(oauth).get("credentials"))
    access, expires = credentials.get("access"), credentials.get("expires")
    if not (isinstance(access, str) and access.strip()):
        return MissingKey(reason="has no usable sign-in", hint=_sign_in_again(provider))
    if not isinstance(expires, (int, float)) or not isfinite(expires) or now_ms >= expires:
        return MissingKey(reason="has an expired sign-in", hint=_sign_in_again(provider))
    return FoundKey(
        secret=Secret(f"{provider} sign-in", access), place="auth.json", is_sign_in=True
    )


def _sign_in_again(provider: str) -> str:
    return f"Sign in to {provider} again with the braincode command."


def _how_to(provider: str, variables: tuple[str, ...]) -> str:
    in_file = f"add {provider!r} to ~/.braincode/auth.json"
    if not variables:
        return f"{in_file[0].upper()}{in_file[1:]}."
    return f"Set {' or '.join(variables)} before the kernel starts, or {in_file}."
