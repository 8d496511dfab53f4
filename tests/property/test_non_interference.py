"""Two runs that differ only in what one worker keeps for itself send the others the same bytes.

Fixed: ids, clock, replies. Generated: which workers there are, who needs whom, who differs, how
the private texts differ, who fails, who is slow.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from router_plan import router_plan

from braincode_jupyter.errors import ModelError
from braincode_jupyter.runtime import RunArguments, Sources, prepare_retry, prepare_run
from braincode_jupyter.testing import FixedClock, Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall, ModelReply
    from braincode_jupyter.runtime import PreparedRun, Run
    from braincode_jupyter.views.run_view import RunView

SUPPORT = ("librarian", "security", "statistician", "visualizer", "oracle", "qa")
PRIMARY = "analyst"
# Prose around the JSON of a reply is private: normalisation drops it.
PRIVATE = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="{}`"), max_size=80)


@dataclass(frozen=True)
class Case:
    workers: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    differing: str
    privates: tuple[str, str]
    failing: frozenset[str]
    slow: str


@st.composite
def cases(draw: st.DrawFn) -> Case:
    workers = tuple(draw(st.permutations(SUPPORT))[: draw(st.integers(1, 4))])
    pairs = [(a, b) for i, a in enumerate(workers) for b in workers[i + 1 :]]
    edges = tuple(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else ()
    differing = draw(st.sampled_from(workers))
    others = [w for w in workers if w != differing]
    failing = draw(st.sets(st.sampled_from(others), max_size=1)) if others else set()
    return Case(
        workers=workers,
        edges=edges,
        differing=differing,
        privates=draw(st.tuples(PRIVATE, PRIVATE)),
        failing=frozenset(failing),
        slow=draw(st.sampled_from(workers)),
    )


def plan_of(case: Case) -> str:
    return router_plan(*case.workers, PRIMARY, edges=case.edges)


def play(case: Case, private: str, folder: Path, *, slow: str = "") -> Run:
    def answer(call: ModelCall) -> Reply | str | Exception:
        match call.call_kind:
            case "router":
                return plan_of(case)
            case "primary":
                return "the answer"
            case "review":
                return json.dumps({"decision": "approved", "summary": "ok", "rationale": "ok"})
            case "worker":
                if call.role in case.failing:
                    return ModelError(f"failed: {private}", code="provider_error")
                own = private if call.role == case.differing else "same"
                result = json.dumps({"summary": f"result of {call.role}"})
                pause = 0.002 if call.role == slow else 0.0
                return Reply(text=f"{own}\n{result}\n{own}", delay_s=pause)

    return asyncio.run(prepared_run(ScriptedModel(answer), folder).execute())


def prepared_run(model: ScriptedModel, folder: Path) -> PreparedRun:
    numbers = count(1)
    return prepare_run(
        "why did revenue fall in the north",
        RunArguments(
            home=folder / "home",
            project_root=folder,
            models=model,
            brain="notebook",
            review=True,
            max_workers=8,
        ),
        Sources(),
        clock=FixedClock(),
        new_id=lambda: f"{next(numbers):032x}",
    )


class Retrier(ScriptedModel):
    """Has its librarian run again once; security goes on when that is over."""

    def __init__(self, script: Callable[[ModelCall], Reply | str]) -> None:
        super().__init__(script)
        self.prepared: PreparedRun | None = None
        self._is_asked = False
        self._is_over = asyncio.Event()

    async def complete(self, call: ModelCall, *rest: object) -> ModelReply:
        if call.role == "security":
            await asyncio.wait_for(self._is_over.wait(), 20)
        return await super().complete(call, *rest)

    def on_view(self, view: RunView) -> None:
        librarian = next((one for one in view.agents if one.role == "librarian"), None)
        if librarian is None or self.prepared is None:
            return
        if librarian.can_retry and not self._is_asked:
            self._is_asked = True
            self.prepared.retry_soon(librarian.context_id)
        elif librarian.state == "completed":
            self._is_over.set()

    def on_text(self, context_id: str, offset: int, text: str) -> None:
        pass


def play_twice(private: str, folder: Path) -> Run:
    """Play a run whose librarian first writes words of its own, and is then run again."""
    roles = ("librarian", "security", "statistician")
    case = Case(roles, (("librarian", "statistician"),), "", ("", ""), frozenset(), "")

    def answer(call: ModelCall) -> Reply | str:
        match call.role:
            case "routeBrain":
                return plan_of(case)
            case "librarian":
                broken = Reply(text=f"only words. {private}", finish_reason=None)
                return '{"summary": "a map"}' if call.retry else broken
            case "security":
                return '{"summary": "safe"}'
            case "statistician":
                return '{"summary": "a test"}'
            case "review":
                return json.dumps({"decision": "approved", "summary": "ok", "rationale": "ok"})
            case _:
                return "the answer"

    retrier = Retrier(answer)
    retrier.prepared = prepared_run(retrier, folder)
    return asyncio.run(retrier.prepared.execute(retrier))


def play_after_the_end(private: str, folder: Path) -> Run:
    """Play a run whose librarian fails, then one that goes on from it for the librarian."""
    roles = ("librarian", "security", "statistician")
    case = Case(roles, (("librarian", "statistician"),), "", ("", ""), frozenset(), "")

    def answer(call: ModelCall) -> Reply | str:
        match call.role:
            case "routeBrain":
                return plan_of(case)
            case "librarian":
                broken = Reply(text=f"only words. {private}", finish_reason=None)
                return '{"summary": "a map"}' if call.retry else broken
            case "security":
                return f'{private} {{"summary": "safe"}}'
            case "statistician":
                return '{"summary": "a test"}'
            case "review":
                return json.dumps({"decision": "approved", "summary": "ok", "rationale": "ok"})
            case _:
                return "the answer" if call.retry else f"the answer {private}"

    model = ScriptedModel(answer)
    first = asyncio.run(prepared_run(model, folder).execute())
    again = prepare_retry(
        first.session_id,
        "librarian",
        arguments=RunArguments(home=folder / "home", project_root=folder, models=model),
        sources=Sources(),
        clock=FixedClock(),
        new_id=lambda: f"{99:032x}",
    )
    return asyncio.run(again.execute())


def prompts(run: Run) -> dict[str, tuple[str, str]]:
    return {
        f"{c.call_kind}:{c.role}:{c.attempt}:{c.retry}": (c.prompt.system, c.prompt.user)
        for c in run.calls
    }


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_B15_R4_private_text_of_a_worker_changes_no_byte_elsewhere(
    case: Case, tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("run")

    first = play(case, case.privates[0], folder / "a")
    second = play(case, case.privates[1], folder / "b")

    assert first.status == second.status == "completed"
    assert prompts(first) == prompts(second)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_the_order_in_which_workers_finish_changes_no_byte(
    case: Case, tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("run")

    steady = play(case, "private", folder / "a")
    shuffled = play(case, "private", folder / "b", slow=case.slow)

    assert prompts(steady) == prompts(shuffled)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(privates=st.tuples(PRIVATE, PRIVATE))
def test_B15_what_a_worker_wrote_before_it_was_run_again_reaches_nobody(
    privates: tuple[str, str], tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("run")

    first = play_twice(privates[0], folder / "a")
    second = play_twice(privates[1], folder / "b")

    assert first.status == second.status == "completed"
    assert prompts(first) == prompts(second)
    assert {"worker:librarian:1:0", "worker:librarian:1:1"} <= prompts(first).keys()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(privates=st.tuples(PRIVATE, PRIVATE))
def test_B15_private_text_of_an_earlier_run_changes_no_byte_of_one_that_goes_on(
    privates: tuple[str, str], tmp_path_factory: object
) -> None:
    folder = tmp_path_factory.mktemp("run")

    first = play_after_the_end(privates[0], folder / "a")
    second = play_after_the_end(privates[1], folder / "b")

    assert first.status == second.status == "completed"
    assert prompts(first).keys() == {
        "worker:librarian:1:1",
        "worker:statistician:1:0",
        "primary:analyst:1:0",
        "review:review:1:0",
    }
    answered = {"review:review:1:0"}  # the reviewer sees the answer, which differs
    for key in prompts(first).keys() - answered:
        assert prompts(first)[key] == prompts(second)[key]
