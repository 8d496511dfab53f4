from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.home.addresses import address_problem
from braincode_jupyter.home.mcp_file import MAX_SERVERS, mcp_subjects, read_mcp_servers
from braincode_jupyter.home.mcp_pins import FilePins
from braincode_jupyter.home.trust import approve, read_approvals
from braincode_jupyter.protocol.outside import McpServerEntry

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

    from braincode_jupyter.protocol.outside import McpServers

_KEYS: dict[str, JsonValue] = {
    "plain": "KEY-plain",
    "object": {"apiKey": "KEY-object"},
    "oauth": {"oauth": {"credentials": {"access": "TOKEN"}}},
}


def _read(
    tmp_path: Path,
    *,
    user: JsonValue = None,
    project: JsonValue = None,
    is_approved: bool = False,
) -> McpServers:
    home, root = tmp_path / "home", tmp_path / "project"
    home.mkdir(exist_ok=True)
    root.mkdir(exist_ok=True)
    if user is not None:
        (home / "mcp.json").write_text(json.dumps({"mcpServers": user}), encoding="utf-8")
    if project is not None:
        (root / ".mcp.json").write_text(json.dumps({"mcpServers": project}), encoding="utf-8")
    if is_approved:
        for subject in mcp_subjects(root):
            approve(home, subject, now_ms=1)
    return read_mcp_servers(home, root, approvals=read_approvals(home), api_keys=_KEYS)


def _reason(servers: McpServers) -> str:
    assert servers.servers == ()
    return servers.skipped[0].reason


def test_a_users_server_needs_no_claim(tmp_path: Path) -> None:
    servers = _read(tmp_path, user={"a": {"command": "run", "args": ["x"], "env": {"K": "v"}}})

    (server,) = servers.servers
    assert (server.scope, server.command, server.args) == ("user", "run", ("x",))
    assert server.env == {"K": "v"}


def test_a_projects_server_is_inert_until_approved_and_after_a_change(tmp_path: Path) -> None:
    entry: JsonValue = {"s": {"command": "run", "trusted": True}}

    assert "not approved by you" in _reason(_read(tmp_path, project=entry))
    assert len(_read(tmp_path, project=entry, is_approved=True).servers) == 1
    changed: JsonValue = {"s": {"command": "other", "trusted": True}}
    assert "changed since you approved it" in _reason(_read(tmp_path, project=changed))


def test_an_approved_server_that_its_project_does_not_claim_is_inert(tmp_path: Path) -> None:
    reason = _reason(_read(tmp_path, project={"s": {"command": "run"}}, is_approved=True))

    assert reason.startswith("untrusted project MCP server")


@pytest.mark.parametrize("users", [{"command": "mine"}, {"command": "mine", "disabled": True}])
@pytest.mark.parametrize("name", ["srv-a", "srv_a", "SRV_A"])
def test_r62_a_project_never_takes_the_place_of_a_users_server(
    tmp_path: Path, users: dict[str, JsonValue], name: str
) -> None:
    servers = _read(
        tmp_path,
        user={"srv-a": users},
        project={name: {"command": "theirs", "trusted": True}},
        is_approved=True,
    )

    assert all(server.scope == "user" for server in servers.servers)
    assert "never takes its place" in servers.skipped[-1].reason


@pytest.mark.parametrize("provider", ["plain", "object"])
def test_a_users_entry_is_given_a_key(tmp_path: Path, provider: str) -> None:
    reference = f"${{BRAINCODE_AUTH:{provider}}}"
    servers = _read(tmp_path, user={"a": {"command": "run", "env": {"K": reference, "L": "x"}}})

    (server,) = servers.servers
    assert (server.env, server.secrets) == (
        {"K": f"KEY-{provider}", "L": "x"},
        (f"KEY-{provider}",),
    )
    assert "KEY" not in repr(server)


def test_a_header_may_say_bearer_before_a_key(tmp_path: Path) -> None:
    headers: JsonValue = {"Authorization": "Bearer ${BRAINCODE_AUTH:plain}"}
    servers = _read(tmp_path, user={"a": {"url": "https://x.example/mcp", "http_headers": headers}})

    assert servers.servers[0].headers == {"Authorization": "Bearer KEY-plain"}


def test_an_entry_says_how_long_a_call_may_be_silent_without_being_another_server(
    tmp_path: Path,
) -> None:
    (plain,) = _read(tmp_path, user={"a": {"command": "run"}}).servers
    (patient,) = _read(tmp_path, user={"a": {"command": "run", "timeout": 600}}).servers

    assert (plain.timeout_s, patient.timeout_s) == (None, 600.0)
    assert plain.digest == patient.digest


@pytest.mark.parametrize("timeout", [0, -1, 3_601, True, "60", [60]])
def test_a_timeout_that_is_no_usable_number_skips_the_server(
    tmp_path: Path, timeout: JsonValue
) -> None:
    entry: JsonValue = {"command": "run", "timeout": timeout}

    assert "its 'timeout' is no" in _reason(_read(tmp_path, user={"a": entry}))


