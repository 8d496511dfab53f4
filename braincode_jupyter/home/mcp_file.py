"""``mcp.json`` of the user and ``.mcp.json`` of a project: which MCP servers may be started.

A project's server never takes the place of a user's (security R62), runs only when the user
approved exactly this entry (R58), and is never given a key of the user (R125). A file that cannot
be parsed counts as absent, with a notice.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from braincode_jupyter.errors import ConfigurationError
from braincode_jupyter.home.addresses import address_problem
from braincode_jupyter.home.json_files import read_object
from braincode_jupyter.home.paths import MCP
from braincode_jupyter.home.trust import Subject, Verdict, describe_project_entry, judge
from braincode_jupyter.protocol.outside import McpServerEntry, McpServers
from braincode_jupyter.protocol.outside_records import Scope, SkippedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.home.trust import Approval

PROJECT_MCP: Final = ".mcp.json"
MAX_SERVERS: Final = 16
"""Servers of one run; further ones are skipped."""
MAX_ENTRIES: Final = 64
"""Entries of one file that are looked at."""
MAX_ARGS: Final = 64
"""Arguments of one server."""
MAX_TEXT_CHARS: Final = 8192
"""One argument, value, header or address."""
MAX_NAME_CHARS: Final = 64
"""Name of a server."""
MAX_TIMEOUT_S: Final = 3_600
"""Longest wait of one call for a sign of life that an entry may ask for; seconds."""

DISABLED_TOOLS: Final = "disabledTools"
"""Field of an entry with names of tools at the server that are off."""
MAX_DISABLED_TOOLS: Final = 128
"""Names in that field."""

_NOT_WHAT_IS_STARTED: Final = ("trusted", "disabled", "timeout", DISABLED_TOOLS)
_AUTH: Final = re.compile(r"\$\{BRAINCODE_AUTH:([^}]*)\}")
_AUTH_MARK: Final = "${BRAINCODE_AUTH:"
_NOT_IN_TOOL_NAMES: Final = re.compile(r"[^A-Za-z0-9_]")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")

_USERS_OWN: Final = Verdict(state="trusted")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredServer:
    """One entry of a file, as it stands."""

    scope: Scope
    name: str
    entry: JsonValue
    verdict: Verdict = _USERS_OWN


class _Skip(Exception):  # noqa: N818 - a signal: why a server is not started
    pass


def read_mcp_servers(
    home: Path,
    project_root: Path,
    *,
    approvals: Sequence[Approval],
    api_keys: Mapping[str, JsonValue],
) -> McpServers:
    """Read the MCP servers of user and project.

    Parameters
    ----------
    home : Path
        The home folder.
    project_root : Path
        The project.
    approvals : sequence of Approval
        What the user allowed.
    api_keys : mapping
        The ``providers`` of ``auth.json``; API keys of user entries are taken from it.

    Returns
    -------
    McpServers
        Those that may be started, user's first; a reason for each of the others.
    """
    notices: list[str] = []
    user = _servers_of(home / MCP, notices)
    project = _servers_of(project_root / PROJECT_MCP, notices)
    found = [
        *(ConfiguredServer(scope="user", name=n, entry=e) for n, e in _entries(user)),
        *(
            ConfiguredServer(scope="project", name=n, entry=e, verdict=judge(subject, approvals))
            for n, e in _entries(project)
            for subject in [mcp_subject(project_root, n, entry=e)]
        ),
    ]
    servers, skipped = select_servers(found, key_of=lambda name: _api_key(api_keys.get(name)))
    return McpServers(servers=servers, skipped=skipped, notices=tuple(notices))


def mcp_subjects(project_root: Path) -> tuple[Subject, ...]:
    """Return what the project's file would run, for a person to approve.

    Parameters
    ----------
    project_root : Path
        The project.

    Returns
    -------
    tuple of Subject
        One for each entry; empty for a missing or broken file.
    """
    entries = _entries(_servers_of(project_root / PROJECT_MCP, []))
    return tuple(mcp_subject(project_root, name, entry=entry) for name, entry in entries)


def mcp_subject(project_root: Path, name: str, *, entry: JsonValue) -> Subject:
    """Return what an approval of a project's server binds: name, entry and the files it names."""
    fields = entry if isinstance(entry, Mapping) else {}
    args = fields.get("args")
    words = [fields.get("command"), *(args if isinstance(args, list) else ())]
    named: dict[str, JsonValue] = {"server": name, **fields}
    return describe_project_entry(
        "mcp",
        project_root,
        name=name,
        entry=named,
        words=words,
    )


