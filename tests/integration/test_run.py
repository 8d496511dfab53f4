from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ConfigurationError, LimitExceededError, ModelError, UsageError
from braincode_jupyter.models import ModelRegistry
from braincode_jupyter.protocol.records import (
    ModelFailed,
    PromptManifest,
    RunEnded,
    RunFailed,
    RunStart,
    WorkerEnded,
)
from braincode_jupyter.runtime import RunArguments, Sources, plan_run, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import Run

PLAN = {
    "role": "analyst",
    "workers": [
        {"role": "librarian", "goal": "map the data", "reason": "r"},
        {"role": "security", "goal": "look for secrets", "reason": "r"},
        {"role": "statistician", "goal": "test the drop", "reason": "r"},
        {"role": "analyst", "goal": "answer", "reason": "r"},
    ],
    "todos": [
        {"id": "map", "title": "Map", "role": "librarian"},
        {"id": "secrets", "title": "Secrets", "role": "security"},
        {"id": "test", "title": "Test", "role": "statistician"},
        {"id": "answer", "title": "Answer", "role": "analyst"},
    ],
    "dependencies": [{"from": "map", "to": "test"}],
    "confidence": 0.9,
    "reason": "three angles",
}


def worker_reply(summary: str) -> str:
    return json.dumps({"summary": summary, "progress": {"status": "completed"}})


def script(**replies: object) -> dict[str, object]:
    return {
        "routeBrain": json.dumps(PLAN),
        "librarian": worker_reply("a map"),
        "security": worker_reply("no secrets"),
        "statistician": worker_reply("p < 0.05"),
        "analyst": "The drop is real.",
        "review": json.dumps({"decision": "approved", "rationale": "ok", "summary": "fine"}),
        **replies,
    }


def waiting_model(role: str) -> tuple[ScriptedModel, asyncio.Event]:
    is_asked = asyncio.Event()
    lines = script()

    def answer(call: ModelCall) -> str | Reply:
        if call.role == role:
            is_asked.set()
            return Reply(text="late", delay_s=60)
        return str(lines[call.role])

    return ScriptedModel(answer), is_asked


def arguments(tmp_path: Path, models: ScriptedModel, **more: object) -> RunArguments:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    return RunArguments(home=tmp_path / "home", project_root=project, models=models, **more)


async def run(
    tmp_path: Path, models: ScriptedModel, prompt: str = "why did sales fall", **more: object
) -> Run:
    return await prepare_run(prompt, arguments(tmp_path, models, **more), Sources()).execute()


async def test_a_run_plans_works_answers_and_is_reviewed(tmp_path: Path) -> None:
    result = await run(tmp_path, ScriptedModel(script()))

    assert result.status == "completed"
    assert result.answer == "The drop is real."
    assert {role: w.summary for role, w in result.workers.items()} == {
        "librarian": "a map",
        "security": "no secrets",
        "statistician": "p < 0.05",
    }
    assert result.review.state == "approved"
    assert {todo.state for todo in result.todos} == {"completed"}


async def test_a_session_file_gives_back_the_same_run(tmp_path: Path) -> None:
    result = await run(tmp_path, ScriptedModel(script()))

    again = read_run(result.session_id[:8], tmp_path / "home")

    assert again.view == result.view
    assert again.answer == result.answer
    assert again.contexts == result.contexts
    assert again.calls == ()


async def test_only_a_declared_upstream_result_reaches_a_worker(tmp_path: Path) -> None:
    model = ScriptedModel(script())

    await run(tmp_path, model)

    prompts = {call.role: call.prompt.user for call in model.calls}
    assert "a map" in prompts["statistician"]
    assert "no secrets" not in prompts["statistician"]
    assert "no secrets" in prompts["analyst"]
    assert "a map" not in prompts["security"]


async def test_a_failed_worker_takes_nobody_along(tmp_path: Path) -> None:
    failure = ModelError("boom sk-secret", code="provider_error", status=500)
    model = ScriptedModel(script(security=failure))

    result = await run(tmp_path, model)

    assert result.status == "completed"
    assert result.workers["security"].status == "failed"
    assert result.workers["librarian"].status == "completed"
    assert result.workers["statistician"].status == "completed"
    told = next(c.prompt.user for c in model.calls if c.call_kind == "primary")
    assert "provider_error" in told
    assert "boom" not in told


async def test_a_worker_whose_upstream_failed_is_blocked(tmp_path: Path) -> None:
    model = ScriptedModel(script(librarian=ModelError("x", code="timeout")))

    result = await run(tmp_path, model)

    assert result.workers["statistician"].status == "blocked"
    assert result.workers["statistician"].error == "upstream_failed"
    assert result.status == "completed"
    assert not any(call.role == "statistician" for call in model.calls)


