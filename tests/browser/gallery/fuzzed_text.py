"""Made-up text through the renderer as the product streams it: Python, the wire, the built bundle.

A text comes character by character, so that each of its prefixes is drawn; a huge one comes in
pieces of `HUGE_STEP`. After each piece the page looks at every node that was added and at every
attribute that was set since the one before, even if they are gone again, and at the end at all that
stands there. What was streamed and then finished must look like the same answer drawn at once. Some
prefixes are also drawn as finished answers, and must show their letters and no others.

Work is bounded by the count of elements that a text adds. Time is too, but so loosely that only a
text that hangs the page in each of `TRIES` is beyond it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import time
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from card_harness import Card, open_page
from made_up_text import texts
from playwright.sync_api import sync_playwright

from braincode_jupyter.views import to_blocks
from braincode_jupyter.views.block_view import blocks_to_wire
from braincode_jupyter.views.blocks import MarkdownStream, Settled, join_settled
from braincode_jupyter.views.run_view import AgentView, AnswerView, RunView
from braincode_jupyter.widget.batcher import FLUSH_CHARS
from braincode_jupyter.widget.text_stream import TextStream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from playwright.sync_api import Page, Route

    from braincode_jupyter.views import Block

EVERY_PREFIX = 2_000
"""A text of at most so many characters is streamed character by character."""
HUGE_STEP = 1_000
"""Characters of one piece of a longer text."""
SHORT = 8
"""A text of at most so many characters is also drawn as a finished answer at every prefix."""
SAMPLED = 3
"""Prefixes of a longer one that are, the whole among them; of a huge one the whole alone."""
BATCH_CHARS = 4_000
"""Characters of the texts that go to the page in one call."""
MAX_SEEN = 1_000_000
"""Prefixes that are remembered, so that none of them is drawn as a finished answer twice."""
MAX_COMPARED_BLOCKS = 2_000
"""Of a text with more blocks, the card counts those that it does not draw."""
MAX_COMPARED_TAIL = 50_000
"""Characters; of a longer text that is being written, the card shows the end."""
ELEMENTS_PER_CHAR = 2
"""Elements that are added at most while a text streams; a mark of a quote or a cell is one."""
SPARE_ELEMENTS = 20
PREFIX_S = 2.0
"""No prefix takes longer than this to draw, in one of `TRIES`."""
TRIES = 3
READ_S = 10.0
"""No text takes longer than this to read, all its prefixes together; of the processor's time."""

# Draw what a text streams, and look at each node and attribute that comes by.
_FUZZ = r"""([batch, tags, names]) => {
  const fuzz = window.fuzz ??= { seq: 0, attempt: 0 };
  const told = { wrong: [], slow: [], elements: 0, longest: 0, worst: '', ratio: 0 };
  const root = document.querySelector('.bc-answer');
  const say = message => kernel.say({ kind: 'delta', seq: ++fuzz.seq, ...message });
  const answer = value => say({ patch: { set: { answer: { text: '', ...value } } } });
  const letters = el => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    let text = '';
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement.closest('.bc-tools, .bc-dim, [hidden]')) text += node.data;
    }
    return text.replace(/[^\p{L}\p{N}]/gu, '');
  };
  let text = '';
  let added = 0;
  const report = (...what) => told.wrong.push([what[0], text.slice(0, 300), ...what.slice(1)]);
  const look = el => {
    told.elements += 1;
    added += 1;
    const odd = el.getAttributeNames().filter(name => !names.includes(name));
    const isLink = el.localName !== 'a'
      || (/^(https?|mailto):$/.test(el.protocol) && el.rel === 'noopener noreferrer');
    const isKnown = tags.includes(el.localName) && el.namespaceURI === root.namespaceURI;
    if (!isKnown || odd.length || !isLink || el.classList.contains('bc-fallback')) {
      report('not allowed', el.outerHTML.slice(0, 200));
    }
  };
  const lookInside = node => {
    if (node.nodeType === Node.ELEMENT_NODE) {
      look(node);
      node.querySelectorAll('*').forEach(look);
    } else if (node.nodeType !== Node.TEXT_NODE) {
      report('not allowed', node.nodeName);
    }
  };
  const observer = new MutationObserver(() => {});
  const lookAtNews = () => {
    for (const { type, target, attributeName, addedNodes } of observer.takeRecords()) {
      if (type === 'attributes' && !names.includes(attributeName)) {
        report('not allowed', attributeName, target.outerHTML.slice(0, 200));
      }
      addedNodes.forEach(lookInside);
    }
  };
  const timed = step => {
    const started = performance.now();
    step();
    const took = performance.now() - started;
    if (took > told.longest) {
      told.longest = took;
      told.worst = text.slice(0, 60);
    }
    lookAtNews();
    return took;
  };
  const compare = (where, el, expected) => {
    const found = expected === null ? null : letters(el);
    if (found !== expected) report(where, found, expected);
  };
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  for (const [index, made] of batch.entries()) {
    text = made.text;
    const attempt = ++fuzz.attempt;
    let slowest = 0;
    answer({ state: 'streaming', blocks: [] });
    say({ items: [{ contextId: 'p', attempt, offset: 0, text: '' }] });
    lookAtNews();
    added = 0;
    for (const [item, expected] of made.pieces) {
      slowest = Math.max(slowest, timed(() => say({ items: [{ ...item, attempt }] })));
      compare('streaming', root.querySelector('.bc-body'), expected);
    }
    told.ratio = Math.max(told.ratio, added / made.maxElements);
    if (added > made.maxElements) report('too many elements', added, made.maxElements);
    const shown = root.querySelector('.bc-text');
    const whole = { state: 'completed', blocks: made.blocks };
    slowest = Math.max(slowest, timed(() => answer(whole)));
    const html = shown.innerHTML;
    answer({ state: 'completed', blocks: [] });
    slowest = Math.max(slowest, timed(() => answer(whole)));
    if (shown.innerHTML !== html) report('streamed and at once differ', html, shown.innerHTML);
    document.querySelectorAll('.bc-run, .bc-run *').forEach(look);
    for (const [blocks, expected] of made.finished) {
      slowest = Math.max(slowest, timed(() => answer({ state: 'completed', blocks })));
      compare('finished', shown, expected);
    }
    if (slowest > made.maxMs) told.slow.push(index);
  }
  observer.disconnect();
  told.wrong.length = Math.min(told.wrong.length, 5);
  return told;
}"""
TAGS = [
    *("article", "header", "section", "details", "summary", "div", "span", "p", "pre", "code"),
    *("hr", "a", "button", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "strong"),
    *("em", "table", "thead", "tbody", "tr", "td", "th", "b", "i", "s", "small", "footer"),
]
NAMES = [
    *("class", "dir", "href", "rel", "target", "title", "type", "tabindex", "hidden", "open"),
    "start",
    *("aria-label", "aria-hidden", "aria-level", "aria-live", "aria-atomic", "role"),
    *("data-state", "aria-disabled", "style"),
]


