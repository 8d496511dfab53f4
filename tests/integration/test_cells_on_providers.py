"""The same cell on each major provider's protocol, when only that provider's key is set."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbclient import NotebookClient

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import LoopbackProvider

ROLES = ("librarian", "statistician", "analyst")
# One reply that fits every call: a plan, a worker's result, an answer, a verdict.
REPLY = json.dumps(
    {
        "role": "analyst",
        "workers": [{"role": r, "goal": f"goal of {r}", "reason": "r"} for r in ROLES],
        "todos": [{"id": r, "title": f"todo of {r}", "role": r} for r in ROLES],
        "summary": "the north fell",
        "decision": "approved",
        "rationale": "ok",
    }
)
CELL = "%%braincode --as r --review\nWhy did revenue fall in @var:sales?"
CHECK = """
assert r.status == "completed", r.status
assert r.plan.routing.source == "router-brain", [x for x in r.records if x.type == "model_error"]
assert len(r.workers) >= 2, r.workers
assert {w.status for w in r.workers.values()} == {"completed"}
assert {t.state for t in r.todos} == {"completed"}, r.todos
assert r.review.state == "approved"
print(sorted({a.model_id for a in r.view.agents}))
"""
PROVIDERS = {
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "chat"),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "", "anthropic"),
    "google": ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "", "google"),
}


def bare_environment(folder: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_API_KEY", "_BASE_URL")) and not name.startswith("BRAINCODE_")
    }
    return kept | {"HOME": str(folder), "USERPROFILE": str(folder)}


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_cell_runs_on_the_only_provider_with_a_key(
    provider: LoopbackProvider, tmp_path: Path, name: str
) -> None:
    key, base, path, protocol = PROVIDERS[name]
    provider.streams_always(getattr(provider, protocol)(REPLY))
    environment = bare_environment(tmp_path) | {
        key: "test-key-0123456789",
        base: f"{provider.url}{path}",
    }
    sources = ("%load_ext braincode_jupyter", "sales = [3, 2, 1]", CELL, CHECK)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )

    await client.async_execute(env=environment)

    (models,) = notebook.cells[-1].outputs
    assert name in models["text"]
    assert len(list((tmp_path / ".braincode" / "sessions").glob("*.jsonl"))) == 1
    assert len(provider.seen) == 5
