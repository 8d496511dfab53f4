from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.views import Block, clean_text, to_blocks
from braincode_jupyter.views.block_tree import MAX_NESTING, PLAIN_NOTE
from braincode_jupyter.views.blocks import MAX_CHARS
from braincode_jupyter.views.spans import safe_href
from braincode_jupyter.views.speaker import speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HOSTILE = (
    "<img src=x onerror=alert(1)> [x](javascript:alert(1)) ![y](data:text/html,z)\n\n"
    "<style>*{}</style>\n\n- a\n  - **b *c `d` e* f**\n\n"
    "| a | <b> |\n|---|---|\n| [l](https://h/p) | 2 |\n\n"
    "```py\n</code><script>x</script>\n"
)
PIECES = [
    "<",
    ">",
    "[",
    "](",
    ")",
    "javascript:",
    "https://a.b",
    "!",
    "*",
    "_",
    "`",
    "\n",
    "- ",
    "|",
    "&#x202e;",
    " ",
]


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from walk(block.children)


def plain(blocks: Iterable[Block]) -> str:
    return "".join(
        chain.from_iterable((*(s.text for s in block.spans), block.text) for block in walk(blocks))
    )


def hrefs(blocks: Iterable[Block]) -> list[str]:
    return [span.href for block in walk(blocks) for span in block.spans if span.href]


def kinds(text: str) -> list[str]:
    return [block.kind for block in walk(to_blocks(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a", ["heading"]),
        ("a\n\nb", ["paragraph", "paragraph"]),
        ("- a\n- b", ["list", "item", "paragraph", "item", "paragraph"]),
        ("> a", ["quote", "paragraph"]),
        ("---", ["rule"]),
        ("```py\nx\n```", ["code"]),
        ("|a|\n|-|\n|b|", ["table", "row", "cell", "row", "cell"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_each_kind_of_block_is_known(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


def test_code_keeps_its_text_and_language() -> None:
    (code,) = to_blocks("```python title=x\na = 1\n\nb\n```")

    assert (code.language, code.text) == ("python", "a = 1\n\nb")


def test_cells_of_a_table_stand_as_its_author_said() -> None:
    (table,) = to_blocks("| a | b | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |")

    assert [[cell.align for cell in row.children] for row in table.children] == [
        ["left", "right", "center"]
    ] * 2


def test_steps_with_code_between_them_are_numbered_on() -> None:
    blocks = to_blocks("1. a\n\n```\nx\n```\n\n2. b\n3. c\n\n- d")

    assert [(block.kind, block.start) for block in blocks] == [
        ("list", 1),
        ("code", 1),
        ("list", 2),
        ("list", 1),
    ]


def test_inline_styles_become_flags() -> None:
    (block,) = to_blocks("a **b *c*** `d`")

    assert [(s.text, s.strong, s.emphasis, s.code) for s in block.spans] == [
        ("a ", False, False, False),
        ("b ", True, False, False),
        ("c", True, True, False),
        (" ", False, False, False),
        ("d", False, False, True),
    ]


def test_line_breaks_are_newlines_and_soft_ones_are_spaces() -> None:
    assert plain(to_blocks("a\nb  \nc")) == "a b\nc"


@pytest.mark.parametrize(
    "formula",
    [
        "$a_1*b_2*c$",
        r"$$\int_0^1 x^2 \, dx = \frac{1}{3}$$",
        r"\(x_1 * y\)",
        "\\[\na_1 *b* c_1\n\\]",
        r"$\{x\} \_ y$",
    ],
)
def test_a_formula_stays_as_its_author_wrote_it(formula: str) -> None:
    (block,) = to_blocks(f"so **bold** {formula} is *it*")

    assert [(s.text, s.strong or s.emphasis) for s in block.spans] == [
        ("so ", False),
        ("bold", True),
        (f" {formula} is ", False),
        ("it", True),
    ]


@pytest.mark.parametrize(
    "text", ["$5 *or* $6", "from $5-$*10*", "`$a` *and* `$b`", r"\( *open*", "$x\n*y*$ z"]
)
def test_amounts_and_unfinished_formulas_are_text_with_marks(text: str) -> None:
    assert any(span.emphasis for block in to_blocks(text) for span in block.spans)


def test_raw_html_stays_text() -> None:
    assert plain(to_blocks("<b onclick=x>hi</b>")) == "<b onclick=x>hi</b>"


def test_an_image_is_a_plain_link() -> None:
    (block,) = to_blocks("![cat](https://x.y/cat.png)")

    assert [(s.text, s.href) for s in block.spans] == [("image: cat", "https://x.y/cat.png")]


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "data:text/html,x", "file:///etc", "//x.y", "vbscript:x"]
)
def test_other_addresses_are_no_links(target: str) -> None:
    blocks = to_blocks(f"[a]({target}) ![b]({target}) <{target}>")

    assert hrefs(blocks) == []
    assert safe_href(target) is None


def test_definitions_of_links_do_not_vanish() -> None:
    assert "[1]: https://x.y" in plain(to_blocks("see [1]\n\n[1]: https://x.y"))


def test_character_references_cannot_bring_controls_back() -> None:
    assert plain(to_blocks("a&#x202e;b&#27;[31m")) == "a⟨U+202E⟩b\ufffd[31m"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "![" * 20_000,
        ">" * 50_000,
        "- " * 50_000,
        "*a_" * 30_000,
        "a\n" * 60_000,
        ("[" * 80 + "\n\n") * 500,
    ],
)
@pytest.mark.timeout(20)
def test_texts_that_stall_parsers_are_quick_and_lose_nothing(text: str) -> None:
    blocks = to_blocks(text)

    assert len(plain(blocks).replace(" ", "")) >= len("".join(text.split()))


def test_deep_nesting_is_plain_text_with_a_note() -> None:
    text = "".join("  " * depth + "- x\n" for depth in range(MAX_NESTING))

    note, body = to_blocks(text)

    assert note.note == PLAIN_NOTE
    assert body.spans[0].text == text


def test_a_text_over_the_limit_is_cut_with_a_note() -> None:
    note, body = to_blocks("a" * (MAX_CHARS + 5))

    assert f"{MAX_CHARS:,}" in speaker().said(note.note)
    assert len(body.spans[0].text) == MAX_CHARS


def test_every_prefix_of_a_hostile_text_gives_blocks() -> None:
    for end in range(len(HOSTILE) + 1):
        blocks = to_blocks(HOSTILE[:end])

        assert set(hrefs(blocks)) <= {"https://h/p"}


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_text_gives_a_shallow_tree_with_safe_links(text: str) -> None:
    blocks = to_blocks(text)

    assert all(safe_href(href) == href for href in hrefs(blocks))
    assert all(Block.model_validate(block.model_dump()) == block for block in blocks)


@given(st.text())
def test_words_are_never_lost(text: str) -> None:
    shown = plain(to_blocks(text))

    assert all(word in shown for word in clean_text(text).split() if word.isalnum())
