"""A worker's numbers on a million rows: the script asks, everything below it is real."""

from __future__ import annotations

import hashlib
import json
import re
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import psutil
import pytest

from braincode_jupyter.notebook.variables import ShellVariables
from braincode_jupyter.protocol.outside_records import ToolExecuted
from braincode_jupyter.runtime import RunArguments, Sources, prepare_run
from braincode_jupyter.testing import Reply, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from braincode_jupyter.protocol.tools import ToolReturn

ROWS = 1_000_000
LIMIT_S = 120.0
SQL = "select region, avg(revenue) as mean from sales group by region order by region"
CODE = """
import psutil
means = sales.groupby("region", observed=True).revenue.mean()
for region, mean in means.items():
    print(region, repr(float(mean)))
print("memory", psutil.Process().memory_info().rss // 2**20)
sales["revenue"] = 0
del sales
"""
NUMBER = re.compile(r"^\W*(north|south|west)\W+([\d.]+)", re.MULTILINE)


def _frame() -> pd.DataFrame:
    random = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "region": random.choice(["north", "south", "west"], ROWS),
            "revenue": random.normal(100.0, 15.0, ROWS),
            "day": pd.date_range("2026-01-01", periods=ROWS, freq="s"),
        }
    )


def _digest(namespace: Mapping[str, object]) -> str:
    """Return a digest of names, ids and, of frames, contents."""
    digest = hashlib.sha256()
    for name, value in namespace.items():
        digest.update(f"{name} {id(value)} ".encode())
        if isinstance(value, pd.DataFrame):
            digest.update(repr(value.dtypes.to_dict()).encode())
            digest.update(pd.util.hash_pandas_object(value).to_numpy().tobytes())
    return digest.hexdigest()


def _told(returns: Sequence[ToolReturn]) -> str:
    return json.dumps({"summary": "\n".join(one.text for one in returns)})


def _means(text: str) -> dict[str, float]:
    return {region: float(mean) for region, mean in NUMBER.findall(text)}


@pytest.mark.timeout(LIMIT_S)
async def test_a_million_rows_give_what_pandas_gives_and_stay_as_they_were(tmp_path: Path) -> None:
    namespace: dict[str, object] = {"sales": _frame(), "other": [1, 2], "greeting": "hello"}
    variables = ShellVariables(lambda: namespace, dict)
    uses = (("query_data", {"sql": SQL}), ("run_python", {"code": CODE}))
    model = ScriptedModel(
        {
            "statistician": Reply(text="x", tool_calls=uses[:1], then=_told),
            "analyst": Reply(text="x", tool_calls=uses[1:], then=_told),
        }
    )
    arguments = RunArguments(
        home=tmp_path / "home",
        project_root=tmp_path,
        models=model,
        roles=("oracle", "statistician", "analyst"),
        review=False,
        allow_compute=True,
    )
    before, own_before = _digest(namespace), psutil.Process().memory_info().rss
    started_s = time.monotonic()

    result = await prepare_run(
        "mean revenue of @var:sales by region", arguments, Sources(variables=variables)
    ).execute()

    took_s = time.monotonic() - started_s
    grown_mb = (psutil.Process().memory_info().rss - own_before) // 2**20
    computed = result.workers["analyst"].summary
    scratch_mb = int(computed.partition("memory ")[2].split()[0])
    print(  # noqa: T201 - the figures to look for with `pytest -s`
        f"{ROWS:,} rows: {took_s:.1f} s, here {grown_mb:+} MB, scratch kernel {scratch_mb} MB"
    )
    frame = namespace["sales"]
    assert isinstance(frame, pd.DataFrame)
    expected = frame.groupby("region").revenue.mean().to_dict()
    ended = [r for r in result.records if isinstance(r, ToolExecuted) and r.event == "end"]
    assert sorted((r.tool_name, r.is_error) for r in ended) == [
        ("query_data", False),
        ("run_python", False),
    ]
    assert _means(result.workers["statistician"].summary) == pytest.approx(expected, rel=1e-5)
    assert _means(computed) == pytest.approx(expected, rel=1e-12)
    assert _digest(namespace) == before
