"""Made-up text of every bad kind, through the Python parser and the drawing of the built bundle.

Stage one reads each text as it would stream, prefix by prefix; stage two draws each prefix in the
browser, many a call, first as it streams and then as a finished answer, and looks at every element.
All prefixes of a text of at most `ALL_PREFIXES` characters are tried, of a longer one a few.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from card_harness import Card, open_page
from playwright.sync_api import sync_playwright

from braincode_jupyter.views import Block, to_blocks
from braincode_jupyter.views.blocks import MarkdownStream, Settled, join_settled
from braincode_jupyter.views.run_view import AgentView, AnswerView, RunView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from playwright.sync_api import Page, Route

ALL_PREFIXES = 16
"""A text of at most so many characters is tried at every prefix."""
SAMPLED_PREFIXES = 6
"""Prefixes of a longer text, its whole among them."""
HUGE_EVERY = 2_000
"""One in so many texts is huge."""
BATCH = 400
"""Prefixes that are drawn in one call."""
MAX_SEEN = 500_000
"""Prefixes that are remembered, so that none of them is drawn twice."""
MAX_COMPARED_BLOCKS = 2_000
"""Of a text with more blocks, the card counts those that it does not draw."""
MAX_COMPARED_TAIL = 50_000
"""Characters; of a longer text that is being written, the card shows the end."""

_MARKDOWN = [
    *("\n", "\n\n", "- ", "* ", "1. ", "2) ", "> ", "# ", "###### ", "```", "~~~", "`", "``", "|"),
    *("|-|\n", "a | b\n", "---\n", "===\n", "    ", "  ", "\t", "**", "__", "*", "_", "~", "\\"),
    *(
        "[",
        "](",
        ")",
        "![",
        "]",
        "[x]: ",
        "<https://a.b>",
        "https://a.b/c",
        "mailto:a@b.c",
        "&amp;",
    ),
    *(
        "javascript:x",
        "data:text/html,x",
        "&#106;",
        "&#x202e;",
        "&lt;",
        "//h/p",
        '"t"',
        "word",
        "x",
    ),
]
_HTML = [
    *("<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "<?x", "<b>", "<i onclick=x>", "<script>"),
    *("</script>", "<img src=x onerror=x>", "<svg onload=x>", "<iframe srcdoc=x>", "<style>*{}"),
    *("<a href=javascript:x>", "<form action=//h>", "<base href=//h>", "<math>", "<details open>"),
    *("<link rel=stylesheet href=//h>", "<meta http-equiv=refresh>", 'class="bc-approve"', "id=x"),
]
_HIDDEN = [
    *(
        "\x1b[31m",
        "\x1b]8;;http://a\x07",
        "\x1b[2J",
        "\x1bP",
        "\x9b1m",
        "\r",
        "\x00",
        "\x08",
        "\x7f",
    ),
    *("\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\ufeff", "\u2028", "\u00ad", "\U000e0041"),
    *("\ud800", "\ufffd", "e\u0301", "👩\u200d💻", "العربية", "日本", "\U0001d518", "ﷺ", "\u3164"),
]
_HUGE = ["[", "![", ">", "- ", "*a_", "`", "<", "&", "a\n", "a\n\n", "|", "```\n", "\\", "word "]

# Draw a prefix as it streams and as a finished answer; look at every element after each.
_FUZZ = r"""([prefixes, tags, names]) => {
  const fuzz = window.fuzz ??= { seq: 0, attempt: 0, elements: 0, longest: 0 };
  const wrong = [];
  const root = document.querySelector('.bc-answer');
  const say = message => kernel.say({ kind: 'delta', seq: ++fuzz.seq, ...message });
  const answer = value => say({ patch: { set: { answer: value } } });
  const letters = el => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    let text = '';
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.parentElement.closest('.bc-tools, .bc-dim, [hidden]')) text += node.data;
    }
    return text.replace(/[^\p{L}\p{N}]/gu, '');
  };
  const look = (prefix, where) => {
    for (const el of root.querySelectorAll('*')) {
      fuzz.elements += 1;
      const odd = el.getAttributeNames().filter(name => !names.includes(name));
      const isLink = el.localName !== 'a'
        || (/^(https?|mailto):$/.test(el.protocol) && el.rel === 'noopener noreferrer');
      const isKnown = tags.includes(el.localName) && el.namespaceURI === root.namespaceURI;
      if (!isKnown || odd.length || !isLink) {
        wrong.push([where, prefix.text, el.outerHTML.slice(0, 200)]);
      }
    }
  };
  const compare = (prefix, where, el, expected) => {
    const found = letters(el);
    if (expected !== null && found !== expected) wrong.push([where, prefix.text, found, expected]);
  };
  for (const prefix of prefixes) {
    const started = performance.now();
    const { until, code, settled, tail } = prefix;
    const item = { contextId: 'p', attempt: ++fuzz.attempt, offset: until, text: tail };
    answer({ state: 'streaming', text: '', blocks: [] });
    say({ items: [{ ...item, settled: { isWhole: true, blocks: settled, until, code } }] });
    look(prefix, 'streaming');
    compare(prefix, 'streaming', root.querySelector('.bc-body'), prefix.streamingLetters);
    answer({ state: 'completed', text: '', blocks: prefix.blocks });
    look(prefix, 'finished');
    compare(prefix, 'finished', root.querySelector('.bc-text'), prefix.letters);
    fuzz.longest = Math.max(fuzz.longest, performance.now() - started);
  }
  return { wrong: wrong.slice(0, 5), elements: fuzz.elements, longest: fuzz.longest };
}"""
TAGS = [
    *("section", "div", "span", "p", "pre", "code", "hr", "a", "button", "h4", "h5", "h6", "ul"),
    *("ol", "li", "blockquote", "strong", "em", "table", "tr", "td", "th"),
]
NAMES = [
    *("class", "dir", "href", "rel", "target", "title", "type", "tabindex", "hidden"),
    *("aria-label", "aria-hidden", "role"),
]


def texts(seed: int, count: int) -> Iterator[str]:
    """Give made-up texts; the same seed gives the same ones."""
    made = random.Random(seed)  # noqa: S311 - no secret
    kinds = (_MARKDOWN, _MARKDOWN + _HTML, _MARKDOWN + _HIDDEN, _HTML + _HIDDEN)
    for number in range(count):
        if number % HUGE_EVERY == HUGE_EVERY - 1:
            yield made.choice(_HUGE) * made.randrange(1_000, 60_000)
        else:
            pieces = made.choice(kinds)
            size = made.choice((2, 4, 6, 12)) if number % 50 else 60
            yield "".join(made.choices(pieces, k=made.randint(1, size)))


@dataclass
class Outcome:
    """What came of a run of the fuzz."""

    texts: int = 0
    prefixes: int = 0
    elements: int = 0
    requests: list[str] = field(default_factory=list[str])
    wrong: list[object] = field(default_factory=list[object])
    python_s: float = 0.0
    """Longest that the parser took for one text, all its prefixes together."""
    browser_s: float = 0.0
    """Longest that one prefix took to draw and to look at."""


def run(page: Page, *, seed: int, count: int) -> Outcome:
    """Send made-up texts through both stages."""
    outcome = Outcome()

    def refuse(route: Route) -> None:
        outcome.requests.append(route.request.url)
        route.abort()

    card = Card(page, _view())
    page.route("**/*", refuse)
    seen: set[str] = set()
    batch: list[dict[str, Any]] = []
    for text in texts(seed, count):
        outcome.texts += 1
        started_s = time.process_time()
        fresh = [end for end in _ends(text, outcome.texts) if text[:end] not in seen]
        batch += _prefixes(text, fresh)
        outcome.python_s = max(outcome.python_s, time.process_time() - started_s)
        if len(seen) < MAX_SEEN:
            seen.update(text[:end] for end in fresh if end <= ALL_PREFIXES)
        if len(batch) >= BATCH:
            _draw(card, batch, outcome)
            batch = []
    _draw(card, batch, outcome)
    return outcome


def _view() -> RunView:
    primary = AgentView(context_id="p", kind="primary", role="analyst", state="running")
    answer = AnswerView(state="streaming")
    return RunView(session_id="s", state="running", agents=(primary,), answer=answer)


def _draw(card: Card, batch: list[dict[str, Any]], outcome: Outcome) -> None:
    told = card.page.evaluate(_FUZZ, [batch, TAGS, NAMES])
    outcome.prefixes += len(batch)
    outcome.elements = told["elements"]
    outcome.browser_s = told["longest"] / 1e3
    outcome.wrong += told["wrong"]


def _ends(text: str, number: int) -> list[int]:
    if len(text) <= ALL_PREFIXES:
        return list(range(1, len(text) + 1))
    made = random.Random(number)  # noqa: S311 - no secret
    chosen = made.sample(range(1, len(text)), SAMPLED_PREFIXES - 1)
    return [*sorted(chosen), len(text)]


def _prefixes(text: str, ends: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Give what the browser needs of each prefix."""
    stream, settled, start = MarkdownStream(), to_blocks(""), 0
    for end in ends:
        settled = join_settled((Settled(blocks=settled), stream.add(text[start:end]))).blocks
        start = end
        blocks = join_settled((Settled(blocks=settled), stream.rest())).blocks
        code = stream.open_code
        tail = text[stream.settled_chars : end]
        shown = tail if code is None else text[code.offset : end]
        yield {
            "text": text[:end][:200],
            "until": stream.settled_chars,
            "settled": [_wire(block) for block in settled],
            "tail": tail.encode("utf-8", "replace").decode(),
            "code": code and {"language": code.language, "offset": code.offset},
            "blocks": [_wire(block) for block in blocks],
            "letters": _expected(blocks),
            "streamingLetters": _expected_while_streaming(settled, shown),
        }


