from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
import records_sample as sample
from english import english_in

from braincode_jupyter.protocol import records as r
from braincode_jupyter.views import RunView, fold_all, to_brief, to_html, to_page, to_text

if TYPE_CHECKING:
    from braincode_jupyter.views.speaker import Language

FULL = sample.full_run()
RUNS: dict[str, RunView] = {
    "whole": fold_all(sample.SESSION, FULL),
    "torn": fold_all(sample.SESSION, FULL[: len(FULL) // 2]),
    "begun": fold_all(sample.SESSION, FULL[:9]),
    "failed": fold_all(
        sample.SESSION,
        [
            *sample.beginning(),
            sample.failure("primary", "summarize", 4, "timeout", partial="Sales"),
            r.RunFailed(timestamp=5, error="It took 9 s.", code="timeout", will_fallback=False),
        ],
    ),
}
OTHERS: tuple[Language, ...] = ("fr", "zh")


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("run", RUNS)
def test_text_of_a_run_has_no_english_word_of_ours(run: str, language: Language) -> None:
    view = RUNS[run]
    text = f"{to_text(view, language)}\n{to_brief(view, language)}"
    # A word from outside that was wrapped does not stand in a line with its neighbours.
    said = re.sub(r"\n {6}", " ", text).splitlines()

    assert english_in(said, language, view) == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("run", RUNS)
def test_html_of_a_run_has_no_english_word_of_ours(run: str, language: Language) -> None:
    view = RUNS[run]
    texts = [unescape(text) for text in re.split(r"<[^>]*>", to_html(view, language))]

    assert english_in(texts, language, view) == []


@pytest.mark.parametrize(("language", "tag"), [("en", "en"), ("fr", "fr"), ("zh", "zh-CN")])
def test_html_names_its_language(language: Language, tag: str) -> None:
    view = RUNS["whole"]

    assert to_html(view, language).startswith(f'<div lang="{tag}">')
    assert f'<html lang="{tag}">' in to_page(view, language)


def test_english_words_would_be_found() -> None:
    view = RUNS["whole"]

    assert english_in(["analyst · 2 calls not measured"], "fr", view)
    assert english_in(["完成 · waiting for analyst"], "zh", view)
    assert english_in(to_text(view).splitlines(), "fr", view)


def test_figures_are_written_as_in_the_language() -> None:
    view = RUNS["whole"].model_copy(update={"max_tokens": 60_000})

    assert "budget de 60,0\u00a0k tokens" in to_html(view, "fr")
    assert "预算 60.0k token" in to_html(view, "zh")
