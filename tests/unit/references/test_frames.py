from __future__ import annotations

import datetime as dt
import time
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from braincode_jupyter.references import describe, limits

MAIL = "anna@example.org"


def columns() -> dict[str, list[object]]:
    return {
        "amount": [1.5, 2.5, None, 4.0],
        "count": [1, 2, 3, 4],
        "mail": [MAIL, MAIL, "b@example.org", None],
        "day": [dt.datetime.fromisoformat(f"2024-01-0{day}") for day in (1, 2, 3, 4)],
        "paid": [True, False, True, True],
    }


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("library", FRAMES)
def test_B30_a_frame_gives_shape_schema_and_statistics_but_no_cell_values(library: str) -> None:
    frame = FRAMES[library](columns())

    found = describe(frame)

    assert found.label == "frame 4 × 5, schema and statistics"
    for piece in (
        "4 rows × 5 columns",
        "amount: Float64, 25 % null, min 1.5, max 4, mean 2.66667, median 2.5",
        "count: Int64, 0 % null, min 1, max 4, mean 2.5, median 2.5",
        "mail: String, 25 % null, 2 distinct",
        "min 2024-01-01 00:00:00, max 2024-01-04 00:00:00",
        "paid: Boolean, 0 % null, 75 % true",
        "No cell values are included.",
    ):
        assert piece in found.text
    assert "example.org" not in found.text


@pytest.mark.parametrize("library", FRAMES)
def test_rows_come_only_when_asked_for_and_are_clipped(library: str) -> None:
    frame = FRAMES[library]({"text": ["x" * 500] * 9, "n": [MAIL] * 9})

    found = describe(frame, rows=True)

    assert found.text.count(MAIL) == limits.FRAME_ROWS
    assert "x" * (limits.FRAME_CELL_CHARS + 1) not in found.text
    assert found.label == "frame 9 × 2, schema, statistics and rows"


def test_a_label_reads_plainly() -> None:
    frame = pd.DataFrame(np.zeros((24_310, 7)), columns=list("abcdefg"))

    assert describe(frame).label == "frame 24,310 × 7, schema and statistics"


# Field report B30: 2,000 columns × 1 million rows.


def test_B30_a_frame_far_too_wide_and_long_is_described_in_a_second_without_a_copy() -> None:
    block = np.broadcast_to(np.float32(1.5), (1_000_000, 2_000))
    frame = pd.DataFrame(block, copy=False)
    frame.columns = [f"col{i}" for i in range(2_000)]
    describe(pd.DataFrame({"warm": [1]}))
    tracemalloc.start()
    started = time.perf_counter()

    found = describe(frame)

    seconds = time.perf_counter() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seconds < 5
    assert peak < 64 * 1024 * 1024
    assert found.label == "frame 1,000,000 × 2,000, schema and statistics"
    assert "1,960 columns without type and statistics" in (found.cut or "")
    assert "statistics from 20,000 of 1,000,000 rows" in (found.cut or "")
    assert "col39: Float32" in found.text
    assert "col40:" not in found.text
    assert "and 1,760 more not named" in found.text
    assert len(found.text) < limits.MAX_SNAPSHOT_CHARS


@pytest.mark.parametrize("library", FRAMES)
def test_sampled_statistics_say_so(library: str) -> None:
    found = describe(FRAMES[library]({"n": list(range(100_000))}))

    assert found.cut == "statistics from 20,000 of 100,000 rows"
    assert "(statistics from 20,000 of 100,000 rows, spread evenly)" in found.text


def test_no_value_of_a_category_is_told() -> None:
    values = ["secret-a", "secret-b", "secret-a"]
    frame = pl.DataFrame(
        {
            "enum": pl.Series(values, dtype=pl.Enum(["secret-a", "secret-b"])),
            "category": pl.Series(values, dtype=pl.Categorical),
        }
    )
    ordered = pd.DataFrame({"c": pd.Categorical(values, ordered=True)})

    assert "secret" not in describe(frame).text
    assert "secret" not in describe(ordered).text
    assert "enum: Enum, 0 % null, 2 distinct" in describe(frame).text


def test_a_lazy_frame_is_not_computed() -> None:
    def explode(_: pl.DataFrame) -> pl.DataFrame:
        raise AssertionError("computed")

    lazy = pl.LazyFrame({"a": [1], "s": [MAIL]}).map_batches(explode, schema={"a": pl.Int64})

    found = describe(lazy)

    assert "not computed" in found.text
    assert "- a: Int64" in found.text
    assert MAIL not in found.text