def select_servers(
    found: Iterable[ConfiguredServer], *, key_of: Callable[[str], str | None]
) -> tuple[tuple[McpServerEntry, ...], tuple[SkippedServer, ...]]:
    """Decide which servers may be started.

    Parameters
    ----------
    found : iterable of ConfiguredServer
        The user's first.
    key_of : callable
        Gives the API key of a provider, or None.

    Returns
    -------
    tuple of (tuple of McpServerEntry, tuple of SkippedServer)
        At most `MAX_SERVERS` servers, and a reason for every other one.
    """
    servers: list[McpServerEntry] = []
    skipped: list[SkippedServer] = []
    seen: dict[str, Scope] = {}
    for server in found:
        try:
            _refuse_taken(server, seen)
            servers.append(_usable(server, key_of, is_full=len(servers) >= MAX_SERVERS))
        except _Skip as skip:
            shown = _shown_name(server.name)
            skipped.append(SkippedServer(scope=server.scope, name=shown, reason=str(skip)))
    return tuple(servers), tuple(skipped)


def _refuse_taken(server: ConfiguredServer, seen: dict[str, Scope]) -> None:
    """Refuse a name that would give the same tool names as an earlier server's."""
    cleaned = _NOT_IN_TOOL_NAMES.sub("_", server.name).casefold()
    owner = seen.setdefault(cleaned, server.scope)
    if owner == "user" and server.scope == "project":
        raise _Skip("a server of yours has this name; a project's never takes its place")


def _usable(
    server: ConfiguredServer, key_of: Callable[[str], str | None], *, is_full: bool
) -> McpServerEntry:
    """Return the entry of a server that may be started; raises `_Skip` with the reason if not."""
    fields = _allowed(server)
    if is_full:
        raise _Skip(f"more than {MAX_SERVERS} servers")
    match _kind(fields):
        case "stdio":
            return _stdio(server, fields, key_of)
        case "http":
            return _http(server, fields, key_of)
        case other:
            raise _Skip(f"its type {other!r} is not supported; use stdio or http")


def _allowed(server: ConfiguredServer) -> Mapping[str, JsonValue]:
    if not server.name or len(server.name) > MAX_NAME_CHARS or not server.name.isprintable():
        raise _Skip(f"its name is not 1 to {MAX_NAME_CHARS} printable characters")
    fields = server.entry
    if not isinstance(fields, Mapping):
        raise _Skip("its entry is no object")
    if fields.get("disabled") is True:
        raise _Skip("disabled")
    if not server.verdict.is_trusted:
        raise _Skip(f"untrusted project MCP server: {server.verdict.reason}")
    if server.scope == "project" and _AUTH_MARK in json.dumps(fields):
        raise _Skip("a project's server is never given a key of yours (${BRAINCODE_AUTH:…})")
    return fields


def _kind(fields: Mapping[str, JsonValue]) -> str:
    kind = fields.get("type")
    if kind in ("http", "streamable-http", "streamable_http"):
        return "http"
    if isinstance(kind, str):
        return kind[:MAX_NAME_CHARS]
    return "http" if "url" in fields and "command" not in fields else "stdio"


def _stdio(
    server: ConfiguredServer,
    fields: Mapping[str, JsonValue],
    key_of: Callable[[str], str | None],
) -> McpServerEntry:
    command = fields.get("command")
    if not isinstance(command, str) or not command.strip():
        raise _Skip("no command configured")
    args = fields.get("args", [])
    if not isinstance(args, list) or len(args) > MAX_ARGS:
        raise _Skip(f"its 'args' are no list of at most {MAX_ARGS} texts")
    words = [_text(word, "a word of its command") for word in (command.strip(), *args)]
    env, secrets = _filled(_texts(fields.get("env"), "env"), key_of)
    return McpServerEntry(
        scope=server.scope,
        name=server.name,
        transport="stdio",
        digest=_digest(fields),
        command=words[0],
        args=tuple(words[1:]),
        env=env,
        secrets=secrets,
        timeout_s=_timeout_s(fields),
        disabled_tools=_disabled_tools(fields),
    )


