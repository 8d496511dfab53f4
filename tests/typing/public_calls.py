"""What a type checker says of the public calls; read by pyright, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_type

import braincode_jupyter
from braincode_jupyter import BraincodeError, Run
from braincode_jupyter.notebook import run_async, use_models
from braincode_jupyter.protocol.contexts import HandoffPacket
from braincode_jupyter.protocol.plan import ExecutedWorkerResult, RuntimePlan
from braincode_jupyter.runtime import RunArguments
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views import ContextRow


def results() -> None:
    run = braincode_jupyter.run("Why?", roles="analyst,coder", review=True, max_workers=3)
    assert_type(run, Run)
    assert_type(braincode_jupyter.read_session("last"), Run)
    assert_type(braincode_jupyter.plan("Why?", heuristic=True), RuntimePlan)
    assert_type(run.answer, str)
    assert_type(run.workers, Mapping[str, ExecutedWorkerResult])
    assert_type(run.packets["analyst"], HandoffPacket)
    assert_type(run.contexts, tuple[ContextRow, ...])
    assert_type(run.error, BraincodeError | None)


async def awaited() -> None:
    assert_type(await run_async("Why?", as_="answer"), Run)


def scripted() -> None:
    model = ScriptedModel({"primary": ["one", Reply(text="two", delay_s=0.1)], "worker": "three"})
    use_models(model)
    use_models(None)
    assert_type(RunArguments(models=model).mode, Literal["auto", "radical"] | None)


def mistakes() -> None:
    braincode_jupyter.run("Why?", mode="fast")  # pyright: ignore[reportArgumentType] - no such mode
    braincode_jupyter.run("Why?", max_worker=3)  # pyright: ignore[reportCallIssue] - a misspelling
    braincode_jupyter.run("Why?", "auto")  # pyright: ignore[reportCallIssue] - keyword only