def _wire(block: Block) -> dict[str, Any]:
    return block.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _expected(blocks: tuple[Block, ...]) -> str | None:
    """Return the letters that a card must show; None where it may leave some out."""
    kept = list(_walk(blocks))
    is_whole = len(kept) < MAX_COMPARED_BLOCKS
    return _letters("".join(_text(block) for block in kept)) if is_whole else None


def _expected_while_streaming(blocks: tuple[Block, ...], tail: str) -> str | None:
    # What a control character takes along is another question.
    is_clear = tail.isprintable() or all(c.isprintable() or c in "\n\t" for c in tail)
    known = _expected(blocks)
    if known is None or not is_clear or len(tail) > MAX_COMPARED_TAIL:
        return None
    return known + _letters(tail)


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
        f"{outcome.texts:,} texts, {outcome.prefixes:,} prefixes drawn twice each, "
        f"{outcome.elements:,} elements looked at, {time.perf_counter() - started_s:,.0f} s\n"
        f"longest: {outcome.python_s * 1e3:,.0f} ms of CPU to read one text at its prefixes, "
        f"{outcome.browser_s * 1e3:,.0f} ms to draw one prefix\n"
        f"requests: {len(outcome.requests)}, wrong: {len(outcome.wrong)}\n"
    )
    for item in outcome.wrong[:10]:
        sys.stdout.write(f"{item!r}\n")
    return int(bool(outcome.wrong or outcome.requests))


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(given + [100_000, 1][len(given) :])))
