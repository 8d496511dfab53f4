from __future__ import annotations

from textwrap import dedent
from unicodedata import category

import pytest
import records_sample as sample
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.protocol import records as r
from braincode_jupyter.views import (
    fold,
    fold_all,
    start_view,
    to_brief,
    to_progress_line,
    to_text,
)
from braincode_jupyter.views.wrapping import WIDTH

FULL = sample.full_run()


def test_a_small_run_reads_like_this() -> None:
    view = fold_all(
        "3f2a91c4",
        [
            r.RunStart(timestamp=sample.at(0), run_id="r", prompt="Add 2 and 2."),
            sample.manifest(
                "primary", "rush", 0, (sample.pointer("request", "user", "request", 8),)
            ),
            sample.reply("primary", "rush", 1.5, "It is **4**."),
            sample.usage("primary", "rush", 1.5, 60, 0.0002),
            r.RunEnded(timestamp=sample.at(1.5), summary="", worker_results=(), final_report=None),
        ],
    )

    assert to_text(view) == dedent(
        """\
        Add 2 and 2.
        completed · auto · 1.5 s · 60 tokens · $0.0002

        Answer
        It is **4**.

        Review: not required

        Time
          rush  completed · 1.5 s · 60 tokens · $0.0002 · critical path

        Agents
          rush · completed · acme/large
            What the primary saw: role: rush 40, your request 8

        Who saw what
                 1   2
          rush   ● own
          ● seen, own: its own, · not seen, – not called
          1 your request, 2 the answer

        Models: acme/large
        Session @@3f2a91c4"""
    )


def test_a_failed_run_reads_like_this() -> None:
    view = fold_all(
        "s",
        [
            r.RunStart(timestamp=sample.at(0), run_id="r", prompt="Hi"),
            r.RunFailed(
                timestamp=sample.at(1),
                error="The provider 'acme' refused the key.",
                code="authentication",
                will_fallback=False,
            ),
        ],
    )

    assert to_text(view) == dedent(
        """\
        Hi
        failed · auto · 1.0 s

        Why it failed
          The provider 'acme' refused the key.
          Check the key with %braincode doctor.
          To go on with it: %braincode resume s

        Review: not required

        Session @@s"""
    )


def test_everything_is_told() -> None:
    text = to_text(fold_all(sample.SESSION, FULL))

    for expected in (
        "@notes.txt         missing: file not found",
        "Review: approved, by a model of another provider",
        "3 [done]    Is the drop more than noise? (statistician, needs 2)",
        "librarian     failed",
        "- Risk: currency of 312 rows is unknown",
        "- Open: should returns count in the quarter of sale?",
        "Withheld from it: librarian private (private)",
        "- One worker failed.",
    ):
        assert expected in text


def test_the_brief_text_tells_what_came_of_it_and_where_the_rest_is() -> None:
    view = fold_all(sample.SESSION, FULL)

    brief, whole = to_brief(view), to_text(view)

    for expected in (
        "Most of the drop is **not real**",
        "Review: approved, by a model of another provider",
        "@notes.txt         missing: file not found",
        "- One worker failed.",
        "librarian     failed",
        "%braincode show 3f2a91c4 tells more",
    ):
        assert expected in brief
    for detail in ("Who saw what", "What this worker saw", "currency of 312 rows"):
        assert detail in whole
        assert detail not in brief
    assert len(brief.splitlines()) < len(whole.splitlines()) / 2


def test_the_plan_says_why_it_is_so() -> None:
    text = to_text(fold_all(sample.SESSION, FULL))

    assert "Plan · 4 of 5\n  Data question with a claim to check.\n" in text


def test_lines_fit_where_they_can() -> None:
    view = fold_all(sample.SESSION, FULL)
    text = f"{to_text(view)}\n{to_brief(view)}"

    assert max(len(line) for line in text.splitlines()) <= WIDTH


def test_code_and_tables_are_not_wrapped_but_prose_is() -> None:
    long = "word " * 40
    answer = f"{long}\n\n```\n{long}\n```\n\n| {long}|\n|---|\n"

    lines = to_text(fold(start_view(""), sample.reply("primary", "p", 1, answer))).splitlines()

    assert sum(len(line) > WIDTH for line in lines) == 2


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (1, "braincode: starting"),
        (5, "braincode: planning · 0 of 1 agents done · router running"),
    ],
)
def test_progress_names_what_goes_on(end: int, expected: str) -> None:
    view = start_view(sample.SESSION)
    for record in FULL[:end]:
        view = fold(view, record)

    assert to_progress_line(view) == expected


def test_progress_names_failures_and_who_runs() -> None:
    view = start_view(sample.SESSION)
    for record in (*sample.beginning(), *sample.work()[:16]):
        view = fold(view, record)

    line = to_progress_line(view)

    assert line.endswith("1 of 6 agents done · librarian failed · analyst running")


@given(st.integers(0, len(FULL)), st.text(max_size=30))
def test_any_view_has_a_text_without_controls(end: int, prompt: str) -> None:
    start = FULL[0].model_copy(update={"prompt": prompt})
    view = fold_all("s", [start, *FULL[1:end]])

    assert not {char for char in to_text(view) if category(char) in {"Cc", "Cf", "Cs"}} - {
        "\n",
        "\t",
    }
