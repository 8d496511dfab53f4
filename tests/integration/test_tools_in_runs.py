"""Runs whose agents use tools: the script asks, everything below is real."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from namespace import Namespace
from person import Person

from braincode_jupyter.protocol.outside_records import ToolApprovalDecided, ToolExecuted
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run

SALES = pd.DataFrame({"region": ["n", "s"] * 50, "revenue": range(100)})
SQL = ("query_data", {"sql": "select region, avg(revenue) m from sales group by 1 order by 1"})
CODE = ("run_python", {"code": "print(sales.groupby('region').revenue.mean().to_dict())"})


def plan(worker: str = "analyst", primary: str = "statistician") -> str:
    roles = (worker, primary)
    return json.dumps(
        {
            "role": primary,
            "workers": [{"role": r, "goal": f"goal of {r}", "reason": "r"} for r in roles],
            "todos": [{"id": r.lower(), "title": r, "role": r} for r in roles],
        }
    )


def told(returns: Sequence[ToolReturn]) -> str:
    return json.dumps({"summary": " ## ".join(r.text for r in returns)})


def uses(*calls: tuple[str, dict[str, object]]) -> Reply:
    return Reply(text="unused", tool_calls=calls, then=told)


async def run(tmp_path: Path, script: dict[str, object], **more: object) -> Run:
    (tmp_path / "project").mkdir(exist_ok=True)
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path / "project",
        models=ScriptedModel({"router": plan(), **script}),
        review=False,
        **more,
    )
    sources = Sources(variables=Namespace(sales=SALES, secret_frame=SALES))
    return await prepare_run("mean of @var:sales by region", arguments, sources).execute()


async def test_sql_and_a_scratch_kernel_give_what_pandas_gives(tmp_path: Path) -> None:
    result = await run(tmp_path, {"analyst": uses(SQL, CODE)}, allow_compute=True)

    means = SALES.groupby("region").revenue.mean()
    summary = result.workers["analyst"].summary
    assert result.status == "completed"
    assert f"n | {means['n']:g}" in summary.split("##")[0]
    assert str(means.to_dict()) in summary


async def test_code_that_nobody_allowed_is_denied_and_the_worker_goes_on(tmp_path: Path) -> None:
    result = await run(tmp_path, {"analyst": uses(CODE)})

    assert "denied" in result.workers["analyst"].summary
    decided = [r for r in result.records if isinstance(r, ToolApprovalDecided)]
    assert [r.decision for r in decided] == ["blocked"]


async def test_a_person_approves_once_and_the_decision_comes_before_the_action(
    tmp_path: Path,
) -> None:
    person = Person("approve")

    result = await run(tmp_path, {"analyst": uses(CODE)}, approver=person)

    assert "'n': 49.0" in result.workers["analyst"].summary
    assert person.asked[0].shown.strip().endswith(CODE[1]["code"])
    kinds = [r.type for r in result.records]
    asked, decided = kinds.index("approval_request"), kinds.index("tool_approval_decision")
    started = next(
        n
        for n, r in enumerate(result.records)
        if isinstance(r, ToolExecuted) and r.tool_name == "run_python"
    )
    assert asked < decided < started


async def test_a_denied_call_is_not_asked_again(tmp_path: Path) -> None:
    person = Person("deny")

    result = await run(tmp_path, {"analyst": uses(CODE, CODE)}, approver=person)

    assert len(person.asked) == 1
    assert result.status == "completed"


async def test_same_again_covers_identical_calls_alone(tmp_path: Path) -> None:
    person = Person("approve_same", "deny")
    other = ("run_python", {"code": "print(1)"})

    await run(tmp_path, {"analyst": uses(CODE, CODE, other)}, approver=person)

    assert [a.shown.strip().splitlines()[-1] for a in person.asked] == [
        CODE[1]["code"],
        "print(1)",
    ]


async def test_what_was_not_referenced_cannot_be_looked_at(tmp_path: Path) -> None:
    result = await run(
        tmp_path,
        {
            "analyst": uses(
                ("describe_variable", {"name": "secret_frame"}),
                ("query_data", {"sql": "select * from secret_frame"}),
                ("list_variables", {}),
            )
        },
    )

    described, queried, listed = result.workers["analyst"].summary.split(" ## ")
    assert "100" not in described
    assert "secret_frame" not in listed
    executed = [r for r in result.records if isinstance(r, ToolExecuted) and r.event == "end"]
    assert [r.is_error for r in executed] == [True, True, False]
    assert queried


async def test_a_tool_that_was_not_granted_is_refused_and_named(tmp_path: Path) -> None:
    calls = (("exec_command", {"cmd": "echo hi"}), ("dispatch_specialist", {"role": "oracle"}))

    result = await run(tmp_path, {"analyst": uses(*calls)}, yes=True)

    assert result.workers["analyst"].summary.count("There is no tool") == 2


async def test_the_primary_calls_specialists_within_bounds(tmp_path: Path) -> None:
    asks = tuple(
        ("dispatch_specialist", {"role": "oracle", "goal": f"think {how}", "reason": "unsure"})
        for how in ("hard", "harder", "hardest")
    )
    nested = uses(asks[0])
    reply = Reply(text="x", tool_calls=asks, then=lambda r: "\n".join(one.text for one in r))

    result = await run(tmp_path, {"statistician": reply, "oracle": nested})

    assert result.status == "completed"
    assert "All 2 specialists" in result.answer
    dispatched = [r for r in result.records if r.type == "dynamic_dispatch"]
    assert [r.phase for r in dispatched] == ["request", "result"] * 2
    assert [role for role in result.workers if role.startswith("oracle")] == ["oracle", "oracle-2"]
    assert "There is no tool" in result.workers["oracle"].summary
    again = read_run(result.session_id, tmp_path / "home")
    assert again.view == result.view


async def test_a_repeated_read_is_answered_once_and_then_refused(tmp_path: Path) -> None:
    result = await run(tmp_path, {"analyst": uses(SQL, SQL, SQL, SQL, SQL)})

    starts = [
        r
        for r in result.records
        if isinstance(r, ToolExecuted) and r.event == "start" and r.tool_name == "query_data"
    ]
    assert len(starts) == 1
    assert "You asked this several times" in result.workers["analyst"].summary


async def test_what_a_tool_gave_reaches_nobody_but_the_agent_that_asked(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text("canary-4711", encoding="utf-8")
    look = Reply(
        text="x",
        tool_calls=(("read_file", {"path": "notes.txt"}),),
        then=lambda r: json.dumps({"summary": "looked" if "canary-4711" in r[0].text else "no"}),
    )
    model = ScriptedModel({"router": plan("librarian"), "librarian": look})
    arguments = RunArguments(
        home=tmp_path / "home", project_root=tmp_path / "project", models=model, review=True
    )

    result = await prepare_run("what is in the notes of sales", arguments, Sources()).execute()

    assert result.workers["librarian"].summary == "looked"
    assert all("canary-4711" not in c.prompt.user for c in model.calls)
    session = (tmp_path / "home" / "sessions" / f"{result.session_id}.jsonl").read_text("utf-8")
    assert "canary-4711" not in session


@pytest.mark.parametrize("flag", ["allow_edits", "yes"])
async def test_a_support_worker_never_gets_edits_or_commands(tmp_path: Path, flag: str) -> None:
    call = ("edit_file", {"path": "a.txt", "content": "x"})
    script = {"router": plan("librarian"), "librarian": uses(call)}

    result = await run(tmp_path, script, **{flag: True})

    assert "There is no tool" in result.workers["librarian"].summary
    assert not (tmp_path / "project" / "a.txt").exists()


async def test_what_looks_like_a_key_in_a_tool_result_is_masked(tmp_path: Path) -> None:
    key = "sk-" + "a1b2c3d4" * 5
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text(f"key = {key}", encoding="utf-8")
    script = {"router": plan("librarian"), "librarian": uses(("read_file", {"path": "notes.txt"}))}

    result = await run(tmp_path, script)

    assert key not in result.workers["librarian"].summary
    # The known keys are taken out first; a shape that nobody registered is masked.
    assert re.search(r"\[(secret|masked)", result.workers["librarian"].summary)
