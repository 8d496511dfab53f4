from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from namespace import Namespace

from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn
from braincode_jupyter.tools.granted import Granted
from braincode_jupyter.tools.sql import MAX_SQL_CHARS, MAX_TEXT_CHARS, SqlLimits, SqlTools

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    Make = Callable[..., SqlTools]

SALES = pd.DataFrame({"region": ["north", "south", "north"], "price": [1.0, 3.0, 2.0]})
IN_SCOPE_OF_THE_MODULE = pa.table({"secret": [7]})


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    made: list[SqlTools] = []

    def build(
        granted: tuple[str, ...] = ("sales",), limits: SqlLimits | None = None, **values: object
    ) -> SqlTools:
        source = Namespace(**{"sales": SALES, "private": pa.table({"secret": [1]}), **values})
        made.append(SqlTools(source, granted=Granted(variables=granted), limits=limits))
        return made[-1]

    yield build
    for toolset in made:
        await toolset.aclose()


async def ask(toolset: SqlTools, sql: str) -> ToolReturn:
    return await toolset.call(
        "query_data", {"sql": sql}, target=toolset.target("query_data", {"sql": sql})
    )


@pytest.mark.parametrize(
    "frame",
    [SALES, pl.from_pandas(SALES), pa.Table.from_pandas(SALES), SALES.set_index("region")],
    ids=["pandas", "polars", "pyarrow", "index"],
)
async def test_frames_of_every_library_are_tables(make: Make, frame: object) -> None:
    sql = "SELECT region, avg(price) AS mean FROM sales GROUP BY region ORDER BY region"

    answer = await ask(make(sales=frame), sql)

    assert answer.text == "region | mean\nnorth | 1.5\nsouth | 3\n(2 rows)"
    assert not answer.is_error


@pytest.mark.parametrize(
    "sql",
    [
        "WITH s AS (FROM sales) SELECT count(*) FROM s",
        "DESCRIBE sales",
        "SUMMARIZE sales",
        "FROM sales -- a comment at the end",
        "VALUES (1)",
        "SELECT 'a;b';",
    ],
)
async def test_reading_statements_run(make: Make, sql: str) -> None:
    assert not (await ask(make(), sql)).is_error


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t AS SELECT 1",
        "DROP VIEW sales",
        "INSERT INTO sales VALUES ('x', 1)",
        "DELETE FROM sales",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP VIEW sales",
        "EXPLAIN ANALYZE SELECT 1",
        "CALL duckdb_settings()",
        "PRAGMA database_list",
        "SET memory_limit = '90GB'",
        "RESET lock_configuration",
        "PREPARE p AS SELECT 1",
        "COPY sales TO 'out.csv'",
        "ATTACH 'x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "EXPORT DATABASE 'x'",
        "CHECKPOINT",
        "-- nothing",
        ";",
    ],
)
async def test_anything_but_one_reading_statement_is_not_run(make: Make, sql: str) -> None:
    toolset = make()

    answer = await ask(toolset, sql)

    assert answer.is_error
    assert "Nothing was run" in answer.text
    assert not (await ask(toolset, "FROM sales")).is_error


@pytest.mark.parametrize(
    "source",
    [
        "read_csv('{path}')",
        "'{path}'",
        "read_text('{path}')",
        "read_blob('{path}')",
        "glob('{folder}/*')",
        "parquet_scan('{path}')",
        "sniff_csv('{path}')",
        "read_csv('https://example.org/x.csv')",
        "duckdb_secrets()",
        "private",
        "IN_SCOPE_OF_THE_MODULE",
        "in_scope_of_the_function",
        "query('FROM read_text(''{path}'')')",
    ],
)
async def test_files_network_and_other_variables_are_out_of_reach(
    make: Make, source: str, tmp_path: Path
) -> None:
    in_scope_of_the_function = pa.table({"secret": [7]})
    path = tmp_path / "secret.csv"
    path.write_text("secret\n7\n")
    sql = f"SELECT * FROM {source}".format(  # noqa: S608 - the text under test
        path=path, folder=tmp_path
    )

    answer = await ask(make(), sql)

    assert in_scope_of_the_function.num_rows == 1
    assert answer.is_error
    assert "7" not in answer.text.replace(str(tmp_path), "")
    assert os.listdir(tmp_path) == [path.name]


