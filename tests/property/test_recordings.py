"""A run that was recorded plays again as it was: the same card, and nobody is asked.

Generated: which workers there are, who needs whom, how each attempt of each call ends, who uses
tools, who is slow. Ids and times of the two runs differ.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from router_plan import router_plan

from braincode_jupyter.errors import ModelError
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import FixedClock, Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import Run

SUPPORT = ("librarian", "security", "statistician", "visualizer")
PRIMARY = "analyst"
ENDINGS = st.sampled_from(["ok", "prose", "odd", "tools", "length", "down", "broken", "empty"])
LOOK = (("list_files", {"path": "."}), ("read_file", {"path": "notes.md"}))
UUID_SHAPE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNSEEN = frozenset({"isCritical", "replayedCalls", "tokens", "share", "withheld"})
"""What depends on times, on the ids in a prompt, on being replayed, or on who had ended by then."""


@dataclass(frozen=True)
class Case:
    workers: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    endings: dict[str, list[str]]
    slow: str


@st.composite
def cases(draw: st.DrawFn) -> Case:
    workers = tuple(draw(st.permutations(SUPPORT))[: draw(st.integers(1, 4))])
    pairs = [(a, b) for i, a in enumerate(workers) for b in workers[i + 1 :]]
    asked = ("router", *workers, "primary", "review")
    return Case(
        workers=workers,
        edges=tuple(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else (),
        endings={name: draw(st.lists(ENDINGS, min_size=1, max_size=3)) for name in asked},
        slow=draw(st.sampled_from(workers)),
    )


def plan_of(case: Case) -> str:
    return router_plan(*case.workers, PRIMARY, edges=case.edges)


def good(case: Case, call: ModelCall) -> str:
    if call.call_kind == "router":
        return plan_of(case)
    decision = {"decision": "approved", "rationale": "ok"} if call.call_kind == "review" else {}
    # Models repeat the ids that they were handed; those of another run must not come back.
    found = UUID_SHAPE.findall(call.prompt.user)[-1:]
    return json.dumps({"taskId": found, "summary": f"{call.role} found {found}"} | decision)


def ended(ending: str, text: str, pause_s: float) -> Reply | Exception:
    replies: dict[str, Reply | Exception] = {
        "ok": Reply(text=text, delay_s=pause_s),
        "prose": Reply(text="just\n some words", delay_s=pause_s),
        "odd": Reply(text='\ud83d \u2028{"summary": "\x07`` \\n"}\r\n', cost_usd=0.25),
        "tools": Reply(text="look", tool_calls=LOOK, then=lambda _: text, delay_s=pause_s),
        "length": Reply(text=text, finish_reason="length", delay_s=pause_s),
        "down": ModelError("down", code="overloaded", status=529, hint="Wait."),
        "broken": Reply(text="the first part of what never came to its end", break_after=1),
        "empty": Reply(text=" "),
    }
    return replies[ending]


def script(case: Case) -> Callable[[ModelCall], Reply | Exception]:
    def answer(call: ModelCall) -> Reply | Exception:
        name = call.role if call.call_kind == "worker" else str(call.call_kind)
        endings = case.endings.get(name, ["ok"])  # a plan without the router may name others
        ending = endings[min(call.attempt, len(endings)) - 1]
        return ended(ending, good(case, call), 0.002 if call.role == case.slow else 0.0)

    return answer


def played(folder: Path, number: int, model: ScriptedModel, **more: object) -> Run:
    numbers = iter(range(number * 10, number * 10 + 9))
    prepared = prepare_run(
        "why did revenue fall in the north @notes.md",
        RunArguments(
            home=folder / "home",
            project_root=folder / "project",
            models=model,
            brain="notebook",
            review=True,
            max_workers=8,
            **more,
        ),
        Sources(),
        clock=FixedClock(1_700_000_000_000 * number),
        new_id=lambda: str(UUID(int=next(numbers), version=4)),
    )
    return asyncio.run(prepared.execute())


def shown(run: Run) -> object:
    """Return all that is drawn of a run, without its times and with numbers in place of ids."""
    numbers: dict[str, str] = {}

    def without_times(value: object) -> object:
        if isinstance(value, dict):
            return {
                key: without_times(one)
                for key, one in value.items()
                if not key.endswith("Ms") and key not in UNSEEN
            }
        return [without_times(one) for one in value] if isinstance(value, list) else value

    # The models stand in the order in which they answered, which is the slowest one's to say.
    view = run.view.model_copy(update={"recorded": "", "models": tuple(sorted(run.view.models))})
    text = json.dumps(without_times(view.to_wire()))
    numbered = UUID_SHAPE.sub(lambda m: numbers.setdefault(m[0], f"#{len(numbers)}"), text)
    return json.loads(numbered)


def project_in(folder: Path) -> None:
    (folder / "project").mkdir(exist_ok=True)
    (folder / "project" / "notes.md").write_text("the north lost its largest customer")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_a_recorded_run_plays_again_as_it_was(case: Case, tmp_path_factory: object) -> None:
    folder = tmp_path_factory.mktemp("run")
    project_in(folder)
    recorded = played(folder, 1, ScriptedModel(script(case)), record=True)
    nobody = ScriptedModel()

    again = played(folder, 2, nobody, replay="only")

    assert nobody.calls == []
    assert again.session_id != recorded.session_id
    assert recorded.session_id not in json.dumps(again.view.to_wire())
    assert shown(again) == shown(recorded)
    assert again.usage.replayed_calls == again.usage.calls == len(again.calls)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(), slow=st.sampled_from(SUPPORT))
def test_recording_the_same_again_changes_no_line(
    case: Case, slow: str, tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("run")
    project_in(folder)
    files: list[list[str]] = []

    for number, who in enumerate((case.slow, slow), start=1):
        model = ScriptedModel(script(replace(case, slow=who)))
        played(folder, number, model, record=True)
        text = (folder / "project" / "recording.braincode.json").read_text("utf-8")
        # The scripted model's count of tokens depends on the ids in a prompt.
        files.append([line for line in text.splitlines() if '"usage": ' not in line])

    assert files[0] == files[1]
