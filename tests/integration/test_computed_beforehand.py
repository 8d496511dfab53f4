"""Evidence for the embedded model, which cannot call tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from namespace import Namespace

from braincode_jupyter.protocol.sections import Candidate, Resolution
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import ScriptedModel
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.ports import ModelClient
    from braincode_jupyter.runtime import Run

SALES = pd.DataFrame({"region": ["n", "s"] * 50, "revenue": range(100)})
PRIVATE = pd.DataFrame({"salary": [98_765.0] * 3})
FIGURES = "mean revenue by region: n 49, s 50"
SAID = "The embedded model cannot call tools; figures were computed beforehand."


class Embedded:
    """Plays the embedded model in every chain, with others after it where they are given."""

    def __init__(self, *others: Candidate) -> None:
        self._played = ScriptedModel()
        self._others = others
        self.calls = self._played.calls
        self.complete = self._played.complete
        self.aclose = self._played.aclose

    def resolve(self, model_ids: Sequence[str], *, thinking: str, vision: bool) -> Resolution:
        if vision:
            return Resolution(candidates=())
        local = Candidate(
            model_id=model_ids[0],
            provider="local",
            name="demo",
            thinking=thinking,
            is_local_demo=True,
        )
        return Resolution(candidates=(local, *self._others))


async def run(tmp_path: Path, prompt: str, model: ModelClient, **more: object) -> Run:
    (tmp_path / "project").mkdir()
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path / "project",
        models=model,
        roles=("analyst", "statistician"),
        brain="local",
        **more,
    )
    variables = Namespace(sales=SALES, private=PRIVATE, greeting="hello")
    return await prepare_run(prompt, arguments, Sources(variables=variables)).execute()


async def test_workers_of_the_embedded_model_read_the_figures_and_the_card_says_so(
    tmp_path: Path,
) -> None:
    model = Embedded()

    result = await run(tmp_path, "mean revenue of @var:sales by region", model)

    prompts = {call.role: call.prompt.user for call in model.calls}
    assert FIGURES in prompts["statistician"]
    assert FIGURES in prompts["analyst"]
    assert "Computed beforehand" in prompts["statistician"]
    assert SAID in map(speaker().said, result.view.warnings)
    given = {(row.agent, row.source) for row in result.contexts if row.is_seen}
    assert ("statistician", "evidence:sales") in given


async def test_nothing_is_computed_on_what_was_not_referenced(tmp_path: Path) -> None:
    model = Embedded()

    await run(tmp_path, "mean salary of @var:sales, and not of private", model)

    assert all("98765" not in call.prompt.user for call in model.calls)


@pytest.mark.parametrize(
    ("prompt", "more"),
    [
        ("say @var:greeting", {}),
        ("no reference at all", {}),
        ("mean of @var:sales", {"expand_references": False}),
    ],
)
async def test_without_a_referenced_frame_there_is_neither_figure_nor_word(
    *, tmp_path: Path, prompt: str, more: dict[str, bool]
) -> None:
    model = Embedded()

    result = await run(tmp_path, prompt, model, **more)

    assert SAID not in map(speaker().said, result.view.warnings)
    assert all("evidence:" not in call.prompt.user for call in model.calls)


async def test_a_model_that_calls_tools_gets_no_figures(tmp_path: Path) -> None:
    model = ScriptedModel()

    result = await run(tmp_path, "mean revenue of @var:sales by region", model)

    assert all(FIGURES not in call.prompt.user for call in model.calls)
    assert SAID not in map(speaker().said, result.view.warnings)


async def test_nothing_is_computed_where_a_model_elsewhere_could_read_it(tmp_path: Path) -> None:
    model = Embedded(Candidate(model_id="openai/gpt", provider="openai", name="gpt"))

    result = await run(tmp_path, "mean revenue of @var:sales by region", model)

    assert all(FIGURES not in call.prompt.user for call in model.calls)
    assert SAID not in map(speaker().said, result.view.warnings)
