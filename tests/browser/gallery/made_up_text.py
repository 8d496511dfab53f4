"""Made-up text of every bad kind: Markdown, HTML, escapes, hidden and turning characters."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HUGE_EVERY = 2_000
"""One in so many texts is huge: up to 300,000 characters."""
LONG_EVERY = 25
"""One in so many texts has some hundreds of characters."""

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


def texts(seed: int, count: int) -> Iterator[str]:
    """Give made-up texts; the same seed gives the same ones."""
    made = random.Random(seed)  # noqa: S311 - no secret
    kinds = (_MARKDOWN, _MARKDOWN + _HTML, _MARKDOWN + _HIDDEN, _HTML + _HIDDEN)
    for number in range(count):
        if number % HUGE_EVERY == HUGE_EVERY - 1:
            yield made.choice(_HUGE) * made.randrange(1_000, 60_000)
        else:
            pieces = made.choice(kinds)
            size = made.choice((2, 4, 6, 12)) if number % LONG_EVERY else 60
            yield "".join(made.choices(pieces, k=made.randint(1, size)))
