from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from braincode_jupyter.tools.evidence import MAX_TEXT_CHARS, precomputed_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

SALES = pd.DataFrame(
    {
        "id": range(6),
        "region": ["n", "s", "n", "s", "n", "s"],
        "day": pd.to_datetime(["2024-01-03", "2024-01-09", "2024-02-01"] * 2),
        "price": [1.0, 2.0, 3.0, 4.0, 5.0, None],
    }
)


@pytest.mark.parametrize(
    "convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas], ids=["pd", "pl", "pa"]
)
def test_means_by_group_and_month_equal_those_of_pandas(
    convert: Callable[[pd.DataFrame], object],
) -> None:
    text = precomputed_evidence({"sales": convert(SALES)}, "why did the price fall?")

    means = SALES.groupby("region")["price"].mean()
    months = SALES.groupby(SALES["day"].dt.strftime("%Y-%m"))["price"].mean()
    assert text.startswith("sales: 6 rows × 4 columns")
    assert f"mean price by region: n {means['n']:.6g}, s {means['s']:.6g}" in text
    shown = ", ".join(f"{month} {mean:.6g}" for month, mean in months.items())
    assert f"mean price by day (month): {shown}" in text


def test_columns_that_the_request_names_come_first() -> None:
    by_name = precomputed_evidence({"sales": SALES}, "what of PRICE by day?")

    assert by_name.index("price: mean") < by_name.index("id: mean")
    assert by_name.index("by day") < by_name.index("by region")


def test_what_is_no_frame_gives_nothing() -> None:
    assert precomputed_evidence({"n": 3, "text": "x"}, "why?") == ""


def test_columns_of_many_values_are_not_grouped_by() -> None:
    frame = pd.DataFrame({"name": [f"person {i}" for i in range(100)], "age": range(100)})

    text = precomputed_evidence({"people": frame}, "age?")

    assert "person" not in text
    assert "age: mean 49.5, min 0, max 99" in text


def test_without_numbers_the_sizes_of_groups_are_told() -> None:
    assert "rows by value: a 2, b 1" in precomputed_evidence({"s": pd.Series(["a", "b", "a"])}, "")


def test_a_frame_that_cannot_be_computed_does_not_stop_the_next() -> None:
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])

    text = precomputed_evidence({"bad": twice, "sales": SALES}, "")

    assert "bad: could not be computed" in text
    assert "sales: 6 rows" in text


@given(
    columns=st.lists(st.text(max_size=200), min_size=1, max_size=20, unique=True),
    request=st.text(max_size=100),
)
def test_the_text_has_a_limit(columns: list[str], request: str) -> None:
    frame = pd.DataFrame({name: np.arange(3.0) for name in columns})

    assert len(precomputed_evidence({"f": frame, "g": frame}, request)) <= MAX_TEXT_CHARS


def test_the_frame_is_not_changed() -> None:
    before = SALES.copy(deep=True)

    precomputed_evidence({"sales": SALES}, "price by day")

    pd.testing.assert_frame_equal(SALES, before)
