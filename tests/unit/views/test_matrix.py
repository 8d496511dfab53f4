from __future__ import annotations

import records_sample as sample

from braincode_jupyter.protocol.records import PromptManifest
from braincode_jupyter.views import RunView, fold, fold_all, isolation_report
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.views.words import section_words

SAY = speaker()
FULL = sample.full_run()
MANIFESTS = [record for record in FULL if isinstance(record, PromptManifest)]


def cell(view: RunView, row: str, column: str) -> str:
    labels = [section_words(SAY, one) for one in view.matrix.columns]
    cells = {one.label: one.cells for one in view.matrix.rows}
    return cells[row][labels.index(column)]


def test_columns_are_the_texts_that_exist_shared_ones_first() -> None:
    view = fold_all(sample.SESSION, FULL)

    assert [section_words(SAY, column) for column in view.matrix.columns] == [
        "your request",
        "@var:sales",
        "@docs/glossary.md",
        "AGENTS.md",
        "librarian private",
        "librarian result",
        "analyst private",
        "analyst result",
        "statistician private",
        "statistician result",
        "the answer",
    ]


def test_cells_say_seen_own_and_withheld() -> None:
    view = fold_all(sample.SESSION, FULL)

    assert cell(view, "router", "your request") == "seen"
    assert cell(view, "router", "@var:sales") == "withheld"
    assert cell(view, "statistician", "analyst result") == "seen"
    assert cell(view, "statistician", "librarian result") == "withheld"
    assert cell(view, "statistician", "analyst private") == "withheld"
    assert cell(view, "analyst", "analyst private") == "own"
    assert cell(view, "summarize", "the answer") == "own"
    assert cell(view, "review", "the answer") == "seen"


def test_an_agent_without_a_call_is_not_called() -> None:
    begun = next(i for i, one in enumerate(FULL) if one.type == "worker_end")

    view = fold_all(sample.SESSION, FULL[:begun])

    assert cell(view, "summarize", "your request") == "not_called"


def test_a_leak_would_be_drawn() -> None:
    leak = sample.manifest(
        "worker", "statistician", 22, (*sample.SHARED, sample.private("analyst"))
    )

    view = fold_all(sample.SESSION, [*sample.beginning(), *sample.work(), leak])

    assert cell(view, "statistician", "analyst private") == "seen"


def test_a_leak_of_the_primary_gets_a_column_of_its_own() -> None:
    leak = sample.manifest(
        "review", "review", 39, (sample.pointer("private", "ctx-summarize", "x", 5),)
    )

    view = fold_all(sample.SESSION, [*FULL[:-6], leak])

    assert cell(view, "review", "summarize private") == "seen"


def test_each_row_is_as_long_as_the_columns_after_every_record() -> None:
    view = fold_all(sample.SESSION, ())
    for record in FULL:
        view = fold(view, record)

        assert all(len(row.cells) == len(view.matrix.columns) for row in view.matrix.rows)


def test_an_agent_lists_what_it_saw_with_shares_and_what_was_withheld_with_reasons() -> None:
    view = fold_all(sample.SESSION, FULL)
    statistician = view.agents[3]

    assert [section_words(SAY, one) for one in statistician.saw] == [
        "role: statistician",
        "your request",
        "@var:sales",
        "@docs/glossary.md",
        "AGENTS.md",
        "analyst result",
    ]
    assert sum(one.share for one in statistician.saw) > 0.99
    assert [(section_words(SAY, one), one.reason) for one in statistician.withheld] == [
        ("librarian private", "private"),
        ("analyst private", "private"),
        ("librarian result", "no edge"),
    ]


def test_packet_and_reply_of_another_worker_are_one_private_entry() -> None:
    packet = sample.pointer("handoff", "ctx-analyst", "packet", 30)
    asked = sample.manifest(
        "worker", "statistician", 3, sample.SHARED, (packet, sample.private("analyst"))
    )

    view = fold_all(sample.SESSION, [*sample.beginning(), asked])
    withheld = next(one for one in view.agents if one.role == "statistician").withheld

    assert [(section_words(SAY, one), one.tokens) for one in withheld] == [("analyst private", 110)]


def test_the_report_has_one_row_for_each_agent_and_section() -> None:
    rows = isolation_report(MANIFESTS)

    assert len(rows) == sum(len(one.sections) + len(one.withheld) for one in MANIFESTS)
    assert {row.reason for row in rows if row.is_seen} == {""}
    assert all(row.reason for row in rows if not row.is_seen)


def test_the_report_names_owners_by_role() -> None:
    rows = isolation_report(MANIFESTS)

    seen = [
        row for row in rows if row.agent == "statistician" and row.kind == "result" and row.is_seen
    ]
    assert [(row.owner, row.tokens) for row in seen] == [("analyst", 60)]


def test_our_fixed_wording_is_one_entry() -> None:
    wording = tuple(
        sample.pointer("instruction", "ctx-analyst", f"instruction:{n}", 50) for n in "ab"
    )
    asked = sample.manifest("worker", "analyst", 3, (wording[0], *sample.SHARED, wording[1]))

    view = fold_all(sample.SESSION, [*sample.beginning(), asked])
    saw = next(one for one in view.agents if one.role == "analyst").saw

    assert [(section_words(SAY, one), one.tokens) for one in saw][-1] == ("instructions", 100)
    assert sum(one.kind == "instruction" for one in saw) == 1
