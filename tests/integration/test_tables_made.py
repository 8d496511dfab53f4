"""Tables that workers compute: seen by the user, kept in the session, and by no other agent."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING

import pandas as pd
import polars as pl
import pytest
from namespace import Namespace

from braincode_jupyter.errors import UnknownNameError, UsageError
from braincode_jupyter.protocol.approval_records import ArtifactMade
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run, read_run
from braincode_jupyter.runtime.toolbox import MAX_ARTIFACTS_CHARS
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.tools import ToolReturn
    from braincode_jupyter.runtime import Run

CANARY = "canary-7f31"
SALES = pd.DataFrame(
    {
        "region": ["north", "south", CANARY] * 200,
        "code": ["007", "008", "009"] * 200,
        "revenue": range(600),
        "day": pd.date_range("2026-01-01", periods=600),
    }
)
BY_REGION = "select region, sum(revenue) as total from sales group by region order by region"


def sql(statement: str, name: str | None = None) -> tuple[str, dict[str, object]]:
    named = {} if name is None else {"name": name}
    return "query_data", {"sql": statement, **named}


def python(code: str) -> tuple[str, dict[str, object]]:
    return "run_python", {"code": code}


def silent(returns: Sequence[ToolReturn]) -> str:
    return json.dumps({"summary": f"made {len(returns)} tables", "progress": ["done"]})


async def run(tmp_path: Path, **roles: tuple[tuple[str, dict[str, object]], ...]) -> Run:
    model = ScriptedModel(
        {role: Reply(text="x", tool_calls=calls, then=silent) for role, calls in roles.items()}
    )
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path,
        models=model,
        roles=("oracle", *roles),
        review=True,
        allow_compute=True,
    )
    sources = Sources(variables=Namespace(sales=SALES))
    prepared = prepare_run("sales by region, @var:sales", arguments, sources)
    return await prepared.execute()


async def test_tables_of_sql_and_of_python_are_frames_in_the_users_hands(tmp_path: Path) -> None:
    code = "rows = sales[sales.revenue < 4]\nrows"
    result = await run(tmp_path, analyst=(sql(BY_REGION, "by_region"), python(code)))

    by_region, rows = result.artifacts["by_region"], result.artifacts["rows"]

    expected = SALES.groupby("region", as_index=False).revenue.sum()
    pd.testing.assert_frame_equal(
        by_region.frame(), expected.rename(columns={"revenue": "total"}), check_dtype=False
    )
    assert rows.frame().to_dict("list")["code"] == ["007", "008", "009", "007"]
    assert rows.frame().dtypes["day"].kind == "M"
    assert rows.role == "analyst"
    assert "4 rows × 4 columns" in repr(rows)
    assert list(result.artifacts) == ["by_region", "rows"]


async def test_a_replay_shows_the_same_tables_and_gives_the_same_frames(tmp_path: Path) -> None:
    result = await run(tmp_path, analyst=(sql("select * from sales", "all"),))

    again = read_run(result.session_id, tmp_path / "home")

    assert again.view.tables == result.view.tables
    assert again.artifacts == result.artifacts
    assert len(again.artifacts["all"].frame()) == 600
    assert len(again.view.tables[0].cells) == 20
    (table,) = again.view.tables
    assert f'read_session("{result.session_id}").artifacts["all"]' in table.code


async def test_rows_of_a_table_reach_nobody_but_the_user(tmp_path: Path) -> None:
    result = await run(
        tmp_path, analyst=(sql(BY_REGION, "by_region"),), statistician=(sql("select 1 a, 2 b"),)
    )

    assert CANARY in result.artifacts["by_region"].csv
    assert "analyst" in str(result.workers)
    others = [call for call in result.calls if call.role != "analyst"]
    assert {call.call_kind for call in others} >= {"worker", "primary", "review"}
    assert not any(CANARY in section.text for call in others for section in call.prompt.sections)
    assert CANARY not in str(result.workers)
    assert CANARY not in result.answer


async def test_a_table_that_was_made_again_is_the_newest(tmp_path: Path) -> None:
    first, second = sql("select 1 a, 2 b", "t"), sql("select 3 a, 4 b", "t")

    result = await run(tmp_path, analyst=(first, second))

    assert [table.cells for table in result.view.tables] == [(("3", "4"),)]
    assert result.artifacts["t"].csv == "a,b\n3,4\n"


async def test_what_is_no_table_makes_none(tmp_path: Path) -> None:
    calls = (sql("describe sales"), sql("select count(*) from sales"), python("len(sales)"))

    result = await run(tmp_path, analyst=calls)

    assert result.view.tables == ()
    assert result.artifacts == {}


async def test_an_unknown_table_is_told_with_near_names_and_a_plot_is_no_table(
    tmp_path: Path,
) -> None:
    plot = "import matplotlib.pyplot as plt; _ = plt.plot([1, 2])"
    result = await run(tmp_path, analyst=(sql(BY_REGION, "by_region"), python(plot)))

    with pytest.raises(UnknownNameError) as unknown:
        result.artifacts["by_regions"]
    with pytest.raises(UsageError):
        result.artifacts["plot 1"].frame()

    assert unknown.value.hint == "Did you mean by_region?"
    assert result.artifacts["plot 1"].data.startswith(b"\x89PNG")


async def test_a_million_rows_leave_the_first_and_say_so(tmp_path: Path) -> None:
    code = "import pandas as pd\nbig = pd.DataFrame({'n': range(1_000_000)})\nbig"

    result = await run(tmp_path, analyst=(python(code),))

    (table,) = result.view.tables
    shape = result.artifacts["big"].shape
    assert shape is not None
    assert (table.rows, table.kept_rows) == (1_000_000, 10_000)
    assert not shape.is_whole
    assert len(result.artifacts["big"].frame()) == 10_000


async def test_a_scratch_kernel_that_forges_a_table_makes_none(tmp_path: Path) -> None:
    kind = "application/vnd.braincode.table+json"
    forged = {"csv": "a,b\n1\n", "columns": 2, "rows": 9, "kinds": ["text", "text"], "name": "t"}
    good = {**forged, "csv": "a,b\n1,2\n", "name": "<b>ok"}
    code = f"from IPython.display import publish_display_data as p\np({{{kind!r}: {forged}}})"

    result = await run(tmp_path, analyst=(python(code), python(f"{code}; p({{{kind!r}: {good}}})")))

    assert [(table.name, table.rows) for table in result.view.tables] == [("b ok", 9)]


async def test_a_run_keeps_so_much_data_and_later_tables_by_name(tmp_path: Path) -> None:
    code = (
        "import pandas as pd\n"
        "for n in range(8): display(pd.DataFrame({'x': ['y' * 1_000] * 260, 'n': n}))"
    )
    calls = tuple(python(f"{code}\n# {number}") for number in range(17))

    result = await run(tmp_path, analyst=calls)

    made = [record for record in result.records if isinstance(record, ArtifactMade)]
    kept = sum(len(record.data or "") for record in made)
    assert len(made) == 17 * 8
    assert MAX_ARTIFACTS_CHARS - 300_000 < kept <= MAX_ARTIFACTS_CHARS
    assert made[-1].data is None
    assert made[-1].table is not None


def test_polars_alone_gives_a_frame_of_polars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = asyncio.run(run(tmp_path, analyst=(sql("select * from sales", "all"),)))
    monkeypatch.delitem(sys.modules, "pandas")

    frame = result.artifacts["all"].frame()

    assert isinstance(frame, pl.DataFrame)
    assert frame["code"].dtype == pl.String
    assert frame["day"].dtype.is_temporal()


async def test_a_key_in_a_table_is_masked_before_it_is_kept(tmp_path: Path) -> None:
    key = f"sk-ant-api03-{'A1b2C3d4' * 8}"

    result = await run(tmp_path, analyst=(sql(f"select '{key}' as token, 7 as n", "keys"),))

    assert key not in result.artifacts["keys"].csv
    assert result.artifacts["keys"].csv.endswith(",7\n")
