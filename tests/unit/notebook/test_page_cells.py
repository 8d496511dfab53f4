from __future__ import annotations

import pytest
from watched_kernel import Kernel, plain

from braincode_jupyter.notebook.cells import MAX_ANNOUNCED
from braincode_jupyter.references import limits


def pushed(*cells: dict[str, object]) -> dict[str, object]:
    return {"running": "ask", "cells": list(cells)}


def test_a_pushed_notebook_gives_order_text_and_cells_that_did_not_run() -> None:
    kernel = Kernel()
    kernel.run("b", "two", "printed")
    kernel.run("a", "one")

    accepted = kernel.source.accept_snapshot(
        pushed(
            {"id": "m", "cell_type": "markdown", "source": "# Title"},
            plain("a", "one", metadata={"tags": ["braincode:first"]}),
            plain("n", "#| label: new\nnot run", execution_count=7),
            plain("b", "two, edited"),
            plain("ask", "ask"),
        )
    )
    kernel.start("ask", "ask")

    assert accepted
    found = [(c.cell_id, c.label, c.source, c.execution_count) for c in kernel.cells()]
    assert found == [
        ("m", "", "# Title", None),
        ("a", "first", "one", 2),
        ("n", "new", "#| label: new\nnot run", None),
        ("b", "", "two, edited", 1),
        ("ask", "", "ask", None),
    ]
    assert kernel.cells()[3].outputs[0].text == "printed"


@pytest.mark.parametrize(
    "data",
    [
        None, [], "x", {}, {"running": "ask", "cells": None}, {"running": "ask", "cells": [3]},
        {"running": "ask", "cells": [{}]}, {"cells": [plain("a", "x")]},
        {"running": 7, "cells": [plain("a", "x")]}, {"running": "r" * 300, "cells": []},
        pushed({"id": 3, "cell_type": "code", "source": ""}),
        pushed({"id": "a", "cell_type": "other", "source": ""}),
        pushed(plain("a", "x"), plain("a", "y")),
        pushed(plain("a", "x", outputs="no")),
        pushed(plain("a", "x" * (limits.MAX_SNAPSHOT_BYTES + 1))),
        pushed(*(plain(f"c{n}", "x") for n in range(limits.MAX_NOTEBOOK_CELLS + 1))),
    ],
)  # fmt: skip
def test_a_push_of_the_wrong_shape_or_size_is_refused_whole(data: object) -> None:
    kernel = Kernel()
    kernel.run("a", "kept")

    assert kernel.source.accept_snapshot(data) is False
    kernel.start("ask", "ask")
    assert [cell.cell_id for cell in kernel.cells()] == ["a", "ask"]


def page(kernel: Kernel, *cells: dict[str, object]) -> list[str]:
    assert kernel.source.accept_snapshot(pushed(*cells, plain("ask", "ask")))
    kernel.start("ask", "ask")
    return [cell.source for cell in kernel.cells()]


def test_a_push_counts_for_the_cell_it_came_before_and_for_no_other() -> None:
    kernel = Kernel()

    assert page(kernel, plain("n", "not run")) == ["not run", "ask"]
    kernel.run("other", "x")
    assert [cell.source for cell in kernel.cells()] == ["ask", "x"]
    kernel.start("ask", "ask")
    assert [cell.source for cell in kernel.cells()] == ["x", "ask"]


def test_run_all_sends_the_cells_once_for_all_that_it_schedules() -> None:
    kernel = Kernel()
    cells = (plain("ask", "ask"), plain("x", "x"), plain("again", "again"), plain("n", "late"))
    kernel.source.accept_snapshot(pushed(*cells))
    kernel.source.accept_snapshot({"running": "again"})

    for cell_id in ("ask", "x", "again"):
        kernel.run(cell_id, cell_id)

    assert [cell.source for cell in kernel.cells()] == ["ask", "x", "again", "late"]


def test_a_cell_that_was_deleted_on_the_page_is_no_longer_known() -> None:
    kernel = Kernel(inputs=lambda: ["", "before", "gone too"])
    kernel.count = 2
    kernel.run("gone", "#| label: same\nold")

    sources = page(
        kernel,
        plain("first", "before, edited", execution_count=1),
        plain("new", "#| label: same\nnew"),
    )

    assert sources == ["before, edited", "#| label: same\nnew", "ask", "gone too"]


def test_cells_scheduled_with_a_snapshot_are_bounded() -> None:
    kernel = Kernel()
    kernel.source.accept_snapshot(pushed(plain("n", "not run"), plain("ask", "ask")))
    for number in range(MAX_ANNOUNCED):
        kernel.source.accept_snapshot({"running": f"c{number}"})

    kernel.start("ask", "ask")

    assert [cell.source for cell in kernel.cells()] == ["ask"]


def test_cells_of_a_question_are_put_together_and_not_kept() -> None:
    kernel = Kernel()
    kernel.run("a", "one", "printed")

    asked = kernel.source.cells_on_page({"cells": [plain("n", "not run"), plain("a", "one, new")]})

    assert [cell.source for cell in asked] == ["not run", "one, new"]
    assert asked[1].outputs[0].text == "printed"
    assert [cell.source for cell in kernel.cells()] == ["one"]


def test_a_push_nested_too_deeply_is_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    assert Kernel().source.accept_snapshot(pushed(plain("a", "x", outputs=deep))) is False