def test_series_and_record_batches_are_frames_too() -> None:
    assert "pandas Series, 3 rows × 1 column" in describe(pd.Series([1, 2, 3], name="x")).text
    assert "polars Series, 2 rows × 1 column" in describe(pl.Series("x", [1, 2])).text
    batch = pa.record_batch({"x": [1, 2]})
    assert "pyarrow RecordBatch, 2 rows × 1 column" in describe(batch).text


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(), pl.DataFrame(), pa.table({}), pd.DataFrame({"a": []}), pd.Series(dtype=float),
     pd.DataFrame(index=range(5)), pl.DataFrame({"a": [None, None]})],
)  # fmt: skip
def test_empty_frames_are_described(frame: object) -> None:
    assert "could not be described" not in describe(frame).text


def test_column_names_of_any_kind_are_told_apart_and_clipped() -> None:
    frame = pd.DataFrame([[1, 2, 3, 4, 5]], columns=["a", "a", 7, ("x", 1), "long\nname" * 40])

    text = describe(frame).text

    assert text.count("- a: Int64") == 2
    assert "- 7: Int64" in text
    assert "- (x, 1): Int64" in text
    assert "long\\nname" in text
    assert max(map(len, text.splitlines())) < 250


def test_infinite_and_missing_numbers_are_counted() -> None:
    frame = pl.DataFrame({"x": [1.0, float("nan"), None, float("inf")]})

    assert "x: Float64, 25 % null, 25 % NaN, min 1, max inf" in describe(frame).text


TOUCHED: list[str] = []


class Watched:
    """Libraries may look at it while a frame is made; a description may not."""

    def __getattribute__(self, name: str) -> object:
        TOUCHED.append(name)
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        TOUCHED.append("repr")
        return "watched"

    def __hash__(self) -> int:
        TOUCHED.append("hash")
        return 1

    def __eq__(self, other: object) -> bool:
        TOUCHED.append("eq")
        return self is other


@pytest.mark.parametrize("rows", [False, True])
def test_objects_in_a_column_are_not_touched(rows: bool) -> None:  # noqa: FBT001
    values = [Watched(), Watched()]
    frame = pd.DataFrame({"a": [1, 2], "o": pd.Series(values, dtype=object)})
    series = pl.DataFrame({"o": pl.Series(values, dtype=pl.Object)})
    TOUCHED.clear()

    texts = [describe(item, rows=rows).text for item in (frame, series)]

    assert TOUCHED == []
    assert "- o: Python objects" in texts[0]
    assert "- o: Object" in texts[1]
    assert ("Watched>" in texts[1]) is rows


def test_a_subclass_of_a_frame_is_only_named() -> None:
    class Tracked(pd.DataFrame):
        @property
        def shape(self) -> tuple[int, int]:  # type: ignore[override]
            raise AssertionError("touched")

    text = describe(Tracked({"a": [1]})).text

    assert "Tracked" in text
    assert "not looked into" in text


@pytest.mark.parametrize("shape", [(), (0,), (7,), (1_000, 2_000), (3, 1, 4, 1, 500_000)])
def test_arrays_of_any_shape_are_sampled_within_bounds(shape: tuple[int, ...]) -> None:
    array = np.broadcast_to(np.float64(2.5), shape)
    wanted = " × ".join(f"{n:,}" for n in shape) or "scalar"

    found = describe(array)

    assert found.text.startswith(f"numpy array {wanted} float64")
    assert "No element values" in found.text
    if array.size:
        assert "min 2.5, max 2.5, mean 2.5" in found.text
    assert ("statistics from" in (found.cut or "")) is (array.size > limits.ARRAY_SAMPLE)


def test_arrays_count_what_is_missing_and_tell_values_only_when_asked() -> None:
    array = np.array([1.0, np.nan, 3.0])

    assert "NaN: 1 of 3" in describe(array).text
    assert "First values: 1, nan, 3" in describe(array, rows=True).text
    assert "true: 75 %" in describe(np.array([True, True, True, False])).text


def test_arrays_of_objects_and_records_are_named_only() -> None:
    objects = np.empty(2, dtype=object)
    objects[0] = objects[1] = Watched()
    records = np.zeros(2, dtype=[("mail", "U20"), ("n", "i4")])

    TOUCHED.clear()

    assert "numpy array 2 object" in describe(objects, rows=True).text
    assert "mail" in describe(records, rows=True).text
    assert TOUCHED == []
