"""What a page pays, measured in a real JupyterLab: streaming, opening, one update of a large run.

Run by ``python tests/benchmarks/browser.py``; nothing is asserted but that the content is there.
"""

from __future__ import annotations

import json
import secrets
import statistics
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.rows import Row, table
from playwright.sync_api import expect

from braincode_jupyter.views import RunView, to_blocks, to_bundle
from braincode_jupyter.views.run_view import (
    AgentView,
    AnswerView,
    ReviewView,
    SectionView,
    TodoView,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

DELTAS = 10_000
WORKERS = 16
CARDS = 50
T0 = 1_780_000_000_000

# One run that streams: the answer holds the time at which each of its words was made.
STREAM = f"""
import asyncio, time
await asyncio.sleep(5)  # what the extension imports in the background is there
from IPython.display import display
from braincode_jupyter.views import RunView, to_html, to_text
from braincode_jupyter.views.run_view import AgentView, AnswerView
from braincode_jupyter.widget import RunWidget
agents = [AgentView(context_id=f"w{{n}}", kind="worker", role=f"analyst {{n}}", state="running")
          for n in range({WORKERS})]
agents.append(AgentView(context_id="p", kind="primary", role="analyst", state="running"))
view = RunView(session_id="s", state="running", phase="answering", agents=tuple(agents),
               started_ms=int(time.time() * 1e3), answer=AnswerView(state="streaming"))
widget = RunWidget(view, plain=to_text, html=to_html)
display(widget)
observer = widget.make_observer(asyncio.get_running_loop())
ends = dict.fromkeys(range({WORKERS + 1}), 0)
def say(number, piece):
    observer.on_text("p" if number == {WORKERS} else f"w{{number}}", ends[number], piece)
    ends[number] += len(piece)
await asyncio.sleep(2)
began = time.monotonic()
for burst in range({DELTAS} // 20):
    for _ in range(19):
        number = (burst * 19 + _) % {WORKERS}
        say(number, "word ")
    newline = "\\n\\n- " if burst % 20 == 19 else " "
    say({WORKERS}, f"t{{int(time.time() * 1e3)}}{{newline}}")
    await asyncio.sleep(max(0, began + (burst + 1) / 50 - time.monotonic()))
print("sent in", round(time.monotonic() - began, 1))
"""
WATCH = """() => {
  const seen = window.seen = { lags: [], frames: [], tasks: [], messages: 0, from: 0, to: 0 };
  new PerformanceObserver(list => list.getEntries().forEach(
    ({ startTime, duration }) => seen.tasks.push([startTime + duration, duration])
  )).observe({ type: 'longtask' });
  let last = performance.now();
  const frame = now => {
    seen.frames.push([now, now - last]);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const panel = window.jupyterapp.shell.currentWidget;
  panel.sessionContext.session.kernel.iopubMessage.connect((_, message) => {
    if (message.header.msg_type === 'comm_msg' && message.content.data.content?.items) {
      seen.messages += 1;
      seen.from ||= performance.now();
      seen.to = performance.now();
    }
  });
  let newest = '';
  new MutationObserver(() => {
    const text = document.querySelector('.bc-answer')?.textContent ?? '';
    const found = text.slice(-200).match(/t(\\d{13})/g)?.pop();
    if (found && found !== newest) {
      newest = found;
      seen.lags.push(Date.now() - Number(found.slice(1)));
    }
  }).observe(panel.node, { subtree: true, childList: true, characterData: true });
}"""
OPEN = """async path => {
  const tasks = [];
  const observer = new PerformanceObserver(
    list => tasks.push(...list.getEntries().map(entry => entry.duration))
  );
  observer.observe({ type: 'longtask' });
  const options = { path, factory: 'Notebook' };
  const panel = await window.jupyterapp.commands.execute('docmanager:open', options);
  await panel.context.ready;
  const wait = ms => new Promise(done => setTimeout(done, ms));
  const drawn = () => panel.node.querySelectorAll('.jp-OutputArea-output').length;
  for (let tries = 0; tries < 150 && drawn() < panel.content.widgets.length; tries++) {
    await wait(200);
    const at = panel.content.node.querySelector('.jp-WindowedPanel-outer') ?? panel.content.node;
    at.scrollTop += at.clientHeight;
  }
  await wait(2000);
  observer.disconnect();
  return { tasks, cards: panel.node.querySelectorAll('.bc-run').length };
}"""


@pytest.fixture(scope="session")
def rows() -> Iterator[list[Row]]:
    found: list[Row] = []
    yield found
    print(f"\n\n{table(found)}\n")  # noqa: T201 - a table for the reader


@pytest.mark.timeout(600)
def test_streaming_of_sixteen_workers(open_notebook: Callable[..., Any], rows: list[Row]) -> None:
    notebook = open_notebook(STREAM)
    page: Page = notebook.page
    page.evaluate(WATCH)

    notebook.run(1)
    expect(page.locator(".bc-answer li").first).to_be_visible()
    seen = page.evaluate("window.seen")

    seconds = (seen["to"] - seen["from"]) / 1e3
    before, tasks = _longest(seen["tasks"], seen)
    _, gaps = _longest(seen["frames"], seen)
    lags, note = sorted(seen["lags"]), f"{DELTAS:,} deltas, {WORKERS} workers, {seconds:.0f} s"
    rows += [
        Row(
            what="messages to the page",
            measured=seen["messages"] / seconds,
            unit="/s",
            target=20,
            note=note,
        ),
        Row(
            what="lag of a word, median",
            measured=statistics.median(lags),
            unit="ms",
            note="made in the kernel to seen in the page",
        ),
        Row(what="lag of a word, worst", measured=lags[-1], unit="ms", note=f"of {len(lags)}"),
        Row(
            what="longest task while words come",
            measured=tasks,
            unit="ms",
            target=50,
            note="0: none of 50 ms or more",
        ),
        Row(
            what="longest task from click to first word",
            measured=before,
            unit="ms",
            note="JupyterLab's own start of a cell included",
        ),
        Row(
            what="longest gap between two frames",
            measured=gaps,
            unit="ms",
            note="while words come, the load of the machine included",
        ),
    ]


def _longest(entries: list[tuple[float, float]], seen: dict[str, Any]) -> tuple[float, float]:
    """Give the longest before the first piece of text came, and the longest until the last."""
    before = [took for end, took in entries if end < seen["from"]]
    during = [took for end, took in entries if seen["from"] <= end <= seen["to"]]
    return max([*before, 0]), max([*during, 0])


def test_opening_of_fifty_cards(lab: Any, page: Page, rows: list[Row]) -> None:  # noqa: ANN401
    page.goto(f"{lab.base}/lab/workspaces/{secrets.token_hex(4)}?reset&token={lab.token}")
    page.wait_for_function("() => !!window.jupyterapp?.shell")
    page.evaluate("() => window.jupyterapp.restored")
    found: dict[str, dict[str, Any]] = {}
    for name, output in (
        ("warm", {"text/plain": "x"}),
        ("text", {"text/plain": "x"}),
        ("cards", None),
    ):
        path = lab.folder / f"{name}.ipynb"
        path.write_text(json.dumps(_notebook(output)), encoding="utf-8")
        found[name] = page.evaluate(OPEN, path.name)
    assert found["cards"]["cards"] >= CARDS

    rows += [
        Row(
            what="opening: longest task, 50 cards",
            measured=max([*found["cards"]["tasks"], 0]),
            unit="ms",
            target=200,
            note=f"{len(found['cards']['tasks'])} tasks of 50 ms or more",
        ),
        Row(
            what="opening: longest task, 50 texts",
            measured=max([*found["text"]["tasks"], 0]),
            unit="ms",
            note="the same notebook without cards",
        ),
    ]


def _notebook(output: dict[str, str] | None) -> dict[str, Any]:
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "execution_count": number + 1,
            "source": f"%%braincode\nquestion {number}",
            "outputs": [
                {
                    "output_type": "display_data",
                    "metadata": {},
                    "data": output or to_bundle(finished(number)),
                }
            ],
        }
        for number in range(CARDS)
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def finished(number: int) -> RunView:
    """Give a run as it is after some work: six workers, an answer with code and a table."""
    answer = "\n\n".join(
        [
            f"## Answer {number}",
            *("Most of the drop is **not real**: the cleaning cell drops `1,204` rows. " * 4,) * 6,
            "```python\nframe = load('a.csv')\nframe.head()\n```",
            "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 10,
            "- one\n- two\n- three",
        ]
    )
    saw = tuple(
        SectionView(
            kind="request",
            owner="user",
            owner_label="you",
            source="",
            label=f"part {n}",
            chars=900,
            tokens=200,
        )
        for n in range(6)
    )
    agents = tuple(
        AgentView(
            context_id=f"w{n}",
            kind="worker" if n < 6 else "primary",
            role=f"analyst {n}",
            state="completed",
            goal="Look at the data",
            queued_ms=T0,
            started_ms=T0 + 100,
            ended_ms=T0 + 5_000,
            summary="found",
            summary_blocks=to_blocks("**Found** it in `a.csv`. " * 12),
            saw=saw,
        )
        for n in range(7)
    )
    todos = tuple(
        TodoView(id=f"t{n}", title=f"Do part {n}", role="analyst", state="completed")
        for n in range(8)
    )
    return RunView(
        session_id=f"s{number}",
        state="completed",
        phase="done",
        title=f"Question {number}",
        request="Why?",
        started_ms=T0,
        ended_ms=T0 + 9_000,
        agents=agents,
        todos=todos,
        answer=AnswerView(state="completed", text=answer, blocks=to_blocks(answer)),
        review=ReviewView(state="approved", rationale="Fine."),
    )
