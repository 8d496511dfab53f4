"""What a page is sent while a run goes on, counted at the real widget."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from braincode_jupyter.errors import ModelError
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel
from braincode_jupyter.views import to_html, to_text
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.widget import RunWidget
from braincode_jupyter.widget.assets import STATIC

if TYPE_CHECKING:
    from pathlib import Path

    from braincode_jupyter.protocol.sections import ModelCall
    from braincode_jupyter.runtime import PreparedRun, Run
    from braincode_jupyter.views.run_view import RunView

pytestmark = pytest.mark.skipif(
    not (STATIC / "run-widget.js").is_file(), reason="front end not built"
)
ROLES = ("librarian", "security", "statistician", "visualizer", "oracle", "qa")
MESSAGES_A_SECOND = 20
UPDATES_A_SECOND = 10


class CountedWidget(RunWidget):
    """A card on a page that takes everything and never says a word."""

    def note_on(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.sent: list[tuple[float, dict[str, object]]] = []

    def send_message(self, message: dict[str, object]) -> None:
        self.sent.append((self.loop.time(), message))


def prepared_run(tmp_path: Path, script: object) -> PreparedRun:
    return prepare_run(
        "why did sales fall",
        RunArguments(
            home=tmp_path / "home",
            project_root=tmp_path,
            models=ScriptedModel(script, chunk_chars=1),
            roles=("analyst", *ROLES),
            review=False,
        ),
        Sources(),
    )


async def on_a_page(prepared: PreparedRun) -> tuple[Run, CountedWidget]:
    loop = asyncio.get_running_loop()
    widget = CountedWidget(prepared.view, plain=to_text, html=to_html)
    widget.note_on(loop)
    observer = widget.make_observer(loop)
    run = await prepared.execute(observer)
    observer.close()
    return run, widget


def busiest(times: list[float]) -> int:
    """Return the most of them within any one second."""
    return max((sum(0 <= other - time < 1 for other in times) for time in times), default=0)


def chatty(call: ModelCall) -> Reply | str:
    if call.call_kind != "worker":
        return "The answer. " * 200
    result = json.dumps({"summary": f"result of {call.role} " * 40})
    return Reply(text=result, delay_s=0.15 * ROLES.index(call.role))


async def test_B10_a_run_sends_few_messages_and_none_when_idle(tmp_path: Path) -> None:
    run, widget = await on_a_page(prepared_run(tmp_path, chatty))

    deltas = [time for time, message in widget.sent if message["kind"] == "delta"]
    assert run.status == "completed"
    assert 0 < busiest(deltas) <= UPDATES_A_SECOND + 1  # both ends of a second, and the last one
    assert busiest([time for time, _ in widget.sent]) <= MESSAGES_A_SECOND
    before = len(widget.sent)
    await asyncio.sleep(0.3)
    assert len(widget.sent) == before


async def test_a_page_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    run, widget = await on_a_page(prepared_run(tmp_path, chatty))

    assert widget.is_reached is False
    assert run.status == "completed"
    assert widget.view == run.view.to_wire()


async def test_B12_the_card_shows_the_siblings_of_a_failed_worker(tmp_path: Path) -> None:
    def answer(call: ModelCall) -> Reply | str | Exception:
        if call.role == "security":
            return ModelError("boom", code="provider_error")
        return chatty(call)

    run, widget = await on_a_page(prepared_run(tmp_path, answer))

    shown = {agent["role"]: agent for agent in widget.view["agents"]}
    assert shown.pop("security")["state"] == "failed"
    assert {agent["state"] for agent in shown.values()} == {"completed"}
    for form in (to_html(run.view), to_text(run.view)):
        assert "The provider reported an error." in form
        assert "security gave no result" in form
        assert "result of librarian" in form


async def test_B18_a_silence_names_what_is_waited_for(tmp_path: Path) -> None:
    seen: list[RunView] = []
    prepared = prepared_run(
        tmp_path, lambda call: Reply(text="late", delay_s=60) if call.role == "oracle" else None
    )

    class Stopper:
        def on_view(self, view: RunView) -> None:
            open_ones = [one.role for one in view.agents if one.state == "running"]
            if open_ones == ["oracle"] and not seen:
                seen.append(view)
                prepared.stop()

        def on_text(self, context_id: str, offset: int, text: str) -> None:
            pass

    await asyncio.wait_for(prepared.execute(Stopper()), 20)

    oracle = next(one for one in seen[0].agents if one.role == "oracle")
    primary = next(one for one in seen[0].agents if one.kind == "primary")
    assert speaker().said(oracle.waiting_for) == f"a reply from {oracle.model_id}"
    assert primary.waiting_for == "oracle"
    for form in (to_text(seen[0]), to_html(seen[0])):
        assert f"waiting for a reply from {oracle.model_id}" in " ".join(form.split())
        assert "waiting for oracle" in " ".join(form.split())
