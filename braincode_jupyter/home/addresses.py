"""Which addresses an MCP server may have: https, or http on this machine."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

_LOCAL_NAMES: Final = ("localhost", "localhost.")
_LOOKS_NUMERIC: Final = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*\.?")


def address_problem(url: str, *, may_be_private: bool) -> str:
    """Say what is wrong with the address of a server.

    Parameters
    ----------
    url : str
        As it stands in the file.
    may_be_private : bool
        Whether the user typed it, so that it may lead into a private network.

    Returns
    -------
    str
        Words that follow "its url"; empty if nothing is wrong.

    References
    ----------
    security.md R64; special-purpose address registries of RFC 6890.
    """
    try:
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "cannot be read"
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return "is no http or https address"
    if parts.username is not None or parts.password is not None:
        return "holds a user name or password; use http_headers"
    return _host_problem(host, is_https=parts.scheme == "https", may_be_private=may_be_private)


def _host_problem(host: str, *, is_https: bool, may_be_private: bool) -> str:
    address = _address(host)
    if host in _LOCAL_NAMES or (address is not None and address.is_loopback):
        return ""
    if address is None and _LOOKS_NUMERIC.fullmatch(host):
        return "writes an address in an unusual way"
    if not is_https:
        return "is not https"
    if address is not None and not may_be_private and not address.is_global:
        return "leads into a private network; only your own mcp.json may say so"
    return ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
