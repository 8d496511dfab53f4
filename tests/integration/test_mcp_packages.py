from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from mcp_hub import connected

from braincode_jupyter.protocol.outside import McpServerEntry
from braincode_jupyter.tools.mcp_servers import McpLimits

if TYPE_CHECKING:
    from pathlib import Path

_LIMITS = McpLimits(connect_s=60.0, call_s=60.0)


@pytest.mark.skipif(find_spec("mcp_server_time") is None, reason="mcp-server-time is not installed")
async def test_a_server_from_the_package_index_is_used(tmp_path: Path) -> None:
    entry = McpServerEntry(
        scope="user",
        name="time",
        transport="stdio",
        digest="d",
        command=sys.executable,
        args=("-m", "mcp_server_time", "--local-timezone", "UTC"),
    )

    async with connected(tmp_path, entry, limits=_LIMITS) as run:
        given = await run.call(
            "convert_time",
            "time",
            source_timezone="UTC",
            time="12:00",
            target_timezone="Asia/Tokyo",
        )

    assert "21:00" in given.text
    assert {spec.name for spec in run.tools.specs()} == set()
    assert run.report.tool_count == 2