async def test_the_next_model_of_the_chain_answers(tmp_path: Path) -> None:
    broken = Reply(text="half an answer", finish_reason=None)
    model = ScriptedModel(script(analyst=[broken, "whole answer"]))

    result = await run(tmp_path, model)

    assert result.answer == "whole answer"
    failed = [r for r in result.records if isinstance(r, ModelFailed)]
    assert [r.code for r in failed] == ["cut_off"]
    assert failed[0].partial == "half an answer"
    assert len([r for r in result.records if isinstance(r, RunStart)]) == 3


async def test_a_run_whose_primary_fails_everywhere_fails_in_one_line(tmp_path: Path) -> None:
    failure = ModelError("401 from the provider", code="authentication", hint="Check the key.")
    model = ScriptedModel(lambda call: failure if call.call_kind == "primary" else None)

    result = await run(tmp_path, model, review=True)

    assert result.status == "failed"
    assert isinstance(result.error, ModelError)
    assert result.error.hint == "Check the key."
    states = {todo.role: todo.state for todo in result.todos}
    assert states.pop("review") == "blocked"
    assert "failed" in states.values()
    assert set(states.values()) <= {"completed", "failed"}
    ends = [r for r in result.records if isinstance(r, RunFailed) and not r.will_fallback]
    assert len(ends) == 1


async def test_an_unusable_router_reply_falls_back_to_the_words(tmp_path: Path) -> None:
    result = await run(tmp_path, ScriptedModel(script(routeBrain="no json at all")))

    assert result.status == "completed"
    assert result.plan is not None
    assert result.plan.routing.source == "heuristic"
    assert any("JSON" in warning for warning in map(speaker().said, result.view.warnings))


@pytest.mark.parametrize("reply", ["looks good to me", '{"decision": "great"}', "{}"])
async def test_a_reviewer_without_a_verdict_never_approves(tmp_path: Path, reply: str) -> None:
    result = await run(tmp_path, ScriptedModel(script(review=reply)), review=True)

    assert result.review.state == "changes_requested"
    assert result.answer == "The drop is real."


async def test_a_failed_review_leaves_the_answer_marked_not_reviewed(tmp_path: Path) -> None:
    failure = ModelError("down", code="network")
    result = await run(tmp_path, ScriptedModel(script(review=failure)), review=True)

    assert result.review.state == "not_reviewed"
    assert result.status == "completed"
    assert result.answer == "The drop is real."


async def test_no_review_means_no_review_call(tmp_path: Path) -> None:
    model = ScriptedModel(script())

    result = await run(tmp_path, model, review=False)

    assert not any(call.call_kind == "review" for call in model.calls)
    assert result.review.state in {"not_required", "not_reviewed"}


async def test_a_vague_request_asks_back_before_any_worker(tmp_path: Path) -> None:
    model = ScriptedModel(script())

    result = await run(tmp_path, model, "fix it", heuristic=True)

    assert result.status == "needs_clarification"
    assert result.view.clarification is not None
    assert model.calls == []
    assert {todo.state for todo in result.todos} == {"blocked"}


async def test_the_token_budget_refuses_a_call_before_it_is_made(tmp_path: Path) -> None:
    model = ScriptedModel(script())

    result = await run(tmp_path, model, max_tokens=40)

    assert result.status == "failed"
    assert isinstance(result.error, LimitExceededError)
    assert model.calls == []


async def test_stop_ends_the_run_with_one_end_record(tmp_path: Path) -> None:
    model, is_asked = waiting_model("librarian")
    prepared = prepare_run("why did sales fall", arguments(tmp_path, model), Sources())
    task = asyncio.create_task(prepared.execute())
    await is_asked.wait()

    prepared.stop()
    result = await asyncio.wait_for(task, 5)

    assert result.status == "cancelled"
    ends = [r for r in result.records if isinstance(r, RunEnded | RunFailed)]
    assert len(ends) == 1
    assert {todo.state for todo in result.todos} <= {"completed", "blocked"}
    assert {a.state for a in result.view.agents} <= {"completed", "cancelled", "blocked", "failed"}
    assert read_run(result.session_id, tmp_path / "home").status == "cancelled"


async def test_an_interrupt_writes_the_end_record_and_passes_on(tmp_path: Path) -> None:
    model, is_asked = waiting_model("analyst")
    prepared = prepare_run("why did sales fall", arguments(tmp_path, model), Sources())
    task = asyncio.create_task(prepared.execute())
    await is_asked.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    saved = read_run(prepared.session_id, tmp_path / "home")
    assert saved.status == "cancelled"
    assert saved.workers["librarian"].summary == "a map"


async def test_every_call_has_a_manifest_before_it(tmp_path: Path) -> None:
    model = ScriptedModel(script())

    result = await run(tmp_path, model)

    manifests = [r.call_id for r in result.records if isinstance(r, PromptManifest)]
    assert sorted(manifests) == sorted(call.call_id for call in model.calls)