async def test_an_error_says_which_tables_there_are(make: Make) -> None:
    answer = await ask(make(), "SELECT nothing FROM sales")

    assert answer.is_error
    assert "nothing" in answer.text
    assert "Tables: sales." in answer.text


async def test_rows_beyond_the_limit_are_left_out_and_said(make: Make) -> None:
    answer = await ask(make(limits=SqlLimits(rows=3)), "FROM range(10)")

    assert answer.text == (
        "range\n0\n1\n2\n(the first 3 rows; there are more: aggregate, or add WHERE or LIMIT)"
    )
    assert answer.details["is_cut"] is True


async def test_text_of_a_table_has_a_limit(make: Make) -> None:
    wide = ", ".join(f"repeat('x', 500) AS c{number}" for number in range(40))

    answer = await ask(make(), f"SELECT {wide} FROM range(100)")  # noqa: S608 - ours

    assert len(answer.text) <= MAX_TEXT_CHARS + 100
    assert "of 100 rows, as the text is full" in answer.text


async def test_a_query_without_end_is_stopped_and_the_next_one_runs(make: Make) -> None:
    toolset = make(limits=SqlLimits(run_s=0.3))

    endless = await ask(toolset, "SELECT count(*) FROM range(10000000) a, range(10000000) b")
    after = await ask(toolset, "SELECT count(*) FROM sales")

    assert endless.is_error
    assert "stopped after 0.3 s" in endless.text
    assert after.text.endswith("3\n(1 row)")


async def test_memory_has_a_limit(make: Make) -> None:
    limits = SqlLimits(memory_mb=32)

    answer = await ask(make(limits=limits), "SELECT list(range) FROM range(50000000)")

    assert answer.is_error
    assert "memory" in answer.text.lower()


async def test_a_deeply_nested_statement_is_an_error_and_no_crash(make: Make) -> None:
    nested = "SELECT " + "(" * 5_000 + "1" + ")" * 5_000

    assert (await ask(make(), nested)).is_error


def test_a_statement_that_is_too_long_or_no_text_is_refused(make: Make) -> None:
    for sql in ("SELECT 1" + " " * MAX_SQL_CHARS, "", 3, None):
        with pytest.raises(ToolRefused, match="'sql'"):
            make().target("query_data", {"sql": sql})


async def test_the_exact_statement_is_shown_and_another_one_is_refused(make: Make) -> None:
    toolset = make()
    target = toolset.target("query_data", {"sql": "FROM sales"})

    assert target.shown == "FROM sales"
    with pytest.raises(ToolRefused, match="changed"):
        await toolset.call("query_data", {"sql": "FROM private"}, target=target)


async def test_what_is_no_table_and_what_was_left_out_is_named(make: Make) -> None:
    toolset = make(
        ("sales", "number", "mixed"), number=3, mixed=pd.DataFrame({"a": [1], "o": [object()]})
    )

    answer = await ask(toolset, "SELECT a FROM mixed")

    assert "number is no table here" in answer.text
    assert "mixed is without the columns 'o'" in answer.text


async def test_frames_are_not_changed(make: Make) -> None:
    before = SALES.copy(deep=True)

    await ask(make(), "SELECT * FROM sales ORDER BY price DESC")

    pd.testing.assert_frame_equal(SALES, before)


def test_the_tool_is_offered_only_with_something_referenced(make: Make) -> None:
    (spec,) = make().specs()

    assert spec.name == "query_data"
    assert spec.effect == "read"
    assert make(()).specs() == ()
