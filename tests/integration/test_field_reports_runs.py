"""Failures that people met in agent runs elsewhere, each as a trial through the public door."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from original_reader import problems

from braincode_jupyter.errors import ModelError
from braincode_jupyter.protocol.records import RunEnded, RunFailed, UsageRecorded
from braincode_jupyter.protocol.usage import TokenUsage
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import PreparedRun
    from braincode_jupyter.views.run_view import RunView

ROLES = ("librarian", "security", "statistician")


def plan(*edges: tuple[str, str]) -> str:
    roles = (*ROLES, "analyst")
    return json.dumps(
        {
            "role": "analyst",
            "workers": [{"role": r, "goal": f"goal of {r}", "reason": "r"} for r in roles],
            "todos": [{"id": r, "title": f"todo of {r}", "role": r} for r in roles],
            "dependencies": [{"from": a, "to": b} for a, b in edges],
        }
    )


def reply(summary: str, **fields: object) -> str:
    return json.dumps({"summary": summary, **fields})


def prepared(
    tmp_path: Path, models: ScriptedModel, prompt: str = "why did sales fall", **more: object
) -> PreparedRun:
    arguments = RunArguments(
        home=tmp_path / "home", project_root=tmp_path, models=models, max_workers=8, **more
    )
    return prepare_run(prompt, arguments, Sources())


async def test_B12_one_failed_worker_leaves_its_siblings_alone(tmp_path: Path) -> None:
    model = ScriptedModel(
        {
            "router": plan(),
            "librarian": Reply(text=reply("A"), delay_s=0.01),
            "security": Reply(text=reply("B"), delay_s=0.02, break_after=0),
            "statistician": Reply(text=reply("C"), delay_s=0.03),
        }
    )

    run = await prepared(tmp_path, model).execute()

    assert run.status == "completed"
    assert run.workers["librarian"].summary == "A"
    assert run.workers["statistician"].summary == "C"
    assert run.workers["security"].status == "failed"
    states = {agent.role: agent.state for agent in run.view.agents}
    assert states["security"] == "failed"
    primary = next(c for c in model.calls if c.call_kind == "primary")
    assert "### security (failed)" in primary.prompt.user


async def test_B15_what_was_shown_is_what_was_sent(tmp_path: Path) -> None:
    model = ScriptedModel({"router": plan(("librarian", "statistician"))})

    run = await prepared(tmp_path, model).execute()

    for role, packet in run.packets.items():
        sent = next(c.prompt.user for c in model.calls if c.role == role)
        assert packet.model_dump_json(by_alias=True, exclude_none=True, indent=2) in sent


async def test_R6_why_a_worker_failed_reaches_others_as_a_code_alone(tmp_path: Path) -> None:
    words = "quota of team ZEBRA used up"
    failure = ModelError(words, code="rate_limited", partial="half a ZEBRA thought")
    model = ScriptedModel({"router": plan(), "security": failure})

    run = await prepared(tmp_path, model, review=True).execute()

    assert run.status == "completed"
    others = [c for c in model.calls if c.role != "security"]
    assert not [c.role for c in others if "ZEBRA" in c.prompt.system + c.prompt.user]
    assert "rate_limited" in next(c for c in others if c.call_kind == "primary").prompt.user
    assert words in "".join(r.error for r in run.records if r.type == "model_error")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("looks good", "changes_requested"),
        (Reply(text=""), "not_reviewed"),
        (ModelError("down", code="network"), "not_reviewed"),
        (reply("done", progress={"status": "failed"}), "blocked"),
        (reply("done", decision="approved"), "approved"),
    ],
)
async def test_B16_only_an_explicit_verdict_approves(
    tmp_path: Path, text: object, state: str
) -> None:
    model = ScriptedModel({"router": plan(), "review": text})

    run = await prepared(tmp_path, model, review=True).execute()

    assert run.review.state == state
    assert state == "approved" or run.review.reason or run.review.required_changes


async def test_B17_tokens_are_booked_on_the_agent_that_spent_them(tmp_path: Path) -> None:
    def spent(total: int, text: str, pause: float) -> Reply:
        usage = TokenUsage(input=total, output=0, total=total)
        return Reply(text=text, usage=usage, delay_s=pause)

    cut = Reply(text="half", finish_reason=None)
    model = ScriptedModel(
        {
            "router": spent(1, plan(), 0),
            "librarian": spent(10, reply("a"), 0.03),
            "security": [cut, spent(100, reply("b"), 0.02)],
            "statistician": spent(1000, reply("c"), 0.01),
            "primary": spent(5, "answer", 0),
            "review": spent(7, reply("ok", decision="approved"), 0),
        }
    )

    run = await prepared(tmp_path, model, review=True).execute()

    rows = {agent.role: agent.usage for agent in run.view.agents}
    assert [rows[role].total_tokens for role in ROLES] == [10, 100, 1000]
    assert rows["security"].calls == 2
    assert run.usage.total_tokens == 1 + 10 + 100 + 1000 + 5 + 7
    assert run.usage.total_tokens == sum(usage.total_tokens for usage in rows.values())
    booked = sum(r.usage.total for r in run.records if isinstance(r, UsageRecorded))
    assert booked == run.usage.total_tokens


async def test_B18_each_worker_is_shown_as_finished_when_it_finishes(tmp_path: Path) -> None:
    seen: list[RunView] = []

    class Watcher:
        def on_view(self, view: RunView) -> None:
            seen.append(view)

        def on_text(self, context_id: str, offset: int, text: str) -> None:
            pass

    model = ScriptedModel(
        {
            "router": plan(),
            "librarian": Reply(text=reply("a"), delay_s=0.01),
            "security": Reply(text=reply("b"), delay_s=0.05),
            "statistician": Reply(text=reply("c"), delay_s=0.1),
        }
    )

    await prepared(tmp_path, model).execute(Watcher())

    assert seen[0].phase == "routing"
    at_work = [
        tuple(a.state for a in view.agents if a.role in ROLES)
        for view in seen
        if view.phase == "working"
    ]
    assert ("completed", "running", "running") in at_work
    assert ("completed", "completed", "running") in at_work


@pytest.mark.parametrize("kind", ["router", "worker", "primary", "review"])
async def test_B23_an_interrupt_in_any_phase_ends_the_run_at_once(
    tmp_path: Path, kind: str
) -> None:
    is_asked = asyncio.Event()

    def answer(call: ModelCall) -> Reply | str | None:
        if call.call_kind == kind:
            is_asked.set()
            return Reply(text="partial words", delay_s=60)
        return plan() if call.call_kind == "router" else None

    job = prepared(tmp_path, ScriptedModel(answer), review=True)
    task = asyncio.create_task(job.execute())
    await is_asked.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)

    saved = read_run(job.session_id, tmp_path / "home")
    assert saved.status == "cancelled"
    assert len([r for r in saved.records if isinstance(r, RunEnded | RunFailed)]) == 1
    assert not {"running", "waiting", "queued"} & {a.state for a in saved.view.agents}


@pytest.mark.parametrize("kind", ["router", "worker", "primary", "review"])
async def test_B23_text_that_had_arrived_when_a_run_was_stopped_is_kept(
    tmp_path: Path, kind: str
) -> None:
    has_text = asyncio.Event()

    class Watcher:
        def on_view(self, view: RunView) -> None:
            pass

        def on_text(self, context_id: str, offset: int, text: str) -> None:
            if "7 of many" in text:
                has_text.set()

    def answer(call: ModelCall) -> Reply | str | None:
        if call.call_kind == kind and call.role != "security":
            return Reply(text="", chunks=tuple(f"{n} of many " for n in range(200_000)))
        return plan() if call.call_kind == "router" else None

    job = prepared(tmp_path, ScriptedModel(answer), review=True)
    task = asyncio.create_task(job.execute(Watcher()))
    await has_text.wait()

    job.stop()
    run = await asyncio.wait_for(task, 5)

    for shown in (run, read_run(job.session_id, tmp_path / "home")):
        kept = {agent.kind: agent.partial for agent in shown.view.agents if agent.partial}
        assert kept[kind].startswith("0 of many 1 of many 2")
        assert shown.status == "cancelled"
    if kind == "primary":
        assert run.view.answer.state == "partial"
        assert run.answer.startswith("0 of many 1 of many 2")


async def test_B29_odd_characters_pass_through_a_run_and_its_session(tmp_path: Path) -> None:
    odd = "half \ud83d, \u2028 line, \u0085 next, \x00 nul"
    model = ScriptedModel(
        {
            "router": plan(),
            "librarian": Reply(text="", chunks=('{"summary": "smile \ud83d', '\ude00 end"}')),
            "primary": f"answer {odd}",
        }
    )

    run = await prepared(tmp_path, model, f"why did sales fall {odd}").execute()

    assert run.status == "completed"
    path = tmp_path / "home" / "sessions" / f"{run.session_id}.jsonl"
    lines = path.read_bytes().split(b"\n")
    assert lines[-1] == b""
    assert all(isinstance(json.loads(line), dict) for line in lines[:-1])
    assert problems(path) == []
    again = await prepared(
        tmp_path, ScriptedModel(), "and now?", continue_session=run.session_id
    ).execute()
    assert again.status == "completed"


async def test_B31_a_huge_answer_is_kept_whole_and_shown_cut(tmp_path: Path) -> None:
    pieces = tuple(f"word{number:05d} " * 10 for number in range(50_000))
    model = ScriptedModel({"router": plan(), "primary": Reply(text="", chunks=pieces)})

    run = await prepared(tmp_path, model, review=False).execute()

    assert run.status == "completed"
    saved = read_run(run.session_id, tmp_path / "home")
    replies = [r.text for r in saved.records if r.type == "model_reply"]
    assert max(map(len, replies)) == sum(map(len, pieces))
    assert len(json.dumps(run.view.to_wire())) < 2_000_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "prose instead of JSON",
        '```json\n{"summary": "fenced"}\n```',
        json.dumps({"summary": "wrong ids", "taskId": "x", "parentId": "y"}),
        "1" * 5000,
        '{"summary": ' + "1" * 5000 + "}",
        "[" * 200_000,
        '{"summary": "' + "\\ud83d" + '"}',
        '{"a": 1, "a": 2}',
    ],
    ids=[
        "empty",
        "blank",
        "prose",
        "fence",
        "ids",
        "digits",
        "integer",
        "nest",
        "surrogate",
        "dup",
    ],
)
async def test_no_reply_of_a_worker_breaks_a_run_or_loses_text(tmp_path: Path, text: str) -> None:
    model = ScriptedModel({"router": plan(), "librarian": text})

    run = await prepared(tmp_path, model).execute()

    assert run.status == "completed"
    result = run.workers["librarian"]
    assert result.task_id == run.packets["librarian"].task.id
    if text.strip():
        assert result.summary
        assert result.status == "completed"
    else:
        assert result.error == "empty_reply"
