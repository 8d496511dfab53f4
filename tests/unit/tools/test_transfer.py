from __future__ import annotations

import datetime as dt
import json
import pickle
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from braincode_jupyter.tools import scratch_child
from braincode_jupyter.tools.transfer import MANIFEST, MAX_ITEMS, copy_variables

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary() | st.dates() | st.decimals(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)  # fmt: skip


class Hostile:
    calls = 0

    def _raise(self, *_: object) -> NoReturn:
        type(self).calls += 1
        raise ValueError("code of the user ran")

    __reduce__ = __reduce_ex__ = __getstate__ = __repr__ = __str__ = __len__ = __iter__ = _raise
    __bool__ = __sizeof__ = __copy__ = __deepcopy__ = _raise


def copied(folder: Path, **values: object) -> dict[str, object]:
    copies = copy_variables(values, folder)
    entries = json.loads((folder / MANIFEST).read_text("utf-8"))
    assert tuple(entry["name"] for entry in entries) == copies.names
    return {
        entry["name"]: scratch_child.load_copy(folder / entry["file"], entry["form"])
        for entry in entries
    }


@given(value=PLAIN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_plain_values_arrive_as_they_are(value: object, tmp_path: Path) -> None:
    assert copied(tmp_path, value=value) == {"value": value}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1, 2], "b": ["x", None], "t": pd.date_range("2024-01-01", periods=2)}),
        pd.DataFrame({"a": [1.5, None]}, index=pd.Index(["r", "s"], name="key")),
        pd.DataFrame({"c": pd.Categorical(["x", "y"]), "n": pd.array([1, None], dtype="Int64")}),
        pd.DataFrame({"z": pd.date_range("2024-01-01", periods=2, tz="Europe/Berlin")}),
        pd.DataFrame(),
    ],
)
def test_pandas_frames_keep_values_types_and_index(frame: pd.DataFrame, tmp_path: Path) -> None:
    arrived = copied(tmp_path, frame=frame)["frame"]

    assert isinstance(arrived, pd.DataFrame)
    pd.testing.assert_frame_equal(arrived, frame, check_freq=False)


@pytest.mark.parametrize("name", ["sales", None])
def test_a_series_keeps_its_name_or_has_none(name: str | None, tmp_path: Path) -> None:
    arrived = copied(tmp_path, s=pd.Series([1, 2], name=name))["s"]

    assert isinstance(arrived, pd.Series)
    pd.testing.assert_series_equal(arrived, pd.Series([1, 2], name=name))


def test_polars_arrow_and_numpy_arrive_in_their_own_kind(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2]})

    arrived: Any = copied(
        tmp_path,
        frame=pl.DataFrame({"a": [1]}),
        series=pl.Series("s", ["x"]),
        table=table,
        batch=table.to_batches()[0],
        array=np.arange(6.0).reshape(2, 3),
    )

    assert arrived["frame"].equals(pl.DataFrame({"a": [1]}))
    assert arrived["series"].equals(pl.Series("s", ["x"]))
    assert arrived["table"].equals(table)
    assert arrived["batch"].equals(table.to_batches()[0])
    np.testing.assert_array_equal(arrived["array"], np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Hostile(), "holds a Hostile"),
        ([1, {"a": (Hostile(),)}], "holds a Hostile"),
        ({Hostile: 1}, "holds a type"),
        (lambda: None, "holds a function"),
        (np.array([Hostile()], dtype=object), "an array of Python objects"),
        (pl.LazyFrame({"a": [1]}), "a query that has not run"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "several columns called 'a'"),
        (pd.DataFrame({("a", "b"): [1]}), "several levels"),
        (type("Text", (str,), {})("x"), "holds a Text"),
    ],
)
def test_what_cannot_be_copied_is_named_and_stops_nothing(
    value: object, reason: str, tmp_path: Path
) -> None:
    Hostile.calls = 0

    copies = copy_variables({"bad": value, "good": 1}, tmp_path)

    assert copies.names == ("good",)
    assert reason in copies.notes["bad"]
    assert Hostile.calls == 0


def test_columns_of_objects_are_left_out_and_named(tmp_path: Path) -> None:
    Hostile.calls = 0
    frame = pd.DataFrame({"a": [1, 2], "bad": [Hostile(), None], "mixed": [1, "x"]})

    copies = copy_variables({"frame": frame}, tmp_path)

    assert copies.names == ("frame",)
    assert "'bad', 'mixed'" in copies.notes["frame"]
    assert Hostile.calls == 0


def test_an_index_of_objects_does_not_run_their_code(tmp_path: Path) -> None:
    Hostile.calls = 0
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([Hostile(), Hostile()], dtype=object))

    arrived = copied(tmp_path, frame=frame)["frame"]

    assert Hostile.calls == 0
    assert list(arrived["a"]) == [1, 2]


def test_values_that_hold_themselves_or_are_too_large_are_refused(tmp_path: Path) -> None:
    endless: list[object] = []
    endless.append(endless)

    copies = copy_variables(
        {
            "endless": endless,
            "text": "x" * 20_000,
            "array": np.zeros(5_000),
            "frame": pd.DataFrame({"a": np.zeros(5_000)}),
            "many": list(range(MAX_ITEMS + 1)),
        },
        tmp_path,
        max_bytes=10_000,
    )

    assert copies.names == ()
    assert "levels deep" in copies.notes["endless"]
    assert "items" in copies.notes["many"]
    assert all("MB" in copies.notes[name] for name in ("text", "array", "frame"))


def test_the_limit_of_all_copies_together_holds(tmp_path: Path) -> None:
    values = {"a": "x" * 1_000, "b": "y" * 1_000}

    copies = copy_variables(values, tmp_path, max_total_bytes=1_500)

    assert copies.names == ("a",)
    assert "not copied" in copies.notes["b"]


def test_copying_changes_no_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [3, 1], "b": ["x", "y"]})
    value = {"when": dt.datetime(2024, 1, 1, tzinfo=dt.UTC), "d": Decimal("1.50")}
    before = pickle.dumps((frame, value))

    copy_variables({"frame": frame, "value": value}, tmp_path)

    assert pickle.dumps((frame, value)) == before
