from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from braincode_jupyter.brain.key_shapes import mask_keys
from braincode_jupyter.protocol.tables import Table, TableShape
from braincode_jupyter.tools.plain_table import (
    MAX_COLUMNS,
    MAX_CSV_CHARS,
    MAX_ROWS,
    frame_table,
    plain_table,
)
from braincode_jupyter.tools.tables import read_table, table_artifact, without_keys

FRAME = pd.DataFrame(
    {
        "code": ["007", 'a,"b"'],
        "n": [1, 2],
        "ok": [True, False],
        "day": pd.to_datetime(["2026-01-02"] * 2),
    }
)


def wire(**changed: object) -> dict[str, object]:
    return {"csv": "a,b\n1,x\n", "columns": 2, "rows": 1, "kinds": ["number", "text"], **changed}


@pytest.mark.parametrize(
    "frame",
    [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)],
    ids=["pandas", "polars", "arrow"],
)
def test_a_frame_of_every_library_gives_the_same_table(frame: object) -> None:
    table = read_table(frame_table(frame) or {})

    assert table is not None
    lines = table.csv.splitlines()
    assert lines[0] == "code,n,ok,day"
    assert lines[1].startswith("007,1,true,2026-01-02")
    assert lines[2].startswith('"a,""b""",2,false,')
    assert table.shape.kinds == ("text", "number", "bool", "time")
    assert table.shape.is_whole


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, "text", FRAME.dtypes.to_dict(), None])
def test_what_is_no_frame_gives_no_table(value: object) -> None:
    assert frame_table(value) is None


def test_an_index_that_says_something_is_a_column() -> None:
    means = FRAME.groupby("code").n.mean()
    both = FRAME.pivot_table(index=["code", "ok"], values="n", aggfunc=["sum", "max"])

    assert str((frame_table(means) or {})["csv"]).splitlines()[0] == "code,n"
    assert str((frame_table(both) or {})["csv"]).splitlines()[0] == "code,ok,sum n,max n"
    assert str((frame_table(pd.Series([1, 2])) or {})["csv"]).splitlines()[0] == "value"


def test_absent_values_are_empty_cells_and_do_not_change_the_kind() -> None:
    rows = [(1.5, None, pd.NaT), (float("nan"), Decimal("2.50"), dt.date(2026, 1, 2))]

    table = read_table(plain_table(["a", "b", "c"], rows))

    assert table is not None
    assert table.csv == "a,b,c\n1.5,,\n,2.50,2026-01-02\n"
    assert table.shape.kinds == ("number", "number", "time")


def test_rows_columns_and_text_have_limits_and_the_whole_is_told() -> None:
    long = plain_table(["x"], ((n,) for n in range(MAX_ROWS + 5)))
    wide = plain_table(range(MAX_COLUMNS + 3), [range(MAX_COLUMNS + 3)])
    large = plain_table(["x"], (("y" * 1_500,) for _ in range(1_000)), count=1_000)

    tables = [read_table(one) for one in (long, wide, large)]
    shapes = [one.shape for one in tables if one is not None]
    assert [(one.rows, one.kept_rows, one.columns) for one in shapes[:2]] == [
        (None, MAX_ROWS, 1),
        (1, 1, MAX_COLUMNS + 3),
    ]
    assert len(str(large["csv"])) <= MAX_CSV_CHARS
    assert (shapes[2].rows, shapes[2].kept_rows) == (1_000, MAX_CSV_CHARS // 1_501)
    assert not any(one.is_whole for one in shapes)


@pytest.mark.parametrize(
    "odd",
    [
        {"csv": 7},
        {"csv": ""},
        {"csv": "a,b\n1\n"},
        {"csv": "x" * (MAX_CSV_CHARS + 1)},
        {"kinds": ["number", "markup"]},
        {"kinds": ["number"]},
        {"kinds": "text"},
        {"columns": 1},
        {"columns": True},
        {"columns": None},
    ],
)
def test_a_table_that_is_not_what_it_says_is_dropped(odd: dict[str, object]) -> None:
    assert read_table(wire()) is not None
    assert read_table(wire(**odd)) is None


def test_rows_are_counted_here_and_not_believed() -> None:
    table = read_table(wire(rows=0, csv="a,b\n1,x\n2,\ud800\n"))

    assert table is not None
    assert (table.shape.rows, table.shape.kept_rows) == (2, 2)
    assert table.csv.endswith("2,?\n")


@pytest.mark.parametrize(
    ("given", "label", "uri"),
    [
        ("revenue_by_region", "revenue_by_region", "q:w/revenue_by_region"),
        ("../<b>\nx", ".. b x", "q:w/..-b-x"),
        ("\u202e", "result 1", "q:w/result-1"),
        ("é" * 300, "é" * 60, f"q:w/{'é' * 60}"),
    ],
)
def test_a_name_from_a_model_is_one_short_line(given: str, label: str, uri: str) -> None:
    table = Table(csv="a\n1\n", shape=TableShape(columns=1, kept_rows=1, kinds=("number",)))

    artifact = table_artifact(table, given, place="q:w", fallback="result 1")

    assert (artifact.label, artifact.uri) == (label, uri)


def test_a_key_in_a_cell_is_masked_and_rows_stay_rows() -> None:
    key = f"sk-ant-api03-{'A1b2C3d4' * 8}"
    table = read_table(wire(csv=f'a,b\n1,"x, {key}"\n'))

    assert table is not None
    clean = without_keys(table, lambda text: mask_keys(text)[0])
    assert key not in clean.csv
    assert read_table(wire(csv=clean.csv)) is not None
    assert clean.csv.startswith("a,b\n1,")
