"""What a server says of its tools, made fit for a model and for a person.

Names, descriptions and schemas come from outside. Nothing hidden stays in them, nothing is longer
than its limit, and a digest over what was said lets a change be noticed. A name decides nothing: it
becomes ``mcp__server__tool``, and what collides is off.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from braincode_jupyter.views.clean import clean_text, count_hidden

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import PinnedTool
    from braincode_jupyter.protocol.outside_records import Scope

MAX_TOOLS: Final = 128
"""Tools of one server; further ones are off."""
MAX_DESCRIPTION_BYTES: Final = 2 * 1024
"""Description of a tool, or of one of its parameters."""
MAX_SCHEMA_BYTES: Final = 32 * 1024
"""Schema of the arguments of one tool."""
MAX_SCHEMA_DEPTH: Final = 16
"""Nesting of a schema."""
MAX_NAME_CHARS: Final = 64
"""Name of a tool as providers take it."""
WEB_SEARCH: Final = "web_search"
"""Second name of the search tool of a user's own ``tavily`` server, as in the original."""

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_]")
_DIGEST_CHARS: Final = 8
_CUT: Final = " […]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as its server describes it: raw for the digest, cleaned for everybody else.

    Parameters
    ----------
    scope, server : str
        Where it comes from.
    tool : str
        Its name at the server; only ever sent back there.
    description : str
        Cleaned and cut.
    parameters : mapping
        Cleaned schema of the arguments.
    digest : str
        SHA-256 of name, description, schemas and annotations as they came.
    problem : str
        Why it cannot be used.
    raw : mapping
        As it came, to be remembered; shown to nobody.
    """

    scope: Scope
    server: str
    tool: str
    description: str = ""
    parameters: Mapping[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    digest: str = ""
    problem: str = ""
    raw: Mapping[str, JsonValue] = field(
        default_factory=dict[str, "JsonValue"], repr=False, compare=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTool:
    """A tool under the name that models use; ``off`` says why it may not be called."""

    name: str
    listed: ListedTool
    is_read: bool = False
    off: str = ""


def listed_tool(scope: Scope, server: str, *, raw: Mapping[str, JsonValue]) -> ListedTool:
    """Return a tool made fit to show.

    Parameters
    ----------
    scope, server : str
        Where it comes from.
    raw : mapping
        The tool as the server sent it: ``name``, ``description``, ``inputSchema`` and so on.

    Returns
    -------
    ListedTool
        With ``problem`` set when it cannot be used.
    """
    name = raw.get("name")
    tool = name if isinstance(name, str) else ""
    schema = raw.get("inputSchema")
    said = raw.get("description")
    try:
        parameters, problem = _object_schema(schema), ""
    except ValueError as error:
        parameters, problem = {"type": "object"}, str(error)
    if not tool or len(tool) > MAX_DESCRIPTION_BYTES:
        problem = "it has no name, or one that is too long"
    return ListedTool(
        scope=scope,
        server=server,
        tool=tool,
        description=clean_description(said) if isinstance(said, str) else "",
        parameters=parameters,
        digest=_digest(raw),
        problem=problem,
        raw=raw,
    )


def clean_description(text: str) -> str:
    """Return a description without controls, hidden characters as marks, at most 2 KiB.

    Parameters
    ----------
    text : str
        As the server sent it.

    Returns
    -------
    str
        Bidirectional controls, zero-width and tag characters are visible marks.
    """
    cleaned = clean_text(text[: MAX_DESCRIPTION_BYTES * 2]).strip()
    return cut_bytes(cleaned, MAX_DESCRIPTION_BYTES, mark=_CUT)


def cut_bytes(text: str, limit_bytes: int, *, mark: str) -> str:
    """Return a text of at most so many bytes of UTF-8, cut between characters, with a mark.

    Parameters
    ----------
    text : str
        Any valid text.
    limit_bytes : int
        Bytes, mark included.
    mark : str
        What a cut text ends in.

    Returns
    -------
    str
        The same text if it fits.
    """
    data = text.encode(errors="replace")
    if len(data) <= limit_bytes:
        return data.decode()
    kept = data[: max(limit_bytes - len(mark.encode()), 0)]
    return kept.decode(errors="ignore") + mark


def tool_name(server: str, tool: str) -> str:
    """Return the name that models use.

    Parameters
    ----------
    server, tool : str
        Names at both places.

    Returns
    -------
    str
        ``mcp__server__tool``, other characters as ``_``; a name beyond 64 characters is cut and
        ends in a digest of the whole.
    """
    name = f"mcp__{_NOT_IN_NAMES.sub('_', server)}__{_NOT_IN_NAMES.sub('_', tool)}"
    if len(name) <= MAX_NAME_CHARS:
        return name
    digest = hashlib.sha256(f"{server}\0{tool}".encode(errors="replace")).hexdigest()
    return f"{name[: MAX_NAME_CHARS - _DIGEST_CHARS - 1]}_{digest[:_DIGEST_CHARS]}"


def name_tools(
    tools: Sequence[ListedTool],
    *,
    pins: Mapping[tuple[Scope, str], Mapping[str, PinnedTool]],
    reserved: Iterable[str] = (),
    switched_off: Container[tuple[Scope, str, str]] = (),
) -> tuple[NamedTool, ...]:
    """Give every tool its name, and say which ones are off.

    Parameters
    ----------
    tools : sequence of ListedTool
        Of all servers.
    pins : mapping
        Accepted tools by name, for each server by scope and name.
    reserved : iterable of str
        Names that a server may not take: built-in tools.
    switched_off : container of (str, str, str)
        Scope, server and name of tools that the user switched off.

    Returns
    -------
    tuple of NamedTool
        In order, then the alias ``web_search`` if there is one.
    """
    taken = Counter(tool_name(tool.server, tool.tool) for tool in tools)
    users = {tool_name(t.server, t.tool) for t in tools if t.scope == "user"}
    owned = Counter(tool_name(t.server, t.tool) for t in tools if t.scope == "user")
    refused = set(reserved)
    named: list[NamedTool] = []
    for tool in tools:
        name = tool_name(tool.server, tool.tool)
        pinned = pins.get((tool.scope, tool.server), {}).get(tool.tool)
        clash = owned[name] > 1 if tool.scope == "user" else name in users or taken[name] > 1
        off = _why_off(tool, pinned, clash=clash or name in refused)
        if (tool.scope, tool.server, tool.tool) in switched_off:
            off = "you switched it off: see %braincode mcp"
        is_read = pinned is not None and pinned.is_read and not off
        named.append(NamedTool(name=name, listed=tool, is_read=is_read, off=off))
    return (*named, *_aliases(named, refused))


def _aliases(named: Iterable[NamedTool], refused: set[str]) -> list[NamedTool]:
    return [
        NamedTool(name=WEB_SEARCH, listed=one.listed, is_read=one.is_read)
        for one in named
        if not one.off
        and (one.listed.scope, one.listed.server) == ("user", "tavily")
        and one.listed.tool == "tavily_search"
        and WEB_SEARCH not in refused
    ]


def _why_off(tool: ListedTool, pinned: PinnedTool | None, *, clash: bool) -> str:
    if tool.problem:
        return tool.problem
    if clash:
        return "another tool has the same name once both are cleaned"
    if pinned is None:
        return "new since you accepted this server's tools: see %braincode mcp"
    if pinned.digest != tool.digest:
        return "its description or schema changed since you accepted it: see %braincode mcp"
    return ""


def _object_schema(schema: JsonValue | None) -> dict[str, JsonValue]:
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return {"type": "object"}
    if len(json.dumps(schema).encode()) > MAX_SCHEMA_BYTES:
        raise ValueError(f"the schema of its arguments is over {MAX_SCHEMA_BYTES:,} bytes")
    cleaned = _cleaned(schema, depth=0)
    return {"type": "object", **cleaned} if isinstance(cleaned, dict) else {"type": "object"}


def _cleaned(value: JsonValue, *, depth: int) -> JsonValue:
    """Clean every text of a schema; names and allowed values stay exact or are refused."""
    if depth > MAX_SCHEMA_DEPTH:
        raise ValueError(f"the schema of its arguments is nested over {MAX_SCHEMA_DEPTH} levels")
    if isinstance(value, str):
        return clean_description(value)
    if isinstance(value, list):
        return [_cleaned(item, depth=depth + 1) for item in value]
    if not isinstance(value, Mapping):
        return value
    if any(clean_text(key) != key or count_hidden(key) for key in value):
        raise ValueError("a name in the schema of its arguments holds hidden characters")
    for key in ("$ref", "$dynamicRef"):
        target = value.get(key)
        if isinstance(target, str) and not target.startswith("#"):
            raise ValueError("the schema of its arguments leads to another document")
    return {key: _cleaned(item, depth=depth + 1) for key, item in value.items()}


def _digest(raw: Mapping[str, JsonValue]) -> str:
    kept = {key: value for key, value in raw.items() if key not in ("_meta", "icons")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
