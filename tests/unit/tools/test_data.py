from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from namespace import Namespace

from braincode_jupyter.protocol.ports import CellOutput, CellSnapshot
from braincode_jupyter.protocol.run_records import ReferenceUsed
from braincode_jupyter.protocol.tools import ToolRefused, ToolReturn
from braincode_jupyter.references.cells import render_cell
from braincode_jupyter.references.variables import describe
from braincode_jupyter.tools.data import MAX_FOUND, MAX_TEXT_CHARS, DataTools
from braincode_jupyter.tools.granted import Granted, granted_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from braincode_jupyter.protocol.records import ReferenceKind

PRIVATE = "what nobody referenced"
SALES = pd.DataFrame({"region": ["north", "south"], "price": [1.0, 3.0]})
CELLS = (
    CellSnapshot(
        cell_id="c1",
        label="cleaning",
        source="df = df.dropna()\n# Total matters",
        execution_count=3,
        outputs=(CellOutput(kind="stream", text="total 42\n", name="stdout"),),
    ),
    CellSnapshot(cell_id="c2", label="", source=f"note = '{PRIVATE} total'"),
    CellSnapshot(
        cell_id="c3",
        label="plot",
        source="hidden_source = 1",
        outputs=(CellOutput(kind="result", text="total shown"),),
    ),
)


class Cells:
    def cells(self) -> Sequence[CellSnapshot]:
        return CELLS


def tools(granted: Granted, **values: object) -> DataTools:
    variables = Namespace(**{"sales": SALES, "secret": PRIVATE, **values})
    return DataTools(
        variables, Cells(), granted=granted, describe=describe, render_cell=render_cell
    )


async def called(toolset: DataTools, tool: str, **arguments: JsonValue) -> ToolReturn:
    return await toolset.call(tool, arguments, target=toolset.target(tool, arguments))


def used(token: str, kind: ReferenceKind, uri: str, *, is_missing: bool = False) -> ReferenceUsed:
    state = "missing" if is_missing else "sent"
    return ReferenceUsed(timestamp=0, token=token, kind=kind, state=state, uri=uri, label="")


def test_references_grant_what_they_resolved_to_and_nothing_else() -> None:
    granted = granted_by(
        [
            used("@var:sales", "variable", "var:sales"),
            used("@var:small!rows", "variable", "var:small"),
            used("@cell:cleaning", "cell", "cell:c1"),
            used("@out:plot", "output", "cell:c3"),
            used("@var:gone", "variable", "var:gone", is_missing=True),
            used("@data.csv", "file", "/data.csv"),
        ]
    )

    assert granted == Granted(
        variables=("sales", "small"),
        with_rows=frozenset({"small"}),
        cells=frozenset({"c1"}),
        outputs=frozenset({"c3"}),
    )


async def test_only_referenced_variables_are_listed() -> None:
    answer = await called(tools(Granted(variables=("sales", "gone"))), "list_variables")

    assert "sales: pandas DataFrame, 2 rows" in answer.text
    assert "gone: no longer exists" in answer.text
    assert "secret" not in answer.text


async def test_where_the_run_allows_more_the_others_are_listed_by_name_and_type_alone() -> None:
    answer = await called(tools(Granted(is_open=True)), "list_variables")

    assert "secret: str (not referenced: name and type only)" in answer.text
    assert PRIVATE not in answer.text


async def test_a_description_has_rows_only_where_they_were_asked_for() -> None:
    without = await called(tools(Granted(variables=("sales",))), "describe_variable", name="sales")
    granted = Granted(variables=("sales",), with_rows=frozenset({"sales"}))
    with_rows = await called(tools(granted), "describe_variable", name="@var:sales")

    assert "mean 2" in without.text
    assert "north" not in without.text
    assert "north" in with_rows.text


@pytest.mark.parametrize("name", ["secret", "sales.price", "no", "__import__('os')"])
def test_what_was_not_referenced_cannot_be_described_even_in_an_open_run(name: str) -> None:
    toolset = tools(Granted(variables=("sales",), is_open=True))

    with pytest.raises(ToolRefused, match="Referenced: sales"):
        toolset.target("describe_variable", {"name": name})


@pytest.mark.parametrize("name", ["cleaning", "c1", "[3]", "@cell:cleaning"])
async def test_a_referenced_cell_is_read_by_label_id_or_number(name: str) -> None:
    answer = await called(tools(Granted(cells=frozenset({"c1"}))), "read_cell", cell=name)

    assert "df = df.dropna()" in answer.text
    assert "total 42" in answer.text


async def test_of_a_cell_whose_outputs_were_referenced_the_source_stays_unread() -> None:
    toolset = tools(Granted(outputs=frozenset({"c3"})))

    answer = await called(toolset, "read_cell", cell="plot")
    found = await called(toolset, "search_cells", text="hidden_source")

    assert "total shown" in answer.text
    assert "hidden_source = 1" not in answer.text + found.text


async def test_a_search_finds_lines_of_referenced_cells_alone() -> None:
    answer = await called(tools(Granted(cells=frozenset({"c1"}))), "search_cells", text="TOTAL")

    assert [line.partition(":")[2].strip() for line in answer.text.splitlines()] == [
        "# Total matters",
        "total 42",
    ]
    assert PRIVATE not in answer.text


def test_a_cell_that_was_not_referenced_does_not_exist() -> None:
    with pytest.raises(ToolRefused, match="Referenced: cleaning"):
        tools(Granted(cells=frozenset({"c1"}))).target("read_cell", {"cell": "c2"})


async def test_long_answers_are_cut_with_a_mark() -> None:
    toolset = tools(Granted(variables=("text",)), text="x" * 20_000)
    answer = await called(toolset, "describe_variable", name="text")
    assert len(answer.text) <= MAX_TEXT_CHARS + 64

    cell = CellSnapshot(cell_id="big", label="", source="total\n" * 500)

    class Big:
        def cells(self) -> Sequence[CellSnapshot]:
            return [cell]

    granted = Granted(cells=frozenset({"big"}))
    big = DataTools(None, Big(), granted=granted, describe=describe, render_cell=render_cell)
    found = await called(big, "search_cells", text="total")

    assert len(found.text.splitlines()) == MAX_FOUND + 1
    assert "further lines" in found.text


async def test_a_call_that_changed_after_it_was_decided_is_refused() -> None:
    toolset = tools(Granted(variables=("sales", "secret")))
    target = toolset.target("describe_variable", {"name": "sales"})

    with pytest.raises(ToolRefused, match="changed"):
        await toolset.call("describe_variable", {"name": "secret"}, target=target)


@pytest.mark.parametrize("arguments", [{}, {"name": 3}, {"name": " "}, {"name": "x" * 9_000}])
def test_wrong_arguments_are_refused_with_the_next_step(arguments: dict[str, JsonValue]) -> None:
    with pytest.raises(ToolRefused, match="argument 'name'"):
        tools(Granted(variables=("sales",))).target("describe_variable", arguments)


def test_tools_without_anything_to_look_at_are_not_offered() -> None:
    assert tools(Granted()).specs() == []
    names = [spec.name for spec in tools(Granted(cells=frozenset({"c1"}))).specs()]
    assert names == ["read_cell", "search_cells"]
    assert {spec.effect for spec in tools(Granted(variables=("sales",))).specs()} == {"read"}
