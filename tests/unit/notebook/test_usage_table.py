"""`%braincode usage`: sums over sessions by day and model, and over one by agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.formatters import DisplayFormatter

from braincode_jupyter.errors import UsageError
from braincode_jupyter.notebook.usage_table import usage_of_home, usage_of_session
from braincode_jupyter.protocol.usage import TokenUsage
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import Run


async def run(tmp_path: Path, *, cost_usd: float | None) -> Run:
    def script(call: ModelCall) -> Reply:
        worker = '{"summary": "<b>found</b>"}'
        text = "the answer" if call.call_kind == "primary" else worker
        tokens = 100 if call.role == "librarian" else 10
        usage = TokenUsage(input=tokens, output=1, total=tokens + 1)
        return Reply(text=text, usage=usage, cost_usd=cost_usd)

    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path,
        models=ScriptedModel(script),
        roles=("analyst", "librarian"),
        review=False,
    )
    return await prepare_run("why did revenue fall", arguments, Sources()).execute()


def test_a_home_without_sessions_spent_nothing(tmp_path: Path) -> None:
    assert "Nothing was spent yet" in str(usage_of_home(tmp_path))


async def test_sessions_are_added_up_by_day_and_model(tmp_path: Path) -> None:
    for _ in range(2):
        await run(tmp_path, cost_usd=0.25)

    found = usage_of_home(tmp_path / "home")

    assert found.title == "Spent in 2 sessions"
    assert sum(row.calls for row in found.rows) == 4
    assert sum(row.total_tokens for row in found.rows) == 2 * (101 + 11)
    total = str(found).splitlines()[-2].split()
    assert total == ["total", "4", "220", "4", "224", "$1.000"]


async def test_a_session_is_added_up_by_agent(tmp_path: Path) -> None:
    result = await run(tmp_path, cost_usd=0.25)

    found = usage_of_session(tmp_path / "home", result.session_id[:8])

    assert [(row.names[0], row.total_tokens) for row in found.rows] == [
        ("librarian", 101),
        ("analyst", 11),
    ]
    assert found.title == f"Spent in session @@{result.session_id}"


async def test_a_price_that_is_unknown_stays_unknown(tmp_path: Path) -> None:
    await run(tmp_path, cost_usd=0.25)
    await run(tmp_path, cost_usd=None)

    found = usage_of_home(tmp_path / "home")

    assert {row.cost_usd for row in found.rows} == {None}
    assert "unknown" in str(found).splitlines()[-2]


async def test_the_page_gets_a_table_without_scripts_and_with_escaped_names(
    tmp_path: Path,
) -> None:
    await run(tmp_path, cost_usd=0.0)
    formatter: Any = DisplayFormatter()
    bundle = formatter.format(usage_of_home(tmp_path / "home"))[0]

    assert "<table>" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    assert bundle["text/plain"].startswith("Spent in 1 sessions")


def test_an_unknown_session_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        usage_of_session(tmp_path, "nope")