@dataclass
class Outcome:
    """What came of a run of the fuzz."""

    texts: int = 0
    prefixes: int = 0
    """Streamed, each of them."""
    finished: int = 0
    """Prefixes drawn as a finished answer; one that came before is not drawn again."""
    elements: int = 0
    requests: list[str] = field(default_factory=list[str])
    wrong: list[object] = field(default_factory=list[object])
    again: int = 0
    """Texts that were drawn again, because the page was slow."""
    read_s: float = 0.0
    """Longest that one text took to read, all its prefixes together; of the processor's time."""
    drawn_s: float = 0.0
    """Longest that the page took for one prefix."""
    slowest: str = ""
    """Where it did."""
    element_share: float = 0.0
    """Elements of a text that streamed to those that are allowed, at most."""


def run(page: Page, *, seed: int, count: int) -> Outcome:
    """Send made-up texts through the renderer."""
    outcome = Outcome()

    def refuse(route: Route) -> None:
        outcome.requests.append(route.request.url)
        route.abort()

    card = Card(page, _view())
    page.route("**/*", refuse)
    reader = _Reader(outcome)
    batch: list[dict[str, Any]] = []
    chars = 0
    for text in texts(seed, count):
        batch.append(reader.read(text))
        chars += len(text)
        if chars >= BATCH_CHARS:
            _draw(card, batch, outcome)
            batch, chars = [], 0
    _draw(card, batch, outcome)
    return outcome


def _view() -> RunView:
    primary = AgentView(context_id="p", kind="primary", role="analyst", state="running")
    answer = AnswerView(state="streaming")
    return RunView(session_id="s", state="running", agents=(primary,), answer=answer)


def _draw(card: Card, batch: Sequence[dict[str, Any]], outcome: Outcome, *, tries: int = 1) -> None:
    # As text, because the page takes a large tree of values slowly.
    script = f"([batch, ...more]) => ({_FUZZ})([JSON.parse(batch), ...more])"
    told = card.page.evaluate(script, [json.dumps(batch), TAGS, NAMES])
    outcome.elements += told["elements"]
    outcome.wrong += told["wrong"]
    outcome.element_share = max(outcome.element_share, told["ratio"])
    if told["longest"] > outcome.drawn_s * 1e3 and not told["slow"]:
        outcome.drawn_s, outcome.slowest = told["longest"] / 1e3, told["worst"]
    slow: list[int] = told["slow"]
    for index in slow:
        if tries == TRIES:
            outcome.wrong.append(["slow", batch[index]["text"], told["longest"]])
            return
        outcome.again += 1
        _draw(card, [batch[index]], outcome, tries=tries + 1)


