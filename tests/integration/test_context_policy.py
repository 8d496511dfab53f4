"""What a Brain's own limit of a conversation does to a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import braincode_jupyter
from tests.integration.test_tool_conversations import asks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import LoopbackProvider

TEXT = "word " * 9_000
"""One result of about 6,500 tokens."""
TURNS = 5


@pytest.mark.parametrize(
    ("policy", "stubs"),
    [
        ({"maxInputTokens": 30_000, "compaction": "auto"}, True),
        ({"maxInputTokens": 40_000, "compaction": "auto"}, False),
        ({"maxInputTokens": 40_000, "compaction": "aggressive"}, True),
        ({"maxInputTokens": 30_000, "compaction": "manual"}, False),
        ({"maxInputTokens": 0, "compaction": "auto"}, False),
    ],
)
async def test_old_results_go_as_the_brain_says(
    provider: LoopbackProvider, tmp_path: Path, *, policy: dict[str, object], stubs: bool
) -> None:
    (tmp_path / "big.txt").write_text(TEXT, encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    model: dict[str, Any] = {
        "id": "own",
        "provider": "lan",
        "baseUrl": f"{provider.url}/v1",
        "modelId": "m",
        "contextWindow": 1_000_000,
    }
    role: dict[str, Any] = {"modelId": "own", "fallbackModelIds": []}
    brain: dict[str, Any] = {
        "id": "own",
        "extends": "brain",
        "planner": role,
        "roles": {"librarian": role},
        "context": policy,
        "routing": {"router": "heuristic", "review": "never"},
    }
    (home / "models.json").write_text(json.dumps({"models": [model]}), encoding="utf-8")
    (home / "brains.json").write_text(json.dumps({"brains": [brain]}), encoding="utf-8")
    for _ in range(TURNS):
        provider.streams(asks("chat", "read_file", {"path": "big.txt"}))
    provider.streams_always(provider.chat("all right"))

    run = await braincode_jupyter.run_async(
        "what is in it?", brain="own", roles=("librarian",), home=home, project_root=tmp_path
    )

    asked = provider.seen[TURNS].body["messages"]
    results = [m["content"] for m in asked if m["role"] == "tool"]
    assert run.status == "completed"
    assert len(results) == TURNS
    assert any("left out to keep" in text for text in results) is stubs
    assert bool(run.view.warnings) is stubs
