from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import records_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.protocol import records as r
from braincode_jupyter.protocol.contexts import ContextRef
from braincode_jupyter.views import (
    RunView,
    close_view,
    fold,
    fold_all,
    start_view,
    to_html,
    to_page,
)
from braincode_jupyter.views.markup import ELEMENTS, element, link

ATTRIBUTES = {
    ("div", "lang"),
    ("a", "href"),
    ("a", "rel"),
    ("details", "open"),
    ("ol", "start"),
    ("img", "src"),
    ("img", "alt"),
}
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) ![y](data:text/html,z)",
    "<style>*{display:none}</style><svg><script>alert(1)</script></svg>",
    '<a data-commandlinker-command="docmanager:save" href="#">x</a>',
    '" autofocus onfocus="alert(1)',
    "</div></details><iframe src=//e>",
    '<b>never closed [l](https://h.example/p?a=1&b="2"',
    "`` ` ``` \n```html\n</code></pre><script>x</script>",
    "\x1b]8;;javascript:alert(1)\x07click\u202e",
    "| a | <td> |\n|---|---|\n| <u> | </table> |",
)
PIECES = st.sampled_from(
    [*"<>/\"'&=`*_[]()!\n|- ", "script", "img src=x", "javascript:", "https://a.b/", "<!--", "]]>"]
)


class Census(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.hrefs: list[str] = []
        self.sources: list[str] = []
        self.words: list[str] = []
        self.odd: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        self.hrefs += [value or "" for name, value in attrs if name == "href"]
        self.sources += [value or "" for name, value in attrs if name == "src"]
        if tag not in {"br", "hr", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.odd.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.odd.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def census(html: str) -> Census:
    found = Census()
    found.feed(html)
    found.close()
    return found


def assert_tame(html: str) -> Census:
    found = census(html)
    assert found.elements <= ELEMENTS
    assert found.attributes <= ATTRIBUTES
    assert found.odd == []
    assert found.open == []
    assert all(href.startswith(("http://", "https://", "mailto:")) for href in found.hrefs)
    assert all(re.match(r"data:image/(png|jpeg);base64,", source) for source in found.sources)
    return found


def poisoned(text: str) -> RunView:
    result = sample.result(
        "analyst",
        summary=text,
        risks=(text,),
        next_questions=(text,),
        artifacts=(ContextRef(kind="file", uri=text or "x", label=text),),
    )
    reference = r.ReferenceUsed(
        timestamp=1, token=text, kind="file", state="missing", uri=text, label=text, reason=text
    )
    return fold_all(
        text,
        [
            r.RunStart(timestamp=1, prompt=text, run_id="r"),
            reference,
            *sample.beginning()[1:],
            sample.manifest(
                "worker", "analyst", 3, (sample.pointer("support", "project", text, 5),)
            ),
            *sample.closed("analyst", 3, result),
            sample.reply("primary", "summarize", 4, text, model=text or "m"),
            r.Warned(timestamp=5, message=text),
            r.RunFailed(timestamp=5, error=text, hint=text, will_fallback=False),
        ],
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_B33_hostile_text_stays_text_wherever_it_stands(text: str) -> None:
    assert_tame(to_html(poisoned(text)))


def test_the_words_of_hostile_markup_are_still_readable() -> None:
    found = assert_tame(to_html(poisoned(HOSTILE[0])))

    assert "<img src=x onerror=alert(1)>" in "".join(found.words)


@pytest.mark.parametrize("text", HOSTILE)
def test_B33_every_streamed_prefix_is_tame(text: str) -> None:
    for end in range(len(text) + 1):
        view = fold(
            start_view("s"), sample.failure("primary", "p", 1, "cut_off", partial=text[:end])
        )

        assert_tame(to_html(view))


def test_code_has_a_margin_where_our_style_is_missing() -> None:
    reply = sample.reply("primary", "p", 1, "```python\na < b\n```\n\nThen.")

    html = to_html(fold(start_view("s"), reply))

    assert "<figure><pre><code>a &lt; b</code></pre></figure><p>Then.</p>" in html


def test_steps_with_code_between_them_are_numbered_on() -> None:
    html = to_html(fold(start_view("s"), sample.reply("primary", "p", 1, "1. a\n\n---\n\n2. b")))

    assert '<ol><li>a</li></ol><hr><ol start="2"><li>b</li></ol>' in html
    assert_tame(html)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_tame(text: str) -> None:
    assert_tame(to_html(fold(start_view(text), sample.reply("primary", "p", 1, text))))


def test_the_card_is_complete() -> None:
    view = fold_all(sample.SESSION, sample.full_run())

    words = " ".join(assert_tame(to_html(view)).words)

    for expected in (
        view.title,
        "completed",
        "@var:sales",
        "file not found",
        "not real",
        "pd.to_datetime",
        "approved",
        "Plan · 4 of 5",
        "The provider refused the key.",
        "What this worker saw",
        "librarian private",
        "Who saw what",
        "One worker failed.",
        "critical path",
        f"@@{sample.SESSION}",
    ):
        assert expected in words


def test_what_needs_a_look_is_open_and_the_rest_is_folded() -> None:
    html = to_html(fold_all(sample.SESSION, sample.full_run()))

    assert html.count("<details open>") == 2
    assert html.index("<h4>Answer") < html.index("<h4>Review") < html.index("<details>")


def test_an_unfinished_run_says_interrupted_and_nothing_of_running() -> None:
    view = close_view(fold_all(sample.SESSION, sample.full_run()[:30]))

    words = " ".join(census(to_html(view)).words)

    assert "interrupted" in words
    assert "running" not in words


def test_a_link_shows_its_host() -> None:
    assert link("https://evil.example/x", "bank") == (
        '<a href="https://evil.example/x" rel="noopener noreferrer">bank</a> (evil.example)'
    )
    assert link("javascript:x", "<b>") == "&lt;b&gt;"


def test_other_elements_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="script"):
        element("script", "x")


def test_B33_a_page_holds_the_card_and_loads_nothing() -> None:
    page = to_page(poisoned("</title><script src=//e></script>"))

    found = census(page)
    assert found.elements - ELEMENTS == {"html", "head", "meta", "title", "style", "body"}
    assert "default-src 'none'" in page
    assert "src=" not in {name for _, name in found.attributes}
