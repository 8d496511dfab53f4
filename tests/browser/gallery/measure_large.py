"""What 64 workers and 200 todos cost a page: nodes, first drawing, one update, the matrix.

Run by ``python tests/benchmarks/large.py``.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
from typing import TYPE_CHECKING

from benchmarks.rows import Row, table
from card_harness import Card, open_page
from card_large import large_running
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Page

DRAWINGS = 9
# Each draws the whole card anew, on a page that has drawn one before.
DRAW = """times => {
  const found = {script: [], layout: []};
  for (let n = 0; n < times; n++) {
    document.body.offsetHeight;
    const began = performance.now();
    const dispose = kernel.draw();
    const drawn = performance.now();
    document.body.offsetHeight;
    found.script.push(drawn - began);
    found.layout.push(performance.now() - drawn);
    dispose();
  }
  return found;
}"""
# One worker after the other comes to its end, as the kernel tells it.
UPDATE = """view => {
  const found = {script: [], layout: [], nodes: []};
  let touched = new Set();
  const observer = new MutationObserver(records => note(records));
  const note = records => records.forEach(r => {
    touched.add(r.target);
    r.addedNodes.forEach(node => touched.add(node));
  });
  observer.observe(document.querySelector('.bc-run'),
    {subtree: true, childList: true, characterData: true, attributes: true});
  let seq = 0;
  view.agents.forEach((agent, index) => {
    if (agent.state !== 'running') return;
    const done = {...agent, state: 'completed', endedMs: agent.startedMs + 9000};
    view.todos = view.todos.map(todo =>
      ({...todo, state: todo.role === agent.role ? 'completed' : todo.state}));
    touched = new Set();
    const began = performance.now();
    const patch = {agents: [[index, done]], set: {todos: view.todos}};
    kernel.say({kind: 'delta', seq: ++seq, patch});
    const drawn = performance.now();
    document.body.offsetHeight;
    found.script.push(drawn - began);
    found.layout.push(performance.now() - drawn);
    note(observer.takeRecords());
    found.nodes.push(touched.size);
  });
  return found;
}"""
OPEN = """selector => {
  document.querySelector(selector).open = true;
  return new Promise(done => setTimeout(done, 500));
}"""
NODES = """() => {
  const walker = document.createTreeWalker(document.querySelector('.bc-run'), NodeFilter.SHOW_ALL);
  let count = 0;
  while (walker.nextNode()) count++;
  return count;
}"""
HEIGHT = "() => document.querySelector('.bc-run').offsetHeight"
TASKS = """() => {
  window.tasks = [];
  new PerformanceObserver(list => tasks.push(...list.getEntries().map(e => e.duration)))
    .observe({type: 'longtask'});
}"""


def measure(page: Page) -> list[Row]:
    """Draw, update, and open the table of who saw what."""
    view = large_running()
    Card(page, view)
    rows = [
        Row(what="nodes of the card", measured=page.evaluate(NODES)),
        Row(what="height of the card", measured=page.evaluate(HEIGHT), unit="px"),
    ]
    drawn = page.evaluate(DRAW, DRAWINGS)
    rows += _rows("first drawing", drawn)
    updated = page.evaluate(UPDATE, view.to_wire())
    rows += _rows("one update", updated)
    nodes = statistics.median(updated["nodes"])
    rows.append(Row(what="one update: nodes touched", measured=nodes, note="median"))
    page.evaluate(TASKS)
    page.evaluate(OPEN, "details.bc-matrix")
    rows += [
        Row(what="matrix opened: nodes of the card", measured=page.evaluate(NODES)),
        Row(
            what="matrix opened: longest task",
            measured=max([*page.evaluate("tasks"), 0]),
            unit="ms",
            note="0: none of 50 ms or more",
        ),
    ]
    return rows


def _rows(what: str, found: dict[str, list[float]]) -> list[Row]:
    return [
        Row(
            what=f"{what}: {part}",
            measured=statistics.median(found[part]),
            unit="ms",
            note=f"median of {len(found[part])}, worst {max(found[part]):.1f}",
        )
        for part in ("script", "layout")
    ]


def main() -> None:
    """Print the table."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        rows = measure(open_page(browser))
        browser.close()
    sys.stdout.write(f"{table(rows)}\n")


if __name__ == "__main__":
    main()