class _Reader:
    """Reads texts as the kernel does, and tells the page what to draw."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._seen: set[str] = set()
        self._made = random.Random(1)  # noqa: S311 - no secret

    def read(self, text: str) -> dict[str, Any]:
        """Read a text piece by piece and at once."""
        self._outcome.texts += 1
        started_s = time.process_time()
        blocks = to_blocks(text)
        pieces: list[list[object]] = []
        finished: list[list[object]] = []
        streamed: tuple[Block, ...] | None = ()
        for end, piece, streamed in self._stream(text):
            pieces.append(piece)
            if streamed is not None and text[:end] not in self._seen:
                finished.append([blocks_to_wire(streamed), _letters_of(streamed)])
                if end <= SHORT and len(self._seen) < MAX_SEEN:
                    self._seen.add(text[:end])
        if streamed != blocks:
            self._outcome.wrong.append(["read in pieces and at once differ", text[:300]])
        self._note_time(time.process_time() - started_s, text)
        self._outcome.prefixes += len(pieces)
        self._outcome.finished += len(finished)
        return {
            "text": text[:300].encode("utf-8", "replace").decode(),
            "pieces": pieces,
            "blocks": blocks_to_wire(blocks),
            "finished": finished,
            "maxElements": ELEMENTS_PER_CHAR * len(text) + SPARE_ELEMENTS,
            "maxMs": PREFIX_S * 1e3,
        }

    def _stream(self, text: str) -> Iterator[tuple[int, list[object], tuple[Block, ...] | None]]:
        """Give where each piece ends, the piece, and at some of these ends the blocks so far."""
        sent, read, parts = TextStream(is_formatted=True), MarkdownStream(), list[Settled]()
        step = 1 if len(text) <= EVERY_PREFIX else HUGE_STEP
        chosen = self._chosen(len(text))
        for start in range(0, len(text), step):
            more = text[start : start + step]
            end = start + len(more)
            sent.add(start, more)
            item = sent.take(FLUSH_CHARS, context_id="p")
            parts.append(read.add(more))
            if end not in chosen:
                yield end, [item, None], None
                continue
            parts = [join_settled(parts)]
            code = read.open_code
            shown = text[read.settled_chars if code is None else code.offset : end]
            letters = _letters_while_streaming(parts[0].blocks, shown)
            yield end, [item, letters], join_settled([*parts, read.rest()]).blocks

    def _chosen(self, size: int) -> set[int]:
        """Choose the ends at which letters are compared and a finished answer is drawn."""
        if size <= SHORT:
            return set(range(1, size + 1))
        some = SAMPLED - 1 if size <= EVERY_PREFIX else 0
        return {*self._made.sample(range(1, size), some), size}

    def _note_time(self, took_s: float, text: str) -> None:
        self._outcome.read_s = max(self._outcome.read_s, took_s)
        if took_s > READ_S:
            self._outcome.wrong.append(["slow to read", text[:300], took_s])


def _letters_of(blocks: tuple[Block, ...]) -> str | None:
    """Return the letters that a card must show; None where it may leave some out."""
    kept = list(_walk(blocks))
    is_whole = len(kept) < MAX_COMPARED_BLOCKS
    return _letters("".join(_text(block) for block in kept)) if is_whole else None


def _letters_while_streaming(blocks: tuple[Block, ...], tail: str) -> str | None:
    # What a control character takes along is another question.
    is_clear = tail.isprintable() or all(c.isprintable() or c in "\n\t" for c in tail)
    if not is_clear or len(tail) > MAX_COMPARED_TAIL:
        return None
    known = _letters_of(blocks)
    return None if known is None else known + _letters(tail)


def _walk(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _walk(block.children)


def _text(block: Block) -> str:
    return "".join(span.text for span in block.spans) + block.text


def _letters(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c)[0] in "LN")


def main(count: int, seed: int) -> int:
    """Run the fuzz and say what came of it; 1 if anything was wrong."""
    started_s = time.perf_counter()
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        outcome = run(open_page(browser), seed=seed, count=count)
        browser.close()
    sys.stdout.write(
        f"{outcome.texts:,} texts, {outcome.prefixes:,} prefixes streamed, {outcome.finished:,} "
        f"drawn as finished answers, {outcome.elements:,} elements looked at, "
        f"{time.perf_counter() - started_s:,.0f} s\n"
        f"longest: {outcome.read_s * 1e3:,.0f} ms of CPU to read one text at its prefixes, "
        f"{outcome.drawn_s * 1e3:,.0f} ms to draw one prefix (in {outcome.slowest!r}), "
        f"drawn again: {outcome.again}\n"
        f"elements at most {outcome.element_share:.0%} of what is allowed\n"
        f"requests: {len(outcome.requests)}, wrong: {len(outcome.wrong)}\n"
    )
    for item in outcome.wrong[:10]:
        sys.stdout.write(f"{item!r}\n")
    return int(bool(outcome.wrong or outcome.requests))


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(given + [100_000, 1][len(given) :])))
