from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING

import card_samples as samples
import pytest
import records_sample
from english import english_in
from playwright.sync_api import expect

from braincode_jupyter.protocol.sentence import Sentence
from braincode_jupyter.views import fold_all

TESTS = Path(__file__).parents[2]

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card

    from braincode_jupyter.views.speaker import Language

    OpenCard = Callable[..., Card]

SPOKEN = TESTS / "fixtures" / "spoken.json"
EXAMPLES = {
    name: make()
    for name, make in inspect.getmembers(samples, inspect.isfunction)
    if make.__module__ == samples.__name__ and not inspect.signature(make).parameters
}
FOLDED = fold_all(records_sample.SESSION, records_sample.full_run())
EVERY_TEXT = """() => {
  document.querySelectorAll('.bc-run details:not([open]) > summary').forEach(el => el.click());
  const texts = [];
  const walk = document.createTreeWalker(document.querySelector('.bc-run'), NodeFilter.SHOW_ALL);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    for (const name of ['title', 'aria-label', 'placeholder']) {
      const said = node.getAttribute?.(name);
      if (said) texts.push(said);
    }
  }
  return texts;
}"""

TITLES = {
    "en": ["Answer", "Review", "Warnings", "Plan", "Time", "Workers", "Who saw what"],
    "zh-CN": ["回答", "审查", "警告", "计划", "时间", "智能体", "谁看到了什么"],
    "fr": ["Réponse", "Relecture", "Avertissements", "Plan", "Temps", "Agents", "Qui a vu quoi"],
}


@pytest.mark.parametrize("language", TITLES)
def test_card_speaks_the_language_of_the_page(open_card: OpenCard, language: str) -> None:
    card = open_card(samples.failed_worker(), language=language)

    shown = card.find(".bc-section:visible .bc-title:visible").all_text_contents()

    assert shown == TITLES[language]


FIGURES = {
    "en": ("1 failed · 2 completed", "5 calls × 7 sections", "≥ 24.5k of 60k tokens"),
    "zh_CN": ("失败 1 · 已完成 2", "5 次调用 × 7 个片段", "≥ 24.5k / 60k token"),
    "fr_FR": ("échec : 1 · terminé : 2", "5 appels × 7 sections", "≥ 24,5 k sur 60 k tokens"),
}


@pytest.mark.parametrize("language", FIGURES)
def test_numbers_and_plurals_follow_the_language(open_card: OpenCard, language: str) -> None:
    card = open_card(samples.failed_worker(), language=language)

    workers, matrix, tokens = FIGURES[language]
    expect(card.find(".bc-workers .bc-line")).to_have_text(workers)
    expect(card.find(".bc-matrix .bc-line")).to_have_text(matrix)
    expect(card.find(".bc-facts")).to_contain_text(tokens)


def test_a_language_that_is_not_known_is_said_in_english(open_card: OpenCard) -> None:
    card = open_card(samples.running(), language="eo")

    expect(card.root.get_by_role("button", name="Stop")).to_be_visible()


@pytest.mark.parametrize(
    ("language", "spoken"),
    [("zh-CN", "Brain 运行\uff1a已完成"), ("fr", "Exécution Brain : terminée")],
)
def test_state_changes_are_spoken_in_the_language_of_the_page(
    open_card: OpenCard, language: str, spoken: str
) -> None:
    card = open_card(samples.answering(), language=language)

    card.set_view(samples.finished())

    expect(card.find("[aria-live=polite]")).to_have_text(spoken)


@pytest.mark.parametrize("language", ["en", "fr", "zh"])
def test_sentences_are_said_as_python_says_them(open_card: OpenCard, language: str) -> None:
    rows = json.loads(SPOKEN.read_text(encoding="utf-8"))
    warnings = tuple(Sentence.model_validate(row["sentence"]) for row in rows)
    view = samples.running().model_copy(update={"warnings": warnings})

    card = open_card(view, language=language)

    assert card.find(".bc-warnings li").all_text_contents() == [row[language] for row in rows]


@pytest.mark.parametrize("language", ["fr", "zh"])
def test_no_english_word_of_ours_is_on_a_card(open_card: OpenCard, language: Language) -> None:
    found: dict[str, list[str]] = {}
    for name, view in {**EXAMPLES, "folded": FOLDED}.items():
        card = open_card(view, language=language)
        found[name] = english_in(card.page.evaluate(EVERY_TEXT), language, view)

    assert [fault for faults in found.values() for fault in faults] == []
    assert len(found) > 8
