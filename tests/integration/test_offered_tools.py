"""What a call says of the tools that it was offered, and what they take of the budget."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from namespace import Namespace

from braincode_jupyter.brain.limits import FRAME_TOKENS, MIN_OUTPUT_TOKENS
from braincode_jupyter.protocol.records import ModelFailed, PromptManifest
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import ScriptedModel
from braincode_jupyter.views import to_html, to_text

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.runtime import Run

SALES = [3, 1, 2]
PLAN = json.dumps(
    {
        "role": "statistician",
        "workers": [{"role": "analyst", "goal": "look", "reason": "r"}],
        "todos": [{"id": r, "title": r, "role": r} for r in ("analyst", "statistician")],
    }
)


async def run(
    tmp_path: Path,
    *,
    roles: tuple[str, ...] = (),
    max_tokens: int | None = None,
    model: ScriptedModel | None = None,
) -> Run:
    (tmp_path / "project").mkdir(exist_ok=True)
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path / "project",
        models=model or ScriptedModel({"router": PLAN}),
        roles=roles,
        review=False,
        max_tokens=max_tokens,
    )
    sources = Sources(variables=Namespace(sales=SALES))
    return await prepare_run("mean of @var:sales", arguments, sources).execute()


def manifest_of(result: Run, role: str) -> PromptManifest:
    found = [r for r in result.records if isinstance(r, PromptManifest)]
    return next(record for record in found if record.role == role)


async def test_a_call_says_which_tools_it_was_offered_and_what_they_add(tmp_path: Path) -> None:
    result = await run(tmp_path)

    offered = manifest_of(result, "analyst").tools
    names = [tool.name for tool in offered]
    assert manifest_of(result, "routeBrain").tools == ()
    assert {"query_data", "run_python", "describe_variable"} <= set(names)
    assert all(tool.tokens > 16 and len(tool.sha256) == 64 for tool in offered)
    analyst = next(agent for agent in result.view.agents if agent.role == "analyst")
    assert [tool.name for tool in analyst.tools] == names
    assert f"Tools: {names[0]}, {names[1]}" in to_text(result.view)
    assert f"Tools: {names[0]}, {names[1]}" in to_html(result.view)
    assert read_run(result.session_id, tmp_path / "home").view == result.view


async def test_a_budget_without_room_for_the_tools_makes_no_call(tmp_path: Path) -> None:
    named = ("statistician", "analyst")
    manifest = manifest_of(await run(tmp_path, roles=named), "analyst")
    tools = sum(tool.tokens for tool in manifest.tools)
    sent = sum(section.tokens + FRAME_TOKENS for section in manifest.sections)

    model = ScriptedModel()
    budget = sent + MIN_OUTPUT_TOKENS + tools // 2
    result = await run(tmp_path, roles=named, max_tokens=budget, model=model)

    failed = [r for r in result.records if isinstance(r, ModelFailed) and r.role == "analyst"]
    assert [(r.code, r.error) for r in failed[:1]] == [
        ("token_limit", "The budget has no room for this call with its tools.")
    ]
    assert "analyst" not in [call.role for call in model.calls]
