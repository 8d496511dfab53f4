"""Secrets that do not print themselves, and the removal of them from any text.

Every credential enters as a `Secret`. A `Redactor` knows the shapes in which one can come back in a
provider's error: as it is, JSON-escaped, percent-encoded, inside base64 at any offset (so also as
``user:key``), half masked by the provider, or as a header or address that holds it.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote, quote_plus, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIN_SECRET_CHARS = 6
"""Shorter values are placeholders; replacing them would only garble messages."""
MIN_HIDDEN_CHARS = 16
"""Shorter ones, such as ``ollama``, are ordinary words in what is sent and answered."""

_IN_ADDRESS = re.compile(r"(?<=://)[^/\s@\"']+@")
_IN_QUERY = re.compile(r"(?i)([?&][\w.-]*(?:key|token|secret|signature|password)=)[^&\s\"'#]+")
_IN_HEADER = re.compile(
    r"(?i)\b((?:proxy-)?authorization|x-api-key|api-key|x-goog-api-key|cookie)"
    r"(['\"]?\s*[:=]\s*['\"]?)(?:(?:bearer|basic)\s+)?[^\s'\",;}]+"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}")
# Each form begins where its run of characters does, or is bounded: a long run is read once.
_HALF_MASKED = re.compile(
    r"(?<![\w-])[\w-]++\*{3,}[\w-]*|(?<!\*)\*{3,}+[\w-]+"
    r"|\b(?:sk|pk|rk|gsk|xai)-[\w-]{0,200}(?:\.{3}|…)[\w-]*"
)
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|xai)-[\w-]{16,}|\bAIza[\w-]{30,}")
_ESCAPED_BYTE = re.compile(r"%[0-9A-F]{2}")


class Secret:
    """A credential that shows its name and never its value.

    Parameters
    ----------
    name : str
        Where it comes from, for example ``"OPENAI_API_KEY"``.
    value : str
        The credential.
    """

    __slots__ = ("_value", "name")

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self._value = value

    def reveal(self) -> str:
        """Return the value; call this where a request is built and nowhere else."""
        return self._value

    def __repr__(self) -> str:
        return f"[secret:{self.name}]"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A secret is never written down.")


class Redactor:
    """Takes known secrets out of texts.

    Parameters
    ----------
    secrets : iterable of Secret
        The secrets known from the start.
    """

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._hidden: list[str] = []
        self._longest = 0
        self._hidden_pattern: re.Pattern[str] | None = None
        self._start_pattern: re.Pattern[str] | None = None
        self.add(*secrets)

    def add(self, *secrets: Secret) -> None:
        """Take note of more secrets."""
        for secret in secrets:
            value = secret.reveal()
            if len(value.strip()) >= MIN_SECRET_CHARS and value not in self._names:
                forms = list(_forms(value))
                self._names.update((form, secret.name) for form in forms)
                self._pattern = None
                if len(value.strip()) >= MIN_HIDDEN_CHARS:
                    self._hide(forms)

    def redact(self, text: str) -> str:
        """Return a text without any known secret and without what looks like one.

        Parameters
        ----------
        text : str
            Any text, usually a provider's error.

        Returns
        -------
        str
            The same with ``[secret:NAME]`` or ``[secret]`` in place of credentials.
        """
        if self._names:
            text = self._known().sub(lambda m: f"[secret:{self._names[m[0]]}]", text)
        text = _IN_ADDRESS.sub("[secret]@", text)
        text = _IN_QUERY.sub(r"\1[secret]", text)
        text = _IN_HEADER.sub(r"\1\2[secret]", text)
        text = _BEARER.sub(r"\1 [secret]", text)
        text = _LOOKS_LIKE_KEY.sub("[secret]", text)
        return _HALF_MASKED.sub("[secret]", text)

    def hide(self, text: str) -> tuple[str, int]:
        """Replace known secrets in content, where what merely looks like one has to stay.

        Parameters
        ----------
        text : str
            What is about to be sent, or came as an answer.

        Returns
        -------
        tuple of (str, int)
            The text with ``[secret:NAME]``, and how many were replaced.
        """
        if self._hidden_pattern is None:
            return text, 0
        return self._hidden_pattern.subn(lambda m: f"[secret:{self._names[m[0]]}]", text)

    def open_end(self, text: str) -> int:
        """Return where the last characters of a text may be the start of a known secret."""
        if self._start_pattern is None:
            return len(text)
        tail = max(0, len(text) - self._longest)
        for match in self._start_pattern.finditer(text, tail):
            rest = text[match.start() :]
            at = bisect_left(self._hidden, rest)
            if at < len(self._hidden) and self._hidden[at].startswith(rest):
                return match.start()
        return len(text)

    def _hide(self, forms: Iterable[str]) -> None:
        self._hidden = sorted({*self._hidden, *forms})
        longest_first = sorted(self._hidden, key=len, reverse=True)
        self._longest = len(longest_first[0])
        self._hidden_pattern = re.compile("|".join(map(re.escape, longest_first)))
        pairs = "|".join(re.escape(pair) for pair in sorted({form[:2] for form in self._hidden}))
        ones = "|".join(re.escape(one) for one in sorted({form[0] for form in self._hidden}))
        # Overlapping starts count, so nothing is consumed.
        self._start_pattern = re.compile(rf"(?=(?:{pairs})|(?:{ones})\Z)")

    def _known(self) -> re.Pattern[str]:
        if self._pattern is None:
            forms = sorted(self._names, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, forms)))
        return self._pattern


class StreamHider:
    """Takes the pieces of a stream and gives them on without known secrets.

    A secret may come in pieces: what could be the start of one waits for what follows.

    Parameters
    ----------
    redactor : Redactor
        The secrets.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what can be shown now."""
        text, _ = self._redactor.hide(self._held + piece)
        end = self._redactor.open_end(text)
        self._held = text[end:]
        return text[:end]

    def rest(self) -> str:
        """Return what was held back to the end."""
        held, self._held = self._held, ""
        return held


def address_secrets(name: str, url: str) -> Iterator[Secret]:
    """Yield the credentials that an address carries: its password and its query values.

    Parameters
    ----------
    name : str
        What the address belongs to.
    url : str
        The address.

    Yields
    ------
    Secret
        One per credential.
    """
    parts = urlsplit(url)
    if parts.password:
        yield Secret(f"{name} password", unquote(parts.password))
    for pair in parts.query.split("&"):
        _, _, value = pair.partition("=")
        if value:
            yield Secret(f"{name} query", unquote(value))


def _forms(value: str) -> Iterator[str]:
    for plain in {value, value.strip()}:
        yield plain
        yield json.dumps(plain)[1:-1]
        yield json.dumps(plain, ensure_ascii=False)[1:-1]
        for escaped in (quote(plain, safe=""), quote_plus(plain), quote(plain)):
            yield escaped
            yield _ESCAPED_BYTE.sub(lambda m: m[0].lower(), escaped)
        yield from _inside_base64(plain.encode())


def _inside_base64(value: bytes) -> Iterator[str]:
    # The characters at both ends mix in neighbouring bytes, so only the inner ones are certain.
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).rstrip(b"=")
        start = -(-offset * 4 // 3)
        end = (offset + len(value)) * 8 // 6
        inner = encoded[start:end].decode()
        if len(inner) >= MIN_SECRET_CHARS:
            yield inner
            yield inner.replace("+", "-").replace("/", "_")