async def test_forced_roles_skip_the_router_and_see_nothing_of_each_other(tmp_path: Path) -> None:
    model = ScriptedModel(script(oracle=worker_reply("deep")))

    result = await run(tmp_path, model, roles=("analyst", "librarian", "oracle"))

    assert [c.call_kind for c in model.calls][-1] == "primary"
    assert not any(c.call_kind == "router" for c in model.calls)
    seen = {c.role: c.prompt.user for c in model.calls}
    assert "a map" not in seen["oracle"]
    assert "deep" not in seen["librarian"]
    assert set(result.workers) == {"librarian", "oracle"}


async def test_continuing_keeps_the_session_and_sends_a_snapshot(tmp_path: Path) -> None:
    first = await run(tmp_path, ScriptedModel(script()))
    model = ScriptedModel(script())

    second = await run(tmp_path, model, "and in the north?", continue_session=first.session_id)

    assert second.session_id == first.session_id
    assert "why did sales fall" in model.calls[0].prompt.user
    assert second.view.title == "and in the north?"
    assert [w for r in second.records if isinstance(r, WorkerEnded) for w in [r.worker]].count(
        "librarian"
    ) == 1


async def test_a_run_without_any_model_names_three_ways_out(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="Three ways out"):
        prepare_run(
            "why",
            arguments(tmp_path, ScriptedModel(candidates=())),
            Sources(),
        )


async def test_a_run_without_a_key_says_which_models_it_would_have_asked(tmp_path: Path) -> None:
    registry = ModelRegistry(models=(), auth={}, environ={})
    asked = RunArguments(home=tmp_path, project_root=tmp_path, models=registry, brain="notebook")

    with pytest.raises(ConfigurationError) as raised:
        prepare_run("why", asked, Sources())

    assert raised.value.message == (
        "No language model can be used with Brain 'notebook': anthropic/claude-sonnet-4-6 has no "
        "key; azure-openai-responses/gpt-5.5 has no address."
    )


async def test_a_model_that_breaks_says_where_to_look(tmp_path: Path) -> None:
    result = await run(tmp_path, ScriptedModel(script(analyst=KeyError("sk-secret"))))

    assert result.status == "failed"
    assert result.error is not None
    assert result.error.message == "The model client raised KeyError."
    assert "logging.basicConfig()" in result.error.hint


@pytest.mark.parametrize("prompt", ["", "  \n\t"])
async def test_an_empty_request_is_a_usage_error(tmp_path: Path, prompt: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        prepare_run(prompt, arguments(tmp_path, ScriptedModel()), Sources())


async def test_a_plan_asks_the_router_and_nobody_else(tmp_path: Path) -> None:
    model = ScriptedModel(script())

    plan = await plan_run("why did sales fall", arguments(tmp_path, model), Sources())

    assert [worker.role for worker in plan.workers][:3] == ["librarian", "security", "statistician"]
    assert [call.call_kind for call in model.calls] == ["router"]
    assert not (tmp_path / "home" / "sessions").exists()


async def test_the_prompt_is_kept_byte_for_byte(tmp_path: Path) -> None:
    prompt = 'Explain {"a": {"b": 1}} and f"{x:>10}" and \\frac{1}{2} and {{x}} $name \u2028 why?'
    model = ScriptedModel(script())

    result = await run(tmp_path, model, prompt)

    starts = [r for r in result.records if isinstance(r, RunStart)]
    assert all(r.prompt == prompt for r in starts)
    assert all(prompt in call.prompt.user for call in model.calls)
    assert read_run(result.session_id, tmp_path / "home").records[0].prompt == prompt


async def test_what_looks_like_a_key_in_a_file_never_leaves(tmp_path: Path) -> None:
    key = "sk-" + "a1b2c3d4" * 5
    model = ScriptedModel(script())
    settings = arguments(tmp_path, model)
    (tmp_path / "project" / "notes.txt").write_text(f"key = {key}\nrest", encoding="utf-8")

    result = await prepare_run("why did @notes.txt fail", settings, Sources()).execute()

    assert all(key not in call.prompt.user for call in model.calls)
    assert any("masked" in call.prompt.user for call in model.calls)
    assert any(
        "masked as possible keys: 1 value" in text
        for text in map(speaker().said, result.view.warnings)
    )
    session = tmp_path / "home" / "sessions" / f"{result.session_id}.jsonl"
    assert key not in session.read_text(encoding="utf-8")


async def test_a_heuristic_plan_keeps_the_roles_that_were_named(tmp_path: Path) -> None:
    settings = arguments(tmp_path, ScriptedModel(), roles=("analyst", "librarian"), heuristic=True)

    plan = await plan_run("why did sales fall", settings, Sources())

    assert [worker.role for worker in plan.workers] == ["analyst", "librarian"]
