"""`%%braincode` in a real kernel: interrupt, stop, kill, restart, and what is displayed."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from kernel_process import RUN_MIME, SETUP, WAIT_S, Kernel, end_records

from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WIDGET_MIME = "application/vnd.jupyter.widget-view+json"

# A model that takes no notice of being cancelled.
DEAF = """
import asyncio
class Deaf(ScriptedModel):
    async def complete(self, call, on_text, tools=None):
        while call.call_kind == "primary":
            try:
                await asyncio.sleep(30)
                break
            except asyncio.CancelledError:
                pass
        return await super().complete(call, on_text, tools)
use_models(Deaf())
"""
WHY = "Compare the sales of all regions and explain why they fell in the third quarter"
ASK = f"%%braincode --roles librarian,analyst --review\n{WHY}"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    made = Kernel(tmp_path_factory.mktemp("kernel-home"))
    yield made
    made.close()


def test_a_run_without_a_page_ends_as_the_static_bundle(kernel: Kernel) -> None:
    outcome = kernel.run(ASK)

    assert outcome.error == "", outcome.text
    assert [sorted(data) for data in outcome.outputs] == [[RUN_MIME, "text/html", "text/plain"]]
    assert outcome.outputs[0][RUN_MIME]["state"] == "completed"
    assert kernel.value("_braincode.status") == "completed"


def test_a_run_on_a_page_is_a_widget_that_ends_as_the_static_bundle(kernel: Kernel) -> None:
    msg_id = kernel.send(ASK, cell_id="cell-1")
    outcome = kernel.collect(msg_id)

    assert outcome.error == "", outcome.text
    assert [sorted(data) for data in outcome.outputs] == [[RUN_MIME, "text/html", "text/plain"]]


def test_B01_the_request_is_recorded_as_it_was_typed(kernel: Kernel) -> None:
    typed = (
        'Explain {"a": {"b": 1}} f"{x:>10}" \\frac{1}{2} {undefined} {{x}} $name $$ ${HOME}\n?? '
    )
    kernel.run("x = 7; name = 'secret'; undefined_ = 1")

    outcome = kernel.run(f"%%braincode --heuristic --no-review\n{typed}")

    assert outcome.error == "", outcome.text
    session_id = kernel.value("_braincode.session_id")
    text = (kernel.home / "sessions" / f"{session_id}.jsonl").read_text(encoding="utf-8")
    assert json.loads(text.splitlines()[0])["prompt"] == typed
    assert "secret" not in text


@pytest.mark.parametrize("phase", ["router", "worker", "primary", "review"])
@pytest.mark.parametrize("cell_id", [None, "cell-2"])
def test_B23_interrupt_ends_a_run_in_each_phase(
    kernel: Kernel, phase: str, cell_id: str | None
) -> None:
    kernel.run(f"slow = {phase!r}")
    roles = "" if phase == "router" else "--roles librarian,analyst"
    msg_id = kernel.send(f"%%braincode {roles} --review\n{WHY}", cell_id=cell_id)
    session_id = kernel.wait_for_call(phase)

    started = time.monotonic()
    kernel.manager.interrupt_kernel()
    outcome = kernel.collect(msg_id)
    took_s = time.monotonic() - started

    assert outcome.error == "RunCancelledError", outcome.text
    assert len(outcome.text.splitlines()) <= 2
    assert took_s < 5
    assert outcome.outputs[-1][RUN_MIME]["state"] == "cancelled"
    assert end_records(kernel.home, session_id) == ["run_cancelled", "run_error"]
    assert kernel.value("_braincode.status") == "cancelled"


def test_the_kernel_runs_again_after_an_interrupt(kernel: Kernel) -> None:
    kernel.run("slow = None")

    assert kernel.run(ASK).error == ""


@pytest.mark.parametrize(
    "around",
    ["%%time\n{}", "%%capture\n{}", "get_ipython().run_cell_magic('braincode', '', 'why?')"],
)
def test_a_run_inside_another_cell_magic_or_call_blocks_and_ends(
    kernel: Kernel, around: str
) -> None:
    outcome = kernel.run("del _braincode\n" if around.startswith("get") else "_braincode = None")
    outcome = kernel.run(around.format(ASK))

    assert outcome.error == "", outcome.text
    assert kernel.value("_braincode.status") == "completed"


def test_without_autoawait_a_run_blocks_and_can_be_interrupted(kernel: Kernel) -> None:
    kernel.run("%autoawait False")
    kernel.run("slow = 'primary'")
    msg_id = kernel.send(ASK)
    kernel.wait_for_call("primary")

    kernel.manager.interrupt_kernel()
    outcome = kernel.collect(msg_id)

    assert outcome.error == "RunCancelledError", outcome.text
    kernel.run("%autoawait True")
    kernel.run("slow = None")


def test_B23_a_second_interrupt_ends_at_once(kernel: Kernel) -> None:
    kernel.run(DEAF)
    msg_id = kernel.send(ASK, cell_id="deaf")
    kernel.wait_for_call("primary")

    kernel.manager.interrupt_kernel()
    time.sleep(1.0)  # the first one must have been seen; nothing tells of it
    started = time.monotonic()
    kernel.manager.interrupt_kernel()
    outcome = kernel.collect(msg_id)

    assert outcome.error == "RunCancelledError"
    assert "did not end in time" in outcome.text
    assert time.monotonic() - started < 2
    assert outcome.outputs[-1][RUN_MIME]["state"] == "cancelled"
    kernel.run(SETUP.replace("%load_ext", "%reload_ext"))


def test_B06_background_returns_at_once_and_its_card_ends_by_itself(kernel: Kernel) -> None:
    kernel.run("slow = 'primary'")
    msg_id = kernel.send("%%braincode --background --roles analyst,librarian\nx", cell_id="c")
    outcome = kernel.collect(msg_id)
    session_id = kernel.wait_for_call("primary")

    assert outcome.error == ""
    assert WIDGET_MIME in outcome.outputs[0]

    stopped = kernel.run(f"%braincode stop {session_id[:8]}")
    assert stopped.text.strip() == f"Stopping {session_id}"
    update = kernel.wait_for_update()
    assert update[RUN_MIME]["state"] == "cancelled"
    assert WIDGET_MIME not in update


def test_B06_the_cell_after_a_background_run_that_no_page_told_of_says_that_it_ended(
    kernel: Kernel,
) -> None:
    kernel.run("slow = None")
    kernel.run("%%braincode --background --roles analyst,librarian\nWhy?", cell_id="c")
    while kernel.wait_for_update()[RUN_MIME]["state"] != "completed":
        pass

    first, second = kernel.run("1 + 1"), kernel.run("2 + 2")

    assert "braincode: completed in the background: Why?" in first.text
    assert second.text == ""


def test_B28_a_session_that_is_being_written_is_refused_and_its_run_stays_in_reach(
    kernel: Kernel,
) -> None:
    kernel.run("slow = 'primary'")
    kernel.run("%%braincode --background --roles analyst,librarian\nx", cell_id="c")
    session_id = kernel.wait_for_call("primary")
    other = Kernel(kernel.home.parent)
    try:
        outcomes = [at.run(f"%%braincode --continue {session_id}\nmore") for at in (kernel, other)]
        shown = other.run(f"%braincode show {session_id}")
    finally:
        other.close()
    stopped = kernel.run("%braincode stop")
    kernel.run("slow = None")

    for outcome in outcomes:
        assert outcome.error == "SessionInUseError", outcome.text
        assert "new session that refers to this one with @@" in outcome.text
        assert outcome.outputs[-1][RUN_MIME]["state"] == "failed"
        assert "in use" in outcome.outputs[-1][RUN_MIME]["error"]
    assert shown.outputs[0][RUN_MIME]["state"] == "running"
    assert session_id in stopped.text


def test_background_without_a_page_waits(kernel: Kernel) -> None:
    kernel.run("slow = None")

    outcome = kernel.run("%%braincode --background\nwhy?")

    assert outcome.error == ""
    assert outcome.outputs[0][RUN_MIME]["state"] == "completed"


def test_B04_a_failed_run_fails_its_cell_in_one_line_with_a_hint(kernel: Kernel) -> None:
    outcome = kernel.run("%%braincode --brain nope\nwhy?")

    assert outcome.error == "UnknownNameError"
    assert outcome.text.startswith("braincode: No ")
    assert len(outcome.text.splitlines()) == 2


def test_an_interrupt_ends_a_waiting_line_magic(kernel: Kernel) -> None:
    kernel.run("slow = 'router'")
    msg_id = kernel.send(f"%braincode plan {WHY}?")
    time.sleep(1.0)  # a dry run writes no journal that would tell of its call

    kernel.manager.interrupt_kernel()
    outcome = kernel.collect(msg_id)

    assert outcome.error == "RunCancelledError", outcome.text
    kernel.run("slow = None")


def test_B24_python_api_works_on_a_running_loop(kernel: Kernel) -> None:
    outcome = kernel.run(
        "import asyncio, braincode_jupyter\n"
        "ticks = 0\n"
        "async def tick():\n"
        "    global ticks\n"
        "    while True:\n"
        "        ticks += 1\n"
        "        await asyncio.sleep(0.001)\n"
        "task = asyncio.ensure_future(tick())\n"
        "run = await braincode_jupyter.run_async('why?', as_='mine')\n"
        "task.cancel()\n"
        "print(run.status, mine is run, ticks > 1)\n"
        "print(braincode_jupyter.run('why?').status)"
    )

    assert outcome.text.split() == ["completed", "True", "True", "completed"]


def test_R54_loading_starts_no_process_opens_no_connection_and_makes_no_file(
    tmp_path: Path,
) -> None:
    made = Kernel(tmp_path, setup="import sys, time, psutil\nme = psutil.Process()")
    try:
        state = "len(me.children()), len(me.net_connections())"
        before = made.value(state)
        made.run("%load_ext braincode_jupyter")
        # The rest is imported between cells, so it is waited for in many.
        while made.value("'braincode_jupyter.models.agents' in sys.modules") != "True":
            time.sleep(0.1)

        assert made.value(state) == before
        assert not made.home.exists()
    finally:
        made.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("phase", ["router", "worker", "review"])
def test_a_kernel_killed_in_any_phase_leaves_a_session_to_go_on_in(
    tmp_path: Path, phase: str
) -> None:
    made = Kernel(tmp_path)
    try:
        made.run(f"slow = {phase!r}")
        roles = "" if phase == "router" else "--roles librarian,analyst"
        made.send(f"%%braincode {roles} --review\n{WHY}")
        session_id = made.wait_for_call(phase)

        made.kill()

        assert read_run(session_id, made.home).status == "interrupted"
        again = RunArguments(
            home=made.home, models=ScriptedModel(), heuristic=True, continue_session=session_id
        )
        run = asyncio.run(prepare_run("and now?", again, Sources()).execute())
        assert run.status == "completed"
        assert run.session_id == session_id
        assert read_run(session_id, made.home).status == "completed"
    finally:
        made.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_kernel_leaves_a_session_that_reads_as_interrupted(tmp_path: Path) -> None:
    made = Kernel(tmp_path)
    try:
        made.run("slow = 'primary'")
        made.send(ASK, cell_id=uuid4().hex)
        session_id = made.wait_for_call("primary")

        made.kill()
        run = read_run(session_id, made.home)

        assert run.status == "interrupted"
        assert [result.status for result in run.workers.values()] == ["completed"]

        made.manager.restart_kernel(now=True)
        made.client.wait_for_ready(timeout=WAIT_S)
        shown = made.run("%load_ext braincode_jupyter\n%braincode show")
        assert shown.outputs[0][RUN_MIME]["state"] == "interrupted"
    finally:
        made.close()


def test_a_kernel_that_is_shut_down_ends_its_runs(tmp_path: Path) -> None:
    made = Kernel(tmp_path)
    try:
        made.run("slow = 'primary'")
        made.send("%%braincode --background --roles analyst,librarian\nx", cell_id="c")
        session_id = made.wait_for_call("primary")

        made.manager.shutdown_kernel(now=False)

        assert end_records(made.home, session_id)[0] == "run_cancelled"
    finally:
        made.close()
