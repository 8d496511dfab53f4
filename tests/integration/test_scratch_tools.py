from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import psutil
import pytest
import pytest_asyncio
from namespace import Namespace

from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn
from braincode_jupyter.tools.granted import Granted
from braincode_jupyter.tools.run_python import MAX_TEXT_CHARS, PythonTools
from braincode_jupyter.tools.scratch import ScratchLimits
from braincode_jupyter.tools.scratch_pool import ScratchPool
from braincode_jupyter.tools.sql import SqlTools

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

pytestmark = pytest.mark.asyncio(loop_scope="module")
ROWS = 1_000_000


def digest_of(namespace: Namespace) -> str:
    digest = hashlib.sha256()
    for name, value in namespace.values.items():
        digest.update(f"{name} {id(value)} ".encode())
        if isinstance(value, pd.DataFrame):
            digest.update(repr(list(value.dtypes.items())).encode())
            hashes = pd.util.hash_pandas_object(value, index=True)
            digest.update(hashes.to_numpy().tobytes())
        else:
            digest.update(repr(value).encode())
    return digest.hexdigest()


def sales() -> pd.DataFrame:
    random = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "region": random.choice(["north", "south", "east", "west"], ROWS),
            "price": random.normal(100, 15, ROWS),
            "units": random.integers(0, 50, ROWS),
            "day": pd.date_range("2024-01-01", periods=ROWS, freq="min"),
        }
    )


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def pool() -> AsyncIterator[ScratchPool]:
    pool = ScratchPool(limits=ScratchLimits(run_s=15.0))
    yield pool
    await pool.aclose()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def python(pool: ScratchPool) -> AsyncIterator[PythonTools]:
    namespace = Namespace(small=[1, 2, 3], bad=object(), private="not referenced")
    granted = Granted(variables=("small", "bad"))
    toolset = PythonTools(pool, namespace, granted=granted, owner="w1")
    yield toolset
    await toolset.aclose()


async def ran(toolset: PythonTools, code: str) -> ToolReturn:
    arguments = {"code": code}
    return await toolset.call(
        "run_python", arguments, target=toolset.target("run_python", arguments)
    )


def means(text: str) -> dict[str, float]:
    lines = [line.split(",") for line in text.splitlines() if line.count(",") == 1]
    return {name: float(mean) for name, mean in lines}


async def test_kernel_and_sql_find_the_means_of_pandas_and_change_nothing(
    pool: ScratchPool, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = sales()
    namespace = Namespace(sales=frame, private="not referenced", numbers=[1, 2])
    granted = Granted(variables=("sales",))
    expected = frame.groupby("region")["price"].mean().to_dict()
    before, memory = digest_of(namespace), psutil.Process().memory_info().rss
    python = PythonTools(pool, namespace, granted=granted, owner="w2")
    database = SqlTools(namespace, granted=granted)
    code = "for r, m in sales.groupby('region').price.mean().items(): print(f'{r},{m!r}')"
    sql = "SELECT concat(region, ',', avg(price)) AS mean FROM sales GROUP BY region"

    started = time.perf_counter()
    first = await ran(python, code.replace("{m!r}", "{float(m)!r}"))
    kernel_s = time.perf_counter() - started
    again = await ran(python, "len(sales), sales.price.sum()")
    started = time.perf_counter()
    answer = await database.call(
        "query_data", {"sql": sql}, target=database.target("query_data", {"sql": sql})
    )
    sql_s = time.perf_counter() - started
    used = await ran(
        python,
        "import resource; resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024",
    )
    grown = psutil.Process().memory_info().rss - memory
    await python.aclose()
    await database.aclose()

    assert means(first.text) == pytest.approx(expected, rel=1e-12)
    assert means(answer.text) == pytest.approx(expected, rel=1e-9)
    assert again.text.startswith(f"({ROWS}, ")
    assert digest_of(namespace) == before
    with capsys.disabled():
        print(  # noqa: T201 - the measure that the test is for
            f"\n{ROWS:,} rows: kernel with start and copy {kernel_s:.2f} s "
            f"(run {first.details['duration_s']} s), its peak {used.text} MiB; SQL {sql_s:.2f} s; "
            f"own memory +{grown / 2**20:.0f} MiB; {first.details['isolation']}"
        )


async def test_only_referenced_variables_are_there_and_the_rest_is_named(
    python: PythonTools,
) -> None:
    first = await ran(python, "sum(small)")
    second = await ran(python, "private")

    assert first.text.startswith("6\n")
    assert "Note: bad: not copied: holds an object." in first.text
    assert "NameError" in second.text
    assert second.is_error


async def test_plots_are_artifacts_and_the_model_is_told(python: PythonTools) -> None:
    code = "import matplotlib.pyplot as plt; _ = plt.plot(small)"

    first, second = await ran(python, code), await ran(python, code)

    assert [item.uri for item in first.artifacts] == ["scratch:w1/plot-1"]
    assert [item.label for item in second.artifacts] == ["plot 2"]
    image = first.artifacts[0].image
    assert image is not None
    assert image.data.startswith(b"\x89PNG")
    assert "Shown to the user: plot 1." in first.text


async def test_the_model_gets_a_bounded_text_with_the_value_first(python: PythonTools) -> None:
    answer = await ran(python, "print('y' * 500_000)\n'x' * 500_000")

    assert len(answer.text) <= MAX_TEXT_CHARS + 1_000
    assert answer.text.startswith("'xxx")
    assert "Printed:\nyyy" in answer.text
    assert "characters cut" in answer.text


async def test_magics_get_a_hint(python: PythonTools) -> None:
    assert "Only plain Python runs here" in (await ran(python, "%matplotlib inline")).text


async def test_after_a_crash_a_fresh_kernel_has_the_variables_again(python: PythonTools) -> None:
    await ran(python, "own = 1")

    crashed = await ran(python, "import os; os._exit(1)")
    after = await ran(python, "small, 'own' in globals()")

    assert crashed.is_error
    assert "its variables are lost" in crashed.text.lower()
    assert after.text.startswith("([1, 2, 3], False)")
    assert "A fresh kernel was started" in after.text


async def test_the_exact_code_is_shown_and_other_code_is_refused(python: PythonTools) -> None:
    target = python.target("run_python", {"code": "1 + 1"})

    assert target.shown == "1 + 1"
    with pytest.raises(ToolRefused, match="changed"):
        await python.call("run_python", {"code": f"open({os.devnull!r})"}, target=target)


async def test_a_closed_worker_runs_nothing(pool: ScratchPool) -> None:
    toolset = PythonTools(pool, None, granted=Granted(), owner="w3")
    await toolset.aclose()

    with pytest.raises(ToolRefused, match="over"):
        await ran(toolset, "1")


async def test_it_is_offered_as_a_tool_that_executes(python: PythonTools) -> None:
    (spec,) = python.specs()

    assert (spec.name, spec.effect, spec.is_sequential) == ("run_python", "execute", True)
    assert "small, bad" in spec.description
