"""A run whose kernel ends, or whose page cannot reach it: the card says so, and catches up."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING, Any

import pytest
from fed_model import ASK, BACKGROUND, fed, let_go
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import WebSocketRoute

pytestmark = pytest.mark.slow

GONE = "The kernel ended or was restarted while the run was going on"
CUT = "No connection to the kernel"
TELL_PID = "\nimport os\nprint(os.getpid())"
RESTART = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"


@pytest.mark.parametrize("way", ["restarted in lab", "killed in notebook 7"])
def test_a_card_whose_kernel_is_gone_is_interrupted_and_says_why(
    open_notebook: Callable[..., Any], way: str
) -> None:
    is_killed = way.startswith("killed")
    gate = way.replace(" ", "-")
    notebook = open_notebook(fed(gate) + TELL_PID, ASK, in_notebook_7=is_killed)
    errors: list[str] = []
    notebook.page.on("pageerror", lambda error: errors.append(str(error)))
    pid = int(notebook.run(1).locator(".jp-OutputArea-output").inner_text())
    card = notebook.start(2)
    let_go(notebook, gate, 0)
    expect(card.locator(".bc-answer")).to_contain_text("rain = 12")

    if is_killed:
        os.kill(pid, signal.SIGKILL)
    else:
        notebook.page.evaluate(RESTART)

    expect(card.locator(".bc-state")).to_have_text("interrupted")
    expect(card.get_by_role("note")).to_contain_text(GONE)
    expect(card.get_by_role("button", name="Stop")).to_be_hidden()
    expect(card.locator(".bc-answer")).to_contain_text("partial")
    assert [error for error in errors if "Cannot send" in error] == []


class Line:
    """The connection between a page and its kernels, which can be cut."""

    def __init__(self) -> None:
        self.is_cut = False
        self._open: list[tuple[WebSocketRoute, WebSocketRoute]] = []

    def take(self, route: WebSocketRoute) -> None:
        if self.is_cut:
            route.close()
        else:
            self._open.append((route, route.connect_to_server()))

    def cut(self) -> None:
        self.is_cut = True
        for pair in self._open:
            for end in pair:
                end.close()
        self._open.clear()


def test_a_page_that_lost_its_kernel_says_so_and_catches_up(
    open_notebook: Callable[..., Any],
) -> None:
    line = Line()
    notebook = open_notebook(fed("cut"), BACKGROUND)
    notebook.page.route_web_socket(re.compile(r"/api/kernels/.*/channels"), line.take)
    notebook.open()
    notebook.run(0)
    notebook.run(1)
    card = notebook.run(2)
    answer, note = card.locator(".bc-answer"), card.get_by_role("note")
    let_go(notebook, "cut", 0)
    expect(answer).to_contain_text("rain = 12")

    notebook.page.context.set_offline(True)
    expect(note).to_contain_text(CUT)
    let_go(notebook, "cut", 1)
    notebook.page.context.set_offline(False)
    expect(answer).to_contain_text("sales = 3")
    expect(note).to_be_hidden()

    line.cut()
    expect(note).to_contain_text(CUT)
    expect(card.locator(".bc-state")).to_have_text("writing the answer")
    let_go(notebook, "cut", 2)
    line.is_cut = False
    expect(card.locator(".bc-state")).to_contain_text("completed")
    expect(answer).to_contain_text("The end.")
    expect(note).to_be_hidden()
