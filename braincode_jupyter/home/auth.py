"""``auth.json``: the user's API keys.

The file is for its owner alone: open permissions are closed, with a notice; a file of another user
or a link is refused. Keys leave this module only through `Auth.providers` and `Auth.secrets`;
nothing of a key, not even its length, is in any text.
"""

from __future__ import annotations

import math
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, cast

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.json_files import PRIVATE_MODE, read_object
from braincode_jupyter.home.paths import AUTH

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

_SECRET_NAMES: Final = frozenset({"access", "refresh", "apiKey"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderAuth:
    """What is known of one provider, without any part of a secret."""

    provider: str
    kind: Literal["api-key", "oauth", "unknown"]
    oauth_provider_id: str | None = None
    expires_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Auth:
    """Keys by provider; prints as the names of the providers."""

    notices: tuple[str, ...] = ()
    _entries: Mapping[str, JsonValue] = field(default_factory=dict["str", "JsonValue"])

    def __repr__(self) -> str:
        return f"Auth({', '.join(sorted(self._entries)) or 'no providers'})"

    @property
    def providers(self) -> Mapping[str, JsonValue]:
        """The entries as they stand, for whoever makes calls; never to be shown or stored."""
        return self._entries

    def secrets(self) -> tuple[tuple[str, str], ...]:
        """Return ``(name, value)`` of every secret in the file, for the redaction of texts."""
        return tuple(
            (provider, value)
            for provider, entry in self._entries.items()
            for value in _secrets_in(entry, is_secret=isinstance(entry, str))
        )

    def status(self) -> tuple[ProviderAuth, ...]:
        """Return what is known of each provider, in file order."""
        return tuple(_status(provider, entry) for provider, entry in self._entries.items())


def _secrets_in(value: JsonValue, *, is_secret: bool) -> Iterator[str]:
    if isinstance(value, str):
        if is_secret and value.strip():
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secrets_in(item, is_secret=key in _SECRET_NAMES)


def _status(provider: str, entry: JsonValue) -> ProviderAuth:
    if isinstance(entry, str) and entry.strip():
        return ProviderAuth(provider=provider, kind="api-key")
    if not isinstance(entry, Mapping):
        return ProviderAuth(provider=provider, kind="unknown")
    key = entry.get("apiKey")
    if isinstance(key, str) and key.strip():
        return ProviderAuth(provider=provider, kind="api-key")
    oauth = entry.get("oauth")
    credentials = oauth.get("credentials") if isinstance(oauth, Mapping) else None
    if not isinstance(oauth, Mapping) or not isinstance(credentials, Mapping):
        return ProviderAuth(provider=provider, kind="unknown")
    expires = credentials.get("expires")
    is_time = isinstance(expires, int | float) and math.isfinite(expires)
    name = oauth.get("providerId")
    return ProviderAuth(
        provider=provider,
        kind="oauth",
        oauth_provider_id=name if isinstance(name, str) else None,
        expires_ms=cast("float", expires) if is_time else None,
    )


def read_auth(home: Path) -> Auth:
    """Read the keys of the user.

    Parameters
    ----------
    home : Path
        The home folder.

    Returns
    -------
    Auth
        Without entries when the file is missing or blank.

    Raises
    ------
    ConfigurationError
        If the file is a link, somebody else's, broken, or without ``providers``.
    """
    path = home / AUTH
    notices = _made_private(path)
    document = read_object(path)
    if document is None:
        return Auth(notices=notices)
    providers = document.get("providers")
    if not isinstance(providers, dict):
        raise ConfigurationError(
            f"{str(path)!r} has no object under 'providers'.",
            hint='Write {"providers": {"openai": "your key"}}.',
        )
    return Auth(notices=notices, _entries=providers)


def _made_private(path: Path) -> tuple[str, ...]:
    try:
        info = path.lstat()
    except OSError:
        return ()
    if stat.S_ISLNK(info.st_mode):
        raise ConfigurationError(
            f"{str(path)!r} is a link.", hint="Put the file itself there, so that it can be 0600."
        )
    if sys.platform == "win32" or not stat.S_ISREG(info.st_mode):
        return ()
    if info.st_uid != os.geteuid():
        raise ConfigurationError(
            f"{str(path)!r} belongs to another user.", hint="Use a file of your own."
        )
    before = stat.S_IMODE(info.st_mode)
    if not before & 0o077:
        return ()
    try:
        path.chmod(PRIVATE_MODE)
    except OSError as error:
        raise ConfigurationError(
            f"Others can read {str(path)!r} and that cannot be changed: {error.strerror}.",
            hint="Move your keys to a disk that knows permissions, or use environment variables.",
        ) from error
    return (f"{path} was open to others (mode {before:o}) and is now yours alone.",)
