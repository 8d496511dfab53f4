from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from braincode_jupyter.errors import AssetsNotBuiltError
from braincode_jupyter.views.bundle import MIME_TYPE
from braincode_jupyter.views.run_view import RunView
from braincode_jupyter.widget import RunWidget, accept_replies_anywhere
from braincode_jupyter.widget.assets import STATIC, read_asset

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not (STATIC / "run-widget.js").is_file(), reason="front end not built"
)

_VIEW = RunView(session_id="s", state="running", title="Why?", started_ms=1)


class HeardWidget(RunWidget):
    """Keeps what it would send."""

    def send_message(self, message: dict[str, object]) -> None:
        self.heard = [*getattr(self, "heard", []), message]


@pytest.fixture
def widget() -> HeardWidget:
    return HeardWidget(
        _VIEW, plain=lambda view: f"run {view.state}", html=lambda view: f"<p>{view.state}</p>"
    )


def _press(widget: RunWidget, content: object) -> None:
    """Deliver a message as the page sends it."""
    widget._handle_msg(
        {"content": {"data": {"method": "custom", "content": content}}, "buffers": []}
    )  # pyright: ignore[reportUnknownMemberType]


def test_state_holds_the_view_and_the_built_code(widget: HeardWidget) -> None:
    state: dict[str, Any] = widget.get_state()

    assert state["view"] == _VIEW.to_wire()
    assert "export" in state["_esm"]
    assert ".bc-run" in state["_css"]


def test_B09_bundle_has_the_run_text_and_html_beside_the_widget(widget: HeardWidget) -> None:
    bundle = widget._repr_mimebundle_()

    assert bundle is not None
    data = bundle[0]
    types = {"application/vnd.jupyter.widget-view+json", MIME_TYPE, "text/plain", "text/html"}
    assert set(data) == types
    assert data[MIME_TYPE] == widget.run_view.to_wire()
    assert (data["text/plain"], data["text/html"]) == ("run running", "<p>running</p>")


def test_ping_is_answered_with_the_time_of_the_kernel(widget: HeardWidget) -> None:
    _press(widget, {"kind": "ping"})

    assert widget.heard[0]["kind"] == "pong"
    assert widget.heard[0]["now"] > 1_700_000_000_000


def test_an_answer_comes_back_with_its_nonce_that_is_in_no_trait(widget: HeardWidget) -> None:
    answers: list[str] = []
    widget.questions.ask("a:1", "nonce-7", digest="d", answer=answers.append)
    assert widget.heard == [{"kind": "approval", "approvalId": "a:1", "nonce": "nonce-7"}]
    assert "nonce-7" not in str(widget.get_state())

    _press(widget, {"kind": "ready", "have": {}})
    _press(widget, widget.heard[1] | {"kind": "answer", "decision": "deny", "digest": "d"})

    assert answers == ["deny"]


@pytest.mark.parametrize(
    ("said", "language"),
    [("fr", "fr"), ("zh-CN", "zh"), ("de", None), (7, None), (None, None)],
)
def test_a_page_says_its_language(widget: HeardWidget, said: object, language: str | None) -> None:
    _press(widget, {"kind": "ready", "have": {}, "language": said})

    assert widget.page_language == language


@pytest.mark.parametrize("kind", ["ping", "ready", "here", "answer"])
def test_a_page_that_speaks_is_reached(widget: HeardWidget, kind: str) -> None:
    signs: list[int] = []
    deaf = widget.on_page(lambda: signs.append(1))
    assert not widget.is_reached

    _press(widget, {"kind": kind})
    deaf()
    _press(widget, {"kind": kind})

    assert widget.is_reached
    assert signs == [1]


def test_a_page_is_called(widget: HeardWidget) -> None:
    widget.call_page()

    assert widget.heard == [{"kind": "call"}]


@pytest.mark.parametrize(("given", "revoked"), [("a:1", ["a:1"]), (None, []), (["a:1"], [])])
def test_a_grant_is_revoked_by_its_id(
    widget: HeardWidget, given: object, revoked: list[str]
) -> None:
    ids: list[str] = []
    widget.on_revoke(ids.append)

    _press(widget, {"kind": "revoke", "approvalId": given})

    assert ids == revoked


def test_stop_calls_back_on_the_thread_of_the_click(widget: HeardWidget) -> None:
    threads: list[str] = []
    widget.on_stop(lambda: threads.append(threading.current_thread().name))

    click = threading.Thread(target=_press, args=(widget, {"kind": "stop"}), name="subshell-1")
    click.start()
    click.join()

    assert threads == ["subshell-1"]


@pytest.mark.parametrize("content", [None, "stop", 7, [], {}, {"kind": None}, {"kind": "approve"}])
def test_unknown_messages_do_nothing(widget: HeardWidget, content: object) -> None:
    stops: list[int] = []
    widget.on_stop(lambda: stops.append(1))

    _press(widget, content)

    assert stops == []
    assert not hasattr(widget, "heard")


async def test_ready_is_answered_on_the_loop_of_the_run(widget: HeardWidget) -> None:
    observer = widget.make_observer(asyncio.get_running_loop(), period_s=0.0)
    observer.on_text("p", 0, "hello")
    await asyncio.sleep(0.01)

    await asyncio.to_thread(_press, widget, {"kind": "ready", "have": {}})
    await asyncio.sleep(0)

    assert [message["kind"] for message in widget.heard] == ["delta", "sync"]
    assert widget.heard[1]["items"][0]["text"] == "hello"


async def test_closed_observer_leaves_the_last_view_in_the_trait(widget: HeardWidget) -> None:
    observer = widget.make_observer(asyncio.get_running_loop())
    last = _VIEW.model_copy(update={"state": "completed"})

    observer.on_view(last)
    assert widget.run_view is last
    observer.close()

    assert widget.view == last.to_wire()
    bundle = widget._repr_mimebundle_()
    assert bundle is not None
    assert bundle[0]["text/plain"] == "run completed"


def test_replies_go_where_the_page_says(widget: HeardWidget) -> None:
    class Comm:
        def _reply_subshell_for(self, _data: object, _default: object) -> object:
            return "main"

    comm: Any = Comm()
    accept_replies_anywhere(comm)

    assert comm._reply_subshell_for({}, "subshell-1") == "subshell-1"


def test_comm_of_another_kernel_is_left_alone() -> None:
    comm = object()

    accept_replies_anywhere(comm)

    assert not hasattr(comm, "_reply_subshell_for")


def test_missing_front_end_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(AssetsNotBuiltError, match="jlpm build:prod"):
        read_asset("run-widget.js", folder=tmp_path)


@pytest.mark.parametrize(
    ("content", "heard"),
    [({"contextId": "c-1"}, ["c-1"]), ({"contextId": 7}, []), ({}, [])],
)
def test_retry_hands_over_the_context_that_the_page_names(
    widget: HeardWidget, content: dict[str, object], heard: list[str]
) -> None:
    asked: list[str] = []
    widget.on_retry(asked.append)

    _press(widget, {"kind": "retry", **content})

    assert asked == heard
