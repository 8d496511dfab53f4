from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell

import braincode_jupyter
from braincode_jupyter.errors import BraincodeError, ModelError, UnknownNameError, UsageError
from braincode_jupyter.notebook import use_models
from braincode_jupyter.notebook.state import NOTEBOOK
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import Run


class HeldModel(ScriptedModel):
    """Its librarian fails at first; its security worker waits until it is let go."""

    def __init__(self) -> None:
        super().__init__(self._said)
        self.let_go = threading.Event()
        self.has_failed = threading.Event()

    def _said(self, call: ModelCall) -> object:
        if call.role != "librarian":
            return None
        return (
            json.dumps({"summary": "a map"}) if call.retry else ModelError("down", code="network")
        )

    async def complete(self, call: ModelCall, *rest: object) -> object:
        if call.role == "security":
            await asyncio.to_thread(self.let_go.wait, 20)
        return await super().complete(call, *rest)


@pytest.fixture
def model(own_home: Path) -> Iterator[HeldModel]:
    model = HeldModel()
    use_models(model)
    yield model
    model.let_go.set()
    use_models(None)


class Background:
    """A run on a thread of its own, with the librarian failed and security at work."""

    def __init__(self) -> None:
        self.result: Run | None = None
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        self.result = braincode_jupyter.run(
            "why did sales fall", roles=("analyst", "librarian", "security"), review=False
        )

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def wait_for_failure(self) -> str:
        """Return the session id once the librarian has failed."""
        tick = threading.Event()
        for _ in range(400):
            for session_id, run in NOTEBOOK.active.items():
                if any(agent.can_retry for agent in run.view.agents):
                    return session_id
            tick.wait(0.05)
        pytest.fail("the librarian did not fail")

    def __exit__(self, *_: object) -> None:
        self._thread.join(20)


@pytest.mark.parametrize("form", ["librarian", "{id} librarian", "@@{id} librarian"])
def test_the_line_magic_runs_a_worker_again(
    model: HeldModel, line: Callable[[str], str], form: str
) -> None:
    with Background() as run:
        session_id = run.wait_for_failure()

        printed = line(f"retry {form.format(id=session_id[:8])}")
        model.let_go.set()

    assert f"Running librarian again in session {session_id}" in printed
    assert run.result.status == "completed"
    assert run.result.workers["librarian"].summary == "a map"


def test_the_line_magic_says_why_a_worker_is_not_run_again(
    model: HeldModel, line: Callable[[str], str]
) -> None:
    said: list[BraincodeError] = []
    with Background() as run:
        run.wait_for_failure()

        for rest in ("security", "nobody", "nosuchsession librarian"):
            with pytest.raises(BraincodeError) as error:
                line(f"retry {rest}")
            said.append(error.value)
        model.let_go.set()

    assert "not come to an end" in said[0].message
    assert [type(error) for error in said[1:]] == [UnknownNameError, UsageError]


@pytest.mark.parametrize("rest", ["", "one two three"])
def test_a_line_that_names_no_worker_says_how_to(line: Callable[[str], str], rest: str) -> None:
    with pytest.raises(UsageError) as error:
        line(f"retry {rest}")

    assert "%braincode retry and a worker" in error.value.hint


def test_after_the_run_the_line_magic_goes_on_from_it(
    model: HeldModel, line: Callable[[str], str]
) -> None:
    model.let_go.set()
    first = braincode_jupyter.run(
        "why did sales fall", roles=("analyst", "librarian", "security"), review=False
    )
    asked = len(model.calls)

    printed = line(f"retry {first.session_id[:8]} librarian")

    run = InteractiveShell.instance().user_ns["_braincode"]
    assert run.session_id == first.session_id
    assert run.workers["librarian"].summary == "a map"
    assert [call.role for call in model.calls[asked:]] == ["librarian", "analyst"]
    assert "completed" in printed


def test_without_an_id_the_newest_session_is_meant(
    model: HeldModel, line: Callable[[str], str]
) -> None:
    model.let_go.set()
    first = braincode_jupyter.run("why", roles=("analyst", "librarian"), review=False)

    line("retry librarian")

    run = InteractiveShell.instance().user_ns["_braincode"]
    assert run.session_id == first.session_id
    assert run.run_id != first.run_id


def test_a_run_in_hand_goes_on_with_await(model: HeldModel) -> None:
    model.let_go.set()
    first = braincode_jupyter.run("why", roles=("analyst", "librarian"), review=False)

    run = asyncio.run(first.retry("librarian"))

    assert run.workers["librarian"].summary == "a map"
    with pytest.raises(UsageError, match="session file"):
        asyncio.run(braincode_jupyter.read_session("last").retry("librarian"))
