from __future__ import annotations

from typing import TYPE_CHECKING

import card_samples as samples
import pytest
from playwright.sync_api import expect
from test_accessibility import check

from braincode_jupyter.views.run_view import ArtifactView, RunView
from braincode_jupyter.views.table_view import ColumnView, TableView

if TYPE_CHECKING:
    from collections.abc import Callable

    from card_harness import Card
    from playwright.sync_api import Locator

    OpenCard = Callable[..., Card]

HOSTILE = '<img src=x onerror="document.title=1">'
CSV = "region,total\nnorth,12\nsouth,7\n"


def table(**changed: object) -> TableView:
    fields: dict[str, object] = {
        "uri": "query:w/revenue",
        "name": "revenue_by_region",
        "rows": 2,
        "columns": 2,
        "kept_rows": 2,
        "size_bytes": 29,
        "heads": (ColumnView(name="region"), ColumnView(name="total", is_number=True)),
        "cells": (("north", "12"), (HOSTILE, "7")),
        "csv": CSV,
        "code": "import braincode_jupyter\n\nrevenue_by_region = 1",
    }
    return TableView.model_validate({**fields, **changed})


def with_tables(*tables: TableView) -> RunView:
    """Return a finished run whose first worker made tables."""
    view = samples.finished()
    made = tuple(
        ArtifactView(kind="artifact", uri=one.uri, label=one.name, media_type="text/csv")
        for one in tables
    )
    first = next(agent for agent in view.agents if agent.kind == "worker")
    agents = tuple(
        agent.model_copy(update={"artifacts": made}) if agent is first else agent
        for agent in view.agents
    )
    return view.model_copy(update={"tables": tables, "agents": agents})


def first_worker(card: Card) -> Locator:
    worker = card.open("workers").locator(".bc-worker").first
    worker.locator("> summary").click()
    return worker


def test_a_table_is_drawn_below_its_worker_with_its_size(open_card: OpenCard) -> None:
    worker = first_worker(open_card(with_tables(table())))

    made = worker.locator(".bc-made")

    expect(made.locator("summary")).to_have_text(
        "revenue_by_region · 2 rows × 2 columns · 29 bytes"
    )
    expect(made.get_by_role("columnheader")).to_have_text(["region", "total"])
    expect(made.get_by_role("cell")).to_have_text(["north", "12", HOSTILE, "7"])
    expect(made.locator("td").nth(1)).to_have_css("text-align", "end")
    expect(made.locator("img")).to_have_count(0)
    assert "Artifacts" not in worker.inner_text()


def test_a_table_can_be_copied_as_csv_and_its_code_is_there(open_card: OpenCard) -> None:
    card = open_card(with_tables(table()))
    card.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async text => "
        "{ window.copied = text }}})"
    )
    made = first_worker(card).locator(".bc-made")

    made.get_by_role("button", name="Copy as CSV: revenue_by_region").click()

    expect(made.get_by_role("button", name="Copy as CSV: revenue_by_region")).to_have_text("copied")
    assert card.page.evaluate("window.copied") == CSV
    expect(made.get_by_role("button", name="Insert below")).to_be_hidden()
    expect(made.locator("pre")).to_contain_text("revenue_by_region = 1")


def test_a_large_table_says_what_is_kept_and_what_is_not_drawn(open_card: OpenCard) -> None:
    large = table(rows=1_000_000, kept_rows=10_000, columns=14, size_bytes=262_144, csv="")

    made = first_worker(open_card(with_tables(large))).locator(".bc-made")

    expect(made.locator("summary")).to_contain_text(
        "1,000,000 rows × 14 columns · 262.1 kB · the first 10,000 rows kept"
    )
    expect(made).to_contain_text("… 999,998 rows, 12 columns more")
    expect(made.get_by_role("button", name="Copy as CSV")).to_be_hidden()


def test_tables_that_come_are_added_and_the_rest_stays(open_card: OpenCard) -> None:
    view = with_tables(table(), table(uri="query:w/other", name="other"))
    card = open_card(view.model_copy(update={"tables": view.tables[:1]}))
    worker = first_worker(card)
    drawn = worker.locator(".bc-made").first
    drawn.evaluate("element => { element.mark = 1 }")

    card.say({"kind": "delta", "seq": 1, "patch": {"tables": [1, [view.tables[1].to_wire()]]}})

    expect(worker.locator(".bc-made > summary b")).to_have_text(["revenue_by_region", "other"])
    assert drawn.evaluate("element => element.mark") == 1


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_a_checker_finds_nothing_in_tables(open_card: OpenCard, *, is_dark: bool) -> None:
    large = table(uri="query:w/large", rows=None, kept_rows=10_000, columns=14, csv="")
    card = open_card(with_tables(table(), large), is_dark=is_dark)

    first_worker(card)

    assert check(card) == []
