"""Failures that people met with providers elsewhere, each as a trial on a loopback provider."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.runtime import PreparedRun
    from braincode_jupyter.views.run_view import RunView
    from tests.integration.conftest import LoopbackProvider

KEY = "lan-key-0123456789"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: LoopbackProvider) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{provider.url}/v1")
    return tmp_path / "home"


def prepared(home: Path, *roles: str) -> PreparedRun:
    arguments = RunArguments(
        home=home,
        project_root=home.parent,
        roles=roles,
        heuristic=True,
        review=False,
        max_workers=8,
    )
    return prepare_run("why did sales fall", arguments, Sources())


async def test_B14_a_provider_that_refuses_for_ever_is_asked_a_few_times(
    home: Path, provider: LoopbackProvider
) -> None:
    provider.always_fails(429, "slow down", retry_after_ms="20")

    run = await prepared(home, "analyst", "librarian", "security", "statistician").execute()

    assert run.status == "failed"
    assert len(provider.seen) == 4 * 3
    assert {worker.error for worker in run.workers.values()} == {"rate_limited"}
    for agent in run.view.agents:
        (attempt,) = agent.attempts
        assert "3 tries" in str(attempt.message)
        assert "waited" in str(attempt.message)


async def test_B14_tries_that_came_before_an_answer_are_visible(
    home: Path, provider: LoopbackProvider
) -> None:
    provider.fails(429, "slow down", retry_after_ms="20")
    provider.fails(503)
    provider.streams(provider.chat("the answer"))

    run = await prepared(home, "analyst").execute()

    assert run.answer == "the answer"
    for shown in (run, read_run(run.session_id, home)):
        assert any(
            "answered at try 3" in speaker().said(warning) for warning in shown.view.warnings
        )
        (reply,) = [record for record in shown.records if record.type == "model_reply"]
        assert (reply.retries, reply.waited_ms > 0) == (2, True)


async def test_B14_B18_a_wait_for_a_provider_is_told_while_it_lasts(
    home: Path, provider: LoopbackProvider
) -> None:
    provider.always_fails(429, "slow down", retry_after="30")
    is_told = asyncio.Event()

    class Watcher:
        def on_view(self, view: RunView) -> None:
            if any(
                "is asked again after 3" in speaker().said(warning) for warning in view.warnings
            ):
                is_told.set()

        def on_text(self, context_id: str, offset: int, text: str) -> None:
            pass

    job = prepared(home, "analyst")
    task = asyncio.create_task(job.execute(Watcher()))
    await asyncio.wait_for(is_told.wait(), 30)
    job.stop()
    run = await asyncio.wait_for(task, 5)

    assert run.status == "cancelled"
    assert "analyst: The provider is limiting requests." in " ".join(
        map(speaker().said, run.view.warnings)
    )


async def test_B04_a_refused_key_is_one_cause_with_a_next_step_and_no_key(
    home: Path, provider: LoopbackProvider
) -> None:
    provider.always_fails(401, f"Incorrect API key provided: {KEY}")

    run = await prepared(home, "analyst").execute()

    assert run.status == "failed"
    lines = "\n".join(run.error._render_traceback_()).splitlines()
    assert len(lines) == 2
    assert "401" in lines[0]
    assert "doctor" in lines[1]
    assert str(run.view.error) in lines[0]
    (session,) = (home / "sessions").glob("*.jsonl")
    for sink in (*lines, str(run), session.read_text(encoding="utf-8")):
        assert KEY not in sink
    assert len(provider.seen) == 1
