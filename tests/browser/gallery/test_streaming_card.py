from __future__ import annotations

from typing import TYPE_CHECKING

import card_samples as samples
import pytest
from playwright.sync_api import expect

from braincode_jupyter.views import to_blocks
from braincode_jupyter.views.run_view import AnswerView
from braincode_jupyter.widget.text_stream import TextStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from card_harness import Card

    from braincode_jupyter.views.run_view import RunView

    OpenCard = Callable[..., Card]

ANSWER = """## Why it fell

Most of the drop is **not real**: the cleaning cell drops `1,204` rows.

1. one

   ```sql
   select 1

   from t
   ```
2. two
3. three

```python
frame = load("a.csv")

frame.head()
```

| quarter | revenue |
|---|--:|
| Q2 | 1 |

> quoted, with [a link](https://a.example/b)

Look at the cleaning cell first.
"""
# Drawn blocks by the order in which they came, and the markup of the whole answer.
KEEP = "window.kept = [...document.querySelectorAll('.bc-answer .bc-text > *')]"
IS_KEPT = """() => {
  const now = [...document.querySelectorAll('.bc-answer .bc-text > *')];
  return kept.length > 0 && kept.every((el, index) => el === now[index]);
}"""
SHAPE = """e => [...e.querySelectorAll('*')].map(el => {
  const own = [...el.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('|');
  return `${el.localName}.${el.className}: ${own}`;
})"""


def messages(text: str, *, size: int = 7) -> Iterator[dict[str, object]]:
    """Give what the kernel sends of a text that comes in small pieces."""
    stream = TextStream(is_formatted=True)
    for offset in range(0, len(text), size):
        stream.add(offset, text[offset : offset + size])
        yield stream.take(1_000, context_id="p")


def stream(card: Card, items: Iterator[dict[str, object]] | list[dict[str, object]]) -> None:
    for item in items:
        card.seq += 1
        card.say({"kind": "delta", "seq": card.seq, "items": [item]})


def ended(text: str) -> RunView:
    answer = AnswerView(state="completed", text=text, blocks=to_blocks(text))
    return samples.finished().model_copy(update={"answer": answer})


def test_answer_is_formatted_while_it_streams(open_card: OpenCard) -> None:
    card = open_card(samples.answering())

    stream(card, messages(ANSWER[: ANSWER.index("3. three") + 4]))

    expect(card.find(".bc-answer h5")).to_have_text("Why it fell")
    expect(card.find(".bc-answer strong")).to_have_text("not real")
    expect(card.find(".bc-answer ol > li")).to_have_count(1)
    expect(card.find(".bc-answer .bc-plain")).to_have_text("2. two 3. t")


def test_code_grows_as_code(open_card: OpenCard) -> None:
    card = open_card(samples.answering())

    stream(card, messages(ANSWER[: ANSWER.index("frame.head") + 7]))

    expect(card.find(".bc-tail code")).to_have_text('frame = load("a.csv")\n\nframe.h')
    expect(card.find(".bc-tail .bc-tools")).to_have_text("python")
    expect(card.find(".bc-answer .bc-plain")).to_be_hidden()


@pytest.mark.parametrize("size", [1, 7, 60])
def test_nothing_jumps_at_the_end(open_card: OpenCard, size: int) -> None:
    card, whole = open_card(samples.answering()), open_card(ended(ANSWER))
    stream(card, messages(ANSWER, size=size))
    card.page.evaluate(KEEP)

    card.set_view(ended(ANSWER))

    assert card.page.evaluate(IS_KEPT)
    expect(card.find(".bc-answer .bc-tail :is(.bc-plain, .bc-codeblock):visible")).to_have_count(0)
    shapes = [one.find(".bc-answer .bc-text").evaluate(SHAPE) for one in (card, whole)]
    assert shapes[0] == shapes[1]


def test_a_list_grows_without_being_drawn_anew(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    items = list(messages("".join(f"- item {number}\n" for number in range(20))))
    stream(card, items[:12])
    card.page.evaluate("window.first = document.querySelector('.bc-answer li')")

    stream(card, items[12:])

    expect(card.find(".bc-answer li")).to_have_count(19)
    expect(card.find(".bc-answer ul")).to_have_count(1)
    assert card.page.evaluate("window.first === document.querySelector('.bc-answer li')")


def test_steps_with_code_between_them_are_numbered_on(open_card: OpenCard) -> None:
    card = open_card(samples.answering())

    stream(card, messages("1. a\n\n```\nx\n```\n\n2. b\n3. c\n\nend"))

    assert card.find(".bc-answer ol").evaluate_all("all => all.map(e => e.start)") == [1, 2]


def test_B08_second_view_and_a_reload_show_what_is_settled(open_card: OpenCard) -> None:
    text = ANSWER[:-20]
    card = open_card(samples.answering())
    stream(card, messages(text))

    card.page.evaluate("void kernel.draw()")
    reloaded = open_card(samples.answering())
    known = TextStream(is_formatted=True)
    known.add(0, text)
    known.take(10_000, context_id="p")
    item = known.again(10_000, context_id="p", attempt=-1, offset=-1)
    view = samples.answering().to_wire()
    reloaded.say({"kind": "sync", "seq": 9, "view": view, "items": [item]})

    shape = card.find(".bc-answer").evaluate(SHAPE)
    assert card.page.locator(".bc-run").nth(1).locator(".bc-answer").evaluate(SHAPE) == shape
    assert reloaded.find(".bc-answer").evaluate(SHAPE) == shape


def test_broken_attempt_takes_its_blocks_along(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    text = TextStream(is_formatted=True)
    text.add(0, "# first\n\n# model\n\nx")
    stream(card, [text.take(100, context_id="p")])

    text.add(0, "second\n\n- y\n- z\n")
    stream(card, [text.take(100, context_id="p")])

    expect(card.find(".bc-answer :is(h5, h6)")).to_have_count(0)
    expect(card.find(".bc-answer .bc-text")).to_have_text("secondy")
    expect(card.find(".bc-answer .bc-plain")).to_have_text("- z")


def test_answer_that_ends_otherwise_is_drawn_as_it_ended(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    stream(card, messages("# one\n\ntwo\n\nthree"))

    card.set_view(ended("# one\n\nother\n\n- end"))

    expect(card.find(".bc-answer .bc-text")).to_have_text("oneotherend")


def test_code_without_a_notebook_to_insert_into_can_be_copied_only(open_card: OpenCard) -> None:
    card = open_card(ended("```py\nx = 1\n```"))

    expect(card.find(".bc-codeblock button:visible")).to_have_text(["Copy"])


def test_more_blocks_than_are_drawn_are_counted_at_the_end(open_card: OpenCard) -> None:
    card = open_card(samples.answering())
    text = "a\n\n" * 5_000
    stream(card, messages(text, size=3_000))

    card.set_view(ended(text))

    expect(card.find(".bc-answer .bc-text > :last-child")).to_have_text("… 1,001 more")