@pytest.mark.parametrize("provider", ["missing", "oauth"])
def test_a_missing_key_skips_the_server(tmp_path: Path, provider: str) -> None:
    entry: JsonValue = {"command": "run", "env": {"K": f"${{BRAINCODE_AUTH:{provider}}}"}}

    assert "no API key" in _reason(_read(tmp_path, user={"a": entry}))


@pytest.mark.parametrize(
    "where",
    [
        {"command": "run", "env": {"K": "${BRAINCODE_AUTH:plain}"}},
        {"command": "run", "args": ["${BRAINCODE_AUTH:plain}"]},
        {"url": "https://x.example", "http_headers": {"A": "x ${BRAINCODE_AUTH:plain}"}},
    ],
)
def test_r125_a_projects_entry_is_never_given_a_key(
    tmp_path: Path, where: dict[str, JsonValue]
) -> None:
    project: JsonValue = {"s": {**where, "trusted": True}}

    assert "never given a key" in _reason(_read(tmp_path, project=project, is_approved=True))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "x", "disabled": True}, "disabled"),
        ({}, "no command configured"),
        ({"command": "  "}, "no command configured"),
        ({"command": "x", "args": "y"}, "'args'"),
        ({"command": "x", "args": [1]}, "no text"),
        ({"command": "x\0y"}, "no text"),
        ({"command": "x", "env": {"A": 1}}, "no text"),
        ({"command": "x", "env": ["A"]}, "'env'"),
        ({"type": "sse", "url": "https://x.example"}, "not supported"),
        ({"url": "http://x.example"}, "is not https"),
        ({"url": "https://x.example", "http_headers": {"A b": "c"}}, "header"),
        ({"url": "https://x.example", "http_headers": {"A": "b\nC: d"}}, "header"),
        (7, "no object"),
    ],
)
def test_every_unusable_entry_says_why(tmp_path: Path, entry: JsonValue, words: str) -> None:
    assert words in _reason(_read(tmp_path, user={"a": entry}))


def test_more_servers_than_the_limit_are_skipped_with_the_reason(tmp_path: Path) -> None:
    user: dict[str, JsonValue] = {f"s{n:02}": {"command": "x"} for n in range(MAX_SERVERS + 2)}

    servers = _read(tmp_path, user=user)

    assert len(servers.servers) == MAX_SERVERS
    assert {s.reason for s in servers.skipped} == {f"more than {MAX_SERVERS} servers"}


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}', '{"a": 1, "a": 2}'])
def test_a_broken_file_counts_as_absent_with_a_notice(tmp_path: Path, text: str) -> None:
    (tmp_path / "mcp.json").write_text(text, encoding="utf-8")

    servers = read_mcp_servers(tmp_path, tmp_path / "p", approvals=(), api_keys={})

    assert (servers.servers, len(servers.notices)) == ((), 1)


@pytest.mark.parametrize(
    ("url", "users", "projects"),
    [
        ("https://x.example/mcp", "", ""),
        ("http://127.0.0.1:8000/mcp", "", ""),
        ("http://localhost/mcp", "", ""),
        ("http://[::1]:9/mcp", "", ""),
        ("https://10.1.2.3/mcp", "", "private"),
        ("https://192.168.1.1/mcp", "", "private"),
        ("https://169.254.169.254/", "", "private"),
        ("https://[fd00::1]/", "", "private"),
        ("https://[::ffff:10.0.0.1]/", "", "private"),
        ("https://2130706433/", "unusual", "unusual"),
        ("https://0x7f.1/", "unusual", "unusual"),
        ("http://127.evil.example/", "not https", "not https"),
        ("http://10.1.2.3/", "not https", "not https"),
        ("ftp://x.example", "no http", "no http"),
        ("https://a:b@x.example", "user name", "user name"),
        ("https://x.example:99999999", "cannot be read", "cannot be read"),
        ("https://", "no http", "no http"),
    ],
)
def test_r64_addresses_are_https_or_on_this_machine(url: str, users: str, projects: str) -> None:
    for expected, may_be_private in ((users, True), (projects, False)):
        problem = address_problem(url, may_be_private=may_be_private)

        assert expected in problem
        assert bool(problem) == bool(expected)


def test_pins_remember_tools_and_marks_until_the_entry_changes(tmp_path: Path) -> None:
    pins = FilePins(tmp_path, tmp_path)
    server = McpServerEntry(scope="project", name="s", transport="stdio", digest="one")

    assert pins.pinned(server) is None
    pins.pin(server, {"a": "d1", "b": "d2"})
    pins.accept(server, "a", digest="d1", is_read=True)
    pins.pin(server, {"a": "d1", "b": "d3"})

    again = FilePins(tmp_path, tmp_path).pinned(server)
    assert again is not None
    assert [(n, t.digest, t.is_read) for n, t in again.items()] == [
        ("a", "d1", True),
        ("b", "d3", False),
    ]
    changed = McpServerEntry(scope="project", name="s", transport="stdio", digest="two")
    assert pins.pinned(changed) is None
    assert FilePins(tmp_path, tmp_path / "other").pinned(server) is None
