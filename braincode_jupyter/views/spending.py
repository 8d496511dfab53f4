"""What sessions spent, summed by any name: model and day, or agent.

A price that is unknown stays unknown: one call without a price makes the sum unknown, and a table
says so; it is never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from braincode_jupyter.views.clean import clean_line
from braincode_jupyter.views.figures import cost_words
from braincode_jupyter.views.markup import Html, element
from braincode_jupyter.views.speaker import speaker
from braincode_jupyter.views.usage import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from braincode_jupyter.protocol.records import UsageRecorded

UNKNOWN = "unknown"
COLUMNS = ("calls", "input", "output", "tokens", "cost")
"""Figures of a row, after its names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Sum of the calls under the same names.

    Parameters
    ----------
    names : tuple of str
        What they have in common, for example day and model.
    calls : int
        Measured calls, failed ones included.
    input_tokens, output_tokens, total_tokens : int
        As the providers told.
    cost_usd : float or None
        US dollars; None: at least one price is unknown.
    """

    names: tuple[str, ...]
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cost_usd: float | None = 0.0

    def plus(self, record: UsageRecorded) -> Spent:
        """Return the sum with one more call."""
        is_known = self.cost_usd is not None and record.cost_usd is not None
        return Spent(
            names=self.names,
            calls=self.calls + 1,
            input_tokens=self.input_tokens + record.usage.input,
            output_tokens=self.output_tokens + record.usage.output,
            total_tokens=self.total_tokens + tokens_of(record),
            cost_usd=(self.cost_usd or 0.0) + (record.cost_usd or 0.0) if is_known else None,
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """Names and figures as words."""
        cost = UNKNOWN if self.cost_usd is None else cost_words(speaker(), self.cost_usd)
        counts = (self.calls, self.input_tokens, self.output_tokens, self.total_tokens)
        return (*self.names, *(f"{count:,}" for count in counts), cost)


def sum_spent(calls: Iterable[tuple[tuple[str, ...], UsageRecorded]]) -> tuple[Spent, ...]:
    """Sum calls by their names.

    Parameters
    ----------
    calls : iterable of (tuple of str, UsageRecorded)
        Names, and what was spent; a record that measures nothing is left out, and one of a call
        that was replayed, since it was spent before.

    Returns
    -------
    tuple of Spent
        In the order in which the names first came.
    """
    found: dict[tuple[str, ...], Spent] = {}
    for names, record in calls:
        if tokens_of(record) > 0 and not record.is_replayed:
            cleaned = tuple(clean_line(name) or UNKNOWN for name in names)
            found[cleaned] = found.get(cleaned, Spent(names=cleaned)).plus(record)
    return tuple(found.values())


def total_of(rows: Iterable[Spent], names: tuple[str, ...]) -> Spent:
    """Return the sum of all rows under other names."""
    listed = tuple(rows)
    costs = [row.cost_usd for row in listed]
    known = [cost for cost in costs if cost is not None]
    return Spent(
        names=names,
        calls=sum(row.calls for row in listed),
        input_tokens=sum(row.input_tokens for row in listed),
        output_tokens=sum(row.output_tokens for row in listed),
        total_tokens=sum(row.total_tokens for row in listed),
        cost_usd=sum(known) if len(known) == len(costs) else None,
    )


def spending_html(title: str, head: tuple[str, ...], rows: Iterable[Spent], *, note: str) -> Html:
    """Return a table without scripts; everything in it is escaped text.

    Parameters
    ----------
    title : str
        What it is about.
    head : tuple of str
        Headings of the names; those of the figures follow.
    rows : iterable of Spent
        In order.
    note : str
        A sentence below.

    Returns
    -------
    Html
        Ours alone.
    """
    lines = [element("tr", *(element("th", cell) for cell in (*head, *COLUMNS)))]
    lines += [element("tr", *(element("td", cell) for cell in row.cells)) for row in rows]
    return element("div", element("h4", title), element("table", *lines), element("p", note))