def _http(
    server: ConfiguredServer,
    fields: Mapping[str, JsonValue],
    key_of: Callable[[str], str | None],
) -> McpServerEntry:
    url = _text(fields.get("url"), "its url").strip()
    if problem := address_problem(url, may_be_private=server.scope == "user"):
        raise _Skip(f"its url {problem}")
    headers = _texts(fields.get("http_headers", fields.get("headers")), "http_headers")
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or not value.isprintable():
            raise _Skip(f"its header {_shown_name(name)!r} is not valid")
    filled, secrets = _filled(headers, key_of)
    return McpServerEntry(
        scope=server.scope,
        name=server.name,
        transport="http",
        digest=_digest(fields),
        url=url,
        headers=filled,
        secrets=secrets,
        timeout_s=_timeout_s(fields),
        disabled_tools=_disabled_tools(fields),
    )


def _timeout_s(fields: Mapping[str, JsonValue]) -> float | None:
    value = fields.get("timeout")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Skip("its 'timeout' is no number of seconds")
    if not 1 <= value <= MAX_TIMEOUT_S:
        raise _Skip(f"its 'timeout' is no number of seconds from 1 to {MAX_TIMEOUT_S:,}")
    return float(value)


def _disabled_tools(fields: Mapping[str, JsonValue]) -> tuple[str, ...]:
    value = fields.get(DISABLED_TOOLS, [])
    if not isinstance(value, list) or len(value) > MAX_DISABLED_TOOLS:
        raise _Skip(f"its {DISABLED_TOOLS!r} are no list of at most {MAX_DISABLED_TOOLS} names")
    return tuple(_text(name, f"a name of {DISABLED_TOOLS!r}") for name in value)


def _filled(
    values: Mapping[str, str], key_of: Callable[[str], str | None]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Put keys in place of references; a header may say ``Bearer`` before one."""
    filled: dict[str, str] = {}
    secrets: list[str] = []
    for name, value in values.items():
        scheme, _, rest = value.rpartition(" ")
        match = _AUTH.fullmatch(rest)
        if match is None or scheme.lower() not in ("", "bearer"):
            filled[name] = value
            continue
        key = key_of(match[1])
        if key is None:
            raise _Skip(f"auth.json has no API key for {_shown_name(match[1])!r}")
        filled[name] = f"{scheme} {key}".strip()
        secrets.append(key)
    return filled, tuple(secrets)


def _texts(value: JsonValue | None, what: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > MAX_ARGS:
        raise _Skip(f"its {what!r} is no object of at most {MAX_ARGS} texts")
    return {_text(name, what): _text(text, f"a value of {what!r}") for name, text in value.items()}


def _text(value: JsonValue | None, what: str) -> str:
    if not isinstance(value, str) or "\0" in value or len(value) > MAX_TEXT_CHARS:
        raise _Skip(f"{what} is no text of at most {MAX_TEXT_CHARS} characters")
    return value


def _servers_of(path: Path, notices: list[str]) -> Mapping[str, JsonValue]:
    try:
        document = read_object(path)
    except ConfigurationError as error:
        notices.append(f"{error.message} Its MCP servers are left out.")
        return {}
    if document is None:
        return {}
    servers = document.get("mcpServers", document.get("servers", {}))
    if not isinstance(servers, Mapping):
        notices.append(f"{path} has no object under 'mcpServers' and is left out.")
        return {}
    if len(servers) > MAX_ENTRIES:
        notices.append(f"{path}: servers beyond the first {MAX_ENTRIES} are left out.")
    return servers


def _entries(servers: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    yield from sorted(servers.items(), key=lambda item: item[0])[:MAX_ENTRIES]


def _api_key(entry: JsonValue | None) -> str | None:
    key = entry.get("apiKey") if isinstance(entry, Mapping) else entry
    return key if isinstance(key, str) and key.strip() else None


def _digest(fields: Mapping[str, JsonValue]) -> str:
    """Return the digest of an entry without the flags that don't change what is started."""
    kept = {k: v for k, v in fields.items() if k not in _NOT_WHAT_IS_STARTED}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _shown_name(name: str) -> str:
    shown = "".join(c if c.isprintable() else "\ufffd" for c in name[:MAX_NAME_CHARS])
    return shown or "(no name)"
